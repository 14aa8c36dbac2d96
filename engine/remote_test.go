package engine_test

// Drafts that somebody else's service writes: ordered once, whatever happens, and audited like any other.

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/engine"
	"github.com/plumbresearch/plumb/lab"
	"github.com/plumbresearch/plumb/remote"
)

const remoteKey = "sk-lab-0123456789-secret"

// withRemote points the steps at the services of a lab, and at a web where one of the two cited pages can be read.
func (d *desk) withRemote(m *lab.Remote) *desk {
	d.t.Helper()
	m.Key = remoteKey
	url, stop := m.Serve()
	d.t.Cleanup(stop)
	d.Remote = remote.New(remote.Options{Accounts: map[string]remote.Account{
		"openai": {Key: remoteKey, BaseURL: url + "/v1"}, "gemini": {Key: remoteKey, BaseURL: url}, "perplexity": {Key: remoteKey, BaseURL: url}}})
	d.Look = time.Millisecond
	w := newTown()
	w.put("https://news.example/mill", "https://news.example/mill", "2024-05-02", millStory)
	d.Outside = walled{town: w}
	return d
}

// via starts a run that goes via a service.
func (d *desk) via(id, service string, change func(*plumb.Run)) {
	d.t.Helper()
	l, err := plumb.Preset("standard")
	if err != nil {
		d.t.Fatal(err)
	}
	q := plumb.Question{Text: "What burned in Oxley?", At: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC), Via: service, Where: plumb.Where{Cited: true}}
	run := engine.NewAudit(id, q, l)
	if change != nil {
		change(run)
	}
	startRun(d.t, d.bench, run)
}

func (d *desk) said(kind plumb.EventKind) []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	var out []string
	for _, e := range d.shown {
		if e.Kind == kind {
			out = append(out, e.Text)
		}
	}
	return out
}

func TestAReportOfAnotherSystemIsAudited(t *testing.T) {
	for service, name := range map[string]string{"openai": "openai:o3-deep-research", "gemini": "gemini:deep-research-preview-04-2026", "perplexity": "perplexity:sonar-deep-research"} {
		t.Run(service, func(t *testing.T) {
			m := &lab.Remote{Looks: 3}
			d := newDesk(t, nil).withRemote(m)
			d.via("v1", service, nil)
			run := workUntil(t, d.bench, "v1", plumb.Finished)
			if run.Kind != plumb.Audit || run.Claims != 3 || run.Refs.Order != m.Jobs()[0].ID {
				t.Fatalf("kind %s, %d claims, job %s", run.Kind, run.Claims, run.Refs.Order)
			}
			got := d.verdicts("v1")
			if got["The Oxley mill burned down on 9 March 2022"].Status != plumb.Supported || got["The new mill employs 40 people"].Status != plumb.Paywall || got["The insurer pays 7"].Status != plumb.Contradicted {
				t.Errorf("verdicts: %+v", got)
			}
			md := d.published("v1")
			for _, want := range []string{"The draft was written by " + name, "job " + run.Refs.Order, "Hosts that the run talked to: 127.0.0.1:"} {
				if !strings.Contains(md, want) {
					t.Errorf("the report lacks %q:\n%s", want, md)
				}
			}
			hosts := d.said(plumb.HostsNamed)
			if len(hosts) != 2 || !strings.Contains(hosts[0], "the text of your question, for a report by "+service) || !strings.Contains(hosts[1], "news.example") {
				t.Errorf("hosts: %q", hosts)
			}
			if waits := d.said(plumb.RemoteWaits); len(waits) != 1 || !strings.HasPrefix(waits[0], service+": in progress, for ") {
				t.Errorf("waits: %q", waits)
			}
			if order := slices.Index(d.kinds(), plumb.RemoteWaits); slices.Index(d.kinds(), plumb.HostsNamed) > order {
				t.Errorf("the hosts were named too late: %v", d.kinds())
			}
		})
	}
}

