package engine_test

// Steps from read to publish, over small folders and a real store.

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/engine"
	"github.com/plumbresearch/plumb/library"
	"github.com/plumbresearch/plumb/store/sqlite"
	"github.com/plumbresearch/plumb/verify"
)

// desk is a store with documents, and what works on them.
type desk struct {
	t    *testing.T
	db   *sqlite.DB
	docs string
	*engine.Steps
	*bench
}

func newDesk(t *testing.T, docs map[string]string) *desk {
	t.Helper()
	dir := t.TempDir()
	d := &desk{t: t, db: openStore(t, filepath.Join(dir, "p.db")), docs: filepath.Join(dir, "docs")}
	if err := os.Mkdir(d.docs, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, body := range docs {
		d.put(name, body)
	}
	d.Steps = &engine.Steps{Contents: d.db, Library: &library.Library{Index: d.db}, Ledger: d.db, Tapes: d.db}
	d.bench = newBench(t, d.db, d.Steps, nil)
	return d
}

func (d *desk) put(name, body string) {
	d.t.Helper()
	if err := os.WriteFile(filepath.Join(d.docs, name), []byte(body), 0o644); err != nil {
		d.t.Fatal(err)
	}
}

// ask makes a run about the documents, starts it and works it to its end.
func (d *desk) ask(id, question string, change func(*plumb.Run)) *plumb.Run {
	d.t.Helper()
	d.start(id, question, change)
	return workUntil(d.t, d.bench, id, plumb.Finished)
}

// start makes a run about the documents and starts it.
func (d *desk) start(id, question string, change func(*plumb.Run)) *plumb.Run {
	d.t.Helper()
	l, err := plumb.Preset("quick")
	if err != nil {
		d.t.Fatal(err)
	}
	run := plumb.NewRun(id, plumb.Question{Text: question, At: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC), Where: plumb.Where{Folders: []string{d.docs}}}, l)
	if change != nil {
		change(run)
	}
	startRun(d.t, d.bench, run)
	return run
}

// published is the report of a run.
func (d *desk) published(id string) string {
	d.t.Helper()
	md, err := engine.Markdown(context.Background(), d.db, id)
	if err != nil {
		d.t.Fatal(err)
	}
	return md
}

func (d *desk) findings(id string) []plumb.Finding {
	d.t.Helper()
	fs, err := d.db.Findings(context.Background(), id)
	if err != nil {
		d.t.Fatal(err)
	}
	return fs
}

// quotes wants every finding's quote in a source that the run has.
func (d *desk) quotes(id string) {
	d.t.Helper()
	sources, err := d.db.Sources(context.Background(), id)
	if err != nil {
		d.t.Fatal(err)
	}
	for _, f := range d.findings(id) {
		if !slices.ContainsFunc(sources, func(s plumb.Source) bool { return s.Hash == f.Source }) {
			d.t.Errorf("finding %s: its source %s is none of the run's", f.ID, f.SourceURL)
			continue
		}
		text, err := d.db.Text(context.Background(), f.Source)
		if err != nil || text[f.QuoteStart:f.QuoteEnd] != f.Quote {
			d.t.Errorf("finding %s: %v, its quote is not at its offsets", f.ID, err)
		}
	}
}

func dated(date, title, body string) string {
	return fmt.Sprintf("---\ntitle: %s\ndate: %s\n---\n\n# %s\n\n%s\n", title, date, title, body)
}

var mill = map[string]string{
	"a.md": dated("2019-05-01", "Survey", "The Oxley mill was built in 1804 by the Harrow brothers. Its wheel is seven metres wide."),
	"b.md": dated("2022-03-10", "Fire report", "The Oxley mill burned down on 9 March 2022 because a bearing ran hot. Nobody was hurt."),
	"c.md": dated("2024-06-20", "Council minutes", "The council decided that the Oxley mill will be rebuilt for 2.4 million pounds. The vote was unanimous."),
	"d.md": dated("2025-01-15", "Press notice", "The rebuilding of the Oxley mill cost 2.9 million pounds in the end. It reopened in January 2025."),
}

const aboutMill = "Why did the Oxley mill burn down, and what did the rebuilding of the Oxley mill cost?"

