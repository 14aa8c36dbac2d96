package engine_test

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/engine"
	"github.com/plumbresearch/plumb/engine/enginetest"
	"github.com/plumbresearch/plumb/store/sqlite"
)

// crewBench is a crew with a store that can be cut, and a process that can die. It lives in a bubble of simulated time.
type crewBench struct {
	s    enginetest.Scenario
	dir  string
	db   *sqlite.DB
	away atomic.Bool
	proc *process
}

// process is one life of the driver.
type process struct {
	crew  *engine.Crew
	local *engine.Local
	owner *engine.Process
	dead  atomic.Bool
	stop  context.CancelFunc
	over  chan error
}

func (b *crewBench) begin(t *testing.T) {
	t.Helper()
	p := &process{over: make(chan error, 1)}
	var err error
	if p.owner, err = engine.NewProcess(b.dir); err != nil {
		t.Fatal(err)
	}
	store := enginetest.Cuttable{Store: b.db, Away: func() bool { return p.dead.Load() || b.away.Load() }}
	p.local = engine.NewLocal(store, b.s.Steps(), engine.Options{Owner: p.owner, Rules: b.s.QuickRules(), Yield: true})
	sweep := time.Second
	if slices.Contains(b.s.Needs, enginetest.Hours) {
		sweep = time.Hour
	}
	p.crew = engine.NewCrew(p.local, engine.CrewOptions{Sweep: sweep})
	var ctx context.Context
	ctx, p.stop = context.WithCancel(context.Background())
	b.proc = p
	go func() { p.over <- p.crew.Run(ctx) }()
}

// end stops the process and waits for it.
func (b *crewBench) end(t *testing.T) {
	t.Helper()
	b.proc.stop()
	if err := <-b.proc.over; err != nil && !errors.Is(err, enginetest.ErrCut) {
		t.Error(err)
	}
	b.proc.local.Close()
	if err := b.proc.owner.Close(); err != nil {
		t.Error(err)
	}
}

func (b *crewBench) Start(ctx context.Context, run *plumb.Run, with func(context.Context) error) error {
	return b.proc.crew.Start(ctx, run, with)
}

func (b *crewBench) Send(ctx context.Context, run string, s plumb.Signal) error {
	return b.proc.crew.Send(ctx, run, s)
}

func (b *crewBench) Store() engine.Store { return b.db }

func (b *crewBench) Do(t *testing.T, d enginetest.Deed) {
	switch d {
	case enginetest.Kill:
		b.proc.dead.Store(true) // nothing that it still does reaches the store
		b.end(t)
		b.begin(t)
	case enginetest.Drain:
		b.end(t)
		b.begin(t)
	case enginetest.Cut:
		b.away.Store(true)
	case enginetest.Mend:
		b.away.Store(false)
	default:
		t.Fatalf("no deed %s", d)
	}
}

func TestScenarios(t *testing.T) {
	for _, s := range enginetest.Scenarios {
		if !s.Possible(enginetest.Kill, enginetest.Drain, enginetest.Cut, enginetest.Hours) {
			continue
		}
		t.Run(s.Name, func(t *testing.T) {
			dir := t.TempDir()
			synctest.Test(t, func(t *testing.T) {
				b := &crewBench{s: s, dir: dir, db: openStore(t, filepath.Join(dir, "p.db"))}
				b.begin(t)
				defer func() { b.end(t) }()
				s.Play(t, b, "r1")
			})
		})
	}
}