func TestWhatAServiceTakesIsOnTheBill(t *testing.T) {
	for _, c := range []struct {
		service, end string
		want         string // model, tokens, dollars, priced, failed
		cost         string
	}{
		{"perplexity", "", "perplexity:sonar-deep-research 106030 0.83 true false", "$0.83"},
		{"openai", "", "openai:o3-deep-research 69000 0 false false", "unknown"},
		{"openai", "failed", "openai:o3-deep-research 69000 0 false true", ""},
	} {
		d := newDesk(t, nil).withRemote(&lab.Remote{End: c.end})
		d.via("v1", c.service, nil)
		state := plumb.Finished
		if c.end != "" {
			state = plumb.FailedState
		}
		run := workUntil(t, d.bench, "v1", state)
		rows, err := d.db.LedgerRows(context.Background(), "v1")
		if err != nil || len(rows) != 1 {
			t.Fatalf("%d rows, %v", len(rows), err)
		}
		r := rows[0]
		if got := fmt.Sprintf("%s %d %v %v %v", r.Model, r.Input+r.Output, r.USD, r.Priced, r.Error != ""); got != c.want || r.Role != "remote" || r.Step != "collect.1" {
			t.Errorf("%s %s: %s, role %s", c.service, c.end, got, r.Role)
		}
		if c.end == "" && (run.Spent.Tokens != r.Input+r.Output || run.Spent.USD != r.USD || !strings.Contains(d.published("v1"), c.cost)) {
			t.Errorf("spent %+v:\n%s", run.Spent, d.published("v1"))
		}
	}
}

func TestAKillBetweenOrderAndReportOrdersNothingTwice(t *testing.T) {
	m := &lab.Remote{End: "never"}
	d := newDesk(t, nil).withRemote(m)
	d.via("v1", "gemini", nil)
	ctx, kill := context.WithCancelCause(context.Background())
	d.until(ctx, kill, func() bool { return len(m.Jobs()) == 1 && m.Jobs()[0].Looks > 2 })
	if _, err := d.Work(ctx, "v1"); !errors.Is(err, errKilled) {
		t.Fatalf("killed: %v", err)
	}
	if m.Jobs()[0].Cancelled {
		t.Error("a kill called the job off")
	}
	m.SetEnd("")
	other := newBench(t, d.db, d.Steps, nil)
	run := workUntil(t, other, "v1", plumb.Finished)
	if jobs := m.Jobs(); len(jobs) != 1 || run.Refs.Order != jobs[0].ID {
		t.Errorf("orders: %+v", jobs)
	}
}

var errKilled = errors.New("killed")

// until ends a context once something is so.
func (d *desk) until(ctx context.Context, end context.CancelCauseFunc, so func() bool) {
	go func() {
		for ctx.Err() == nil && !so() {
			time.Sleep(time.Millisecond) // polls a server
		}
		end(errKilled)
	}()
}

// TestAKillWhileAnOrderIsSent: the service has it, its answer never came.
func TestAKillWhileAnOrderIsSent(t *testing.T) {
	for service, resent := range map[string]bool{"gemini": false, "openai": false, "perplexity": true} {
		t.Run(service, func(t *testing.T) {
			m := &lab.Remote{}
			d := newDesk(t, nil).withRemote(m)
			d.via("v1", service, nil)
			ctx, kill := context.WithCancelCause(context.Background())
			held := &holding{Remote: d.Remote, taken: func() { kill(errKilled) }}
			d.Remote = held
			if _, err := d.Work(ctx, "v1"); !errors.Is(err, errKilled) || len(m.Jobs()) != 1 {
				t.Fatalf("killed: %v, %d jobs", err, len(m.Jobs()))
			}
			d.Remote = held.Remote
			other := newBench(t, d.db, d.Steps, nil)
			if resent { // it knows the order by its key
				workUntil(t, other, "v1", plumb.Finished)
				if len(m.Jobs()) != 1 {
					t.Errorf("%d jobs", len(m.Jobs()))
				}
				return
			}
			run := workUntil(t, other, "v1", plumb.FailedState)
			if want := "order: the program ended while the order was sent, so " + service + " may have it: look into your account there; plumb resume asks again"; run.Fail != want || len(m.Jobs()) != 1 {
				t.Fatalf("failed with %q after %d orders", run.Fail, len(m.Jobs()))
			}
			if err := other.Send(context.Background(), "v1", plumb.Signal{Kind: plumb.SigRetry}); err != nil {
				t.Fatal(err)
			}
			if _, err := other.Settle(context.Background(), "v1"); err != nil {
				t.Fatal(err)
			}
			if workUntil(t, other, "v1", plumb.Finished); len(m.Jobs()) != 2 {
				t.Errorf("%d jobs after the person wanted another", len(m.Jobs()))
			}
		})
	}
}

// holding is a service whose answer to an order never arrives.
type holding struct {
	engine.Remote
	taken func()
}

func (h *holding) Order(ctx context.Context, via string, o plumb.Order) (string, error) {
	if _, err := h.Remote.Order(ctx, via, o); err != nil {
		return "", err
	}
	h.taken()
	<-ctx.Done()
	return "", ctx.Err()
}

