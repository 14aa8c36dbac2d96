package main

// Which folders are read, which are written.

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/plumbresearch/plumb"
)

func TestFoldersInsideOthersAreReadOnce(t *testing.T) {
	for _, c := range []struct{ given, want []string }{
		{nil, nil},
		{[]string{"/a"}, []string{"/a"}},
		{[]string{"/a", "/a"}, []string{"/a"}},
		{[]string{"/a/b", "/a", "/ab"}, []string{"/a", "/ab"}},
		{[]string{"/a/b/c", "/d", "/a/b"}, []string{"/d", "/a/b"}},
		{[]string{"/", "/a"}, []string{"/"}},
	} {
		if got := outermost(c.given); !slices.Equal(got, c.want) {
			t.Errorf("of %v these are outermost: %v", c.given, got)
		}
	}
	s := newShell(t)
	r := s.must(0, "research", "--docs", filepath.Join(corpus, "city"), "--docs", corpus, "--docs", corpus+"/", "--out", "out", headline)
	if n := strings.Count(r.err, "\nread "); n != 1 {
		t.Errorf("%d folders were read:\n%s", n, r.err)
	}
	seen := map[string]string{}
	for _, src := range readLines[plumb.Source](t, "out/sources.jsonl") {
		if before := seen[src.Hash]; before != "" {
			t.Errorf("%s and %s are one document", before, src.URL)
		}
		seen[src.Hash] = src.URL
	}
}

func TestReportsOfRunsAreNoDocuments(t *testing.T) {
	s := newShell(t)
	if err := os.CopyFS(".", os.DirFS(corpus)); err != nil {
		t.Fatal(err)
	}
	first := s.must(0, "research", "--docs", ".", headline)
	second := s.must(0, "research", "--docs", ".", "--out", "deep/inside", headline)
	third := s.must(0, "research", "--docs", ".", headline)
	for _, r := range []result{second, third} {
		if !strings.Contains(r.err, "0 new, 0 changed, 46 unchanged") {
			t.Errorf("reports were read as documents:\n%s", r.err)
		}
		if strings.Contains(r.out, "doc:runs") || strings.Contains(r.out, "doc:deep") {
			t.Error("a report is cited")
		}
	}
	if !strings.Contains(first.err, "46 new") {
		t.Errorf("read:\n%s", first.err)
	}
}

func TestOutOverwritesNothingOfOthers(t *testing.T) {
	s := newShell(t)
	if err := os.Mkdir("mine", 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("mine/report.md", []byte("a year's work"), 0o644); err != nil {
		t.Fatal(err)
	}
	if r := s.must(2, "research", "--docs", corpus, "--out", "mine", headline); !strings.Contains(r.err, "report.md") {
		t.Errorf("stderr is %q", r.err)
	}
	s.must(0, "research", "--quiet", "--docs", corpus, "--out", "out", headline)
	if r := s.must(2, "show", "--out", "mine", "last"); !strings.Contains(r.err, "report.md") {
		t.Errorf("stderr is %q", r.err)
	}
	if readFile(t, "mine/report.md") != "a year's work" {
		t.Error("somebody's report is lost")
	}
	s.must(0, "research", "--quiet", "--no-verify", "--docs", corpus, "--out", "out", "When did the replacement ferry begin?")
	if _, err := os.Stat("out/verification.json"); err == nil {
		t.Error("an unchecked run has the verdicts of the run before")
	}
	if !strings.Contains(readFile(t, "out/final.md"), "not checked") {
		t.Error("the report does not say that it was not checked")
	}
}

func TestDocumentsThatAreNone(t *testing.T) {
	s := newShell(t)
	if err := syscall.Mkfifo("pipe.txt", 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"research", "--docs", "pipe.txt", "Why is it?"}, "--docs pipe.txt is neither a file nor a folder"},
		{[]string{"library", "add", "pipe.txt"}, "plumb: pipe.txt is neither"},
		{[]string{"library", "add", "nowhere"}, "plumb: nowhere is not there"},
		{[]string{"library", "list", "nowhere"}, "nowhere is not in the library"},
	} {
		if r := s.must(2, c.args...); !strings.Contains(r.err, c.want) {
			t.Errorf("%v says %q", c.args, r.err)
		}
	}
	if r := s.must(0, "library", "list"); !strings.Contains(r.err, "plumb library add") || r.out != "" {
		t.Errorf("an empty library lists %q %q", r.out, r.err)
	}
}

