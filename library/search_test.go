package library_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/library"
)

func TestSearchOrder(t *testing.T) {
	for _, c := range []struct {
		name, question string
		files          map[string]string
		want           []string
	}{
		{"words of the title count", "lighthouse keeper", map[string]string{
			"a.md": "# The lighthouse\n\nIts keeper retired.", "b.md": "# The harbour\n\nIts keeper retired."},
			[]string{"doc:a.md", "doc:b.md"}},
		{"words of headings count", "repair of the roof", map[string]string{
			"a.md": "# House\n\n## Cellar\n\nThe repair took a week.", "b.md": "# House\n\n## Roof\n\nThe repair took a week."},
			[]string{"doc:b.md", "doc:a.md"}},
		{"neighbours beat strangers", "solar power output", map[string]string{
			"a.md": "The power of the vote is output of a solar calendar, they say.", "b.md": "The solar power output of a farm was low last year, they say."},
			[]string{"doc:b.md", "doc:a.md"}},
		{"endings don't matter", "flooded tunnels", map[string]string{"a.md": "The tunnel was closed by a flood.", "b.md": "Nothing here."},
			[]string{"doc:a.md"}},
		{"stopwords find nothing", "what is it and who was that", map[string]string{"a.md": "It is what it was."}, []string{}},
		{"no words", "?!", map[string]string{"a.md": "What?!"}, []string{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			l, dir := newLibrary(t), folder(t, c.files)
			add(t, l, dir)
			if got := urls(find(t, l, library.Query{Text: c.question, Language: "en"})); !slices.Equal(got, c.want) {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

func TestLanguagesMeet(t *testing.T) {
	l, dir := newLibrary(t), folder(t, map[string]string{
		"fr.md": "---\nlang: fr-FR\n---\nLes inondations ont fermé les stations de métro de Lyon pendant trois jours, et les réparations ont duré des mois.",
		"en.md": "---\nlang: en\n---\nThe stations of the underground were closed by flooding for three days, and repairs took months.",
		"de.md": "---\nlang: de\n---\nDie Stationen der U-Bahn waren drei Tage lang wegen Hochwasser geschlossen, sagte der Betreiber.",
		"ja.md": "洪水のため地下鉄の駅は三日間閉鎖された。",
	})
	add(t, l, dir)
	for question, want := range map[string]string{
		"Combien de temps a duré la réparation ?": "doc:fr.md",
		"How long did the repair take?":           "doc:en.md",
		"Wer hat die Stationen geschlossen?":      "doc:de.md",
		"地下鉄の駅はなぜ閉鎖されたか":                          "doc:ja.md",
		"Lyon": "doc:fr.md",
	} {
		if got := urls(find(t, l, library.Query{Text: question})); len(got) == 0 || got[0] != want {
			t.Errorf("%s: got %v, want %s", question, got, want)
		}
	}
}

func TestSearchKeepsToFoldersLimitAndExclusions(t *testing.T) {
	l := newLibrary(t)
	body := func(n int) map[string]string {
		m := map[string]string{}
		for i := range n {
			m[fmt.Sprintf("%d-%03d.md", n, i)] = fmt.Sprintf("The turbine number %d of %d turns.", i, n)
		}
		return m
	}
	one, two := folder(t, body(3)), folder(t, body(120))
	add(t, l, one)
	add(t, l, two)
	if got := find(t, l, library.Query{Text: "turbine", Folders: []string{one}}); len(got) != 3 {
		t.Errorf("%d hits in the small folder", len(got))
	}
	if got := find(t, l, library.Query{Text: "turbine"}); len(got) != 10 {
		t.Errorf("%d hits without a limit", len(got))
	}
	if got := find(t, l, library.Query{Text: "turbine", Limit: 200}); len(got) != 123 {
		t.Errorf("%d hits in all", len(got))
	}
	if got := find(t, l, library.Query{Text: "turbine", Folders: []string{t.TempDir()}}); len(got) != 0 {
		t.Errorf("%d hits in an unknown folder", len(got))
	}
	var exclude []string
	for i := range 118 {
		exclude = append(exclude, fmt.Sprintf("doc:120-%03d.md", i))
	}
	got := urls(find(t, l, library.Query{Text: "turbine", Folders: []string{two}, Exclude: exclude}))
	if want := []string{"doc:120-118.md", "doc:120-119.md"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestPassageOfTwoFoldersIsFoundOnce(t *testing.T) {
	l := newLibrary(t)
	dir := folder(t, map[string]string{"sub/a.md": "The turbine turns.", "b.md": "The turbine stands still."})
	add(t, l, dir)
	add(t, l, dir+"/sub")
	if got := urls(find(t, l, library.Query{Text: "turbine turns"})); len(got) != 2 {
		t.Errorf("got %v", got)
	}
}

func TestDocumentsAtTheSamePathOfTwoFoldersAreToldApart(t *testing.T) {
	l := newLibrary(t)
	root := folder(t, map[string]string{
		"x/docs/README.md": "The turbine of plant X turns.", "y/docs/README.md": "The turbine of plant Y stands still.", "y/docs/only.md": "No turbine.",
	})
	one, two := root+"/x/docs", root+"/y/docs"
	add(t, l, one)
	add(t, l, two)
	both := library.Query{Text: "turbine", Folders: []string{two, one}}
	got := find(t, l, both)
	want := map[string]string{"doc:docs/README.md": "X", "doc:docs-2/README.md": "Y", "doc:only.md": "No"}
	for _, h := range got {
		if w := want[h.Source.URL]; w == "" || !strings.Contains(h.Text, w) || h.Source.Key != h.Source.URL {
			t.Errorf("%s: %q", h.Source.URL, h.Text)
		}
	}
	if len(got) != 3 {
		t.Errorf("got %v", urls(got))
	}
	both.Exclude = []string{"doc:docs/README.md"}
	if got := urls(find(t, l, both)); slices.Contains(got, "doc:docs/README.md") || len(got) != 2 {
		t.Errorf("excluded, but got %v", got)
	}
	if got := urls(find(t, l, library.Query{Text: "plant Y", Folders: []string{two}})); !slices.Equal(got, []string{"doc:README.md"}) {
		t.Errorf("alone: %v", got)
	}
}

func TestEarlierFindings(t *testing.T) {
	ctx := context.Background()
	l, dir := newLibrary(t), folder(t, map[string]string{"a.md": "The crack is 38 mm long. The ferry runs daily.", "b.md": "The bridge reopened in May."})
	add(t, l, dir)
	source := func(words string) plumb.Source {
		return find(t, l, library.Query{Text: words})[0].Source
	}
	finding := func(id, quote string, s plumb.Source) plumb.Finding {
		text, err := l.Index.Text(ctx, s.Hash)
		if err != nil {
			t.Fatal(err)
		}
		at := strings.Index(text, quote)
		return plumb.Finding{ID: id, Content: quote, Quote: quote, Source: s.Hash, SourceURL: s.URL, QuoteStart: at, QuoteEnd: at + len(quote),
			Verified: true, Depth: plumb.FullScrape, At: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	}
	crack, open := finding("f1", "The crack is 38 mm long.", source("crack")), finding("f2", "The bridge reopened in May.", source("reopened"))
	seen := finding("f3", "The ferry runs daily.", source("crack"))
	seen.Depth = plumb.Snippet
	again := crack
	again.Reused = "run-0"
	for run, fs := range map[string][]plumb.Finding{"run-1": {crack, open, seen}, "run-2": {open, again}} {
		if err := l.SaveFindings(ctx, run, fs); err != nil {
			t.Fatal(err)
		}
	}
	got := func(query, notRun string, n int) []string {
		fs, err := l.EarlierFindings(ctx, query, []string{dir}, notRun, n)
		if err != nil {
			t.Fatal(err)
		}
		out := []string{}
		for _, f := range fs {
			out = append(out, f.ID+" "+f.Reused)
		}
		return out
	}
	check := func(name string, got []string, want ...string) {
		t.Helper()
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
	}
	check("the fitting one", got("How long is the crack?", "", 0), "f1 run-1")
	check("the later of two that are the same", got("When did the bridge reopen?", "", 0), "f2 run-2")
	check("not those of the run itself", got("When did the bridge reopen?", "run-2", 0), "f2 run-1")
	check("never what was only seen", got("ferry", "", 0))
	check("at most n", got("How long, in mm, is the crack of the bridge?", "", 1), "f1 run-1")
	if err := l.SaveFindings(ctx, "run-1", []plumb.Finding{open}); err != nil {
		t.Fatal(err)
	}
	check("replaced", got("crack", "", 0))
	write(t, dir, "b.md", "The bridge never reopened.")
	add(t, l, dir)
	check("the document says something else now", got("bridge reopened", "", 0))
}
