package front

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/oklog/ulid/v2"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/engine"
	"github.com/plumbresearch/plumb/library"
	"github.com/plumbresearch/plumb/report"
	"github.com/plumbresearch/plumb/verify"
)

// Runs is whoever works on runs: engine.Crew here, Temporal on a cluster.
type Runs interface {
	// Start stores a run, calls with (which may be nil) to add what it needs, and sets to work.
	Start(ctx context.Context, run *plumb.Run, with func(context.Context) error) error
	Send(ctx context.Context, run string, s plumb.Signal) error
}

// Prepare applies the program's configuration to what a client asks. A wrong field is a FieldError. documents is
// how many the tenant has.
type Prepare interface {
	Question(ask Ask, documents int) (plumb.Question, plumb.Limits, error)
	Audit(ask AuditAsk) (plumb.Question, plumb.Limits, error)
	Outlook(q plumb.Question, l plumb.Limits) (Outlook, error)
}

// House is the program as front ends see it.
type House struct {
	Runs    Runs
	Store   Store
	Library *library.Library
	Prepare Prepare
	Feed    *Feed
	Now     func() time.Time // default time.Now
}

// Tenant is the view of one of them; "" is the person at this machine.
func (h *House) Tenant(name string) *Tenant { return &Tenant{h: h, name: name} }

func (h *House) now() time.Time {
	if h.Now == nil {
		return time.Now().UTC()
	}
	return h.Now().UTC()
}

// Tenant is the door to what one tenant has. Runs of others are engine.ErrNoRun.
type Tenant struct {
	h    *House
	name string
}

// Name of the tenant.
func (t *Tenant) Name() string { return t.name }

// Ask starts a run.
func (t *Tenant) Ask(ctx context.Context, ask Ask) (*plumb.Run, error) {
	q, l, err := t.question(ctx, ask)
	if err != nil {
		return nil, err
	}
	run := plumb.NewRun(newID(), q, l)
	run.Tenant = t.name
	if ask.Thread != "" {
		if err := t.join(ctx, run, ask.Thread); err != nil {
			return nil, err
		}
	}
	return run, t.h.Runs.Start(ctx, run, t.remark(run.ID, ask.Remark))
}

// refRemark is the artefact under which a client's remark is kept.
const refRemark = "remark"

// remark keeps what a client wants to be told again with a run.
func (t *Tenant) remark(id string, text json.RawMessage) func(context.Context) error {
	if len(text) == 0 {
		return nil
	}
	return func(ctx context.Context) error { return t.h.Store.PutArtefact(ctx, id, refRemark, text) }
}

// Remark gives what the client left with its question; nothing if it left nothing.
func (t *Tenant) Remark(ctx context.Context, id string) (json.RawMessage, error) {
	if _, err := t.Run(ctx, id); err != nil {
		return nil, err
	}
	var out json.RawMessage
	err := t.h.Store.Artefact(ctx, id, refRemark, &out)
	if errors.Is(err, engine.ErrNotFound) {
		return nil, nil
	}
	return out, err
}

// Notes gives what the client left with a run of a list, and the run's bill, without folding its journal.
func (t *Tenant) Notes(ctx context.Context, r engine.Summary) (json.RawMessage, []plumb.LedgerRow, error) {
	if r.Tenant != t.name {
		return nil, nil, fmt.Errorf("run %s: %w", r.ID, engine.ErrNoRun)
	}
	var note json.RawMessage
	if err := t.h.Store.Artefact(ctx, r.ID, refRemark, &note); err != nil && !errors.Is(err, engine.ErrNotFound) {
		return nil, nil, err
	}
	rows, err := t.h.Store.LedgerRows(ctx, r.ID)
	return note, rows, err
}

// entropy of ids. That of ulid.Make can be guessed from the time at which the process started.
var entropy = &ulid.LockedMonotonicReader{MonotonicReader: ulid.Monotonic(rand.Reader, 0)}

// newID is an id that nobody can guess and that sorts after those before it.
func newID() string { return strings.ToLower(ulid.MustNew(ulid.Now(), entropy).String()) }

// question applies the configuration, and the tenant's shelf.
func (t *Tenant) question(ctx context.Context, ask Ask) (plumb.Question, plumb.Limits, error) {
	reach, n, err := t.reach(ctx)
	if err != nil {
		return plumb.Question{}, plumb.Limits{}, err
	}
	if ask.Library != nil && !*ask.Library {
		n = 0
	}
	q, l, err := t.h.Prepare.Question(ask, n)
	if err != nil {
		return q, l, err
	}
	q.At = t.h.now().Truncate(time.Second)
	if n > 0 {
		q.Where.Folders, q.Where.Library = reach.Folders, reach.Library
	}
	if n == 0 && len(q.Where.Search)+len(q.Where.Papers) == 0 {
		return q, l, &FieldError{Field: "search", Allowed: "there is nothing to search: add documents to the library, or let the web be searched with \"auto\""}
	}
	return q, l, nil
}

