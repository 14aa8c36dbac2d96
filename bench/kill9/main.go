// Command kill9 kills a run with SIGKILL at random moments, resumes it, and does so again and again. Every time the run
// must end with the same final.md as one that was left alone, apart from its id and times, and its journal must hold
// no finished step twice. Run it from the root of the project:
//
//	go run ./bench/kill9 -rounds 100 -docs 3000
//	go run ./bench/kill9 -rounds 20 -docs 300 -models
//
// With -models a scripted model does the thinking: then no call that was answered may be on the bill twice, and the model
// may have been asked again only what was under way when a kill came.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"time"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/engine"
	"github.com/plumbresearch/plumb/lab"
	"github.com/plumbresearch/plumb/store/sqlite"
)

func main() {
	log.SetFlags(0)
	rounds := flag.Int("rounds", 100, "how many runs are killed")
	docs := flag.Int("docs", 3000, "how many documents they read")
	seed := flag.Uint64("seed", 1, "of the documents and of the moments")
	models := flag.Bool("models", false, "a scripted model does the thinking")
	flag.Parse()
	if err := torment(*rounds, *docs, *seed, *models); err != nil {
		log.Fatal("kill9: ", err)
	}
}

// torment is the whole test.
func torment(rounds, docs int, seed uint64, models bool) (err error) {
	dir, err := os.MkdirTemp("", "plumb-kill9-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	t := tormentor{dir: dir, program: filepath.Join(dir, "plumb"), corpus: filepath.Join(dir, "corpus"), rng: rand.New(rand.NewPCG(seed, 9))}
	if models {
		stop, err := t.serve()
		if err != nil {
			return err
		}
		defer stop()
	}
	if out, err := exec.CommandContext(context.Background(), "go", "build", "-o", t.program, "./cmd/plumb").CombinedOutput(); err != nil {
		return fmt.Errorf("build: %w: %s", err, out)
	}
	if err := lab.Corpus(t.corpus, docs, seed); err != nil {
		return err
	}
	begin := time.Now()
	if err := t.start("calm", 0); err != nil {
		return err
	}
	t.whole = time.Since(begin)
	if t.want, err = t.check("calm"); err != nil {
		return err
	}
	log.Printf("left alone: %.1f s, final.md has %d bytes", t.whole.Seconds(), len(t.want))
	kills := 0
	for i := range rounds {
		n, err := t.round(fmt.Sprintf("round-%03d", i))
		if err != nil {
			return fmt.Errorf("round %d, after %d kills: %w", i, n, err)
		}
		kills += n
		log.Printf("round %d of %d: killed %d times, same report", i+1, rounds, n)
	}
	log.Printf("%d runs, %d kills: every final.md was the same, no finished step was done twice", rounds, kills)
	return nil
}

type tormentor struct {
	dir, program, corpus string
	want                 string
	whole                time.Duration
	rng                  *rand.Rand
	models               *lab.Models // nil: no model thinks
	env                  []string
}

// latency of the scripted model: long enough for kills to come in the middle of calls.
const latency = 30 * time.Millisecond

// serve starts the scripted model.
func (t *tormentor) serve() (stop func(), err error) {
	t.models = &lab.Models{Latency: latency}
	url, stop, err := t.models.Listen(0)
	t.env = []string{"OPENAI_API_KEY=lab", "OPENAI_BASE_URL=" + url + "/v1", "ORCHESTRATOR_MODEL=openai:gpt-5.4-mini"}
	return stop, err
}

// round runs once, killed until it is through.
func (t *tormentor) round(name string) (kills int, err error) {
	home := filepath.Join(t.dir, name)
	defer func() { err = errors.Join(err, os.RemoveAll(home)) }()
	answered := t.answered()
	err = t.start(name, t.moment())
	for ; errors.Is(err, errKilled); kills++ {
		if kills > 500 {
			return kills, errors.New("does not come to an end")
		}
		ids, rerr := t.runs(name)
		if rerr != nil {
			return kills, rerr
		}
		if len(ids) == 0 {
			err = t.start(name, t.moment()) // killed before there was a run
			continue
		}
		err = t.program1(name, t.moment(), "resume", "--quiet", "last")
	}
	if err != nil {
		return kills, err
	}
	got, err := t.check(name)
	if err != nil {
		return kills, err
	}
	if got != t.want {
		return kills, fmt.Errorf("final.md differs: %s", firstDifference(t.want, got))
	}
	return kills, t.paidOnce(name, t.answered()-answered, kills)
}

func (t *tormentor) answered() int {
	if t.models == nil {
		return 0
	}
	return t.models.Stats().Calls
}

// inFlight bounds the calls under way at a kill: four units at once, each with as many as it reads sources at once, or
// the claims that are judged together.
const inFlight = 20

// paidOnce holds the bill against what the model answered.
func (t *tormentor) paidOnce(name string, answered, kills int) (err error) {
	if t.models == nil {
		return nil
	}
	ids, err := t.runs(name)
	if err != nil {
		return err
	}
	db, err := t.open(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	rows, err := db.LedgerRows(context.Background(), ids[0])
	if err != nil {
		return err
	}
	paid := map[string]bool{}
	for _, r := range rows {
		call := r.Step + " " + r.Reference
		if paid[call] && r.Reference != "" {
			return fmt.Errorf("call %s is on the bill twice", call)
		}
		paid[call] = true
	}
	if again := answered - len(rows); again > kills*inFlight {
		return fmt.Errorf("%d calls were answered and %d billed: %d asked again after %d kills", answered, len(rows), again, kills)
	}
	return nil
}

// moment is when the next kill comes: mostly well within the time a run takes.
func (t *tormentor) moment() time.Duration {
	return time.Duration(20+t.rng.Float64()*t.whole.Seconds()*1000) * time.Millisecond
}

var errKilled = errors.New("killed")

// start asks the question; after is when it is killed, 0 never.
func (t *tormentor) start(name string, after time.Duration) error {
	return t.program1(name, after, "research", "--quiet", "--docs", t.corpus, "--out", filepath.Join(t.dir, name, "out"), lab.CorpusQuestion)
}

// program1 runs the program once.
func (t *tormentor) program1(name string, after time.Duration, args ...string) error {
	cmd := exec.CommandContext(context.Background(), t.program, args...)
	cmd.Env = append(append(os.Environ(), "PLUMB_HOME="+filepath.Join(t.dir, name)), t.env...)
	cmd.Dir = t.dir
	var out bytes.Buffer
	cmd.Stderr = &out
	if err := cmd.Start(); err != nil {
		return err
	}
	var killed atomic.Bool
	if after > 0 {
		timer := time.AfterFunc(after, func() {
			killed.Store(true) // before the kill: Wait may return at once
			if err := cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
				log.Print("kill9: ", err)
			}
		})
		defer timer.Stop()
	}
	err := cmd.Wait()
	if err != nil && killed.Load() {
		return errKilled
	}
	if err != nil {
		return fmt.Errorf("plumb %s: %w: %s", args[0], err, strings.TrimSpace(out.String()))
	}
	return nil
}

func (t *tormentor) open(name string) (*sqlite.DB, error) {
	return sqlite.Open(context.Background(), filepath.Join(t.dir, name, "plumb.db"), sqlite.Options{})
}

func (t *tormentor) runs(name string) (ids []string, err error) {
	db, err := t.open(name)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	list, err := db.Runs(context.Background(), engine.Filter{})
	for _, s := range list {
		ids = append(ids, s.ID)
	}
	return ids, err
}

// check reads the journal, in which no step may be finished twice, and gives the report without its id and times.
func (t *tormentor) check(name string) (_ string, err error) {
	ids, err := t.runs(name)
	if err != nil || len(ids) != 1 {
		return "", fmt.Errorf("%d runs in the store: %w", len(ids), err)
	}
	db, err := t.open(name)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	rec, err := db.LoadRun(context.Background(), ids[0])
	if err != nil {
		return "", err
	}
	finished := map[string]bool{}
	for _, o := range rec.Journal {
		if o.Kind != plumb.Done {
			continue
		}
		if finished[o.Step] {
			return "", fmt.Errorf("step %s is finished twice in the journal", o.Step)
		}
		finished[o.Step] = true
	}
	md, err := os.ReadFile(filepath.Join(t.dir, name, "out", "final.md"))
	if err != nil {
		return "", err
	}
	return timeless(string(md), ids[0]), nil
}

var times = regexp.MustCompile(`\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z`)

// dollars depend on what the model's server had in its cache; the tokens do not.
var dollars = regexp.MustCompile(`cost: \$[\d.]+`)

// timeless takes the run's id, times and dollars out of a report.
func timeless(md, id string) string {
	return dollars.ReplaceAllString(times.ReplaceAllString(strings.ReplaceAll(md, id, "ID"), "TIME"), "COST")
}

func firstDifference(a, b string) string {
	la, lb := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(la), len(lb)) {
		if la[i] != lb[i] {
			return fmt.Sprintf("line %d is %q, want %q", i+1, lb[i], la[i])
		}
	}
	return fmt.Sprintf("%d lines, want %d", len(lb), len(la))
}
