package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/extract"
	"github.com/plumbresearch/plumb/markdown"
)

// TestMain lets the test binary parse PDFs for itself, as the program does, and be other programs.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == pdfCommand {
		if err := extract.ServePDF(os.Stdin, os.Stdout, 0); err != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	if what := os.Getenv(child); what != "" {
		os.Exit(be(what))
	}
	os.Exit(m.Run())
}

// shell runs the program in a home and a folder of its own.
type shell struct {
	t    *testing.T
	home string
	env  []string
}

func newShell(t *testing.T) *shell {
	t.Helper()
	dir := t.TempDir()
	t.Chdir(dir)
	return &shell{t: t, home: filepath.Join(dir, "home")}
}

type result struct {
	code     int
	out, err string
}

func (s *shell) environ() []string {
	// Nothing but loopback is ever reached: tests of the web name their own.
	return append([]string{"PLUMB_HOME=" + s.home, "PATH=" + os.Getenv("PATH"), "SEARCH_PROVIDER=none", "ARCHIVE_BASE_URL=none"}, s.env...)
}

func (s *shell) run(args ...string) result {
	s.t.Helper()
	var out, errs bytes.Buffer
	code := run(context.Background(), args, stdio{in: strings.NewReader(""), out: &out, err: &errs}, s.environ())
	return result{code, out.String(), errs.String()}
}

// must runs the program and wants an exit code.
func (s *shell) must(code int, args ...string) result {
	s.t.Helper()
	r := s.run(args...)
	if r.code != code {
		s.t.Fatalf("plumb %s: exit %d, want %d\nstdout:\n%s\nstderr:\n%s", strings.Join(args, " "), r.code, code, r.out, r.err)
	}
	return r
}

// corpus is the absolute path of the example documents, found before any test changes its folder.
var corpus = func() string {
	path, err := filepath.Abs("../../examples/corpus")
	if err != nil {
		panic(err)
	}
	return path
}()

const headline = "Why was the Marrowgate Bridge closed in 2023, what did the repair cost, and is it safe now?"

