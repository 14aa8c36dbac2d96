package markdown

import (
	"strings"
	"testing"
)

func TestContainersBeyondTheBoundAreText(t *testing.T) {
	cases := []struct {
		name, mark  string
		opens, text string // the tag of one container, and how the rest is shown
	}{
		{"quotations", ">", "<blockquote>", "&gt;"},
		{"quotations with spaces", "> ", "<blockquote>", "&gt; "},
		{"bullets", "+ ", "<ul>", "+ "},
		{"hyphens", "- ", "<ul>", "- "},
		{"numbers", "1. ", "<ol>", "1. "},
		{"numbers with brackets", "1) ", "<ol>", "1) "},
		{"tabs", "-\t", "<ul>", "-\t"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			within := rendered(t, strings.Repeat(c.mark, maxDepth)+"end")
			if n := strings.Count(within, c.opens); n != maxDepth || strings.Contains(within, c.text+"end") {
				t.Errorf("%d marks open %d containers: %.200q", maxDepth, n, within)
			}
			beyond := rendered(t, strings.Repeat(c.mark, maxDepth+3)+"end")
			if n := strings.Count(beyond, c.opens); n != maxDepth {
				t.Errorf("%d marks open %d containers, want %d", maxDepth+3, n, maxDepth)
			}
			if want := strings.Repeat(c.text, 3) + "end"; !strings.Contains(beyond, want) {
				t.Errorf("no %q in %q", want, beyond)
			}
		})
	}
}

func TestDeepContainersKeepTheirOffsets(t *testing.T) {
	src := strings.Repeat("> ", 20_000) + "end\n\nAfter.\n"
	d := Parse(src)
	if len(d.Blocks) != 2 {
		t.Fatalf("%d blocks, want 2", len(d.Blocks))
	}
	quote := d.Blocks[0]
	if quote.Kind != Quote || quote.Level != maxDepth || !strings.HasSuffix(d.Text(quote), "> > end") {
		t.Errorf("%s of level %d ends with %q", quote.Kind, quote.Level, d.Text(quote)[max(0, quote.End-quote.Start-20):])
	}
	if d.Text(d.Blocks[1]) != "After." || d.Blocks[1].Line != 3 {
		t.Errorf("then %q on line %d", d.Text(d.Blocks[1]), d.Blocks[1].Line)
	}
	plain, at := Plain(src)
	if !strings.HasSuffix(plain, "> end\n\nAfter.") || at(len(plain)) != len(src)-1 {
		t.Errorf("plain text ends with %q, which comes from %d of %d", plain[len(plain)-20:], at(len(plain)), len(src))
	}
}

func TestWhatLooksLikeAContainerIsCounted(t *testing.T) {
	cases := []struct {
		line string
		want int
	}{
		{"> x", 1}, {">x", 1}, {"- x", 1}, {"-x", 0}, {"-", 1}, {"+\tx", 1}, {"*\n", 1}, {"**b**", 0},
		{"1. x", 2}, {"12) x", 3}, {"1.x", 0}, {"1 x", 0}, {"12", 0}, {"1.", 2}, {"1.\r\n", 2}, {"x", 0}, {"", 0}, {"1-", 0},
	}
	for _, c := range cases {
		if got := containerMark([]byte(c.line)); got != c.want {
			t.Errorf("containerMark(%q) = %d, want %d", c.line, got, c.want)
		}
	}
}