func TestOrdersAreTriedAgainOnlyWhereNothingWasTaken(t *testing.T) {
	for _, c := range []struct {
		service string
		faults  []string
		fail    string
		jobs    int
	}{
		{"gemini", []string{"429", "503", "500"}, "", 1},
		{"openai", []string{"429"}, "", 1},
		{"gemini", []string{"cut"}, "order: gemini did not answer, and may have taken the order: look into your account there whether it is at work; plumb resume asks again", 1},
		{"openai", []string{"502"}, "order: openai is out of order (HTTP 502), and may have taken the order: look into your account there whether it is at work; plumb resume asks again", 0},
		{"perplexity", []string{"cut", "502", "nameless"}, "", 1},
		{"gemini", []string{"401"}, "order: gemini refuses the key: set another in GEMINI_API_KEY", 0},
		{"gemini", []string{"400"}, "order: gemini does not take the order (HTTP 400): Refused with 400", 0},
	} {
		t.Run(c.service+" "+strings.Join(c.faults, " "), func(t *testing.T) {
			m := &lab.Remote{Orders: c.faults}
			d := newDesk(t, nil).withRemote(m)
			d.via("v1", c.service, nil)
			state := plumb.Finished
			if c.fail != "" {
				state = plumb.FailedState
			}
			if run := workUntil(t, d.bench, "v1", state); run.Fail != c.fail || len(m.Jobs()) != c.jobs {
				t.Errorf("fail %q, %d jobs", run.Fail, len(m.Jobs()))
			}
		})
	}
}

func TestJobsThatComeToNothingFailTheRunWithOneLine(t *testing.T) {
	for end, want := range map[string]string{
		"failed":   "collect: openai did not finish the report: The model gave up. [key]",
		"vanished": "collect: openai no longer knows the job openai_job-1: ask the question again",
		"empty":    "collect: openai:o3-deep-research delivered an empty report: ask the question again",
		"never":    "collect: the service has not finished its report in the time it was given: plumb resume goes on waiting for it",
	} {
		t.Run(end, func(t *testing.T) {
			m := &lab.Remote{End: end}
			d := newDesk(t, nil).withRemote(m)
			d.bench = newBench(t, d.db, d.Steps, func(o *engine.Options) {
				o.Rules[plumb.StepCollect] = engine.Rule{Timeout: 300 * time.Millisecond, Tries: 3, Backoff: time.Microsecond}
			})
			d.via("v1", "openai", nil)
			if run := workUntil(t, d.bench, "v1", plumb.FailedState); run.Fail != want || run.Refs.Order != "openai_job-1" {
				t.Fatalf("failed with %q, job %q", run.Fail, run.Refs.Order)
			}
			m.SetEnd("") // nothing is lost: the same job is asked after again
			if err := d.Send(context.Background(), "v1", plumb.Signal{Kind: plumb.SigRetry}); err != nil {
				t.Fatal(err)
			}
			if _, err := d.Settle(context.Background(), "v1"); err != nil {
				t.Fatal(err)
			}
			if workUntil(t, d.bench, "v1", plumb.Finished); len(m.Jobs()) != 1 {
				t.Errorf("%d jobs", len(m.Jobs()))
			}
		})
	}
}

func TestLooksThatFailAreMadeAgain(t *testing.T) {
	m := &lab.Remote{Answers: []string{"404", "500", "garbled", "429", "502", "404", "404"}}
	d := newDesk(t, nil).withRemote(m)
	d.via("v1", "openai", nil)
	workUntil(t, d.bench, "v1", plumb.Finished)
	if waits := d.said(plumb.RemoteWaits); len(waits) < 3 || !strings.Contains(waits[0], "does not say how the job stands (HTTP 500)") {
		t.Errorf("told: %q", waits)
	}
}

