package engine

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/plumbresearch/plumb"
)

// Crew works on every run of a store that can go on, some at a time, in the order in which they were asked: those that
// are started here, those that a signal moves, and those that a process which died has left behind.
type Crew struct {
	local *Local
	o     CrewOptions

	mu     sync.Mutex
	queue  []string
	known  map[string]place
	again  map[string]bool        // something happened to it while it was under way
	lost   map[string]bool        // owned by this process and not known, at the last sweep
	ill    map[string]illness     // could not be worked on
	timers map[string]*time.Timer // of waits that nobody needs to answer in person
	work   chan struct{}
	over   bool
}

// place is where a run is that a crew knows.
type place int

const (
	starting place = iota + 1 // stored, but not whole yet
	queued
	working
)

// CrewOptions bound a crew.
type CrewOptions struct {
	AtOnce int           // runs under way together; default 16
	Sweep  time.Duration // how often abandoned runs are looked for; default 5 s
	// Failed is told why a run could not be worked on, for operators; nil: nobody is.
	Failed func(run string, err error)
}

// NewCrew makes a crew of a driver whose Options have Yield. Run sets it to work.
func NewCrew(l *Local, o CrewOptions) *Crew {
	if o.AtOnce <= 0 {
		o.AtOnce = 16
	}
	if o.Sweep <= 0 {
		o.Sweep = 5 * time.Second
	}
	if o.Failed == nil {
		o.Failed = func(string, error) {}
	}
	return &Crew{local: l, o: o, known: map[string]place{}, again: map[string]bool{}, lost: map[string]bool{}, ill: map[string]illness{}, timers: map[string]*time.Timer{}, work: make(chan struct{}, 1)}
}

// illness bounds how often a run is tried that can't be worked on, as one of another version of the rules.
type illness struct {
	until time.Time
	wait  time.Duration
}

// maxIllness is the longest wait between two tries.
const maxIllness = 5 * time.Minute

// Start stores a run, lets with add what it needs, and queues it. with may be nil.
func (c *Crew) Start(ctx context.Context, run *plumb.Run, with func(context.Context) error) error {
	c.put(run.ID, starting)
	if err := c.create(ctx, run, with); err != nil {
		c.put(run.ID, 0)
		return err
	}
	c.put(run.ID, 0)
	c.enqueue(run.ID)
	return nil
}

// put notes where a run is; 0: nowhere.
func (c *Crew) put(id string, p place) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if p == 0 {
		delete(c.known, id)
		return
	}
	c.known[id] = p
}

// create stores a run with what it needs, or nothing of it.
func (c *Crew) create(ctx context.Context, run *plumb.Run, with func(context.Context) error) error {
	l := c.local
	if err := l.store.CreateRun(ctx, run, Lease{Owner: l.o.Owner.ID(), Until: l.now().Add(l.o.Lease)}); err != nil {
		return err
	}
	if with == nil {
		return nil
	}
	if err := with(ctx); err != nil {
		undo := context.WithoutCancel(ctx)
		return errors.Join(err, l.store.Release(undo, run.ID, l.o.Owner.ID()), l.store.DeleteRun(undo, run.ID))
	}
	return nil
}

// Send puts a signal into a run's inbox. It counts at once when nobody works on the run, else as soon as its worker sees it.
func (c *Crew) Send(ctx context.Context, id string, s plumb.Signal) error {
	if err := c.local.Send(ctx, id, s); err != nil {
		return err
	}
	run, err := c.local.Settle(ctx, id)
	switch {
	case errors.Is(err, ErrNotOwner):
		return nil // its worker takes the letter
	case err != nil:
		return err
	case !run.State().Ended() && len(run.Next()) > 0:
		c.enqueue(id)
	}
	return nil
}

// Load tells how many runs wait for a place, and how many are under way.
func (c *Crew) Load() (waiting, underWay int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, p := range c.known {
		if p == working {
			underWay++
		}
	}
	return len(c.queue), underWay
}

// enqueue puts a run at the end of the queue, unless it is there already.
func (c *Crew) enqueue(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if t := c.timers[id]; t != nil {
		t.Stop()
		delete(c.timers, id)
	}
	if c.over {
		return
	}
	switch c.known[id] {
	case working:
		c.again[id] = true
		return
	case starting, queued:
		return
	}
	c.known[id] = queued
	c.queue = append(c.queue, id)
	nudge(c.work)
}

// next takes the first run of the queue; "" when there is none.
func (c *Crew) next() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.queue) == 0 {
		return ""
	}
	id := c.queue[0]
	c.queue = c.queue[1:]
	c.known[id] = working
	if len(c.queue) > 0 {
		nudge(c.work) // for the next member of the crew
	}
	return id
}

// Run works until ctx is done, then stops the steps in flight, which are done again later, and returns when all is quiet.
func (c *Crew) Run(ctx context.Context) error {
	if err := c.sweep(ctx); err != nil && ctx.Err() == nil {
		return err
	}
	var members sync.WaitGroup
	for range c.o.AtOnce {
		members.Go(func() { c.member(ctx) })
	}
	tick := time.NewTicker(c.o.Sweep)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			if err := c.sweep(ctx); err != nil && ctx.Err() == nil {
				c.o.Failed("", err) // the store can't be read now: asked again at the next sweep
			}
		case <-ctx.Done():
			c.rest()
			members.Wait()
			return nil
		}
	}
}

