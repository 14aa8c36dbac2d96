package remote

// Texts with notes become Markdown in which the citations are found again.

import (
	"fmt"
	"strings"
	"testing"

	"github.com/plumbresearch/plumb/verify"
)

// noteOn finds a part of a text for a note.
func noteOn(t *testing.T, text, part, url string) note {
	t.Helper()
	i := strings.Index(text, part)
	if i < 0 {
		t.Fatalf("%q is not in %q", part, text)
	}
	return note{i, i + len(part), url, "The Oxley Mill, a history"}
}

func TestNumbersStandBehindWhatIsCited(t *testing.T) {
	const a, b = "https://a.example/x", "https://b.example/y?z=1"
	for _, c := range []struct {
		name, text string
		on         []string // parts, each with its address
		want       string   // the text before the list
	}{
		{"before the full stop", "The mill burned. It rained.", []string{"The mill burned.", a}, "The mill burned [1]. It rained."},
		{"a span without its full stop", "The mill burned. It rained.", []string{"The mill burned", a}, "The mill burned [1]. It rained."},
		{"two sources of one span", "The mill burned.", []string{"The mill burned.", a, "The mill burned.", b}, "The mill burned [1][2]."},
		{"one source twice", "The mill burned. It rained.", []string{"The mill burned.", a, "It rained.", a}, "The mill burned [1]. It rained [1]."},
		{"the same source on the same span", "It rained.", []string{"It rained.", a, "It rained.", a}, "It rained [1]."},
		{"blanks at the end belong to nobody", "The mill burned.\n\nIt rained.", []string{"The mill burned.\n\n", a}, "The mill burned [1].\n\nIt rained."},
		{"not inside a word", "Windmühlen drehen sich.", []string{"Windm", a}, "Windmühlen [1] drehen sich."},
		{"not inside a link", "See [the mill](https://c.example/long) now.", []string{"See [the mill](https://c.exa", a}, "See [the mill](https://c.example/long) [1] now."},
		{"an item", "- one\n- two", []string{"- one", a, "- two", b}, "- one [1]\n- two [2]"},
		{"a heading has none", "# The mill\n\nIt burned.", []string{"# The mill", a, "It burned.", b}, "# The mill\n\nIt burned [2]."},
		{"an ellipsis stays whole", "And so on...", []string{"And so on...", a}, "And so on... [1]"},
		{"behind the numbers that are there", "It burned [7]. It rained.", []string{"It rained.", a}, "It burned [7]. It rained [8]."},
		{"a span that is a link already", "It burned ([a.example](https://a.example/x)).", []string{"([a.example](https://a.example/x))", a}, "It burned ([a.example](https://a.example/x))."},
		{"characters of several bytes", "Größe: 漢字。 Ende.", []string{"漢字。", a}, "Größe: 漢字。 [1] Ende."},
		{"an address that is none", "It burned.", []string{"It burned.", "javascript:alert(1)"}, "It burned."},
		{"an address with a password", "It burned.", []string{"It burned.", "https://me:secret@a.example/"}, "It burned."},
	} {
		t.Run(c.name, func(t *testing.T) {
			var notes []note
			for i := 0; i < len(c.on); i += 2 {
				notes = append(notes, noteOn(t, c.text, c.on[i], c.on[i+1]))
			}
			got, _, _ := strings.Cut(weave(c.text, notes), "\n\n## Sources")
			if strings.TrimSpace(got) != c.want {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

func TestOffsetsOutsideTheTextAreHarmless(t *testing.T) {
	text := "Über die Mühle."
	for _, n := range []note{{-5, 3, "https://a.example/", ""}, {0, 999, "https://a.example/", ""}, {9, 2, "https://a.example/", ""}, {1, 1, "https://a.example/", ""}} {
		got := weave(text, []note{n})
		if !strings.HasPrefix(strings.NewReplacer(" [1]", "").Replace(got), text) {
			t.Errorf("%+v: %q", n, got)
		}
	}
}

func TestWovenCitationsAreFound(t *testing.T) {
	text := "# Mill\n\nThe mill burned down on 9 March 2022. The insurer paid 7.4 million euros for it."
	urls := []string{"https://a.example/wiki/Mill_(Oxley)", "https://b.example/a?x=1&y=%20z#part"}
	md := weave(text, []note{noteOn(t, text, "The mill burned down on 9 March 2022.", urls[0]), noteOn(t, text, "The insurer paid 7.4 million euros for it.", urls[1])})
	claims := verify.Split(md)
	if len(claims) != 2 {
		t.Fatalf("%d claims in:\n%s", len(claims), md)
	}
	for i, c := range claims {
		if len(c.Citations) != 1 || !strings.HasPrefix(urls[i], strings.TrimSuffix(c.Citations[0], "/")) {
			t.Errorf("claim %q cites %q, want %s", c.Text, c.Citations, urls[i])
		}
	}
	cited := verify.Cited(md)
	if len(cited) != 2 || cited[0].Title != "The Oxley Mill, a history" {
		t.Errorf("sources: %+v", cited)
	}
}

func TestTitlesAreNoMarkdown(t *testing.T) {
	for raw, want := range map[string]string{
		"Plain":                   "Plain.",
		"Ends.":                   "Ends.",
		"[x](y) *b* `c` <i>\n# d": "x (y) b c i d.",
		"":                        "a.example.",
		"\x00\u200b":              "a.example.",
		strings.Repeat("ü", 300):  strings.Repeat("ü", 200) + "….",
	} {
		if got := title(raw, "https://a.example/x"); got != want {
			t.Errorf("%q: %q, want %q", raw, got, want)
		}
	}
}

func TestManyNotesOnOneLongLineAreWovenInTime(t *testing.T) {
	text := strings.Repeat("word ", 1<<20)
	notes := make([]note, 30_000)
	for i := range notes {
		notes[i] = note{0, len(text) - i*100, fmt.Sprintf("https://a.example/%d", i), ""}
	}
	if got := weave(text, notes); strings.Count(got, "\n[") != maxSources {
		t.Errorf("%d sources", strings.Count(got, "\n["))
	}
}
