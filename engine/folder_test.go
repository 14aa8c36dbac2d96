package engine_test

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/engine"
)

// tree reads a folder: paths and what they hold.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		out[strings.TrimPrefix(path, dir+"/")] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestARunsFolder(t *testing.T) {
	ctx := context.Background()
	d := newDesk(t, mill)
	run := d.ask("r1", aboutMill, nil)
	unchecked := d.ask("r2", "Who built the Oxley mill?", func(r *plumb.Run) { r.Limits.Check = false })
	dir, fresh := filepath.Join(t.TempDir(), "out"), t.TempDir()
	write := func(run *plumb.Run, dir string) map[string]string {
		t.Helper()
		if err := engine.WriteFolder(ctx, d.db, run, dir); err != nil {
			t.Fatal(err)
		}
		return tree(t, dir)
	}
	first := write(run, dir)
	if first["prompt.txt"] != aboutMill+"\n" || first["verification.json"] == "" || first["final.html"] == "" {
		t.Error("files are missing")
	}
	same := func(a, b map[string]string) bool {
		for path, body := range a {
			if b[path] != body {
				t.Logf("%s differs", path)
				return false
			}
		}
		return len(a) == len(b)
	}
	if !same(first, write(run, dir)) {
		t.Error("written again, the folder differs")
	}
	// Notes that somebody put there stay; what the first run had and the second has not goes.
	notes := filepath.Join(dir, "sources", "notes.txt")
	if err := os.WriteFile(notes, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	second := write(unchecked, dir)
	if second["sources/notes.txt"] != "mine" {
		t.Error("a stranger's file is gone")
	}
	delete(second, "sources/notes.txt")
	if !same(second, write(unchecked, fresh)) || second["verification.json"] != "" {
		t.Errorf("the folder still has files of the run before: %v", len(second))
	}
	for path := range second {
		if strings.Contains(path, ".part-") {
			t.Errorf("half a file is left: %s", path)
		}
	}
}

func TestAFolderOfOthersIsOccupied(t *testing.T) {
	d := newDesk(t, mill)
	run := d.ask("r1", aboutMill, nil)
	dir := t.TempDir()
	put := func(name string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte("mine"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	put("notes.md")
	if name := engine.Occupied(dir); name != "" {
		t.Errorf("%s is in the way of a run", name)
	}
	put("report.md")
	if name := engine.Occupied(dir); name != "report.md" {
		t.Errorf("a report of others would be overwritten; in the way is %q", name)
	}
	own := t.TempDir()
	if err := engine.WriteFolder(context.Background(), d.db, run, own); err != nil {
		t.Fatal(err)
	}
	if name := engine.Occupied(own); name != "" {
		t.Errorf("a run's own %s is in its way", name)
	}
	if name := engine.Occupied(filepath.Join(dir, "not there")); name != "" {
		t.Errorf("%q is in a folder that is not there", name)
	}
}

func TestAFolderIsWrittenOfARunThatIsNotDone(t *testing.T) {
	d := newDesk(t, mill)
	l, err := plumb.Preset("quick")
	if err != nil {
		t.Fatal(err)
	}
	l.Approve = true
	startRun(t, d.bench, plumb.NewRun("r1", plumb.Question{Text: aboutMill, Where: plumb.Where{Folders: []string{d.docs}}}, l))
	run := workUntil(t, d.bench, "r1", plumb.Waiting)
	dir := t.TempDir()
	if err := engine.WriteFolder(context.Background(), d.db, run, dir); err != nil {
		t.Fatal(err)
	}
	got := tree(t, dir)
	for _, name := range []string{"prompt.txt", "brief.json", "plan.json", "events.jsonl", "usage.json"} {
		if got[name] == "" {
			t.Errorf("%s is not there", name)
		}
	}
	for _, name := range []string{"report.md", "final.md", "claims.json", "verification.json"} {
		if _, ok := got[name]; ok {
			t.Errorf("%s is there before its time", name)
		}
	}
}

func TestAFolderThatCantBeWritten(t *testing.T) {
	d := newDesk(t, mill)
	run := d.ask("r1", aboutMill, nil)
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := engine.WriteFolder(context.Background(), d.db, run, file); err == nil || !strings.Contains(err.Error(), "run folder") {
		t.Errorf("writing below a file answered %v", err)
	}
}

func TestAProcessOwnsByALock(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "owners")
	start := func() *engine.Process {
		t.Helper()
		p, err := engine.NewProcess(dir)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	a, b := start(), start()
	if a.ID() == b.ID() || !a.Alive(a.ID()) || !a.Alive(b.ID()) || !b.Alive(a.ID()) {
		t.Errorf("%s and %s don't see each other", a.ID(), b.ID())
	}
	if !a.Alive("../../etc/passwd") {
		t.Error("a name that leaves the folder was taken for a dead owner")
	}
	// A process that was killed leaves its file, without a lock on it.
	home, _, _ := strings.Cut(a.ID(), "-")
	killed := home + "-99-KILLED"
	left := filepath.Join(dir, "owner-"+killed+".lock")
	if err := os.WriteFile(left, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	elsewhere, err := engine.NewProcess(filepath.Join(t.TempDir(), "owners"))
	if err != nil {
		t.Fatal(err)
	}
	if !elsewhere.Alive(killed) || !a.Alive(elsewhere.ID()) {
		t.Error("an owner whose lock can't be tried counts as dead")
	}
	if err := elsewhere.Close(); err != nil {
		t.Fatal(err)
	}
	if a.Alive(killed) {
		t.Error("a killed process lives")
	}
	if _, err := os.Stat(left); err == nil {
		t.Error("the file of a killed process stays")
	}
	if err := b.Close(); err != nil || a.Alive(b.ID()) {
		t.Errorf("after Close: %v, alive %v", err, a.Alive(b.ID()))
	}
	if err := a.Close(); err != nil {
		t.Error(err)
	}
	if names, err := os.ReadDir(dir); err != nil || len(names) != 1 || names[0].Name() != "home" {
		t.Errorf("%v: locks are left: %v", err, names)
	}
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := engine.NewProcess(filepath.Join(dir, "file")); err == nil || strings.Contains(err.Error(), "is taken") {
		t.Errorf("a file as the folder of locks answered %v", err)
	}
}

func TestEventsCountInWords(t *testing.T) {
	d := newDesk(t, map[string]string{"a.md": mill["b.md"]})
	d.ask("r1", "Why did the Oxley mill burn down?", nil)
	var texts []string
	for _, e := range d.shown {
		texts = append(texts, e.Text)
	}
	if !slices.ContainsFunc(texts, func(s string) bool { return strings.HasPrefix(s, "1 ") }) {
		t.Fatalf("nothing was counted: %q", texts)
	}
	for _, s := range texts {
		for _, wrong := range []string{"1 findings", "1 units", "1 areas", "1 sources", "1 claims"} {
			if strings.Contains(" "+s, " "+wrong) {
				t.Errorf("%q", s)
			}
		}
	}
}