func TestStepsFromReadToPublish(t *testing.T) {
	d := newDesk(t, mill)
	run := d.ask("r1", aboutMill, nil)
	md := d.published("r1")
	for _, want := range []string{"a bearing ran hot", "2.9 million pounds", "[VERIFIED]", "doc:b.md", "Nothing left this machine"} {
		if !strings.Contains(md, want) {
			t.Errorf("no %q in\n%s", want, md)
		}
	}
	if len(d.findings("r1")) == 0 || run.Gate.Status != plumb.GatePass {
		t.Errorf("%d findings, gate %+v", len(d.findings("r1")), run.Gate)
	}
	d.quotes("r1")
	claims, err := d.db.Claims(context.Background(), "r1")
	if err != nil {
		t.Fatal(err)
	}
	verdicts, err := d.db.Verdicts(context.Background(), "r1")
	if err != nil || len(verdicts) != len(claims) || len(claims) == 0 {
		t.Errorf("%v: %d claims, %d verdicts", err, len(claims), len(verdicts))
	}
}

func TestAFolderThatCantBeReadFailsTheRunInWords(t *testing.T) {
	d := newDesk(t, nil)
	l, err := plumb.Preset("quick")
	if err != nil {
		t.Fatal(err)
	}
	startRun(t, d.bench, plumb.NewRun("r1", plumb.Question{Text: "Why?", Where: plumb.Where{Folders: []string{d.docs}}}, l))
	run := workUntil(t, d.bench, "r1", plumb.FailedState)
	if !strings.Contains(run.Fail, "no documents") || !strings.Contains(run.Fail, d.docs) {
		t.Errorf("the run failed with %q", run.Fail)
	}
}

func TestSinceLeavesOldDocumentsOut(t *testing.T) {
	d := newDesk(t, mill)
	d.put("undated.md", "# Note\n\nThe Oxley mill burned down because of the owl, says a note.\n")
	all := d.ask("all", aboutMill, nil)
	old := func(id string) (out []string) {
		for _, f := range d.findings(id) {
			if f.Date != "" && f.Date < "2024" {
				out = append(out, f.Date)
			}
		}
		return out
	}
	if len(old("all")) == 0 {
		t.Fatal("nothing old was found without a bound")
	}
	since := func(r *plumb.Run) { r.Asked.Where.Since = "2024" }
	d.ask("new", aboutMill, since)
	d.ask("reuse", aboutMill, func(r *plumb.Run) { since(r); r.Asked.Reuse = true })
	d.ask("thread", "And what did the rebuilding of the Oxley mill cost?", func(r *plumb.Run) { since(r); r.Follow(all) })
	for _, id := range []string{"new", "reuse", "thread"} {
		if got := old(id); len(got) > 0 || len(d.findings(id)) == 0 {
			t.Errorf("%s: of %d findings these are too old: %v", id, len(d.findings(id)), got)
		}
		if strings.Contains(d.published(id), "doc:b.md") {
			t.Errorf("%s cites the report of 2022", id)
		}
	}
	if !slices.ContainsFunc(d.findings("new"), func(f plumb.Finding) bool { return f.SourceURL == "doc:undated.md" }) {
		t.Error("a document without a date was left out")
	}
}

func TestReusedFindingsAreMarkedAndSatisfyNoGate(t *testing.T) {
	d := newDesk(t, mill)
	for i := range 30 {
		d.put(fmt.Sprintf("x%02d.md", i), dated("2023-01-01", fmt.Sprint("Letter ", i),
			fmt.Sprintf("The Oxley mill burned down in the night, writes neighbour %d, who saw %d engines.", i, i+2)))
	}
	first := d.ask("first", aboutMill, nil)
	second := d.ask("second", aboutMill, func(r *plumb.Run) { r.Asked.Reuse = true })
	reused, own := 0, 0
	for _, f := range d.findings("second") {
		switch f.Reused {
		case "":
			own++
		case "first":
			reused++
		default:
			t.Errorf("finding %s is reused from %q", f.ID, f.Reused)
		}
	}
	if reused == 0 || own == 0 {
		t.Fatalf("%d findings are reused, %d its own", reused, own)
	}
	if got := second.Standing().Records; got != own {
		t.Errorf("the gate counts %d findings, %d are the run's own", got, own)
	}
	d.quotes("second")
	note := fmt.Sprintf("%d findings of earlier runs could be used", reused)
	if md := d.published("second"); !strings.Contains(md, note) || strings.Contains(d.published("first"), "earlier runs") {
		t.Errorf("the methodology does not say %q:\n%s", note, md[strings.Index(md, "## Methodology"):])
	}
	if first.Standing().Records == 0 {
		t.Error("the first run found nothing")
	}
}

