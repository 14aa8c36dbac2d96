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

	"github.com/google/go-cmp/cmp"
	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/library"
)

func TestFilesThatCantBeReadAreNamed(t *testing.T) {
	l, dir := newLibrary(t), folder(t, map[string]string{
		"good.md": "The pump works.", "broken.docx": "PK\x03\x04 not really a zip", "empty.txt": "", "binary.txt": "\x00\x01\x02\x00\x00\xff\xfe\x00 binary",
		"paper.pdf": "%PDF-1.4\nbroken", "sub/huge.txt": "x",
	})
	if err := os.Truncate(filepath.Join(dir, "sub", "huge.txt"), library.MaxFile+1); err != nil {
		t.Fatal(err)
	}
	var told []library.Skip
	r, err := l.Add(context.Background(), dir, library.AddOptions{Skipped: func(s library.Skip) { told = append(told, s) }})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(r.Skipped, told); d != "" {
		t.Error(d)
	}
	if got := counts(r); got != "done 6/6 added 1 same 0 changed 0 removed 0 skipped 5" {
		t.Error(got)
	}
	var paths []string
	for _, s := range r.Skipped {
		paths = append(paths, s.Path)
		if s.Reason == "" || strings.Contains(s.Reason, "\n") || strings.Contains(s.Reason, dir) {
			t.Errorf("%s: reason %q", s.Path, s.Reason)
		}
		t.Logf("%s: %s", s.Path, s.Reason)
	}
	if want := []string{"binary.txt", "broken.docx", "empty.txt", "paper.pdf", "sub/huge.txt"}; !slices.Equal(paths, want) {
		t.Errorf("skipped %v, want %v", paths, want)
	}
	if got := urls(find(t, l, library.Query{Text: "pump"})); !slices.Equal(got, []string{"doc:good.md"}) {
		t.Error(got)
	}
}

func TestDocumentThatCantBeReadAnyMoreGoes(t *testing.T) {
	l, dir := newLibrary(t), folder(t, map[string]string{"a.md": "Apples.", "b.md": "Bananas."})
	add(t, l, dir)
	write(t, dir, "b.md", "")
	if got := counts(add(t, l, dir)); got != "done 2/2 added 0 same 1 changed 0 removed 1 skipped 1" {
		t.Error(got)
	}
	if got := find(t, l, library.Query{Text: "bananas"}); len(got) != 0 {
		t.Errorf("still found: %v", urls(got))
	}
}

func TestLinks(t *testing.T) {
	l, dir := newLibrary(t), folder(t, map[string]string{"docs/a.md": "The pump.", "docs/sub/b.md": "The valve."})
	outside := folder(t, map[string]string{"secret.md": "A secret."})
	for name, target := range map[string]string{
		"docs/loop": dir + "/docs", "docs/sub/up": "..", "docs/again.md": "a.md", "docs/gone.md": "nowhere.md",
		"docs/out": outside, "docs/out.md": outside + "/secret.md",
	} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Skipf("no links here: %v", err)
		}
	}
	r := add(t, l, filepath.Join(dir, "docs"))
	want := []library.Skip{
		{Path: "gone.md", Reason: "link that leads nowhere"},
		{Path: "out", Reason: "link that leads out of the folder"},
		{Path: "out.md", Reason: "link that leads out of the folder"},
	}
	if d := cmp.Diff(want, r.Skipped); d != "" {
		t.Error(d)
	}
	if got := counts(r); got != "done 5/5 added 2 same 0 changed 0 removed 0 skipped 3" {
		t.Error(got)
	}
	// The folder is the same through a link to it.
	if got := counts(add(t, l, filepath.Join(dir, "docs", "loop"))); got != "done 5/5 added 0 same 2 changed 0 removed 0 skipped 3" {
		t.Error(got)
	}
}

func TestProgressEndsWithTheWhole(t *testing.T) {
	files := map[string]string{}
	for i := range 2000 {
		files[fmt.Sprintf("%04d.md", i)] = fmt.Sprintf("Note %d says little.", i)
	}
	l, dir := newLibrary(t), folder(t, files)
	var news []plumb.DocumentsNews
	o := library.AddOptions{Progress: func(n plumb.DocumentsNews) { news = append(news, n) }}
	r, err := l.Add(context.Background(), dir, o)
	if err != nil {
		t.Fatal(err)
	}
	if len(news) < 3 || len(news) > 20 {
		t.Errorf("told %d times of 2000 small files", len(news))
	}
	for i, n := range news {
		if n.Total != 2000 || n.Folder != dir || i > 0 && n.Done < news[i-1].Done {
			t.Errorf("news %d: %+v", i, n)
		}
	}
	if first, last := news[0], news[len(news)-1]; first.Done != 0 || last != r.Files || last.Done != 2000 {
		t.Errorf("from %+v to %+v, report %+v", first, last, r.Files)
	}
}

