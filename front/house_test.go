package front_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/engine"
	"github.com/plumbresearch/plumb/front"
	"github.com/plumbresearch/plumb/library"
	"github.com/plumbresearch/plumb/store/sqlite"
)

var ctx = context.Background()

// house is a whole program without a network and without models.
type house struct {
	*front.House
	t  *testing.T
	db *sqlite.DB
}

// holder holds steps back; nil does them.
type holder func(ctx context.Context, t *engine.Task, do func(context.Context, *engine.Task) (*plumb.Outcome, error)) (*plumb.Outcome, error)

type held struct {
	steps *engine.Steps
	hold  holder
}

func (h held) Do(ctx context.Context, t *engine.Task) (*plumb.Outcome, error) {
	if h.hold == nil {
		return h.steps.Do(ctx, t)
	}
	return h.hold(ctx, t, h.steps.Do)
}

func newHouse(t *testing.T, hold holder) *house {
	t.Helper()
	db, err := sqlite.Open(ctx, filepath.Join(t.TempDir(), "plumb.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	lib, feed := &library.Library{Index: db}, front.NewFeed()
	steps := &engine.Steps{Contents: db, Library: lib, Ledger: db, Tapes: db}
	local := engine.NewLocal(db, held{steps, hold}, engine.Options{Show: feed.Show, Yield: true})
	crew := engine.NewCrew(local, engine.CrewOptions{Failed: func(run string, err error) { t.Logf("run %s: %v", run, err) }})
	work, stop := context.WithCancel(ctx)
	over := make(chan error, 1)
	go func() { over <- crew.Run(work) }()
	t.Cleanup(func() {
		stop()
		err := <-over
		local.Close()
		if err := errors.Join(err, db.Close()); err != nil {
			t.Error(err)
		}
	})
	return &house{&front.House{Runs: crew, Store: db, Library: lib, Prepare: prepare{}, Feed: feed}, t, db}
}

// prepare searches documents alone.
type prepare struct{}

func (prepare) Question(a front.Ask, _ int) (plumb.Question, plumb.Limits, error) {
	l, err := plumb.Preset("quick")
	l.Approve, l.Check = a.Approve, !a.Unchecked
	return plumb.Question{Text: a.Text, Style: l.Style()}, l, err
}

func (prepare) Audit(a front.AuditAsk) (plumb.Question, plumb.Limits, error) {
	l, err := plumb.Preset("quick")
	return plumb.Question{Text: "Audit of " + a.Name}, l, err
}

func (prepare) Outlook(_ plumb.Question, l plumb.Limits) (front.Outlook, error) {
	return front.Outlook{Limits: l}, nil
}

// shelve gives a tenant a document.
func (h *house) shelve(tenant, name string) *front.Tenant {
	h.t.Helper()
	x := h.Tenant(tenant)
	text := "# Pumps\n\nThe Corvane pump was opened in 1999 at a cost of 12 million dollars. The Corvane pump failed in 2004 because a valve broke.\n"
	if _, err := x.AddDocument(ctx, name, []byte(text)); err != nil {
		h.t.Fatal(err)
	}
	return x
}

const question = "What did the Corvane pump cost and why did it fail?"

// ask asks and waits for a state.
func (h *house) ask(x *front.Tenant, a front.Ask, want plumb.State) *plumb.Run {
	h.t.Helper()
	if a.Text == "" {
		a.Text = question
	}
	run, err := x.Ask(ctx, a)
	if err != nil {
		h.t.Fatal(err)
	}
	return h.await(x, run.ID, want)
}

func (h *house) await(x *front.Tenant, id string, want plumb.State) *plumb.Run {
	h.t.Helper()
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(2 * time.Millisecond) {
		run, err := x.Run(ctx, id)
		if err != nil {
			h.t.Fatal(err)
		}
		if run.State() == want {
			return run
		}
		if time.Now().After(deadline) {
			h.t.Fatalf("run %s is %s (%s), want %s", id, run.State(), run.Fail, want)
		}
	}
}

// TestNoMethodTellsATenantOfAnothers calls every method of a tenant with what is another's. A method that is not in the
// table is an error, so that none is forgotten.
func TestNoMethodTellsATenantOfAnothers(t *testing.T) {
	h := newHouse(t, nil)
	acme, bolt := h.shelve("acme", "secret.md"), h.shelve("bolt", "own.md")
	done := h.ask(acme, front.Ask{Thread: "t", Remark: []byte(`"mine"`)}, plumb.Finished)
	wait := h.ask(acme, front.Ask{Thread: "t", Approve: true}, plumb.Waiting)
	runs, n, err := acme.Runs(ctx, engine.Filter{})
	if err != nil || n != 2 {
		t.Fatal(n, err)
	}
	sources, err := h.db.Sources(ctx, done.ID)
	if err != nil || len(sources) == 0 {
		t.Fatal(sources, err)
	}
	one := func(f func(x *front.Tenant, id string) error) func(*front.Tenant) error {
		return func(x *front.Tenant) error {
			for _, id := range []string{done.ID, wait.ID} {
				if err := f(x, id); !errors.Is(err, engine.ErrNoRun) {
					return fmt.Errorf("run %s: error %w", id, err)
				}
			}
			return nil
		}
	}
	none := func(n int, err error) error {
		if err == nil && n > 0 {
			err = fmt.Errorf("%d of another's", n)
		}
		return err
	}
	missing := func(err, want error) error {
		if !errors.Is(err, want) {
			return fmt.Errorf("error %w", err)
		}
		return nil
	}
	calls := map[string]func(x *front.Tenant) error{
		"Run":    one(func(x *front.Tenant, id string) error { _, err := x.Run(ctx, id); return err }),
		"Events": one(func(x *front.Tenant, id string) error { _, err := x.Events(ctx, id, 0, 0); return err }),
		"Follow": one(func(x *front.Tenant, id string) error {
			return x.Follow(ctx, id, 0, func(plumb.Event) error { return errors.New("told") })
		}),
		"Tell":  one(func(x *front.Tenant, id string) error { return x.Tell(ctx, id, plumb.Signal{Kind: plumb.SigCancel}) }),
		"Plan":  one(func(x *front.Tenant, id string) error { _, err := x.Plan(ctx, id); return err }),
		"Plans": one(func(x *front.Tenant, id string) error { _, err := x.Plans(ctx, id); return err }),
		"Edit": one(func(x *front.Tenant, id string) error {
			return x.Edit(ctx, id, 1, plumb.Plan{Units: []plumb.Unit{{ID: "a", Question: "b"}}}, "me")
		}),
		"Source":   one(func(x *front.Tenant, id string) error { _, _, err := x.Source(ctx, id, sources[0].Hash); return err }),
		"Report":   one(func(x *front.Tenant, id string) error { _, err := x.Report(ctx, id); return err }),
		"Body":     one(func(x *front.Tenant, id string) error { _, err := x.Body(ctx, id); return err }),
		"Brief":    one(func(x *front.Tenant, id string) error { _, err := x.Brief(ctx, id); return err }),
		"Draft":    one(func(x *front.Tenant, id string) error { _, err := x.Draft(ctx, id, "write.1"); return err }),
		"Markdown": one(func(x *front.Tenant, id string) error { _, err := x.Markdown(ctx, id); return err }),
		"Journal":  one(func(x *front.Tenant, id string) error { _, _, err := x.Journal(ctx, id); return err }),
		"Bill":     one(func(x *front.Tenant, id string) error { _, err := x.Bill(ctx, id); return err }),
		"Remark":   one(func(x *front.Tenant, id string) error { _, err := x.Remark(ctx, id); return err }),
		"Delete":   one(func(x *front.Tenant, id string) error { return x.Delete(ctx, id) }),
		"Notes":    func(x *front.Tenant) error { _, _, err := x.Notes(ctx, runs[0]); return missing(err, engine.ErrNoRun) },
		"Runs": func(x *front.Tenant) error {
			other := "acme" // a filter can't widen what a tenant sees
			list, n, err := x.Runs(ctx, engine.Filter{Tenant: &other})
			return errors.Join(none(len(list), err), none(n, nil))
		},
		"Threads":      func(x *front.Tenant) error { list, n, err := x.Threads(ctx, 0, 0); return none(len(list)+n, err) },
		"Thread":       func(x *front.Tenant) error { _, _, err := x.Thread(ctx, "t"); return missing(err, engine.ErrNotFound) },
		"TitleThread":  func(x *front.Tenant) error { return missing(x.TitleThread(ctx, "t", "x"), engine.ErrNotFound) },
		"DeleteThread": func(x *front.Tenant) error { return missing(x.DeleteThread(ctx, "t"), engine.ErrNotFound) },
		"Documents":    func(x *front.Tenant) error { list, err := x.Documents(ctx); return none(len(list)-1, err) },
		"RemoveDocument": func(x *front.Tenant) error {
			return missing(x.RemoveDocument(ctx, "secret.md"), library.ErrNotInLibrary)
		},
		"SearchDocuments": func(x *front.Tenant) error {
			hits, err := x.SearchDocuments(ctx, "Corvane pump cost", 9)
			return none(len(slices.DeleteFunc(hits, func(h plumb.Hit) bool { return h.Source.URL == "doc:own.md" })), err)
		},
		"AddDocument": func(x *front.Tenant) error {
			if _, err := x.AddDocument(ctx, "secret.md", []byte("bolt's own of that name")); err != nil {
				return err
			}
			return x.RemoveDocument(ctx, "secret.md")
		},
		"Ask": func(x *front.Tenant) error {
			run, err := x.Ask(ctx, front.Ask{Text: question, Thread: "t"})
			if err == nil && (run.Parent != "" || run.Tenant != "bolt" || !slices.Equal(run.Asked.Where.Folders, []string{library.Shelf("bolt")})) {
				err = fmt.Errorf("%s follows %s in %v", run.Tenant, run.Parent, run.Asked.Where.Folders)
			}
			return err
		},
		"Audit": func(x *front.Tenant) error {
			run, err := x.Audit(ctx, front.AuditAsk{Draft: "# A\n\nThe pump cost 12 million dollars.\n"})
			if err == nil && (run.Tenant != "bolt" || !slices.Equal(run.Asked.Where.Folders, []string{library.Shelf("bolt")})) {
				err = fmt.Errorf("%s in %v", run.Tenant, run.Asked.Where.Folders)
			}
			return err
		},
		"Outlook": func(x *front.Tenant) error { _, err := x.Outlook(ctx, front.Ask{Text: question}); return err },
		"Name":    func(x *front.Tenant) error { return none(len(x.Name())-len("bolt"), nil) },
	}
	last := []string{"Ask", "Audit"} // what begins something of bolt's own
	var names []string
	for m := range reflect.TypeOf(bolt).Methods() {
		if !slices.Contains(last, m.Name) {
			names = append(names, m.Name)
		}
	}
	for _, name := range append(names, last...) {
		call := calls[name]
		if call == nil {
			t.Errorf("%s is not in the table", name)
		} else if err := call(bolt); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	h.await(acme, done.ID, plumb.Finished)
	h.await(acme, wait.ID, plumb.Waiting)
	if docs, err := acme.Documents(ctx); err != nil || len(docs) != 1 || docs[0].Path != "secret.md" {
		t.Errorf("%v %v", docs, err)
	}
}

func TestNobodyIsATenantOfTheirOwn(t *testing.T) {
	h := newHouse(t, nil)
	acme, local := h.shelve("acme", "a.md"), h.shelve("", "b.md")
	theirs, own := h.ask(acme, front.Ask{}, plumb.Finished), h.ask(local, front.Ask{}, plumb.Finished)
	if _, err := local.Run(ctx, theirs.ID); !errors.Is(err, engine.ErrNoRun) {
		t.Errorf("the person at the machine sees a tenant's run: %v", err)
	}
	if _, err := acme.Run(ctx, own.ID); !errors.Is(err, engine.ErrNoRun) {
		t.Errorf("a tenant sees the run of the person at the machine: %v", err)
	}
	if runs, n, err := local.Runs(ctx, engine.Filter{}); err != nil || n != 1 || runs[0].ID != own.ID {
		t.Errorf("%v %v", runs, err)
	}
}

func TestQuestionWithoutAnythingToSearchNamesTheField(t *testing.T) {
	h := newHouse(t, nil)
	no := false
	x := h.shelve("acme", "a.md")
	for _, c := range []struct {
		x *front.Tenant
		a front.Ask
	}{{h.Tenant("empty"), front.Ask{Text: question}}, {x, front.Ask{Text: question, Library: &no}}} {
		var field *front.FieldError
		if _, err := c.x.Ask(ctx, c.a); !errors.As(err, &field) || field.Field != "search" {
			t.Errorf("%v", err)
		}
	}
	var field *front.FieldError
	if _, err := x.Audit(ctx, front.AuditAsk{Draft: " \n"}); !errors.As(err, &field) || field.Field != "report" {
		t.Errorf("an empty report: %v", err)
	}
}

func TestTurnsOfAThreadFollowTheLastOneThatIsDone(t *testing.T) {
	h := newHouse(t, nil)
	x := h.shelve("acme", "a.md")
	first := h.ask(x, front.Ask{Thread: "t"}, plumb.Finished)
	waits := h.ask(x, front.Ask{Thread: "t", Approve: true}, plumb.Waiting)
	third := h.ask(x, front.Ask{Thread: "t"}, plumb.Finished)
	if waits.Parent != first.ID || third.Parent != first.ID || first.Parent != "" {
		t.Errorf("%q, %q, %q", first.Parent, waits.Parent, third.Parent)
	}
	if err := x.TitleThread(ctx, "t", "Pumps"); err != nil {
		t.Fatal(err)
	}
	th, runs, err := x.Thread(ctx, "t")
	if err != nil || th.Title != "Pumps" || th.Question != question || len(runs) != 3 || runs[0].ID != first.ID || runs[2].ID != third.ID {
		t.Errorf("%+v %v %v", th, runs, err)
	}
	if err := x.DeleteThread(ctx, "t"); err != nil {
		t.Fatal(err)
	}
	if list, n, err := x.Threads(ctx, 0, 0); err != nil || len(list)+n != 0 {
		t.Errorf("%v %v", list, err)
	}
	if _, n, err := x.Runs(ctx, engine.Filter{}); err != nil || n != 0 {
		t.Errorf("%d runs left, %v", n, err)
	}
}

func TestRunThatHasEndedIsToldNothing(t *testing.T) {
	h := newHouse(t, nil)
	x := h.shelve("acme", "a.md")
	done := h.ask(x, front.Ask{Unchecked: true}, plumb.Finished)
	for _, kind := range []plumb.SignalKind{plumb.SigCancel, plumb.SigPause, plumb.SigResume, plumb.SigFinish, plumb.SigRetry, plumb.SigApprove} {
		if err := x.Tell(ctx, done.ID, plumb.Signal{Kind: kind}); !errors.Is(err, front.ErrEnded) {
			t.Errorf("%s: %v", kind, err)
		}
	}
	waits := h.ask(x, front.Ask{Approve: true}, plumb.Waiting)
	if err := x.Tell(ctx, waits.ID, plumb.Signal{Kind: plumb.SigCancel}); err != nil {
		t.Fatal(err)
	}
	h.await(x, waits.ID, plumb.CancelledState)
}

func TestRunUnderWayIsCancelledAndDeleted(t *testing.T) {
	entered := make(chan struct{}, 10)
	h := newHouse(t, func(ctx context.Context, t *engine.Task, do func(context.Context, *engine.Task) (*plumb.Outcome, error)) (*plumb.Outcome, error) {
		if t.Step.Kind != plumb.StepUnit {
			return do(ctx, t)
		}
		entered <- struct{}{}
		<-ctx.Done()
		return nil, ctx.Err()
	})
	x := h.shelve("acme", "a.md")
	run, err := x.Ask(ctx, front.Ask{Text: question})
	if err != nil {
		t.Fatal(err)
	}
	<-entered
	if err := x.Delete(ctx, run.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := x.Run(ctx, run.ID); !errors.Is(err, engine.ErrNoRun) {
		t.Errorf("after: %v", err)
	}
	if err := x.Delete(ctx, run.ID); !errors.Is(err, engine.ErrNoRun) {
		t.Errorf("again: %v", err)
	}
}

func TestIDsAreOrderedAndNeverTheSame(t *testing.T) {
	h := newHouse(t, nil)
	x := h.shelve("acme", "a.md")
	var ids []string
	for range 20 {
		run, err := x.Ask(ctx, front.Ask{Text: question, Approve: true})
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, run.ID)
	}
	if !slices.IsSorted(ids) || len(slices.Compact(slices.Clone(ids))) != 20 {
		t.Errorf("%v", ids)
	}
	for _, id := range ids {
		if len(id) != 26 || strings.ToLower(id) != id {
			t.Errorf("%q", id)
		}
	}
}
