package storetest

// What a library expects of its index.

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/library"
)

// Library runs the suite of library.Index. open gives an empty one.
func Library(t *testing.T, open func(t *testing.T) library.Index) {
	for _, c := range []struct {
		name string
		run  func(t *testing.T, x library.Index)
	}{
		{"written documents are listed", libraryLists},
		{"a batch replaces, touches and removes", libraryReplaces},
		{"postings and statistics are exact after any history", libraryCounts},
		{"folders are apart", libraryFolders},
		{"a wrong batch leaves nothing", libraryAllOrNothing},
		{"findings are replaced and filtered", libraryFindings},
		{"words may be long", libraryLong},
	} {
		t.Run(c.name, func(t *testing.T) { c.run(t, open(t)) })
	}
}

// document is one with a passage per line, whose terms are its words.
func document(path string, lines ...string) library.Document {
	text := strings.Join(lines, "\n")
	d := library.Document{
		File:   library.File{Path: path, Size: int64(len(text)), ModTime: time.Unix(1_700_000_000, 123_456_789).UTC(), Hash: "h" + text},
		Text:   text,
		Source: source("doc:"+path, text),
	}
	d.Source.Language = "en"
	at := 0
	for _, line := range lines {
		p := library.Passage{Start: at, End: at + len(line), Heading: "in " + path, Length: len(strings.Fields(line))}
		for _, w := range slices.Sorted(slices.Values(strings.Fields(line))) {
			if n := len(p.Terms); n > 0 && p.Terms[n-1].Stem == w {
				p.Terms[n-1].Count++
				continue
			}
			p.Terms = append(p.Terms, library.Term{Stem: w, Count: 1})
		}
		p.Terms = append(p.Terms, library.Term{Stem: "~" + path, Head: true})
		d.Passages = append(d.Passages, p)
		at += len(line) + 1
	}
	return d
}

func put(t *testing.T, x library.Index, folder string, b library.Batch) {
	t.Helper()
	must(t, x.WriteDocuments(ctx, folder, b))
}

func libraryLists(t *testing.T, x library.Index) {
	a, b := document("a.md", "one two", "two three"), document("b/c.md", "four")
	put(t, x, "/docs", library.Batch{Put: []library.Document{a, b}})
	equal(t, "files", got(x.Files(ctx, "/docs"))(t), []library.File{a.File, b.File})
	equal(t, "documents", got(x.Documents(ctx, "/docs"))(t), []library.Entry{
		{Folder: "/docs", Path: "a.md", Size: a.File.Size, Passages: 2, Source: a.Source},
		{Folder: "/docs", Path: "b/c.md", Size: b.File.Size, Passages: 1, Source: b.Source},
	})
	equal(t, "folders", got(x.Folders(ctx))(t), []string{"/docs"})
	equal(t, "text", got(x.Text(ctx, a.Source.Hash))(t), a.Text)
	if files := got(x.Files(ctx, "/nowhere"))(t); len(files) != 0 {
		t.Errorf("files of an unknown folder: %v", files)
	}
}

func libraryReplaces(t *testing.T, x library.Index) {
	a, b, c := document("a.md", "one"), document("b.md", "two"), document("c.md", "three")
	put(t, x, "/docs", library.Batch{Put: []library.Document{a, b, c}})
	touched := b.File
	touched.ModTime = touched.ModTime.Add(time.Hour)
	changed := document("c.md", "four", "five")
	put(t, x, "/docs", library.Batch{Remove: []string{"a.md", "never.md"}, Touch: []library.File{touched}, Put: []library.Document{changed}})
	equal(t, "files", got(x.Files(ctx, "/docs"))(t), []library.File{touched, changed.File})
	for _, gone := range []library.Document{a, c} {
		if text, err := x.Text(ctx, gone.Source.Hash); err == nil {
			t.Errorf("text %q is still there", text)
		}
	}
	put(t, x, "/docs", library.Batch{Remove: []string{"b.md", "c.md"}})
	if folders := got(x.Folders(ctx))(t); len(folders) != 0 {
		t.Errorf("empty folder is listed: %v", folders)
	}
}

