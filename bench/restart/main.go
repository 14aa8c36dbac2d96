// Command restart kills a server with SIGKILL again and again while it works, and starts it anew each time. Clients post
// their tasks and follow the event streams right through: they repeat a post that was cut off with its Idempotency-Key, and
// take a stream up again after the last id that they saw. In the end every task must have completed once, with the report
// of a server that was left alone; every client must have seen every event once and in order; no journal may hold a
// finished step twice, and no bill a call twice. Run it from the root of the project:
//
//	go run ./bench/restart
//	go run ./bench/restart -tasks 200 -kills 300
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/plumbresearch/plumb/lab"
)

type settings struct {
	tasks, kills, atOnce int
	seed                 uint64
	latency, limit       time.Duration
}

func main() {
	log.SetFlags(0)
	var s settings
	flag.IntVar(&s.tasks, "tasks", 24, "how many tasks are posted")
	flag.IntVar(&s.kills, "kills", 30, "how often the server is killed, if the tasks last as long")
	flag.IntVar(&s.atOnce, "at-once", 6, "runs under way together")
	flag.Uint64Var(&s.seed, "seed", 1, "of the moments")
	flag.DurationVar(&s.latency, "latency", 150*time.Millisecond, "time that every answer of the scripted model takes: kills come in the middle of calls")
	flag.DurationVar(&s.limit, "limit", 10*time.Minute, "how long all of it may take")
	flag.Parse()
	if err := try(s); err != nil {
		log.Fatal("restart: ", err)
	}
}

// try is the whole test: once in calm, once in a storm.
func try(s settings) (err error) {
	dir, err := os.MkdirTemp("", "plumb-restart-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	ctx, cancel := context.WithTimeout(context.Background(), s.limit)
	defer cancel()
	program := filepath.Join(dir, "plumb")
	if out, err := exec.CommandContext(ctx, "go", "build", "-o", program, "./cmd/plumb").CombinedOutput(); err != nil {
		return fmt.Errorf("build: %w: %s", err, out)
	}
	begin := time.Now()
	want, calm, err := s.pass(ctx, program, filepath.Join(dir, "calm"), 0)
	if err != nil {
		return fmt.Errorf("left alone: %w", err)
	}
	log.Printf("left alone: %d tasks in %.1f s, %d model calls, %d billed", s.tasks, time.Since(begin).Seconds(), calm.answered, calm.billed)
	begin = time.Now()
	got, storm, err := s.pass(ctx, program, filepath.Join(dir, "storm"), s.kills)
	if err != nil {
		return fmt.Errorf("after %d kills: %w", storm.kills, err)
	}
	for i := range want {
		if got[i] != want[i] {
			return fmt.Errorf("after %d kills the report of task %d differs: %s", storm.kills, i, firstDifference(want[i], got[i]))
		}
	}
	again := storm.answered - storm.billed
	if again > storm.kills*inFlight*s.atOnce {
		return fmt.Errorf("%d calls were answered and %d billed: %d were asked again after %d kills", storm.answered, storm.billed, again, storm.kills)
	}
	log.Printf("killed %d times in %.1f s: %d tasks complete, same reports; %d clients saw %d events once and in order beside %d of attempts that a kill cut off, taking their streams up again %d times; "+
		"%d steps finished once; %d calls billed once, %d asked again; back after a kill in %s (median), %s (slowest)",
		storm.kills, time.Since(begin).Seconds(), s.tasks, s.tasks, storm.events, storm.void, storm.returns, storm.steps, storm.billed, again,
		storm.ups[len(storm.ups)/2].Round(time.Millisecond), storm.ups[len(storm.ups)-1].Round(time.Millisecond))
	return nil
}

// inFlight bounds the calls under way in one run: units at once, each with as many calls as it reads sources.
const inFlight = 20

// tally is what a pass has counted.
type tally struct {
	kills, returns, events, void, steps int
	answered, billed                    int
	ups                                 []time.Duration // from each start to the first answer, shortest first
}

// pass lets clients have all tasks done by a server that is killed so often, and gives the reports in the order of the tasks.
func (s settings) pass(ctx context.Context, program, home string, kills int) (reports []string, t tally, err error) {
	models := &lab.Models{Latency: s.latency}
	url, stop, err := models.Listen(0)
	if err != nil {
		return nil, t, err
	}
	defer stop()
	v, err := newVictim(ctx, program, home, url, s.atOnce)
	if err != nil {
		return nil, t, err
	}
	if err := v.start(ctx); err != nil {
		return nil, t, err
	}
	defer func() { err = errors.Join(err, v.kill()) }()
	if err := v.shelve(ctx); err != nil {
		return nil, t, err
	}
	clients := make([]*client, s.tasks)
	over := make(chan error, s.tasks)
	for i := range clients {
		clients[i] = &client{victim: v, number: i}
		go func() { over <- clients[i].have(ctx) }()
	}
	t.kills, err = s.torment(ctx, v, kills, over, s.tasks)
	if err != nil {
		return nil, t, err
	}
	if err := v.kill(); err != nil {
		return nil, t, err
	}
	t.answered, t.ups = models.Stats().Calls, v.ups
	slices.Sort(t.ups)
	for _, c := range clients {
		t.returns += c.returns
		reports = append(reports, strings.ReplaceAll(timeless(c.report, c.id), strings.TrimPrefix(url, "http://"), "MODELS"))
	}
	return reports, t, t.audit(ctx, home, clients)
}

// torment kills the server at random moments until all clients have what they want.
func (s settings) torment(ctx context.Context, v *victim, kills int, over <-chan error, clients int) (killed int, err error) {
	dice := rand.New(rand.NewPCG(s.seed, 9))
	moment := func() time.Duration { return time.Duration(50+dice.IntN(600)) * time.Millisecond }
	next := time.NewTimer(moment())
	defer next.Stop()
	for clients > 0 {
		select {
		case err := <-over:
			if err != nil {
				return killed, err
			}
			clients--
		case <-next.C:
			if killed == kills {
				continue // no more: the timer stays off
			}
			killed++
			if err := errors.Join(v.kill(), v.start(ctx)); err != nil {
				return killed, err
			}
			next.Reset(moment())
		}
	}
	return killed, nil
}
