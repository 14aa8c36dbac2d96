// Command web researches in a simulated internet in which pages misbehave and searches fail, with the program as it ships,
// and holds what comes out to what is promised: every run ends in a report from real findings, every citation resolves,
// every skipped lead has its reason in the events, nothing is fetched twice. Run it from the root of the project:
//
//	go run ./bench/web -runs 100 -bad 0.3 -search-faults 0.1
//	go run ./bench/web -runs 20 -models
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/lab"
)

type settings struct {
	runs, atOnce int
	first        int
	bad, faults  float64
	models       bool
	preset       string
}

func main() {
	log.SetFlags(0)
	var s settings
	flag.IntVar(&s.runs, "runs", 100, "how many runs, each in a world of its own")
	flag.IntVar(&s.first, "first", 0, "number of the first run, to look at one again")
	flag.IntVar(&s.atOnce, "at-once", 4, "how many of them at once")
	flag.Float64Var(&s.bad, "bad", 0.3, "share of pages that misbehave")
	flag.Float64Var(&s.faults, "search-faults", 0.1, "share of searches that fail")
	flag.BoolVar(&s.models, "models", false, "a scripted model does the thinking")
	flag.StringVar(&s.preset, "preset", "quick", "of the runs")
	flag.Parse()
	if err := try(s); err != nil {
		log.Fatal("web: ", err)
	}
}

// bench is the program, and what came of its runs.
type bench struct {
	settings
	dir, program string

	mu                                          sync.Mutex
	reports, findings, skipped, answered, asked int
}

func try(s settings) (err error) {
	dir, err := os.MkdirTemp("", "plumb-web-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	b := &bench{settings: s, dir: dir, program: filepath.Join(dir, "plumb")}
	if out, err := exec.CommandContext(context.Background(), "go", "build", "-o", b.program, "./cmd/plumb").CombinedOutput(); err != nil {
		return fmt.Errorf("build: %w: %s", err, out)
	}
	begin := time.Now()
	todo := make(chan int)
	var wg sync.WaitGroup
	var failed error
	for range s.atOnce {
		wg.Go(func() {
			for i := range todo {
				if err := b.one(i); err != nil {
					b.mu.Lock()
					failed = errors.Join(failed, fmt.Errorf("run %d: %w", i, err))
					b.mu.Unlock()
				}
			}
		})
	}
	for i := range s.runs {
		todo <- s.first + i
	}
	close(todo)
	wg.Wait()
	log.Printf("%d of %d runs ended in a report in %.0f s: %d findings, %d leads skipped with their reason, %d of %d expected statements in the reports",
		b.reports, s.runs, time.Since(begin).Seconds(), b.findings, b.skipped, b.answered, b.asked)
	return failed
}

// one asks a question in a world of its own.
func (b *bench) one(i int) error {
	home := filepath.Join(b.dir, strconv.Itoa(i))
	if err := os.MkdirAll(home, 0o755); err != nil {
		return err
	}
	web := &lab.Web{Seed: uint64(i + 1), Bad: b.bad, SearchFaults: b.faults, Slow: 2 * time.Second, CertFile: filepath.Join(home, "root.pem")}
	url, stop, err := web.Listen(0)
	if err != nil {
		return err
	}
	defer stop()
	env := append(os.Environ(), "PLUMB_HOME="+home, "BROWSER_PATH=none")
	env = append(env, web.Environ(url)...)
	if b.models {
		models := &lab.Models{}
		url, stop := lab.Serve(models)
		defer stop()
		env = append(env, "OPENAI_API_KEY=lab", "OPENAI_BASE_URL="+url+"/v1", "ORCHESTRATOR_MODEL=openai:gpt-5.4-mini")
	}
	q := web.Questions()[i%len(web.Questions())]
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, b.program, "research", "--quiet", "--preset", b.preset, "--out", filepath.Join(home, "out"), q.Text)
	cmd.Env, cmd.Dir = env, b.dir
	var errs bytes.Buffer
	cmd.Stderr = &errs
	md, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("%w: %s", err, strings.TrimSpace(errs.String()))
	}
	defer func() {
		if err := os.RemoveAll(home); err != nil {
			log.Print("web: ", err)
		}
	}()
	return b.look(filepath.Join(home, "out"), string(md), q, web.Stats())
}

var marker = regexp.MustCompile(`\[(\d+)\]`)

// look holds a run to the promises.
func (b *bench) look(dir, md string, q lab.Question, stats lab.WebStats) error {
	findings, err := rows[plumb.Finding](filepath.Join(dir, "findings.jsonl"))
	if err != nil {
		return err
	}
	citable := 0
	for _, f := range findings {
		if f.Citable() {
			citable++
		}
	}
	if citable == 0 {
		return errors.New("no finding was made")
	}
	_, sources, _ := strings.Cut(md, "\n## Sources\n")
	for _, m := range marker.FindAllStringSubmatch(md, -1) {
		if !strings.Contains(sources, "\n"+m[1]+". ") {
			return fmt.Errorf("citation %s resolves to nothing", m[0])
		}
	}
	events, err := rows[plumb.Event](filepath.Join(dir, "events.jsonl"))
	if err != nil {
		return err
	}
	skipped := 0
	for _, e := range events {
		if e.Kind != plumb.LeadSkipped {
			continue
		}
		var n plumb.LeadNews
		if err := json.Unmarshal(e.Data, &n); err != nil || n.Reason == "" || n.URL == "" {
			return fmt.Errorf("a lead was skipped without a reason: %s", e.Data)
		}
		skipped++
	}
	for _, f := range stats.Fetches {
		if f.Times > 1 && f.Status < 300 { // errors of a server are tried once more, and loops of redirects come back
			return fmt.Errorf("%s was fetched %d times (status %d)", f.URL, f.Times, f.Status)
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.reports++
	b.findings += citable
	b.skipped += skipped
	for _, s := range q.Statements {
		b.asked++
		if strings.Contains(md, strings.TrimSuffix(s.Text, ".")) {
			b.answered++
		}
	}
	return nil
}

// rows reads a file of JSON lines.
func rows[T any](path string) (out []T, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var v T
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			return nil, fmt.Errorf("%s: %w", filepath.Base(path), err)
		}
		out = append(out, v)
	}
	return out, lines.Err()
}
