package temporal

import (
	"encoding/json"
	"errors"
	"slices"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/engine"
)

// Names under which the cluster knows the parts of a run. Histories carry them: they never change.
const (
	workflowName = "plumb.run"
	stepName     = "plumb.step"
	keepName     = "plumb.keep"
	signalName   = "plumb.signal"
	queryName    = "plumb.state"
)

const (
	heartbeat   = 5 * time.Second // a worker that was silent for so long is dead
	maxHistory  = 3500            // events after which a run goes on in a new history: with the steps in flight it stays under 4,000
	maxPayload  = 48 << 10        // bytes of outcomes that are kept together
	maxLost     = 3               // times that a step is begun again whose activity came to no outcome
	patience    = 10 * time.Second
	wrapUp      = time.Minute        // beyond a step's timeout, for what it says last
	unboundedly = 7 * 24 * time.Hour // of a step without a timeout: its heartbeats tell that it lives
)

// Carry is what a workflow begins with. The whole run is carried, compressed, and not loaded again from the store: so a
// history can be replayed from itself alone, and a run of 256 KB takes less than 64 KB.
type Carry struct {
	Run     plumb.Run `json:"run"`
	Seq     int       `json:"seq,omitempty"`     // outcomes in its journal
	Woken   bool      `json:"woken,omitempty"`   // nobody worked on it for a while
	Indexed bool      `json:"indexed,omitempty"` // the namespace has the search attributes
	History int       `json:"history,omitempty"` // events before it goes on in a new history; 0: maxHistory
}

// program is the workflow with the rules of the worker that has it.
type program struct {
	rules map[plumb.StepKind]engine.Rule // overrides of engine.DefaultRules
}

// flow is one run under way. Its one coroutine folds everything.
type flow struct {
	program
	Carry
	ctx     workflow.Context
	signals workflow.ReceiveChannel
	under   []*flight // in the order in which they began
	lost    map[string]int
	shown   plumb.State // as the search attributes say
}

// flight is a step or a timer under way.
type flight struct {
	step    string
	kind    plumb.StepKind
	future  workflow.Future
	cancel  workflow.CancelFunc
	hurried bool
}

// Run is the workflow: do what Next lists, fold what comes back, keep it.
func (p *program) Run(ctx workflow.Context, c Carry) error {
	if err := engine.CheckRules(&c.Run); err != nil {
		panic(err) // fails the task and not the run: a worker that has its rules goes on with it
	}
	f := &flow{program: *p, Carry: c, ctx: ctx, signals: workflow.GetSignalChannel(ctx, signalName), lost: map[string]int{}}
	if err := workflow.SetQueryHandler(ctx, queryName, func() (plumb.Run, error) { return f.Carry.Run, nil }); err != nil {
		return err
	}
	return f.work()
}

func (f *flow) work() error {
	if f.Woken {
		f.Woken = false
		if err := f.fold([]plumb.Outcome{{Kind: plumb.Signaled, At: f.now(), Signal: plumb.Signal{Kind: plumb.SigWoken}}}); err != nil {
			return err
		}
	}
	for {
		if err := f.index(); err != nil {
			return err
		}
		f.schedule()
		switch {
		case f.news():
		case f.flying():
		case f.Carry.Run.State().Ended():
			if err := f.keep(kept{Release: true}); err != nil || !f.news() {
				return err
			}
		case f.full():
			return workflow.NewContinueAsNewError(f.ctx, workflowName, f.Carry)
		}
		batch, err := f.await()
		if err == nil {
			err = f.fold(batch)
		}
		if err != nil {
			return err
		}
	}
}

// await waits until something has come, and takes it. Whoever cancels the workflow on the cluster cancels the run.
func (f *flow) await() ([]plumb.Outcome, error) {
	cancelled := func() bool { return f.ctx.Err() != nil }
	if err := workflow.Await(f.ctx, func() bool { return cancelled() || f.news() }); err != nil {
		return nil, err
	}
	if !cancelled() {
		return f.arrived()
	}
	f.ctx, _ = workflow.NewDisconnectedContext(f.ctx) // there is more to do: what is under way must land, and the end be kept
	batch, err := f.arrived()
	o := plumb.Outcome{Kind: plumb.Signaled, At: f.now(), Signal: plumb.Signal{Kind: plumb.SigCancel, Text: "cancelled on the cluster"}}
	return append(batch, o), err
}

// now is in UTC, as it comes back from a journal.
func (f *flow) now() time.Time { return workflow.Now(f.ctx).UTC() }

// full reports whether the history is long enough.
func (f *flow) full() bool {
	limit := f.History
	if limit == 0 {
		limit = maxHistory
	}
	info := workflow.GetInfo(f.ctx)
	return info.GetCurrentHistoryLength() >= limit || info.GetContinueAsNewSuggested()
}

// flying reports whether a step is under way, timers aside.
func (f *flow) flying() bool {
	return slices.ContainsFunc(f.under, func(fl *flight) bool { return fl.kind != plumb.StepWait })
}

// news reports whether anything waits to be folded.
func (f *flow) news() bool {
	return f.signals.Len() > 0 || slices.ContainsFunc(f.under, func(fl *flight) bool { return fl.future.IsReady() })
}