// join makes the run a turn of a thread. The last run of it that is done is the one before; a thread that is not there is begun.
func (t *Tenant) join(ctx context.Context, run *plumb.Run, thread string) error {
	run.Thread = thread
	runs, err := t.h.Store.Runs(ctx, engine.Filter{Tenant: &t.name, Thread: thread, State: plumb.Finished, Limit: 1})
	if err != nil || len(runs) == 0 {
		return err
	}
	before, err := engine.Look(ctx, t.h.Store, runs[0].ID)
	if err == nil && before.Kind == plumb.Research {
		run.Follow(before)
	}
	return err
}

// Audit starts a run that checks a report.
func (t *Tenant) Audit(ctx context.Context, ask AuditAsk) (*plumb.Run, error) {
	if strings.TrimSpace(ask.Draft) == "" {
		return nil, &FieldError{Field: "report", Allowed: "the report to check, as Markdown"}
	}
	q, l, err := t.h.Prepare.Audit(ask)
	if err != nil {
		return nil, err
	}
	q.At = t.h.now().Truncate(time.Second)
	reach, _, err := t.reach(ctx)
	if err != nil {
		return nil, err
	}
	q.Where.Folders, q.Where.Library = reach.Folders, reach.Library
	with, err := t.read(ctx, ask.Documents)
	if err != nil {
		return nil, err
	}
	run := engine.NewAudit(newID(), q, l)
	run.Tenant = t.name
	return run, t.h.Runs.Start(ctx, run, func(ctx context.Context) error { return engine.Give(ctx, t.h.Store, run.ID, ask.Draft, with) })
}

// read reads documents that come with a report.
func (t *Tenant) read(ctx context.Context, docs []Document) ([]engine.Stored, error) {
	var out []engine.Stored
	for _, d := range docs {
		source, text, err := t.h.Library.Read(ctx, d.Name, d.Data)
		if err != nil {
			return nil, err
		}
		out = append(out, engine.Stored{Source: source, Text: text})
	}
	return out, nil
}

// Outlook tells what a question would mean: who thinks, where is searched, which hosts are talked to, what it may cost.
func (t *Tenant) Outlook(ctx context.Context, ask Ask) (Outlook, error) {
	q, l, err := t.question(ctx, ask)
	if err != nil {
		return Outlook{}, err
	}
	o, err := t.h.Prepare.Outlook(q, l)
	if err != nil || len(q.Where.Folders) == 0 {
		return o, err
	}
	docs, err := t.Documents(ctx)
	o.Own = len(docs)
	return o, err
}

// Run gives a run as it is now.
func (t *Tenant) Run(ctx context.Context, id string) (*plumb.Run, error) {
	run, err := engine.Look(ctx, t.h.Store, id)
	if err != nil {
		return nil, err
	}
	if run.Tenant != t.name {
		return nil, fmt.Errorf("run %s: %w", id, engine.ErrNoRun)
	}
	return run, nil
}

// Runs lists the tenant's runs, newest first, and counts all that the filter chooses.
func (t *Tenant) Runs(ctx context.Context, f engine.Filter) ([]engine.Summary, int, error) {
	f.Tenant = &t.name
	runs, err := t.h.Store.Runs(ctx, f)
	if err != nil {
		return nil, 0, err
	}
	total, err := t.h.Store.CountRuns(ctx, f)
	return runs, total, err
}

// ErrEnded: the run has ended, and can be told nothing any more.
var ErrEnded = errors.New("the run has ended")

// Tell sends a signal to a run. A failed run can be told to try again, one that ended otherwise nothing.
func (t *Tenant) Tell(ctx context.Context, id string, s plumb.Signal) error {
	run, err := t.Run(ctx, id)
	if err != nil {
		return err
	}
	if state := run.State(); state.Ended() && (state != plumb.FailedState || s.Kind != plumb.SigRetry) {
		return fmt.Errorf("run %s is %s: %w", id, state, ErrEnded)
	}
	return t.h.Runs.Send(ctx, id, s)
}

// Plan gives the plan that waits, or was followed, and its estimate where there is one; engine.ErrNotFound before there is a plan.
func (t *Tenant) Plan(ctx context.Context, id string) (plumb.Plan, error) {
	run, err := t.Run(ctx, id)
	if err != nil {
		return plumb.Plan{}, err
	}
	var p plumb.Plan
	if run.Refs.Plan == "" {
		return p, fmt.Errorf("plan of run %s: %w", id, engine.ErrNotFound)
	}
	return p, t.h.Store.Artefact(ctx, id, run.Refs.Plan, &p)
}

