package markdown

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestSourceListsWithOtherThingsInThem(t *testing.T) {
	const a, b = "https://a.org/x", "https://b.org/y"
	one := []Entry{{Number: 1, Text: "First", URL: a}}
	two := []Entry{{Number: 1, Text: "First", URL: a}, {Number: 2, Text: "Second", URL: b}}
	cases := []struct {
		name, src string
		want      []Entry
	}{
		{"bullets beside numbers are no sources", "## Sources\n- All were read in May.\n\n[1] First " + a + "\n[2] Second " + b, two},
		{"a rule ends it", "## Sources\n[1] First " + a + "\n[2] Second " + b + "\n\n---\n\n[3] Third " + b, two},
		{"a rule before it", "## Sources\n\n---\n\n[1] First " + a + "\n[2] Second " + b, two},
		{"prose after a blank line ends it", "## Sources\n[1] First " + a + "\n\nThe end of the report.", one},
		{"prose right below belongs to it", "## Sources\n[1] First\nof its kind " + a, []Entry{{Number: 1, Text: "First of its kind", URL: a}}},
		{"a remark in the heading", "## Sources (selected)\n[1] First " + a, one},
		{"a heading that is a remark", "## (Sources)\n[1] First " + a, one},
		{"a loose heading without addresses", "## References to the law\n- one\n- two", nil},
		{"a loose heading, half with addresses", "## Further sources to read\n- First " + a + "\n- Second", []Entry{{Number: 1, Text: "First", URL: a}, {Number: 2, Text: "Second"}}},
		{"a loose heading, fewer with addresses", "## Further sources to read\n- First " + a + "\n- Second\n- Third", nil},
		{"one line without a heading", "A claim [1].\n\n[1] " + a + " - First", nil},
		{"escaped brackets in an address", "## Sources\n1. [First](https://a.org/x\\_y)", []Entry{{Number: 1, Text: "First", URL: "https://a.org/x_y"}}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got, _, _ := SourceList(Parse(c.src))
			if diff := cmp.Diff(c.want, got, cmpopts.IgnoreFields(Entry{}, "Start", "End", "Line")); diff != "" {
				t.Errorf("SourceList(%q) (-want +got):\n%s", c.src, diff)
			}
		})
	}
}

func TestBoundsOfMarkers(t *testing.T) {
	cases := []struct {
		src  string
		want []int // numbers of the first marker, nil without one
	}{
		{"[999]", []int{999}}, {"[1000]", nil}, {"[1-x]", nil}, {"[x-1]", nil}, {"[1-1]", []int{1}}, {"[7-57, 60]", rangeOf(7, 57, 60)}, {"[7-58]", nil},
		{"[1,1,2]", []int{1, 2}}, {"[1, p. 3]", []int{1}}, {"[p. 3]", nil}, {"[1 §2]", nil}, {"[1, §2]", []int{1}}, {"[ref. 4]", []int{4}}, {"[refs 4–6]", []int{4, 5, 6}},
		{"[ 1 ]", []int{1}}, {"[1", nil}, {"[]", nil}, {"[^]", nil}, {"[^a b]", nil}, {"`[1]`", nil}, {"``[1]` [2]", []int{1}}, {"\\[1]", nil},
	}
	for _, c := range cases {
		var got []int
		if ms := Markers("a " + c.src + " b"); len(ms) > 0 {
			got = ms[0].Numbers
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.src, diff)
		}
	}
}

func rangeOf(from, to int, more ...int) []int {
	var out []int
	for n := from; n <= to; n++ {
		out = append(out, n)
	}
	return append(out, more...)
}

func TestPlainKeepsNumbersAndCode(t *testing.T) {
	cases := []struct{ src, want string }{
		{"1986. A year.\n", "1986. A year."},
		{"1) one\n2) two", "1) one\n2) two"},
		{"3.", "3."},
		{"- one\n- two", "one\ntwo"},
		{"    indented\n      more\n", "indented\n  more"},
		{"```\na\n\n  b\n```\nc", "a\n\n  b\n\nc"},
		{"桥塌\n了。\n好", "桥塌了。好"},
		{"桥塌\nword", "桥塌 word"},
		{"（一）\n（二）", "（一）（二）"},
		{"a &amp; b &nope; &#65;", "a & b &nope; A"},
		{"a<!-- hidden -->b<br>c", "ab\nc"},
		{"<div>\n<script>x < y</script>\nshown\n</div>", "shown"},
	}
	for _, c := range cases {
		if got, _ := Plain(c.src); got != c.want {
			t.Errorf("Plain(%q) = %q, want %q", c.src, got, c.want)
		}
		checkPlain(t, c.src)
	}
}

func TestCodeKeepsItsSpaces(t *testing.T) {
	d := Parse("```\n  a\n\n  b  \n\n```\n")
	if len(d.Blocks) != 1 || d.Text(d.Blocks[0]) != "  a\n\n  b  " {
		t.Errorf("%d blocks, the first %q", len(d.Blocks), d.Text(d.Blocks[0]))
	}
}

func TestHeadingCutOffByATableStandsBeforeIt(t *testing.T) {
	src := "a|\nb\nc|\n-|\nd\n-"
	d := Parse(src)
	var got []string
	for _, b := range d.Blocks {
		got = append(got, b.Kind.String()+" "+d.Text(b))
	}
	if diff := cmp.Diff([]string{"heading a|\nb", "row c", "row d"}, got); diff != "" {
		t.Error(diff)
	}
	if plain, _ := Plain(src); plain != "a| b\n\nc\nd" {
		t.Errorf("plain text %q", plain)
	}
}