func TestACancelledRunCallsTheJobOff(t *testing.T) {
	for _, kind := range []plumb.SignalKind{plumb.SigCancel, plumb.SigPause} {
		m := &lab.Remote{End: "never"}
		d := newDesk(t, nil).withRemote(m)
		d.via("v1", "openai", nil)
		sent := make(chan error, 1)
		ctx, cancel := context.WithCancelCause(context.Background())
		d.until(ctx, func(error) { sent <- d.Send(context.Background(), "v1", plumb.Signal{Kind: kind}) }, func() bool { return len(m.Jobs()) == 1 && m.Jobs()[0].Looks > 1 })
		want := map[plumb.SignalKind]plumb.State{plumb.SigCancel: plumb.CancelledState, plumb.SigPause: plumb.PausedState}[kind]
		workUntil(t, d.bench, "v1", want)
		if err := <-sent; err != nil {
			t.Fatal(err)
		}
		cancel(nil)
		if got := m.Jobs()[0].Cancelled; got != (kind == plumb.SigCancel) {
			t.Errorf("%s: called off %v", kind, got)
		}
		if kind == plumb.SigCancel {
			continue
		}
		m.SetEnd("")
		if err := d.Send(context.Background(), "v1", plumb.Signal{Kind: plumb.SigResume}); err != nil {
			t.Fatal(err)
		}
		if workUntil(t, d.bench, "v1", plumb.Finished); len(m.Jobs()) != 1 {
			t.Errorf("%d jobs after a pause", len(m.Jobs()))
		}
	}
}

func TestAnOrderedReportIsReplayedOffline(t *testing.T) {
	m := &lab.Remote{Looks: 1}
	d := newDesk(t, nil).withRemote(m)
	d.via("v1", "perplexity", nil)
	workUntil(t, d.bench, "v1", plumb.Finished)
	want := d.published("v1")
	looks := m.Jobs()[0].Looks
	_, other, err := d.again("v1")
	if err != nil {
		t.Fatal(err)
	}
	if got := other.published("v1"); got != want {
		t.Errorf("replayed:\n%s\nwas:\n%s", got, want)
	}
	if jobs := m.Jobs(); len(jobs) != 1 || jobs[0].Looks != looks {
		t.Errorf("the replay asked: %+v", jobs)
	}
	d.via("v2", "perplexity", func(r *plumb.Run) { r.Asked.Tape = "v1" })
	if workUntil(t, d.bench, "v2", plumb.Finished); len(m.Jobs()) != 1 {
		t.Errorf("a run with the recordings of another ordered again: %+v", m.Jobs())
	}
	if rows, err := d.db.LedgerRows(context.Background(), "v2"); err != nil || len(rows) != 0 {
		t.Errorf("and was billed: %+v, %v", rows, err)
	}
}

func TestAJudgeHasItsBudgetForItself(t *testing.T) {
	d := newDesk(t, nil).withRemote(&lab.Remote{}).withModels(&lab.Models{})
	d.via("v1", "perplexity", func(r *plumb.Run) { // the service takes $0.83
		r.Limits.Caps.USD = 0.25
		r.Asked.Models = plumb.Models{Orchestrator: "openai:gpt-5.4-mini", Judge: "openai:gpt-5.4-mini"}
	})
	run := workUntil(t, d.bench, "v1", plumb.Finished)
	if hosts := d.said(plumb.HostsNamed); !strings.Contains(hosts[0], "the report's claims and passages of what it cites, for openai:gpt-5.4-mini") {
		t.Errorf("hosts: %q", hosts)
	}
	if run.Capped != "" || run.Spent.USD <= 0.83 || run.Spent.USD > 0.83+0.25 {
		t.Errorf("spent %+v, capped %q", run.Spent, run.Capped)
	}
}

func TestWithoutServicesAnOrderIsRefused(t *testing.T) {
	d := newDesk(t, nil)
	d.via("v1", "openai", nil)
	if run := workUntil(t, d.bench, "v1", plumb.FailedState); run.Fail != "order: the question goes via openai, and no such service is set up here" {
		t.Errorf("failed with %q", run.Fail)
	}
}

func TestTheFolderOfAnOrderedReport(t *testing.T) {
	d := newDesk(t, nil).withRemote(&lab.Remote{})
	d.via("v1", "gemini", nil)
	workUntil(t, d.bench, "v1", plumb.Finished)
	dir := t.TempDir()
	writeFolder(t, d, "v1", dir)
	draft := readFile(t, filepath.Join(dir, "report.md"))
	if !strings.HasPrefix(draft, "# Über die Frage: What burned in Oxley?") || !strings.Contains(draft, "## Sources\n\n[1] Oxley News. <https://news.example/mill>") {
		t.Errorf("report.md:\n%s", draft)
	}
	if q := readFile(t, filepath.Join(dir, "prompt.txt")); strings.TrimSpace(q) != "What burned in Oxley?" {
		t.Errorf("prompt.txt: %q", q)
	}
	for _, name := range []string{"events.jsonl", "final.md", "usage.json"} {
		if strings.Contains(readFile(t, filepath.Join(dir, name)), remoteKey) {
			t.Errorf("%s holds the key", name)
		}
	}
}
