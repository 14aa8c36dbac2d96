package library_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/plumbresearch/plumb/library"
)

func shelve(t *testing.T, l *library.Library, tenant, name, text string) library.Entry {
	t.Helper()
	e, err := l.Put(context.Background(), library.Shelf(tenant), name, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// names are those on a tenant's shelf.
func names(t *testing.T, l *library.Library, tenant string) []string {
	t.Helper()
	list, err := l.List(context.Background(), library.Shelf(tenant))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range list {
		out = append(out, e.Path)
	}
	return out
}

func TestShelfHoldsWhatWasHandedIn(t *testing.T) {
	l := newLibrary(t)
	e := shelve(t, l, "acme", "notes/pump.md", "# Pump\n\nThe pump cost twelve million.\n")
	if e.Folder != library.Shelf("acme") || e.Path != "notes/pump.md" || e.Passages == 0 || e.Source.URL != "doc:notes/pump.md" || e.Source.Title != "Pump" {
		t.Errorf("%+v", e)
	}
	shelve(t, l, "acme", "a.txt", "The valve is made of brass.")
	if got := names(t, l, "acme"); !slices.Equal(got, []string{"a.txt", "notes/pump.md"}) {
		t.Errorf("%v", got)
	}
	hits := find(t, l, library.Query{Text: "pump cost", Folders: []string{library.Shelf("acme")}, Limit: 5})
	if len(hits) == 0 || hits[0].Source.URL != "doc:notes/pump.md" {
		t.Errorf("%v", urls(hits))
	}
}

func TestDocumentOfTheSameNameTakesThePlace(t *testing.T) {
	l := newLibrary(t)
	shelve(t, l, "acme", "a.md", "The old text speaks of pumps.")
	shelve(t, l, "acme", "./x/../a.md", "The new text speaks of valves.")
	if got := names(t, l, "acme"); !slices.Equal(got, []string{"a.md"}) {
		t.Errorf("%v", got)
	}
	in := []string{library.Shelf("acme")}
	if hits := find(t, l, library.Query{Text: "pumps", Folders: in, Limit: 5}); len(hits) != 0 {
		t.Errorf("the old text is still found: %v", hits)
	}
	if hits := find(t, l, library.Query{Text: "valves", Folders: in, Limit: 5}); len(hits) != 1 {
		t.Errorf("%v", hits)
	}
}

func TestShelvesAreApart(t *testing.T) {
	l := newLibrary(t)
	shelve(t, l, "acme", "a.md", "The pump of acme cost twelve million.")
	shelve(t, l, "bolt", "a.md", "The pump of bolt cost one million.")
	shelve(t, l, "", "a.md", "The pump at home cost nothing.")
	for tenant, word := range map[string]string{"acme": "acme", "bolt": "bolt", "": "home"} {
		hits := find(t, l, library.Query{Text: "pump cost", Folders: []string{library.Shelf(tenant)}, Limit: 9})
		if len(hits) != 1 || !strings.Contains(hits[0].Text, word) {
			t.Errorf("%q finds %v", tenant, hits)
		}
	}
	if hits := find(t, l, library.Query{Text: "pump cost", Folders: []string{library.Shelf("nobody")}, Limit: 9}); len(hits) != 0 {
		t.Errorf("%v", hits)
	}
	if err := l.Take(context.Background(), library.Shelf("bolt"), "a.md"); err != nil {
		t.Fatal(err)
	}
	if got := names(t, l, "acme"); len(got) != 1 {
		t.Errorf("acme's went with bolt's: %v", got)
	}
	if got := names(t, l, "bolt"); len(got) != 0 {
		t.Errorf("%v", got)
	}
}

func TestWhatAShelfDoesNotTake(t *testing.T) {
	l := newLibrary(t)
	ctx, shelf := context.Background(), library.Shelf("acme")
	for _, name := range []string{"", " ", ".", "..", "../x.md", "a/../../x.md", "/etc/passwd", `\\host\x`, `..\x.md`, "a\x00.md", "a\nb.md", "\xff.md", strings.Repeat("a", 201)} {
		if _, err := l.Put(ctx, shelf, name, []byte("text of it")); !errors.Is(err, library.ErrName) {
			t.Errorf("%q: %v", name, err)
		}
	}
	for name, data := range map[string][]byte{
		"large.txt": make([]byte, library.MaxFile+1), "picture.png": []byte("\x89PNG\r\n\x1a\n\x00\x00"), "empty.md": nil,
	} {
		if _, err := l.Put(ctx, shelf, name, data); !errors.Is(err, library.ErrUnreadable) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := l.Take(ctx, shelf, "never.md"); !errors.Is(err, library.ErrNotInLibrary) {
		t.Errorf("take: %v", err)
	}
	if got := names(t, l, "acme"); len(got) != 0 {
		t.Errorf("%v", got)
	}
}

func TestShelfIsToldFromAFolder(t *testing.T) {
	for folder, want := range map[string]bool{library.Shelf("acme"): true, library.Shelf(""): true, "/home/x": false, "": false, "docs": false} {
		if library.OnShelf(folder) != want {
			t.Errorf("%q: %v", folder, !want)
		}
	}
}