// Plans gives the plans of all rounds so far, oldest first.
func (t *Tenant) Plans(ctx context.Context, id string) ([]plumb.Plan, error) {
	_, journal, err := t.Journal(ctx, id)
	if err != nil {
		return nil, err
	}
	var out []plumb.Plan
	for _, o := range journal {
		if o.Refs.Plan == "" {
			continue
		}
		var p plumb.Plan
		if err := t.h.Store.Artefact(ctx, id, o.Refs.Plan, &p); err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}

// Edit puts a plan of the person's own in the place of the one that waits in the given round, which approves it.
func (t *Tenant) Edit(ctx context.Context, id string, round int, p plumb.Plan, by string) error {
	if _, err := t.Run(ctx, id); err != nil {
		return err
	}
	s, err := engine.EditPlan(ctx, t.h.Store, id, round, p)
	if err != nil {
		return err
	}
	s.By = by
	return t.Tell(ctx, id, s)
}

// Source gives a source of a run with its text.
func (t *Tenant) Source(ctx context.Context, id, hash string) (plumb.Source, string, error) {
	if _, err := t.Run(ctx, id); err != nil {
		return plumb.Source{}, "", err
	}
	sources, err := t.h.Store.Sources(ctx, id)
	if err != nil {
		return plumb.Source{}, "", err
	}
	for _, s := range sources {
		if s.Hash == hash {
			text, err := t.h.Store.Text(ctx, hash)
			return s, text, err
		}
	}
	return plumb.Source{}, "", fmt.Errorf("source %s of run %s: %w", hash, id, engine.ErrNotFound)
}

// Published is a report with what was found out about it.
type Published struct {
	Markdown  string
	HTML      string // one file that needs nothing else
	Draft     string // the claims have offsets in it
	Citations []plumb.Citation
	Claims    []plumb.Claim
	Verdicts  []plumb.Verdict
	Sources   []plumb.Source
	Summary   verify.Summary
}

// Report gives what a finished run has published, or engine.ErrNotFound.
func (t *Tenant) Report(ctx context.Context, id string) (Published, error) {
	run, err := t.Run(ctx, id)
	if err != nil {
		return Published{}, err
	}
	var p Published
	s := t.h.Store
	if p.Markdown, err = engine.Markdown(ctx, s, id); err != nil {
		return p, err
	}
	var errs [6]error
	p.HTML, errs[0] = engine.Page(ctx, s, id)
	errs[1] = s.Artefact(ctx, id, run.Refs.Draft, &p.Draft)
	p.Citations, errs[2] = s.Citations(ctx, id)
	p.Claims, errs[3] = s.Claims(ctx, id)
	p.Verdicts, errs[4] = s.Verdicts(ctx, id)
	p.Sources, errs[5] = s.Sources(ctx, id)
	p.Summary = verify.Summarise(p.Verdicts)
	return p, errors.Join(errs[:]...)
}

// Body gives the published report in parts, for a page that has a frame of its own, or engine.ErrNotFound.
func (t *Tenant) Body(ctx context.Context, id string) (report.Body, error) {
	run, err := t.Run(ctx, id)
	if err != nil {
		return report.Body{}, err
	}
	r, err := engine.Published(ctx, t.h.Store, run)
	if err != nil {
		return report.Body{}, err
	}
	return report.NewBody(r)
}

// Journal gives the outcomes of a run in their order, and the run as it was before the first.
func (t *Tenant) Journal(ctx context.Context, id string) (*plumb.Run, []plumb.Outcome, error) {
	rec, err := t.h.Store.LoadRun(ctx, id)
	if err != nil {
		return nil, nil, err
	}
	if rec.Run.Tenant != t.name {
		return nil, nil, fmt.Errorf("run %s: %w", id, engine.ErrNoRun)
	}
	return &rec.Run, rec.Journal, nil
}

// Bill gives the ledger rows of a run.
func (t *Tenant) Bill(ctx context.Context, id string) ([]plumb.LedgerRow, error) {
	if _, err := t.Run(ctx, id); err != nil {
		return nil, err
	}
	return t.h.Store.LedgerRows(ctx, id)
}

// deleteWait is how long a run under way may take to stop before it is deleted.
const deleteWait = 20 * time.Second

// Delete removes a run and what only it used. One that is under way is cancelled first.
func (t *Tenant) Delete(ctx context.Context, id string) error {
	run, err := t.Run(ctx, id)
	if err != nil {
		return err
	}
	if !run.State().Ended() {
		if err := t.h.Runs.Send(ctx, id, plumb.Signal{Kind: plumb.SigCancel, Text: "deleted"}); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, deleteWait)
	defer cancel()
	for {
		err := t.h.Store.DeleteRun(ctx, id)
		if !errors.Is(err, engine.ErrNotOwner) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(50 * time.Millisecond):
		}
	}
}
