// Command load puts a server under load with the program as it ships and scripted models without latency: many tasks are
// posted at once while clients follow the event streams of the first of them, one of which never reads. It holds what comes
// out to what is promised: every task completes, every client has seen every event of its run once and in order. Run it
// from the root of the project:
//
//	go run ./bench/load -runs 1000 -clients 200
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/plumbresearch/plumb/lab"
)

type settings struct {
	runs, clients, posters, atOnce int
	extractive                     bool
	limit                          time.Duration
}

func main() {
	log.SetFlags(0)
	var s settings
	flag.IntVar(&s.runs, "runs", 1000, "how many tasks are posted")
	flag.IntVar(&s.clients, "clients", 200, "how many event streams are followed")
	flag.IntVar(&s.posters, "posters", 8, "how many clients post at once")
	flag.IntVar(&s.atOnce, "at-once", 16, "runs under way together")
	flag.BoolVar(&s.extractive, "extractive", false, "think without a model")
	flag.DurationVar(&s.limit, "limit", 30*time.Minute, "how long all of it may take")
	flag.Parse()
	if err := try(s); err != nil {
		log.Fatal("load: ", err)
	}
}

// bench is the server under load.
type bench struct {
	settings
	url  string
	http *http.Client
	pid  int
	ids  []string
}

func try(s settings) (err error) {
	dir, err := os.MkdirTemp("", "plumb-load-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	ctx, cancel := context.WithTimeout(context.Background(), s.limit)
	defer cancel()
	b := &bench{settings: s, http: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 256}}}
	stop, err := b.start(ctx, dir)
	if err != nil {
		return err
	}
	defer stop()
	if err := b.shelve(ctx); err != nil {
		return err
	}
	begin := time.Now()
	took, err := b.post(ctx)
	if err != nil {
		return err
	}
	posted := time.Since(begin)
	if err := b.follow(ctx); err != nil {
		return err
	}
	if err := b.complete(ctx); err != nil {
		return err
	}
	slices.Sort(took)
	peak, err := b.memory()
	if err != nil {
		return err
	}
	log.Printf("%d tasks posted in %.1f s: median %s, p95 %s, slowest %s; all complete after %.0f s (%.1f a second); %d streams gapless beside one that never read; peak memory %d MB",
		s.runs, posted.Seconds(), took[len(took)/2], took[len(took)*95/100], took[len(took)-1], time.Since(begin).Seconds(), float64(s.runs)/time.Since(begin).Seconds(), s.clients, peak)
	return nil
}

var address = regexp.MustCompile(`serving on (http://[0-9.:]+)`)

// start builds the program and serves it with scripted models.
func (b *bench) start(ctx context.Context, dir string) (stop func(), err error) {
	program := filepath.Join(dir, "plumb")
	if out, err := exec.CommandContext(ctx, "go", "build", "-o", program, "./cmd/plumb").CombinedOutput(); err != nil {
		return nil, fmt.Errorf("build: %w: %s", err, out)
	}
	env := append(os.Environ(), "PLUMB_HOME="+dir, "SEARCH_PROVIDER=none", "RATE_LIMIT=-1", "RUNS_AT_ONCE="+strconv.Itoa(b.atOnce))
	stopModels := func() {}
	if !b.extractive {
		url, stop := lab.Serve(&lab.Models{})
		stopModels = stop
		env = append(env, "OPENAI_API_KEY=lab", "OPENAI_BASE_URL="+url+"/v1", "ORCHESTRATOR_MODEL=openai:gpt-5.4-mini", "MODEL_CALLS_AT_ONCE=64")
	}
	cmd := exec.CommandContext(ctx, program, "serve", "--addr", "127.0.0.1:0")
	cmd.Env, cmd.Dir = env, dir
	errs, err := cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	b.pid = cmd.Process.Pid
	lines := bufio.NewScanner(errs)
	for b.url == "" && lines.Scan() {
		if m := address.FindStringSubmatch(lines.Text()); m != nil {
			b.url = m[1]
		}
	}
	go func() { // what the server logs must not fill the pipe
		for lines.Scan() {
			if strings.Contains(lines.Text(), "ERROR") {
				log.Print(lines.Text())
			}
		}
	}()
	if b.url == "" {
		return nil, errors.New("the server did not start")
	}
	return func() {
		if err := cmd.Process.Kill(); err != nil {
			log.Print(err)
		}
		if err := cmd.Wait(); err == nil {
			log.Print("the server ended before it was killed")
		}
		stopModels()
	}, nil
}

// shelve gives the tenant documents to ask about.
func (b *bench) shelve(ctx context.Context) error {
	names, err := filepath.Glob("examples/corpus/*.md")
	if err != nil {
		return err
	}
	more, err := filepath.Glob("examples/corpus/*/*.md")
	if err != nil {
		return err
	}
	for _, name := range append(names, more...) {
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		body, err := json.Marshal(map[string]string{"name": filepath.Base(name), "text": string(data)})
		if err != nil {
			return err
		}
		if _, err := b.call(ctx, "POST", "/api/v1/library/documents", body, nil); err != nil {
			return err
		}
	}
	return nil
}