func TestAddThatWasStoppedGoesOnWhereItWas(t *testing.T) {
	files := map[string]string{}
	for i := range 1500 {
		files[fmt.Sprintf("%04d.md", i)] = fmt.Sprintf("# Note %d\n\nThe gauge of well %d shows %d metres.", i, i, i*3)
	}
	dir := folder(t, files)
	q := library.Query{Text: "Which gauge shows 99 metres?", Folders: []string{dir}, Limit: 30}
	whole := newLibrary(t)
	add(t, whole, dir)

	l := newLibrary(t)
	ctx, cancel := context.WithCancel(context.Background())
	_, err := l.Add(ctx, dir, library.AddOptions{Progress: func(n plumb.DocumentsNews) {
		if n.Done > 700 {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("stopped: %v", err)
	}
	r := add(t, l, dir)
	if r.Files.Same < 500 || r.Files.Same+r.Files.Added != 1500 {
		t.Errorf("went on with %s", counts(r))
	}
	if d := cmp.Diff(find(t, whole, q), find(t, l, q)); d != "" {
		t.Error(d)
	}
}

func TestNumberOfWorkersChangesNothing(t *testing.T) {
	files := map[string]string{}
	for i := range 60 {
		files[fmt.Sprintf("%02d.md", i)] = strings.Repeat(fmt.Sprintf("Sluice %d of lock %d leaks. ", i, i%7), 1+i%9*40)
	}
	dir := folder(t, files)
	q := library.Query{Text: "Which sluice of lock 3 leaks?", Limit: 25}
	var want []plumb.Hit
	for _, n := range []int{1, 2, 8} {
		l := newLibrary(t)
		l.Workers = n
		add(t, l, dir)
		got := find(t, l, q)
		if want == nil {
			want = got
		}
		if d := cmp.Diff(want, got); d != "" || len(got) == 0 {
			t.Errorf("%d workers: %d hits, %s", n, len(got), d)
		}
	}
}

func TestUnreadableFolderIsNamed(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may read everything")
	}
	l, dir := newLibrary(t), folder(t, map[string]string{"a.md": "Apples.", "shut/b.md": "Bananas.", "c.md": "Cherries."})
	for _, p := range []string{"shut", "c.md"} {
		if err := os.Chmod(filepath.Join(dir, p), 0); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := os.Chmod(filepath.Join(dir, p), 0o755); err != nil {
				t.Error(err)
			}
		})
	}
	want := []library.Skip{{Path: "c.md", Reason: "permission denied"}, {Path: "shut", Reason: "permission denied"}}
	if d := cmp.Diff(want, add(t, l, dir).Skipped); d != "" {
		t.Error(d)
	}
	if _, err := l.Add(context.Background(), filepath.Join(dir, "shut"), library.AddOptions{}); err == nil || !strings.Contains(err.Error(), "shut: permission denied") {
		t.Errorf("got %v", err)
	}
}

func TestDocumentsThatAreTooLongAreNamed(t *testing.T) {
	l, dir := newLibrary(t), folder(t, map[string]string{"long.txt": strings.Repeat("The pump works. ", 100), "short.txt": "The pump works."})
	l.Extract.MaxText = 200
	var cut []string
	o := library.AddOptions{Cut: func(path string) { cut = append(cut, path) }}
	for range 2 { // told once, when it is read
		if _, err := l.Add(context.Background(), dir, o); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(cut, []string{"long.txt"}) {
		t.Errorf("cut: %v", cut)
	}
}

func TestFoldersOfRunsAreNoDocuments(t *testing.T) {
	l, dir := newLibrary(t), folder(t, map[string]string{
		"a.md": "The pump works.", "runs/r1/prompt.txt": "Why?", "runs/r1/events.jsonl": "{}", "runs/r1/final.md": "The pump works, says a report.",
		"runs/r1/sources/x.txt": "The pump works.", "letters/prompt.txt": "The pump was prompt.", "events.jsonl": "{}",
	})
	add(t, l, dir)
	if got := urls(find(t, l, library.Query{Text: "pump"})); len(got) != 2 || !slices.Contains(got, "doc:a.md") || !slices.Contains(got, "doc:letters/prompt.txt") {
		t.Errorf("found %v", got)
	}
	if got := counts(add(t, l, filepath.Join(dir, "runs", "r1"))); !strings.HasPrefix(got, "done 3/3 added 3") {
		t.Errorf("the folder of a run, named itself: %s", got)
	}
}
