package library_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/library"
	"github.com/plumbresearch/plumb/store/sqlite"
)

var readAt = time.Date(2026, 3, 14, 9, 0, 0, 0, time.UTC)

// newLibrary is a library in a store of its own.
func newLibrary(t testing.TB) *library.Library {
	t.Helper()
	db, err := sqlite.Open(context.Background(), filepath.Join(t.TempDir(), "plumb.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return &library.Library{Index: db, Now: func() time.Time { return readAt }}
}

// folder writes files; a name ending in / is an empty folder.
func folder(t testing.TB, files map[string]string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, body := range files {
		write(t, dir, name, body)
	}
	return dir
}

func write(t testing.TB, dir, name, body string) {
	t.Helper()
	p := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(p, []byte(body), 0o644); err != nil {
		t.Fatal(err)
	}
}

func add(t testing.TB, l *library.Library, dir string) library.Report {
	t.Helper()
	r, err := l.Add(context.Background(), dir, library.AddOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func find(t testing.TB, l *library.Library, q library.Query) []plumb.Hit {
	t.Helper()
	hits, err := l.Search(context.Background(), q)
	if err != nil {
		t.Fatal(err)
	}
	return hits
}

func urls(hits []plumb.Hit) []string {
	out := []string{}
	for _, h := range hits {
		out = append(out, h.Source.URL)
	}
	return out
}

// counts are the numbers of a report, for short tables.
func counts(r library.Report) string {
	n := r.Files
	return fmt.Sprintf("done %d/%d added %d same %d changed %d removed %d skipped %d", n.Done, n.Total, n.Added, n.Same, n.Changed, n.Removed, n.Skipped)
}

var dossier = map[string]string{
	"bridge.md":           "---\ntitle: The Marrow Bridge\ndate: 2021-05-04\nauthor: Ann Lee\n---\n# The Marrow Bridge\n\nThe bridge carries 14,000 vehicles a day.\n\n## Cracks\n\nInspectors found a crack of 38 mm in pier four.\n",
	"cost/estimate.txt":   "The estimate of the repair was 12 million crowns.\n\nThe council approved it in June.\n",
	"cost/outturn.csv":    "Year,Item,Crowns\n2021,Scaffold,400000\n2022,Steel,900000\n",
	"press/reopened.html": "<html lang=en><head><title>Bridge reopens</title></head><body><article><p>The mayor reopened the bridge on Monday after long repairs, and the ferry stopped running that evening.</p></article></body></html>",
	".hidden/secret.md":   "The bridge is a secret.",
	"node_modules/x.md":   "The bridge is a module.",
	"picture.png":         "not text",
}

func TestAddReadsWhatItCanAndSearchFindsIt(t *testing.T) {
	l, dir := newLibrary(t), folder(t, dossier)
	if got := counts(add(t, l, dir)); got != "done 4/4 added 4 same 0 changed 0 removed 0 skipped 0" {
		t.Fatal(got)
	}
	for question, want := range map[string]string{
		"How large was the crack in pier four?":  "doc:bridge.md",
		"What did the council approve?":          "doc:cost/estimate.txt",
		"How many crowns did the scaffold cost?": "doc:cost/outturn.csv",
		"When did the ferries stop?":             "doc:press/reopened.html",
	} {
		hits := find(t, l, library.Query{Text: question, Folders: []string{dir}})
		if len(hits) == 0 || hits[0].Source.URL != want {
			t.Errorf("%s: got %v, want %s first", question, urls(hits), want)
		}
	}
	for _, hidden := range []string{"secret", "module"} {
		if hits := find(t, l, library.Query{Text: hidden}); len(hits) != 0 {
			t.Errorf("%s: found %v", hidden, urls(hits))
		}
	}
}

func TestHitIsAPassageOfItsSource(t *testing.T) {
	l, dir := newLibrary(t), folder(t, dossier)
	add(t, l, dir)
	hits := find(t, l, library.Query{Text: "crack pier four"})
	if len(hits) == 0 {
		t.Fatal("nothing found")
	}
	h := hits[0]
	if h.Heading != "Cracks" || h.Score <= 0 {
		t.Errorf("heading %q, score %v", h.Heading, h.Score)
	}
	text, err := l.Index.Text(context.Background(), h.Source.Hash)
	if err != nil {
		t.Fatal(err)
	}
	if got := text[h.Passage.Start:h.Passage.End]; got != h.Text || got != "Inspectors found a crack of 38 mm in pier four." {
		t.Errorf("passage %q, text %q", got, h.Text)
	}
	want := plumb.Source{
		Hash: h.Source.Hash, URL: "doc:bridge.md", FinalURL: "doc:bridge.md", Key: "doc:bridge.md", Title: "The Marrow Bridge",
		Authors: []string{"Ann Lee"}, Date: "2021-05-04", RetrievedAt: readAt, Language: "en", Format: "markdown", Chars: len(text),
	}
	if d := cmp.Diff(want, h.Source); d != "" {
		t.Error(d)
	}
	if h.Passage.Source != h.Source.Hash {
		t.Error("the passage is of another source")
	}
}

func TestAddAgainFollowsTheFolder(t *testing.T) {
	l, dir := newLibrary(t), folder(t, map[string]string{"a.md": "Apples are red.", "b.md": "Bananas are yellow.", "c.md": "Cherries are dark."})
	add(t, l, dir)
	later := readAt.Add(time.Hour)
	steps := []struct {
		name   string
		change func()
		want   string
	}{
		{"nothing changed", func() {}, "done 3/3 added 0 same 3 changed 0 removed 0 skipped 0"},
		{"touched only", func() {
			if err := os.Chtimes(filepath.Join(dir, "a.md"), later, later); err != nil {
				t.Fatal(err)
			}
		}, "done 3/3 added 0 same 3 changed 0 removed 0 skipped 0"},
		{"changed", func() { write(t, dir, "b.md", "Blueberries are blue, not yellow.") }, "done 3/3 added 0 same 2 changed 1 removed 0 skipped 0"},
		{"added", func() { write(t, dir, "d.md", "Dates are brown.") }, "done 4/4 added 1 same 3 changed 0 removed 0 skipped 0"},
		{"deleted", func() {
			if err := os.Remove(filepath.Join(dir, "c.md")); err != nil {
				t.Fatal(err)
			}
		}, "done 3/3 added 0 same 3 changed 0 removed 1 skipped 0"},
	}
	for _, s := range steps {
		s.change()
		if got := counts(add(t, l, dir)); got != s.want {
			t.Errorf("%s: %s", s.name, got)
		}
	}
	for word, want := range map[string][]string{
		"bananas": {}, "blueberries": {"doc:b.md"}, "cherries": {}, "dates": {"doc:d.md"}, "apples": {"doc:a.md"},
	} {
		if got := urls(find(t, l, library.Query{Text: word})); !slices.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", word, got, want)
		}
	}
}

func TestRankingDependsOnTheFolderAloneAndNotOnItsHistory(t *testing.T) {
	files := map[string]string{}
	for i := range 40 {
		files[fmt.Sprintf("n%02d.md", i)] = fmt.Sprintf("# Note %d\n\nThe pump of station %d was replaced after %d hours.\n\nStation %d reported a leak.\n", i, i%7, i*31, i%5)
	}
	q := "Which station replaced its pump after a leak?"
	plain := newLibrary(t)
	dir := folder(t, files)
	add(t, plain, dir)
	want := find(t, plain, library.Query{Text: q, Folders: []string{dir}, Limit: 20})

	l := newLibrary(t)
	add(t, l, folder(t, map[string]string{"other.md": strings.Repeat("Pumps leak. Stations leak. ", 200)}))
	part := folder(t, nil)
	for i, name := range slices.Sorted(func(yield func(string) bool) {
		for n := range files {
			if !yield(n) {
				return
			}
		}
	}) {
		write(t, part, name, "The pump leaks at first.")
		add(t, l, part)
		write(t, part, name, files[name])
		if i%3 == 0 {
			add(t, l, part)
		}
	}
	add(t, l, part)
	got := find(t, l, library.Query{Text: q, Folders: []string{part}, Limit: 20})
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if len(want) != 20 {
		t.Errorf("%d hits", len(want))
	}
}

func TestEqualPassagesAreOrderedByPathAndOffset(t *testing.T) {
	l, dir := newLibrary(t), folder(t, map[string]string{"b.md": "x", "a.md": "x"})
	body := "# T\n\n## S\n\nThe valve is open.\n\n## S\n\nThe valve is open.\n"
	for _, name := range []string{"c.md", "a.md", "b.md"} { // c first, so that ids are not in the order of paths
		write(t, dir, name, body)
		add(t, l, dir)
	}
	var got []string
	for _, h := range find(t, l, library.Query{Text: "valve"}) {
		got = append(got, fmt.Sprintf("%s %d", h.Source.URL, h.Passage.Start))
	}
	want := []string{"doc:a.md 11", "doc:a.md 37", "doc:b.md 11", "doc:b.md 37", "doc:c.md 11", "doc:c.md 37"}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestWrongFolders(t *testing.T) {
	l := newLibrary(t)
	dir := folder(t, map[string]string{"a.png": "x", "b/c.exe": "x", "note.xyz": "x"})
	for _, c := range []struct{ path, says string }{
		{filepath.Join(dir, "nowhere"), "nowhere: no such file or folder"},
		{dir, "no documents: files ending in .md, .txt, .html, .pdf, .docx and .csv are read"},
		{filepath.Join(dir, "note.xyz"), `".xyz" files are not read`},
	} {
		_, err := l.Add(context.Background(), c.path, library.AddOptions{})
		if err == nil || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), c.path) {
			t.Errorf("%s: got %v", c.path, err)
		}
	}
}

func TestSingleFile(t *testing.T) {
	l, dir := newLibrary(t), folder(t, dossier)
	file := filepath.Join(dir, "cost", "estimate.txt")
	if got := counts(add(t, l, file)); got != "done 1/1 added 1 same 0 changed 0 removed 0 skipped 0" {
		t.Error(got)
	}
	if got := urls(find(t, l, library.Query{Text: "council", Folders: []string{file}})); !slices.Equal(got, []string{"doc:estimate.txt"}) {
		t.Error(got)
	}
}

func TestListAndRemove(t *testing.T) {
	ctx := context.Background()
	l, dir := newLibrary(t), folder(t, dossier)
	add(t, l, dir)
	paths := func() []string {
		entries, err := l.List(ctx, "")
		if err != nil {
			t.Fatal(err)
		}
		out := []string{}
		for _, e := range entries {
			if e.Folder != dir || e.Size == 0 || e.Passages == 0 || e.Source.URL != "doc:"+e.Path {
				t.Errorf("%+v", e)
			}
			out = append(out, e.Path)
		}
		return out
	}
	if got := paths(); !slices.Equal(got, []string{"bridge.md", "cost/estimate.txt", "cost/outturn.csv", "press/reopened.html"}) {
		t.Error(got)
	}
	for _, s := range []struct {
		path string
		n    int
		left []string
	}{
		{filepath.Join(dir, "cost"), 2, []string{"bridge.md", "press/reopened.html"}},
		{filepath.Join(dir, "bridge.md"), 1, []string{"press/reopened.html"}},
		{dir, 1, []string{}},
	} {
		n, err := l.Remove(ctx, s.path)
		if err != nil || n != s.n {
			t.Errorf("%s: %d, %v", s.path, n, err)
		}
		if got := paths(); !slices.Equal(got, s.left) {
			t.Errorf("%s: left %v", s.path, got)
		}
	}
	if _, err := l.Remove(ctx, dir); !errors.Is(err, library.ErrNotInLibrary) {
		t.Errorf("again: %v", err)
	}
}