func readFile(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func readJSON[T any](t *testing.T, path string) T {
	t.Helper()
	var v T
	if err := json.Unmarshal([]byte(readFile(t, path)), &v); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return v
}

func readLines[T any](t *testing.T, path string) []T {
	t.Helper()
	var out []T
	for line := range strings.Lines(readFile(t, path)) {
		var v T
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		out = append(out, v)
	}
	return out
}

func TestAQuestionBecomesACheckedReport(t *testing.T) {
	s := newShell(t)
	r := s.must(0, "research", "--docs", corpus, "--out", "out", headline)
	for _, want := range []string{
		"cost EUR 48.2 million", "84 millimetres", "safe for vehicles up to 40 tonnes", "[VERIFIED]", "## Sources", "[1]",
	} {
		if !strings.Contains(r.out, want) {
			t.Errorf("the report lacks %q", want)
		}
	}
	for _, want := range []string{"documents", "units", "claims", "supported", "out/final.html"} {
		if !strings.Contains(r.err, want) {
			t.Errorf("the progress lacks %q:\n%s", want, r.err)
		}
	}
	checkFolder(t, "out")
}

// checkFolder holds a run's folder to what the design promises of it.
func checkFolder(t *testing.T, dir string) {
	t.Helper()
	texts := map[string]string{}
	for _, src := range readLines[plumb.Source](t, filepath.Join(dir, "sources.jsonl")) {
		texts[src.Hash] = readFile(t, filepath.Join(dir, "sources", src.Hash+".txt"))
	}
	findings := readLines[plumb.Finding](t, filepath.Join(dir, "findings.jsonl"))
	for _, f := range findings {
		text := texts[f.Source]
		if f.QuoteStart < 0 || f.QuoteEnd > len(text) || f.QuoteStart >= f.QuoteEnd || text[f.QuoteStart:f.QuoteEnd] != f.Quote {
			t.Errorf("finding %s: its quote is not at its offsets", f.ID)
		}
	}
	type file struct {
		Claims  []plumb.Claim   `json:"claims"`
		Results []plumb.Verdict `json:"results"`
		Total   int             `json:"total_claims"`
		Checked int             `json:"total_verified"`
		Summary map[string]int  `json:"summary"`
	}
	draft := readFile(t, filepath.Join(dir, "report.md"))
	claims := readJSON[file](t, filepath.Join(dir, "claims.json"))
	verdicts := readJSON[file](t, filepath.Join(dir, "verification.json"))
	if claims.Total != len(claims.Claims) || verdicts.Checked != len(verdicts.Results) || len(verdicts.Results) != len(claims.Claims) {
		t.Errorf("%d claims, %d verdicts, totals %d and %d", len(claims.Claims), len(verdicts.Results), claims.Total, verdicts.Checked)
	}
	counts, sum := map[string]int{}, 0
	for i, v := range verdicts.Results {
		counts[string(v.Status)]++
		if c := claims.Claims[i]; c.ID != v.ClaimID || c.Start < 0 || c.End > len(draft) || c.Start >= c.End {
			t.Errorf("claim %s: offsets %d..%d, verdict of %s", c.ID, c.Start, c.End, v.ClaimID)
		}
		if v.Status == plumb.Supported && texts[v.Source][v.Start:v.End] != v.Evidence {
			t.Errorf("%s: its evidence is not at its offsets", v.ClaimID)
		}
	}
	for _, st := range plumb.Statuses {
		if verdicts.Summary[string(st)] != counts[string(st)] {
			t.Errorf("summary says %d %s, there are %d", verdicts.Summary[string(st)], st, counts[string(st)])
		}
		sum += verdicts.Summary[string(st)]
	}
	if sum != len(claims.Claims) {
		t.Errorf("the summary adds up to %d of %d claims", sum, len(claims.Claims))
	}
	checkNumbers(t, readFile(t, filepath.Join(dir, "final.md")))
	for _, name := range []string{"prompt.txt", "brief.json", "plan.json", "citations.json", "usage.json", "events.jsonl", "final.html"} {
		if readFile(t, filepath.Join(dir, name)) == "" {
			t.Errorf("%s is empty", name)
		}
	}
}

// checkNumbers wants every [n] of a report in its source list.
func checkNumbers(t *testing.T, md string) {
	t.Helper()
	d := markdown.Parse(md)
	entries, _, _ := markdown.SourceList(d)
	listed := map[int]bool{}
	for _, e := range entries {
		listed[e.Number] = true
	}
	for _, m := range markdown.Markers(md) {
		for _, n := range m.Numbers {
			if !listed[n] {
				t.Errorf("[%d] is in no source list", n)
			}
		}
	}
}

var moment = regexp.MustCompile(`\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z`)

// timeless takes out what may differ between two runs: id and times.
func timeless(md, id string) string {
	return moment.ReplaceAllString(strings.ReplaceAll(md, id, "ID"), "TIME")
}

func (s *shell) lastRun() string {
	s.t.Helper()
	var runs []struct {
		ID, State, Question string
		CreatedAt           string `json:"created_at"`
	}
	if err := json.Unmarshal([]byte(s.must(0, "runs", "--json").out), &runs); err != nil || len(runs) == 0 {
		s.t.Fatalf("runs: %v, %d of them", err, len(runs))
	}
	if r := runs[0]; r.State == "" || r.Question == "" || r.CreatedAt == "" {
		s.t.Fatalf("run is %+v", r)
	}
	return runs[0].ID
}

func TestTheSameQuestionGivesTheSameBytes(t *testing.T) {
	var first string
	for i := range 3 {
		s := newShell(t)
		if i == 2 { // whatever else is in the store
			other := filepath.Join(t.TempDir(), "other")
			if err := os.MkdirAll(other, 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(other, "a.md"), []byte("# Bridge repair\n\nThe repair of the bridge cost nothing.\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			s.must(0, "library", "add", other)
		}
		s.must(0, "research", "--docs", corpus, "--out", "out", headline)
		got := timeless(readFile(t, "out/final.md"), s.lastRun())
		if first == "" {
			first = got
		}
		if got != first {
			t.Fatalf("round %d gave another report", i)
		}
	}
}

func TestExampleQuestions(t *testing.T) {
	type row struct {
		Question      string   `json:"question"`
		Expect        []string `json:"expect"`
		Contradiction []string `json:"contradiction"`
		Answerable    bool     `json:"answerable"`
	}
	rows := readLines[row](t, filepath.Join(filepath.Dir(corpus), "questions.jsonl"))
	s := newShell(t)
	found, all := 0, 0
	for i, q := range rows {
		out := fmt.Sprintf("out%d", i)
		s.must(0, "research", "--quiet", "--docs", corpus, "--out", out, q.Question)
		md := oneLine(readFile(t, out+"/final.md"))
		checkFolder(t, out)
		if !q.Answerable {
			if strings.Contains(md, "[1]") || !strings.Contains(md, "do not answer") {
				t.Errorf("%s: not answered by the documents, but the report does not say so plainly, or cites", q.Question)
			}
			continue
		}
		for _, e := range q.Expect {
			all++
			if strings.Contains(md, oneLine(e)) {
				found++
			} else {
				t.Logf("%s: no %q", q.Question, e)
			}
		}
		if len(q.Contradiction) > 0 && !strings.Contains(md, "Sources Disagree") {
			t.Logf("%s: no contradiction is named", q.Question)
		}
	}
	t.Logf("%d of %d expected statements are in the reports", found, all)
	if found*10 < all*8 {
		t.Errorf("%d of %d expected statements are in the reports: too few", found, all)
	}
}

func TestWrongUse(t *testing.T) {
	s := newShell(t)
	empty := t.TempDir()
	locked := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(locked, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		args []string
		code int
		want string
	}{
		{"missing folder", []string{"research", "--docs", "nowhere", "Why?"}, 2, "--docs nowhere is not there"},
		{"no question", []string{"research", "--docs", corpus}, 2, "there is no question"},
		{"blank question", []string{"research", "--docs", corpus, "  "}, 2, "there is no question"},
		{"long question", []string{"research", "--docs", corpus, strings.Repeat("why ", 3000)}, 2, "at most 10000"},
		{"nothing to search", []string{"research", "Why is that so?"}, 2, "--docs"},
		{"unknown flag", []string{"research", "--colour", "Why?"}, 2, "--colour"},
		{"unknown command", []string{"reserach"}, 2, `"reserach" is not a command`},
		{"unknown preset", []string{"research", "--docs", corpus, "--preset", "huge", "Why?"}, 2, "quick, standard, deep, academic"},
		{"unknown scheduling", []string{"research", "--docs", corpus, "--scheduling", "later", "Why?"}, 2, "react, parallel"},
		{"bad date", []string{"research", "--docs", corpus, "--since", "yesterday", "Why?"}, 2, "2024-03-12"},
		{"bad budget", []string{"research", "--docs", corpus, "--budget", "-1", "Why?"}, 2, "negative"},
		{"unknown run", []string{"show", "nix"}, 2, `run "nix"`},
		{"no run", []string{"resume"}, 2, "takes one run"},
		{"an empty folder", []string{"research", "--docs", empty, "Why?"}, 1, ".md"},
		{"out is a file", []string{"research", "--docs", corpus, "--out", locked, "Why?"}, 2, "--out"},
		{"library without a verb", []string{"library", "frobnicate"}, 2, "add, search, list or remove"},
		{"removing what is not there", []string{"library", "remove", "nowhere"}, 2, "not in the library"},
		{"answer without text", []string{"answer", "last"}, 2, "your answer"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := s.run(c.args...)
			if r.code != c.code || !strings.Contains(r.err, c.want) {
				t.Errorf("exit %d, want %d; stderr %q, want %q in it", r.code, c.code, r.err, c.want)
			}
			lines := strings.Split(strings.TrimSpace(r.err), "\n")
			last := lines[len(lines)-1]
			if !strings.HasPrefix(last, "plumb: ") {
				t.Errorf("the last line is %q", last)
			}
		})
	}
}

func TestAStoreThatCantBeUsed(t *testing.T) {
	s := newShell(t)
	for _, c := range []struct {
		name, want string
		prepare    func(path string) error
	}{
		{"not a database", "plumb.db", func(p string) error { return os.WriteFile(p, bytes.Repeat([]byte("junk "), 400), 0o600) }},
		{"a folder", "plumb.db", func(p string) error { return os.Mkdir(p, 0o755) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			s.home = t.TempDir()
			if err := c.prepare(filepath.Join(s.home, "plumb.db")); err != nil {
				t.Fatal(err)
			}
			r := s.must(1, "runs")
			if !strings.Contains(r.err, c.want) || strings.Count(r.err, "\n") != 1 {
				t.Errorf("stderr is %q", r.err)
			}
			if r := s.must(1, "doctor"); !strings.Contains(r.out, "ILL  store") {
				t.Errorf("the doctor says %q", r.out)
			}
		})
	}
}

func TestAPlanWaitsForApproval(t *testing.T) {
	s := newShell(t)
	r := s.must(3, "research", "--docs", corpus, "--approve", "ask", headline)
	if !strings.Contains(r.err, "plumb approve") {
		t.Fatalf("does not say how to approve:\n%s", r.err)
	}
	s.must(3, "approve", "--feedback", "also the ferry", "last")
	r = s.must(0, "approve", "last")
	if !strings.Contains(r.out, "## Sources") {
		t.Error("no report after the approval")
	}
	if r := s.must(2, "approve", "last"); !strings.Contains(r.err, "done already") {
		t.Errorf("approving twice says %q", r.err)
	}
}

func TestARunCanBeRejectedCancelledPausedAndFinished(t *testing.T) {
	s := newShell(t)
	ask := func() { t.Helper(); s.must(3, "research", "--quiet", "--docs", corpus, "--approve", "ask", headline) }
	ask()
	s.must(4, "approve", "--reject", "--reason", "too broad", "last")
	ask()
	if r := s.must(0, "cancel", "last"); !strings.Contains(r.err, "is cancelled") {
		t.Errorf("cancel says %q", r.err)
	}
	s.must(4, "resume", "last")
	ask()
	s.must(0, "pause", "last")
	s.must(3, "resume", "last")
	s.must(0, "finish", "last")
	r := s.must(0, "resume", "last")
	if !strings.Contains(r.out, "## Methodology") || strings.Contains(r.out, "[1]") {
		t.Error("finishing before anything was gathered should publish a report that cites nothing")
	}
}

func TestRunsAreShownAndRemoved(t *testing.T) {
	s := newShell(t)
	if r := s.must(0, "runs", "--json"); strings.TrimSpace(r.out) != "[]" {
		t.Errorf("no runs are %q", r.out)
	}
	s.must(0, "research", "--quiet", "--preset", "quick", "--docs", corpus, headline)
	id := s.lastRun()
	if _, err := os.Stat(filepath.Join("runs", id, "final.md")); err != nil {
		t.Error(err)
	}
	if r := s.must(0, "show", id[:8]); !strings.Contains(r.out, "# Research Report") {
		t.Error("show prints no report")
	}
	for line := range strings.Lines(s.must(0, "show", "--json", "last").out) {
		var e plumb.Event
		if err := json.Unmarshal([]byte(line), &e); err != nil || e.Run != id {
			t.Fatalf("%v in %q", err, line)
		}
	}
	s.must(0, "show", "--out", "again", "last")
	if readFile(t, "again/final.md") != readFile(t, filepath.Join("runs", id, "final.md")) {
		t.Error("the folder written again differs")
	}
	s.must(2, "runs", "rm", "last")
	s.must(0, "runs", "rm", "--yes", "last")
	if r := s.must(0, "runs", "--json"); strings.TrimSpace(r.out) != "[]" {
		t.Errorf("runs after rm: %s", r.out)
	}
}

func TestEventsAsJSON(t *testing.T) {
	s := newShell(t)
	r := s.must(0, "research", "--json", "--preset", "quick", "--docs", corpus, headline)
	seen := map[plumb.EventKind]int{}
	last := int64(0)
	for line := range strings.Lines(r.out) {
		var e plumb.Event
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("%v in %q", err, line)
		}
		if e.Seq <= last {
			t.Fatalf("event %d after %d", e.Seq, last)
		}
		last = e.Seq
		seen[e.Kind]++
	}
	for _, k := range []plumb.EventKind{plumb.RunStarted, plumb.DocumentsRead, plumb.BriefReady, plumb.PlanReady, plumb.WaveStarted,
		plumb.UnitStarted, plumb.SourceRead, plumb.FindingMade, plumb.UnitDone, plumb.WaveDone, plumb.GateDecided, plumb.Cited,
		plumb.DraftWritten, plumb.ClaimsSplit, plumb.ClaimChecked, plumb.Published, plumb.RunDone} {
		if seen[k] == 0 {
			t.Errorf("no event %s", k)
		}
	}
	for _, k := range []plumb.EventKind{plumb.BriefReady, plumb.PlanReady, plumb.DraftWritten, plumb.ClaimsSplit, plumb.RunDone} {
		if seen[k] > 1 {
			t.Errorf("%d events %s", seen[k], k)
		}
	}
}

func TestFollowUp(t *testing.T) {
	s := newShell(t)
	s.must(0, "research", "--quiet", "--docs", corpus, "--out", "a", headline)
	s.must(0, "research", "--quiet", "--docs", corpus, "--out", "b", "--thread", "last", "Also, when did the Marrowgate Bridge reopen?")
	if md := readFile(t, "b/final.md"); !strings.Contains(md, "2024") {
		t.Error("the follow-up does not answer")
	}
	checkFolder(t, "b")
	if !strings.Contains(readFile(t, "b/final.md"), "of earlier runs could be used") {
		t.Error("the methodology does not say that evidence was kept")
	}
	s.must(3, "research", "--quiet", "--docs", corpus, "--approve", "ask", headline)
	if r := s.must(2, "research", "--docs", corpus, "--thread", "last", "And when did it reopen?"); !strings.Contains(r.err, "is not done") {
		t.Errorf("following a run that is not done says %q", r.err)
	}
}

func TestAQuestionIsText(t *testing.T) {
	s := newShell(t)
	s.must(0, "research", "--quiet", "--docs", corpus, "--out", "out", " Why was the\x1b[31m bridge\xff\nclosed <b>in</b> 2023?\u0085\x00 ")
	if got := readFile(t, "out/prompt.txt"); got != "Why was the [31m bridge\uFFFD\nclosed <b>in</b> 2023?\n" {
		t.Errorf("prompt.txt is %q", got)
	}
	md := readFile(t, "out/final.md")
	if first, _, _ := strings.Cut(md, "\n"); !strings.Contains(first, "closed \\<b>in") || strings.ContainsAny(md, "\x1b\x00") {
		t.Errorf("the report begins %q", first)
	}
}

func TestLibrary(t *testing.T) {
	s := newShell(t)
	dir := filepath.Join(t.TempDir(), "docs")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	write := func(name, body string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(body), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("a.md", "# Weir\n\nThe weir at Norrick was built in 1931 by the drainage board.\n")
	write("broken.pdf", "%PDF-1.4 this is no PDF")
	r := s.must(0, "library", "add", dir)
	if !strings.Contains(r.err, "broken.pdf") || !strings.Contains(r.out, "1 new") {
		t.Errorf("add says %q %q", r.out, r.err)
	}
	if r := s.must(0, "library", "search", "when was the weir built"); !strings.Contains(r.out, "doc:a.md") {
		t.Errorf("search says %q", r.out)
	}
	if r := s.must(0, "library", "list"); !strings.Contains(r.out, "a.md") {
		t.Errorf("list says %q", r.out)
	}
	// Without --docs the whole library is searched.
	if r := s.must(0, "research", "--quiet", "When was the weir at Norrick built?"); !strings.Contains(r.out, "1931") {
		t.Errorf("research over the library says %q", r.out)
	}
	s.must(0, "library", "remove", dir)
	if r := s.must(0, "library", "list", "--json"); strings.TrimSpace(r.out) != "[]" {
		t.Errorf("after remove: %q", r.out)
	}
}

func TestSettings(t *testing.T) {
	s := newShell(t)
	if err := os.WriteFile(".env", []byte("MIN_SOURCE_DOMAINS=900\nRESEARCH_STRATEGY=quick\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	c, path, err := loadConfig([]string{"PLUMB_MIN_SOURCE_DOMAINS=7", "HOME=/h"}, here)
	if err != nil || filepath.Base(path) != ".env" || c.Overrule.Keys != 7 || c.Preset != "quick" || c.Home != "/h/.local/share/plumb" {
		t.Errorf("%+v from %s, %v", c, path, err)
	}
	s.env = []string{"MAX_CONCURRENT_RESEARCH_UNITS=99"}
	if r := s.must(2, "research", "--docs", corpus, "Why?"); !strings.Contains(r.err, "MAX_CONCURRENT_RESEARCH_UNITS is 99") {
		t.Errorf("stderr is %q", r.err)
	}
	s.env = []string{"MAX_CONCURRENT_RESEARCH_UNITS=many"}
	s.must(2, "version")
	s.env = []string{"PLUMB_ENV_FILE=nowhere.env"}
	if r := s.must(2, "version"); !strings.Contains(r.err, "nowhere.env") {
		t.Errorf("stderr is %q", r.err)
	}
}