func TestABareQuestion(t *testing.T) {
	flags := func(name string) bool { return name == "docs" || name == "json" }
	for _, c := range []struct {
		args     []string
		research bool
	}{
		{[]string{"Why was it closed?"}, true},
		{[]string{"Why?"}, true},
		{[]string{"为什么？"}, true},
		{[]string{""}, true}, // to be told that there is no question
		{[]string{"--docs", "x", "Why?"}, true},
		{[]string{"--docs=x", "Why?"}, true},
		{[]string{"--json", "Why?"}, true},
		{[]string{"--verbose", "Why is it?"}, true},
		{[]string{"--", "-why"}, true},
		{[]string{"runs"}, false},
		{[]string{"--verbose", "runs"}, false},
		{[]string{"--help"}, false},
		{[]string{"-h"}, false},
		{[]string{"--version"}, false},
		{[]string{"--colour", "Why?"}, false},
		{[]string{"Why", "was", "it", "closed?"}, false}, // not quoted: could be a command mistyped
		{nil, false},
	} {
		got := withResearch(c.args, flags)
		if is := len(got) > 0 && got[0] == "research"; is != c.research {
			t.Errorf("%q becomes %q", c.args, got)
		}
	}
	s := newShell(t)
	if r := s.must(0, "--quiet", "--docs", corpus, headline); !strings.Contains(r.out, "## Sources") {
		t.Error("a bare question after flags has no report")
	}
	if r := s.must(0, "--version"); !strings.HasPrefix(r.out, "plumb ") || strings.Count(r.out, "\n") != 1 {
		t.Errorf("--version says %q", r.out)
	}
	if r := s.must(2, " "); !strings.Contains(r.err, "there is no question") {
		t.Errorf("a blank question says %q", r.err)
	}
}

func TestTheEnvironmentWinsOverTheFile(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, ".env"), []byte("PLUMB_MIN_SOURCE_DOMAINS=9\nMIN_EVIDENCE_RECORDS=8\nPLUMB_MIN_EVIDENCE_RECORDS=7\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		environ       []string
		keys, records int
	}{
		{nil, 9, 7},
		{[]string{"MIN_SOURCE_DOMAINS=1"}, 1, 7},
		{[]string{"PLUMB_MIN_SOURCE_DOMAINS=2", "MIN_SOURCE_DOMAINS=1"}, 2, 7},
		{[]string{"PLUMB_MIN_SOURCE_DOMAINS=", "MIN_SOURCE_DOMAINS=1", "MIN_EVIDENCE_RECORDS=3"}, 1, 3},
	} {
		got, _, err := loadConfig(c.environ, dir)
		if err != nil || got.Overrule.Keys != c.keys || got.Overrule.Records != c.records {
			t.Errorf("%v: %d and %d, want %d and %d; %v", c.environ, got.Overrule.Keys, got.Overrule.Records, c.keys, c.records, err)
		}
	}
	for _, bad := range []string{"TIMEOUT_PDF=-1", "TIMEOUT_SUBAGENT=-300", "TIMEOUT_PDF=soon"} {
		if _, _, err := loadConfig([]string{bad}, dir); err == nil {
			t.Errorf("%s was accepted", bad)
		}
	}
}

func TestAFolderThatCantBeWritten(t *testing.T) {
	s := newShell(t)
	if err := os.WriteFile("runs", nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if r := s.must(2, "research", "--docs", corpus, headline); !strings.Contains(r.err, "name another with --out") || strings.Count(r.err, "\n") != 1 {
		t.Errorf("stderr is %q", r.err)
	}
	if r := s.must(0, "runs", "--json"); strings.TrimSpace(r.out) != "[]" {
		t.Errorf("a run was started: %s", r.out)
	}
}

func TestTheDoctorReadsTheWholeStore(t *testing.T) {
	s := newShell(t)
	s.must(0, "research", "--quiet", "--docs", corpus, headline)
	if r := s.must(0, "doctor"); !strings.Contains(r.out, "ok   store") || !strings.Contains(r.out, "1 run, 46 documents") {
		t.Errorf("the doctor says\n%s", r.out)
	}
	path := filepath.Join(s.home, "plumb.db")
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	st, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	// The middle of the file is texts and postings, which the list of runs does not touch.
	if _, err := f.WriteAt(slices.Repeat([]byte{0xA5}, 16<<10), st.Size()/2/4096*4096); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if r := s.must(1, "doctor"); !strings.Contains(r.out, "ILL  store") || !strings.Contains(r.out, "damaged") {
		t.Errorf("the doctor says\n%s", r.out)
	}
}