// rest stops the timers.
func (c *Crew) rest() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.over = true
	for _, t := range c.timers {
		t.Stop()
	}
}

// member works on one run after the other.
func (c *Crew) member(ctx context.Context) {
	for {
		select {
		case <-c.work:
		case <-ctx.Done():
			return
		}
		for id := c.next(); id != "" && ctx.Err() == nil; id = c.next() {
			c.serve(ctx, id)
		}
	}
}

// serve works on a run until it ends or waits.
func (c *Crew) serve(ctx context.Context, id string) {
	run, err := c.local.Work(ctx, id)
	if err != nil && ctx.Err() == nil && !errors.Is(err, ErrNotOwner) && !errors.Is(err, ErrNoRun) {
		c.o.Failed(id, err)
	}
	c.mu.Lock()
	delete(c.known, id)
	again := c.again[id]
	delete(c.again, id)
	c.judge(id, err)
	if err == nil && run.State() == plumb.Waiting && !run.Wait.Until.IsZero() && !c.over {
		c.alarm(id, run.Wait.Until)
	}
	c.mu.Unlock()
	// Whoever folded a letter had the run when this member wanted it: then it is not known how the run stands.
	if again && (errors.Is(err, ErrNotOwner) || err == nil && !run.State().Ended()) {
		c.enqueue(id)
	}
}

// judge remembers runs that can't be worked on. The caller holds the lock.
func (c *Crew) judge(id string, err error) {
	if err == nil || errors.Is(err, ErrNotOwner) || errors.Is(err, ErrNoRun) {
		delete(c.ill, id)
		return
	}
	i := c.ill[id]
	i.wait = min(max(2*i.wait, c.o.Sweep), maxIllness)
	i.until = c.local.now().Add(i.wait)
	c.ill[id] = i
}

// alarm queues a waiting run when its time is up. The caller holds the lock.
func (c *Crew) alarm(id string, until time.Time) {
	if t := c.timers[id]; t != nil {
		t.Stop()
	}
	c.timers[id] = time.AfterFunc(max(until.Sub(c.local.now()), 0), func() { c.enqueue(id) })
}

// sweep queues the runs that nobody works on although they could go on, oldest first, and sets the alarms of those that wait.
func (c *Crew) sweep(ctx context.Context) error {
	lost := map[string]bool{}
	for _, state := range []plumb.State{plumb.Running, plumb.Queued, plumb.Waiting} {
		runs, err := c.local.store.Runs(ctx, Filter{State: state})
		if err != nil {
			return err
		}
		slices.Reverse(runs)
		for _, s := range runs {
			if !c.free(s, lost) {
				continue
			}
			if state != plumb.Waiting {
				c.enqueue(s.ID)
			} else if err := c.await(ctx, s.ID); err != nil {
				return err
			}
		}
	}
	c.mu.Lock()
	c.lost = lost
	c.mu.Unlock()
	return c.unread(ctx)
}

// free reports whether a run of the list is there to be taken up. One that this process owns and knows neither now nor at
// the sweep before could not be given back when the store was out of reach. Once is not enough: a list is old by the
// time it is read.
func (c *Crew) free(s Summary, lost map[string]bool) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.known[s.ID] != 0 || c.local.now().Before(c.ill[s.ID].until):
		return false
	case s.Owner == c.local.o.Owner.ID():
		lost[s.ID] = true
		return c.lost[s.ID]
	}
	return s.Owner == "" || !c.local.o.Owner.Alive(s.Owner)
}

// await sets the alarm of a waiting run, if it has none.
func (c *Crew) await(ctx context.Context, id string) error {
	c.mu.Lock()
	set := c.timers[id] != nil || c.known[id] != 0
	c.mu.Unlock()
	if set {
		return nil
	}
	run, err := Look(ctx, c.local.store, id)
	if errors.Is(err, ErrNoRun) {
		return nil // deleted meanwhile
	}
	if err != nil || run.Wait.Until.IsZero() {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.over {
		c.alarm(id, run.Wait.Until)
	}
	return nil
}

// unread queues the runs that letters wait for: whoever sent them may have died before they counted.
func (c *Crew) unread(ctx context.Context) error {
	letters, err := c.local.store.Letters(ctx, "", 0)
	if err != nil {
		return err
	}
	for _, m := range letters {
		c.mu.Lock()
		known := c.known[m.Run]
		c.mu.Unlock()
		if known != 0 {
			continue
		}
		run, err := c.local.Settle(ctx, m.Run)
		switch {
		case errors.Is(err, ErrNotOwner), errors.Is(err, ErrNoRun):
		case err != nil:
			return err
		case !run.State().Ended() && len(run.Next()) > 0:
			c.enqueue(m.Run)
		}
	}
	return nil
}