// located is what postings say, by path and passage instead of ids.
func located(t *testing.T, x library.Index, folders []string, terms ...string) []string {
	t.Helper()
	lists := got(x.Postings(ctx, folders, terms))(t)
	if len(lists) != len(terms) {
		t.Fatalf("%d lists for %d terms", len(lists), len(terms))
	}
	out := []string{}
	for i, list := range lists {
		for _, p := range list {
			places := got(x.Located(ctx, folders, []int64{p.Passage}))(t)
			if len(places) != 1 || places[0].ID != p.Passage {
				t.Fatalf("passage %d of %s: %v", p.Passage, terms[i], places)
			}
			l := places[0]
			out = append(out, fmt.Sprintf("%s: %s%s %d-%d %q ×%d of %d head %v", terms[i], l.Folder, l.Source.URL, l.Start, l.End, l.Heading, p.Count, p.Length, p.Head))
		}
	}
	slices.Sort(out)
	return out
}

func libraryCounts(t *testing.T, x library.Index) {
	for i := range 60 { // enough small writes for a store to merge what it keeps
		name := fmt.Sprintf("n%02d.md", i)
		put(t, x, "/docs", library.Batch{Put: []library.Document{document(name, "first draft draft", "to be replaced")}})
		if i%2 == 0 {
			put(t, x, "/docs", library.Batch{Put: []library.Document{document(name, fmt.Sprintf("final final w%d", i%4), "stays")}})
		} else {
			put(t, x, "/docs", library.Batch{Remove: []string{name}})
		}
	}
	equal(t, "statistics", got(x.Statistics(ctx, []string{"/docs"}))(t), library.Statistics{Passages: 60, Terms: 120, Languages: []string{"en"}})
	lists := got(x.Postings(ctx, []string{"/docs"}, []string{"final", "draft", "w2", "unknown", "stays"}))(t)
	var n []int
	for _, l := range lists {
		n = append(n, len(l))
	}
	equal(t, "postings", n, []int{30, 0, 15, 0, 30})
	equal(t, "places", located(t, x, []string{"/docs"}, "~n04.md", "~n05.md"), []string{`~n04.md: /docsdoc:n04.md 0-14 "in n04.md" ×0 of 3 head true`, `~n04.md: /docsdoc:n04.md 15-20 "in n04.md" ×0 of 1 head true`})
}

func libraryFolders(t *testing.T, x library.Index) {
	shared := document("same.md", "pump pump")
	german := document("de.md", "pumpe")
	german.Source.Language = "de"
	put(t, x, "/one", library.Batch{Put: []library.Document{shared, document("x.md", "valve")}})
	put(t, x, "/two", library.Batch{Put: []library.Document{shared, german}})
	equal(t, "of one", located(t, x, []string{"/one"}, "pump"), []string{`pump: /onedoc:same.md 0-9 "in same.md" ×2 of 2 head false`})
	equal(t, "of both", located(t, x, []string{"/one", "/two"}, "pump"), []string{`pump: /onedoc:same.md 0-9 "in same.md" ×2 of 2 head false`, `pump: /twodoc:same.md 0-9 "in same.md" ×2 of 2 head false`})
	equal(t, "statistics", got(x.Statistics(ctx, []string{"/one", "/two"}))(t), library.Statistics{Passages: 4, Terms: 6, Languages: []string{"en", "de"}})
	equal(t, "of none", got(x.Statistics(ctx, nil))(t), library.Statistics{})
	put(t, x, "/two", library.Batch{Put: []library.Document{document("x.md", "another valve")}})
	for _, list := range got(x.Postings(ctx, []string{"/one"}, []string{"pump", "valve"}))(t) {
		ids := []int64{list[0].Passage}
		if l := got(x.Located(ctx, []string{"/one", "/two"}, ids))(t); len(l) != 1 || l[0].Shared != (l[0].Path == "x.md") {
			t.Errorf("among both: %+v", l)
		}
		if l := got(x.Located(ctx, []string{"/one"}, ids))(t); len(l) != 1 || l[0].Shared {
			t.Errorf("alone: %+v", l)
		}
		if l := got(x.Located(ctx, []string{"/two"}, ids))(t); len(l) != 0 {
			t.Errorf("of another folder: %+v", l)
		}
	}
	equal(t, "dropped", got(x.DropFolder(ctx, "/one"))(t), 2)
	equal(t, "dropped again", got(x.DropFolder(ctx, "/one"))(t), 0)
	equal(t, "folders", got(x.Folders(ctx))(t), []string{"/two"})
	equal(t, "nothing of one", located(t, x, []string{"/one"}, "pump", "valve"), []string{})
	equal(t, "a text that two shared", got(x.Text(ctx, shared.Source.Hash))(t), shared.Text)
	if gone := got(x.Located(ctx, []string{"/two"}, []int64{1, 2, 3}))(t); len(gone) != 0 {
		t.Errorf("passages that never were: %v", gone)
	}
}