func TestMarksBeyondTheBoundAreText(t *testing.T) {
	many := strings.Repeat("*a* ", 2*maxMarks)
	cases := []struct {
		name, src, tag string
		want           int
	}{
		{"emphasis in a line", many, "<em>", maxMarks / 2},
		{"emphasis in a paragraph of many lines", strings.Repeat("*a*\n", 2*maxMarks), "<em>", maxMarks / 2},
		{"each paragraph for itself", strings.Repeat(strings.Repeat("*a* ", maxMarks/2)+"\n\n", 3), "<em>", 3 * maxMarks / 2},
		{"each row of a table for itself", "| a |\n| - |\n" + strings.Repeat("| *b* |\n", 2*maxMarks), "<em>", 2 * maxMarks},
		{"a row", "| a |\n| - |\n| " + many + " |\n", "<em>", maxMarks / 2},
		{"a heading", "# " + many, "<em>", maxMarks / 2},
		{"links", strings.Repeat("[a](https://b.example) ", maxMarks+5), "<a ", maxMarks},
		{"tags", strings.Repeat("<br>", maxMarks+5), "<br>", maxMarks},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if n := strings.Count(rendered(t, c.src), c.tag); n != c.want {
				t.Errorf("%d × %s, want %d", n, c.tag, c.want)
			}
		})
	}
}

func TestTheBoundLosesNoTextAndChangesNoAddress(t *testing.T) {
	src := strings.Repeat("_", maxMarks) + " [label](https://b.example/a_b_c*d) and [later](https://c.example/x_y)"
	out := rendered(t, src)
	if strings.Contains(out, "<a ") || !strings.Contains(out, "[label](https://b.example/a_b_c*d) and [later](https://c.example/x_y)") {
		t.Errorf("beyond the bound: %.300q", out[max(0, len(out)-300):])
	}
	// The bound is reached inside this address.
	src = strings.Repeat("**a** ", (maxMarks-2)/4) + "[label](https://b.example/a_b_c_d_e) *b*"
	out = rendered(t, src)
	if !strings.Contains(out, `href="https://b.example/a_b_c_d_e"`) || !strings.Contains(out, "</a> *b*") {
		t.Errorf("around the bound: %.300q", out[max(0, len(out)-300):])
	}
	plain, _ := Plain(strings.Repeat("*a* ", maxMarks) + "<https://b.example/x_y>")
	if !strings.HasSuffix(plain, "*a* <https://b.example/x_y>") {
		t.Errorf("plain text ends with %q", plain[len(plain)-60:])
	}
}

func TestLinkDefinitionsAreBounded(t *testing.T) {
	defs := strings.Repeat("[a]: https://a.example\n", maxDefinitions-1)
	out := rendered(t, "[b] and [c]\n\n"+defs+"[b]: https://b.example\n[c]: https://c.example\n")
	if !strings.Contains(out, `<a href="https://b.example"`) {
		t.Errorf("definition %d is lost: %.200q", maxDefinitions, out)
	}
	if !strings.Contains(out, "and [c]") || !strings.Contains(out, "[c]: https://c.example") {
		t.Errorf("definition %d is read, or not shown: %.300q", maxDefinitions+1, out)
	}
}

func TestHostileMarkupEndsWithAllItsText(t *testing.T) {
	for _, unit := range []string{"[a](", "[a](<b", "*a_ ", "[[", "![", "> - ", "1. > ", "<a ", "`a``", "~~a ~", "[^a]", "[a]: b\n", "|a"} {
		src := strings.Repeat(unit, 200_000/len(unit)) + " end"
		for name, out := range map[string]string{"plain": first(Plain(src)), "html": rendered(t, src), "spans": renderedSpans(t, src)} {
			if strings.Count(out, "end") == 0 {
				t.Errorf("%q: %s loses the end", unit, name)
			}
		}
		if d := Parse(src); len(d.Blocks) == 0 || d.Blocks[len(d.Blocks)-1].End != len(src) {
			t.Errorf("%q: the blocks lose the end", unit)
		}
	}
}

func first(s string, _ func(int) int) string { return s }

func rendered(t *testing.T, src string) string {
	t.Helper()
	out, err := HTML(src)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func renderedSpans(t *testing.T, src string) string {
	t.Helper()
	out, _, err := HTMLSpans(src, []Span{{Start: len(src) / 2, End: len(src)}}, func(int, int, int) (string, string) { return "<b>", "</b>" })
	if err != nil {
		t.Fatal(err)
	}
	return out
}