// schedule begins what is next, hurries what must hurry, and stops what the run no longer needs.
func (f *flow) schedule() {
	next := f.Carry.Run.Next()
	state := f.Carry.Run.State()
	f.under = slices.DeleteFunc(f.under, func(fl *flight) bool {
		over := fl.kind == plumb.StepWait && !slices.ContainsFunc(next, func(s plumb.Step) bool { return s.ID == fl.step })
		if over || state.Ended() || (state == plumb.PausedState && engine.Waits(fl.kind)) {
			fl.cancel()
		}
		return over
	})
	full := f.full()
	for _, s := range next {
		i := slices.IndexFunc(f.under, func(fl *flight) bool { return fl.step == s.ID })
		switch {
		case i >= 0 && s.Hurry && !f.under[i].hurried:
			f.under[i].hurried = true
			f.under[i].cancel()
		case i >= 0 || full:
		case s.Kind == plumb.StepWait:
			f.set(s)
		default:
			f.launch(s)
		}
	}
}

// set arms the timer of a wait.
func (f *flow) set(s plumb.Step) {
	ctx, cancel := workflow.WithCancel(f.ctx)
	f.under = append(f.under, &flight{step: s.ID, kind: s.Kind, cancel: cancel, future: workflow.NewTimer(ctx, s.Until.Sub(f.now()))})
}

// launch begins a step as an activity. The activity makes the attempts of its rule itself; the cluster only begins it
// again, as often as it takes, when its worker died or the store could not be reached.
func (f *flow) launch(s plumb.Step) {
	end := unboundedly
	if t := engine.RuleOf(s.Kind, f.rules).Timeout; t > 0 {
		end = t + wrapUp
	}
	ctx, cancel := workflow.WithCancel(workflow.WithActivityOptions(f.ctx, workflow.ActivityOptions{
		TaskQueue: QueueOf(s.Kind, f.Carry.Run.Asked.Models), HeartbeatTimeout: heartbeat, StartToCloseTimeout: end,
		WaitForCancellation: true, // what a hurried step found still counts
		RetryPolicy:         &temporal.RetryPolicy{InitialInterval: time.Second, BackoffCoefficient: 2, MaximumInterval: patience},
	}))
	future := workflow.ExecuteActivity(ctx, stepName, job{Run: f.Carry.Run.ID, Step: s})
	f.under = append(f.under, &flight{step: s.ID, kind: s.Kind, cancel: cancel, hurried: s.Hurry, future: future})
}

// arrived takes what has come: the outcomes of steps and timers that are ready, and the signals in their order.
func (f *flow) arrived() ([]plumb.Outcome, error) {
	var out []plumb.Outcome
	var flying []*flight
	for _, fl := range f.under {
		if !fl.future.IsReady() {
			flying = append(flying, fl)
			continue
		}
		o, err := f.landed(fl)
		if err != nil {
			return nil, err
		}
		if o != nil {
			out = append(out, *o)
		}
	}
	f.under = flying
	for f.signals.Len() > 0 {
		o := plumb.Outcome{Kind: plumb.Signaled, At: f.now()}
		f.signals.Receive(f.ctx, &o.Signal)
		out = append(out, o)
	}
	return out, nil
}

// landed gives the outcome of a flight, or nil if it was stopped and has none: schedule begins it again if it is needed.
func (f *flow) landed(fl *flight) (*plumb.Outcome, error) {
	if fl.kind == plumb.StepWait {
		if err := fl.future.Get(f.ctx, nil); err != nil {
			return nil, nil //nolint:nilerr // a timer fails in no other way than by being cancelled
		}
		return &plumb.Outcome{Step: fl.step, Kind: plumb.Timer, At: f.now()}, nil
	}
	var o plumb.Outcome
	err := fl.future.Get(f.ctx, &o)
	switch {
	case err == nil:
		return &o, nil
	case temporal.IsCanceledError(err):
		return nil, nil
	case isGone(err):
		return nil, err
	}
	if f.lost[fl.step]++; f.lost[fl.step] < maxLost {
		return nil, nil
	}
	return engine.Lost(fl.step, fl.kind, f.now()), nil
}

// fold applies outcomes and keeps them, as many together as fit into one payload.
func (f *flow) fold(batch []plumb.Outcome) error {
	for len(batch) > 0 {
		n, size := 0, 0
		for n < len(batch) {
			b, err := json.Marshal(&batch[n])
			if err != nil {
				return err
			}
			if size += len(b); n > 0 && size > maxPayload {
				break
			}
			engine.Fold(&f.Carry.Run, &batch[n])
			n++
		}
		if err := f.keep(kept{Outcomes: batch[:n]}); err != nil {
			return err
		}
		f.Seq += n
		batch = batch[n:]
	}
	return nil
}

// keep puts outcomes into the journal. A store that can't be reached is tried until it can.
func (f *flow) keep(k kept) error {
	k.Run, k.Seq = f.Carry.Run.ID, f.Seq
	ctx, _ := workflow.NewDisconnectedContext(f.ctx) // a cancelled workflow still keeps what came
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		StartToCloseTimeout: heartbeat, // on the queue of the workflow, so that steps never keep it waiting
		RetryPolicy:         &temporal.RetryPolicy{InitialInterval: 100 * time.Millisecond, BackoffCoefficient: 2, MaximumInterval: patience},
	})
	return workflow.ExecuteActivity(ctx, keepName, k).Get(ctx, nil)
}

// index tells the cluster's list of workflows how the run stands.
func (f *flow) index() error {
	state := f.Carry.Run.State()
	if !f.Indexed || state == f.shown {
		return nil
	}
	f.shown = state
	return workflow.UpsertTypedSearchAttributes(f.ctx, stateAttribute.ValueSet(string(state)))
}

// gone is the type of errors that nothing mends: the run was deleted, or is somebody else's.
const gone = "gone"

func isGone(err error) bool {
	var app *temporal.ApplicationError
	return errors.As(err, &app) && app.Type() == gone
}