func TestAFollowUpKeepsTheEvidenceUnlessTheTopicShifts(t *testing.T) {
	d := newDesk(t, mill)
	d.put("library.md", dated("2025-02-02", "Opening hours", "The town library opens at nine on Saturdays. Cards are free for children."))
	first := d.ask("first", aboutMill, nil)
	second := d.ask("second", "And when did the Oxley mill reopen?", func(r *plumb.Run) { r.Follow(first) })
	third := d.ask("third", "Who built the Oxley mill?", func(r *plumb.Run) { r.Follow(second) })
	d.ask("shift", "When does the town library open on Saturdays?", func(r *plumb.Run) { r.Follow(third) })
	from := func(id string) map[string]int {
		out := map[string]int{}
		for _, f := range d.findings(id) {
			out[f.Reused]++
			if f.Reused != "" && (f.Subtask != 0 || !strings.HasPrefix(f.ID, f.Reused+"/") || strings.Count(f.ID, "/") != 1) {
				t.Errorf("%s: finding %s of %s has subtask %d", id, f.ID, f.Reused, f.Subtask)
			}
		}
		return out
	}
	if got := from("second"); got["first"] != len(d.findings("first")) || got[""] == 0 {
		t.Errorf("the second turn has %v, the first has %d", got, len(d.findings("first")))
	}
	if got := from("third"); got["first"] == 0 || got["second"] == 0 {
		t.Errorf("the third turn has %v", got)
	}
	if got := from("shift"); len(got) != 1 || got[""] == 0 {
		t.Errorf("after the topic shifted there is %v", got)
	}
	for _, id := range []string{"second", "third", "shift"} {
		d.quotes(id)
	}
}

// clumsy fails all attempts at some steps.
type clumsy struct {
	engine.Doer
	fails func(plumb.Step) bool
}

func (c clumsy) Do(ctx context.Context, t *engine.Task) (*plumb.Outcome, error) {
	if c.fails(t.Step) {
		return nil, errors.New("dial tcp 10.0.0.7: secret")
	}
	return c.Doer.Do(ctx, t)
}

func TestClaimsWhoseCheckFailedAreInaccessible(t *testing.T) {
	d := newDesk(t, mill)
	doer := clumsy{Doer: d.Steps, fails: func(s plumb.Step) bool { return s.Kind == plumb.StepCheck }}
	d.bench = newBench(t, d.db, doer, nil)
	run := d.ask("r1", aboutMill, nil)
	if run.Standing().CheckFails == 0 {
		t.Fatal("no batch failed")
	}
	dir := t.TempDir()
	if err := engine.WriteFolder(context.Background(), d.db, run, dir); err != nil {
		t.Fatal(err)
	}
	var f verify.VerificationFile
	var c verify.ClaimsFile
	readInto(t, filepath.Join(dir, "verification.json"), &f)
	readInto(t, filepath.Join(dir, "claims.json"), &c)
	if c.Total == 0 || f.Total != c.Total || len(f.Results) != c.Total || f.Summary.Inaccessible != c.Total || f.Rate != 0 {
		t.Errorf("%d claims, file %+v", c.Total, f.Summary)
	}
	md := d.published("r1")
	if strings.Contains(md, "[VERIFIED]") || strings.Contains(md, "[DISPUTED]") || !strings.Contains(md, "[SOURCE N/A]") {
		t.Errorf("badges are wrong in\n%s", md)
	}
	if strings.Contains(md, "10.0.0.7") {
		t.Error("the report has the internals of a failure")
	}
}

func readInto(t *testing.T, path string, v any) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(b, v)
	}
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}
