package gather

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/llm"
)

func TestExcerptHasWhatTheQuestionAsksFor(t *testing.T) {
	filler := strings.Repeat("The meadows of the valley are green in spring.\n\n", 200)
	needle := "The spillway of the dam was repaired by divers."
	body := "History of the valley\n\n" + filler + needle + "\n\n" + filler
	refs := "\n\nReferences\n\nHolm, A. The spillway of the dam was repaired by goats."
	at := len(body) + 2
	for _, c := range []struct {
		name  string
		body  string
		n     int
		aside *plumb.Passage
		want  []string
		never string
		part  bool
	}{
		{"short: the whole", needle, 100, nil, []string{needle}, gap, false},
		{"long: its beginning and the nearest part", body, 2000, nil, []string{"History of the valley", needle, gap}, "", true},
		{"references are left out", body + refs, 2000, &plumb.Passage{Start: at, End: len(body + refs)}, []string{needle}, "goats", true},
		{"one line without an end", strings.Repeat("x", 5000), 1000, nil, []string{"xxx"}, "", true},
		{"nothing", "", 100, nil, nil, "x", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, part := excerpt(c.body, "Who repaired the spillway of the dam?", c.n, c.aside)
			for _, w := range c.want {
				if !strings.Contains(got, w) {
					t.Errorf("%q is not in it", w)
				}
			}
			if c.never != "" && strings.Contains(got, c.never) {
				t.Errorf("%q is in it", c.never)
			}
			if n := utf8.RuneCountInString(got); n > c.n+200 {
				t.Errorf("%d characters, %d asked for", n, c.n)
			}
			if part != c.part && len(c.body) > c.n {
				t.Errorf("part: %v", part)
			}
		})
	}
}

func TestExcerptFitsTheRoom(t *testing.T) {
	for _, body := range []string{strings.Repeat("The spillway was repaired. ", 500), strings.Repeat("大坝的溢洪道于2020年修复。", 500), strings.Repeat("a1!", 4000)} {
		got, _ := excerptWithin(body, "spillway 溢洪道", 8000, 500, nil)
		if n := llm.Tokens(got); n > 500 || n < 100 {
			t.Errorf("%d tokens in a room of 500: %.40s", n, got)
		}
	}
}

func FuzzExcerpt(f *testing.F) {
	f.Add("a\n\nb c. d", "b", 3, 0, 0)
	f.Add(strings.Repeat("One sentence. ", 300), "sentence", 900, 10, 40)
	f.Add("\xff\xfe\n大", "大", 1, 0, 1)
	f.Fuzz(func(t *testing.T, body, question string, n, from, to int) {
		if n < 1 || n > 10_000 || len(body) > 20_000 || len(question) > 1000 {
			return
		}
		var aside *plumb.Passage
		if from >= 0 && from < to && to <= len(body) {
			aside = &plumb.Passage{Start: from, End: to}
		}
		got, _ := excerpt(body, question, n, aside)
		for _, p := range strings.Split(got, gap) {
			if aside == nil && utf8.ValidString(body) && !strings.Contains(body, p) {
				t.Fatalf("%q is not of the text", p)
			}
		}
		last := 0
		for _, p := range pieces(body, aside) {
			if p.Start < last || p.End < p.Start || p.End > len(body) || aside != nil && p.Start < aside.End && aside.Start < p.End {
				t.Fatalf("piece %v", p)
			}
			last = p.End
		}
	})
}
