// Package enginetest is the one table of scenarios that every driver of runs must pass: what people and mishaps do to a
// run, and how it ends. Scenarios are played on a Bench, and judged by what stands in the store afterwards.
package enginetest

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/engine"
	"github.com/plumbresearch/plumb/lab"
)

// Bench is a driver at work over a store.
type Bench interface {
	Start(ctx context.Context, run *plumb.Run, with func(context.Context) error) error
	Send(ctx context.Context, run string, s plumb.Signal) error
	// Store is read to see how a run stands. It is never cut.
	Store() engine.Store
	// Do does something to the driver. It is asked only for deeds that the bench has.
	Do(t *testing.T, d Deed)
}

// Timed is a bench with a clock of its own: it does the acts that come at a time of the clock itself.
type Timed interface {
	Bench
	Timed()
}

// Deed is something that happens to a driver and not to a run.
type Deed string

const (
	Kill  Deed = "kill"  // the worker dies like by kill -9; another one is there a moment later
	Drain Deed = "drain" // the worker is told to stop, with no time of grace; another one is there a moment later
	Cut   Deed = "cut"   // the store can't be reached any more
	Mend  Deed = "mend"  // it can be reached again
	Hours Deed = "hours" // hours pass: benches that have it simulate their clock
)

// Act is something that is done when its time has come, after the acts before it.
type Act struct {
	When  func(v View) bool // nil: at once
	After time.Duration     // since the act before, in place of When
	Send  plumb.Signal
	Deed  Deed
}

// Scenario is a run and what happens to it.
type Scenario struct {
	Name  string
	Steps func() *lab.Steps // what the workers' steps do
	Run   func(*plumb.Run)  // nil: a quick one
	Rules map[plumb.StepKind]engine.Rule
	Acts  []Act
	Needs []Deed // what a bench must have
	Small bool   // in histories so short that the run goes on in new ones again and again, where there are any
	Want  func(t *testing.T, v View)
}

// View is a run as the store has it.
type View struct {
	Run     *plumb.Run
	Journal []plumb.Outcome
	Events  []plumb.Event // without voided ones
	Owner   string
}

// Possible reports whether a bench with these deeds can play the scenario.
func (s Scenario) Possible(has ...Deed) bool {
	return !slices.ContainsFunc(s.Needs, func(d Deed) bool { return !slices.Contains(has, d) })
}

// QuickRules are the default ones without waiting between attempts, with the scenario's own.
func (s Scenario) QuickRules() map[plumb.StepKind]engine.Rule {
	rules := map[plumb.StepKind]engine.Rule{}
	for k, r := range engine.DefaultRules {
		r.Backoff = time.Millisecond
		rules[k] = r
	}
	for k, r := range s.Rules {
		rules[k] = r
	}
	return rules
}

// NewRun is the run of the scenario.
func (s Scenario) NewRun(id string, at time.Time) *plumb.Run {
	l, err := plumb.Preset("quick")
	if err != nil {
		panic(err)
	}
	r := plumb.NewRun(id, plumb.Question{Text: "Why " + s.Name + "?", At: at.UTC().Truncate(time.Second)}, l)
	if s.Run != nil {
		s.Run(r)
	}
	return r
}

// Play starts the run, does the acts and waits until it has ended.
func (s Scenario) Play(t *testing.T, b Bench, id string) {
	t.Helper()
	run := s.NewRun(id, time.Now())
	if err := b.Start(context.Background(), run, nil); err != nil {
		t.Fatal(err)
	}
	_, timed := b.(Timed)
	for i, a := range s.Acts {
		switch {
		case a.After > 0 && timed:
			continue
		case a.When != nil:
			Await(t, b.Store(), id, fmt.Sprintf("act %d of %q", i+1, s.Name), a.When)
		case a.After > 0:
			time.Sleep(a.After)
		}
		if a.Send.Kind != "" {
			if err := b.Send(context.Background(), id, a.Send); err != nil {
				t.Fatal(err)
			}
		}
		if a.Deed != "" {
			b.Do(t, a.Deed)
		}
	}
	s.Judge(t, Await(t, b.Store(), id, fmt.Sprintf("the end of %q", s.Name), Over))
}

// Over says that a run has ended and nobody owns it any more.
func Over(v View) bool { return v.Run.State().Ended() && v.Owner == "" }

// Await looks at a run until it is as it should be.
func Await(t *testing.T, store engine.Store, id, what string, ok func(View) bool) View {
	t.Helper()
	begun := time.Now()
	for {
		v, err := Look(store, id)
		if err != nil {
			t.Fatal(err)
		}
		if ok(v) {
			return v
		}
		waited := time.Since(begun)
		if waited > patience() {
			t.Fatalf("waited in vain for %s: %s", what, v)
		}
		time.Sleep(min(max(20*time.Millisecond, waited/20), 10*time.Minute))
	}
}

// patience is 90 seconds, and two days in simulated time, which passes at once.
func patience() time.Duration {
	if time.Now().Year() == 2000 { // where synctest begins
		return 48 * time.Hour
	}
	return 90 * time.Second
}

// String tells how the run stands, for failures.
func (v View) String() string {
	out := fmt.Sprintf("run is %s at %s, fail %q, owner %q\njournal:", v.Run.State(), v.Run.Stage, v.Run.Fail, v.Owner)
	for _, o := range v.Journal {
		out += fmt.Sprintf(" %s%s:%s", o.Step, o.Signal.Kind, o.Kind)
	}
	out += "\nevents:"
	for _, e := range v.Events {
		out += fmt.Sprintf("\n  %d %s %s/%d %s", e.Seq, e.Kind, e.Step, e.Attempt, e.Text)
	}
	return out
}

// Look reads a run from its store.
func Look(store engine.Store, id string) (View, error) {
	ctx := context.Background()
	rec, err := store.LoadRun(ctx, id)
	if err != nil {
		return View{}, err
	}
	v := View{Run: &rec.Run, Journal: rec.Journal}
	for _, o := range rec.Journal {
		v.Run.Apply(o)
	}
	if v.Events, err = store.Events(ctx, id, 0, 0); err != nil {
		return View{}, err
	}
	runs, err := store.Runs(ctx, engine.Filter{})
	if err != nil {
		return View{}, err
	}
	for _, r := range runs {
		if r.ID == id {
			v.Owner = r.Owner
		}
	}
	return v, nil
}

// Slug is a scenario's name as it may stand in a file's name.
func Slug(name string) string {
	return strings.Trim(notSlug.ReplaceAllString(strings.ToLower(name), "-"), "-")
}

var notSlug = regexp.MustCompile("[^a-z0-9]+")

// Keep says whether the histories of the scenario are kept, to be replayed: those of real clusters that are not too long.
func (s Scenario) Keep() bool {
	return s.Possible(Kill, Drain, Cut) && !strings.Contains(s.Name, "fifty units at once")
}