// call makes a request, reads the JSON answer into to, and says how long it took.
func (b *bench) call(ctx context.Context, method, path string, body []byte, to any) (time.Duration, error) {
	req, err := http.NewRequestWithContext(ctx, method, b.url+path, bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	req.Header.Set("Content-Type", "application/json")
	begin := time.Now()
	res, err := b.http.Do(req)
	if err != nil {
		return 0, err
	}
	data, err := io.ReadAll(res.Body)
	took := time.Since(begin)
	if err := errors.Join(err, res.Body.Close()); err != nil {
		return 0, err
	}
	if res.StatusCode >= 300 {
		return 0, fmt.Errorf("%s %s: %s: %s", method, path, res.Status, data)
	}
	if to == nil {
		return took, nil
	}
	return took, json.Unmarshal(data, to)
}

// post asks all the questions, and says how long each took to be taken.
func (b *bench) post(ctx context.Context) ([]time.Duration, error) {
	var mu sync.Mutex
	var took []time.Duration
	var failed error
	todo := make(chan int)
	var wg sync.WaitGroup
	for range b.posters {
		wg.Go(func() {
			for i := range todo {
				var task struct {
					ID string `json:"task_id"`
				}
				body := fmt.Sprintf(`{"query":"Why was the Marrowgate Bridge closed in 2023? (%d)","research_strategy":"quick"}`, i)
				d, err := b.call(ctx, "POST", "/api/v1/tasks", []byte(body), &task)
				mu.Lock()
				took, b.ids, failed = append(took, d), append(b.ids, task.ID), errors.Join(failed, err)
				mu.Unlock()
			}
		})
	}
	for i := range b.runs {
		todo <- i
	}
	close(todo)
	wg.Wait()
	return took, failed
}

// follow reads the streams of the last tasks to their ends, while another client opens one and never reads.
func (b *bench) follow(ctx context.Context) error {
	lazy, err := b.neverRead(ctx)
	if err != nil {
		return err
	}
	defer lazy()
	errs := make(chan error, b.clients)
	for i := range b.clients {
		id := b.ids[len(b.ids)-1-i%len(b.ids)]
		go func() { errs <- b.stream(ctx, id) }()
	}
	var failed error
	for range b.clients {
		failed = errors.Join(failed, <-errs)
	}
	return failed
}

// neverRead opens a stream and leaves it.
func (b *bench) neverRead(ctx context.Context) (func(), error) {
	var d net.Dialer
	c, err := d.DialContext(ctx, "tcp", strings.TrimPrefix(b.url, "http://"))
	if err != nil {
		return nil, err
	}
	_, err = fmt.Fprintf(c, "GET /api/v1/stream/sse?workflow_id=%s HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", b.ids[len(b.ids)-1])
	return func() {
		if err := c.Close(); err != nil {
			log.Print(err)
		}
	}, err
}

// stream follows a run to its end and compares what came with what is stored.
func (b *bench) stream(ctx context.Context, id string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, b.url+"/api/v1/stream/sse?workflow_id="+id, nil)
	if err != nil {
		return err
	}
	res, err := b.http.Do(req)
	if err != nil {
		return err
	}
	var seen []string
	ended := false
	lines := bufio.NewScanner(res.Body)
	lines.Buffer(nil, 4<<20)
	for lines.Scan() {
		if seq, ok := strings.CutPrefix(lines.Text(), "id: "); ok {
			seen = append(seen, seq)
		}
		ended = ended || lines.Text() == "data: [DONE]"
	}
	if err := errors.Join(lines.Err(), res.Body.Close()); err != nil {
		return fmt.Errorf("stream of %s: %w", id, err)
	}
	if !ended {
		return fmt.Errorf("stream of %s ended without [DONE]", id)
	}
	var stored struct {
		Events []struct {
			Seq int64 `json:"seq"`
		} `json:"events"`
	}
	if _, err := b.call(ctx, "GET", "/api/v1/tasks/"+id+"/events", nil, &stored); err != nil {
		return err
	}
	for i, e := range stored.Events {
		if i >= len(seen) || seen[i] != strconv.FormatInt(e.Seq, 10) {
			return fmt.Errorf("stream of %s: event %d of %d is not seq %d", id, i, len(stored.Events), e.Seq)
		}
	}
	return nil
}

// complete waits until every task has completed.
func (b *bench) complete(ctx context.Context) error {
	for {
		var list struct {
			Total int `json:"total_count"`
		}
		if _, err := b.call(ctx, "GET", "/api/v1/tasks?limit=1&status=COMPLETED", nil, &list); err != nil {
			return err
		}
		if list.Total == b.runs {
			return nil
		}
		var bad struct {
			Total int `json:"total_count"`
		}
		if _, err := b.call(ctx, "GET", "/api/v1/tasks?limit=1&status=FAILED", nil, &bad); err != nil {
			return err
		}
		if bad.Total > 0 {
			return fmt.Errorf("%d tasks failed", bad.Total)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%d of %d tasks complete: %w", list.Total, b.runs, ctx.Err())
		case <-time.After(250 * time.Millisecond):
		}
	}
}

// memory is the most that the server has had resident, in MB.
func (b *bench) memory() (int, error) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", b.pid))
	if err != nil {
		return 0, err
	}
	m := regexp.MustCompile(`VmHWM:\s+(\d+) kB`).FindSubmatch(data)
	if m == nil {
		return 0, errors.New("no VmHWM in /proc")
	}
	kb, err := strconv.Atoi(string(m[1]))
	return kb / 1000, err
}