func libraryAllOrNothing(t *testing.T, x library.Index) {
	good, bad := document("good.md", "pump"), document("bad.md", "valve")
	bad.Source.Hash = strings.Repeat("0", 64)
	if err := x.WriteDocuments(ctx, "/docs", library.Batch{Put: []library.Document{good, bad}}); err == nil || !strings.Contains(err.Error(), "bad.md") {
		t.Errorf("a hash that is not the text's: %v", err)
	}
	if folders := got(x.Folders(ctx))(t); len(folders) != 0 {
		t.Errorf("folders %v", folders)
	}
	equal(t, "postings", located(t, x, []string{"/docs"}, "pump"), []string{})
}

func libraryFindings(t *testing.T, x library.Index) {
	a, b := document("a.md", "pump"), document("b.md", "valve")
	put(t, x, "/one", library.Batch{Put: []library.Document{a}})
	put(t, x, "/two", library.Batch{Put: []library.Document{b}})
	finding := func(id string, d library.Document, minute int) plumb.Finding {
		return plumb.Finding{ID: id, Source: d.Source.Hash, SourceURL: d.Source.URL, At: time.Date(2026, 1, 1, 0, minute, 0, 0, time.UTC)}
	}
	lost := finding("lost", a, 0)
	lost.Source, lost.SourceURL = strings.Repeat("1", 64), "https://example.org/gone"
	for _, s := range []struct {
		run string
		fs  []plumb.Finding
	}{
		{"r1", []plumb.Finding{finding("old", a, 1)}},
		{"r1", []plumb.Finding{finding("a1", a, 3), finding("b1", b, 2), lost}},
		{"r2", []plumb.Finding{finding("a2", a, 1)}},
	} {
		must(t, x.SaveFindings(ctx, s.run, s.fs))
	}
	ids := func(folders []string, notRun string) []string {
		out := []string{}
		for _, s := range got(x.SavedFindings(ctx, folders, notRun))(t) {
			out = append(out, s.Run+" "+s.Finding.ID)
		}
		return out
	}
	equal(t, "all", ids([]string{"/one", "/two"}, ""), []string{"r2 a2", "r1 b1", "r1 a1"})
	equal(t, "of a folder", ids([]string{"/one"}, ""), []string{"r2 a2", "r1 a1"})
	equal(t, "not of a run", ids([]string{"/one"}, "r1"), []string{"r2 a2"})
	put(t, x, "/one", library.Batch{Remove: []string{"a.md"}})
	equal(t, "text is gone", ids([]string{"/one", "/two"}, ""), []string{"r1 b1"})
}
