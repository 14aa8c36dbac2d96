package main

// Runs under way: interrupted, held by another process, left by a dead one, told what to do from outside.

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/engine"
	"github.com/plumbresearch/plumb/store/sqlite"
)

// watcher is an output that calls then once, when it is written a word.
type watcher struct {
	mu   sync.Mutex
	buf  bytes.Buffer
	word string
	then func()
}

func (w *watcher) Write(p []byte) (int, error) {
	w.mu.Lock()
	n, err := w.buf.Write(p)
	then := w.then
	if !strings.Contains(w.buf.String(), w.word) {
		then = nil
	}
	if then != nil {
		w.then = nil
	}
	w.mu.Unlock()
	if then != nil {
		then()
	}
	return n, err
}

func (w *watcher) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.buf.String()
}

func TestAnInterruptedRunEndsWithTheSameReport(t *testing.T) {
	whole := newShell(t)
	whole.must(0, "research", "--quiet", "--docs", corpus, "--out", "out", headline)
	want := timeless(readFile(t, "out/final.md"), whole.lastRun())
	for _, word := range []string{"read ", "plan ", "gather ", "claims "} { // bench/kill9 comes at any moment
		s := newShell(t)
		ctx, stop := context.WithCancelCause(context.Background())
		errs := &watcher{word: word, then: func() { stop(errInterrupted) }}
		code := run(ctx, []string{"research", "--docs", corpus, "--out", "out", headline}, stdio{in: strings.NewReader(""), out: &bytes.Buffer{}, err: errs}, s.environ())
		id := s.lastRun()
		if code != exitInterrupted || !strings.HasSuffix(errs.String(), "plumb: interrupted. Go on with: plumb resume "+id+"\n") {
			t.Errorf("interrupted at %q: exit %d, %s", word, code, errs)
			continue
		}
		if r := s.must(0, "show", "last"); !strings.Contains(r.err, "stopped at stage") || !strings.Contains(r.err, "plumb resume "+id) {
			t.Errorf("show says\n%s", r.err)
		}
		s.must(0, "resume", "last")
		if got := timeless(readFile(t, "out/final.md"), id); got != want {
			t.Errorf("interrupted at %q, the report is another", word)
		}
	}
}

func TestOneRunHasOneProcess(t *testing.T) {
	s := newShell(t)
	held, free := make(chan struct{}), make(chan struct{})
	errs := &watcher{word: "plan ", then: func() { close(held); <-free }}
	ended := make(chan int)
	go func() {
		ended <- run(context.Background(), []string{"research", "--docs", corpus, headline}, stdio{in: strings.NewReader(""), out: &bytes.Buffer{}, err: errs}, s.environ())
	}()
	<-held
	for _, args := range [][]string{{"resume", "last"}, {"runs", "rm", "--yes", "last"}} {
		if r := s.must(1, args...); !strings.Contains(r.err, "another process") || strings.Count(r.err, "\n") != 1 {
			t.Errorf("%v says %q", args, r.err)
		}
	}
	if r := s.must(0, "runs"); !strings.Contains(r.out, "running") {
		t.Errorf("runs says %q", r.out)
	}
	for _, args := range [][]string{{"approve", "last"}, {"answer", "last", "yes"}, {"finish", "last"}, {"pause", "last"}, {"cancel", "--reason", "enough", "last"}} {
		if r := s.must(0, args...); !strings.Contains(r.err, "to the process that works on run") {
			t.Errorf("%v says %q", args, r.err)
		}
	}
	close(free)
	if code := <-ended; code != exitCancelled || !strings.Contains(errs.String(), "cancelled enough") {
		t.Errorf("the run ended with %d:\n%s", code, errs)
	}
	if r := s.must(2, "cancel", "last"); !strings.Contains(r.err, "cancelled already") {
		t.Errorf("cancelling again says %q", r.err)
	}
}

// orphan leaves a run whose process was killed.
func (s *shell) orphan() string {
	s.t.Helper()
	ctx := context.Background()
	folder, err := filepath.Abs(corpus)
	if err != nil {
		s.t.Fatal(err)
	}
	limits, err := plumb.Preset("quick")
	if err != nil {
		s.t.Fatal(err)
	}
	db, err := sqlite.Open(ctx, filepath.Join(s.home, "plumb.db"), sqlite.Options{})
	if err != nil {
		s.t.Fatal(err)
	}
	dead, err := engine.NewProcess(filepath.Join(s.home, "owners"))
	if err == nil {
		err = dead.Close()
	}
	if err != nil {
		s.t.Fatal(err)
	}
	run := plumb.NewRun("01orphan", plumb.Question{Text: headline, At: time.Now().UTC(), Where: plumb.Where{Folders: []string{folder}}}, limits)
	err = db.CreateRun(ctx, run, engine.Lease{Owner: dead.ID(), Until: time.Now().Add(time.Hour)})
	if err == nil {
		err = db.Close()
	}
	if err != nil {
		s.t.Fatal(err)
	}
	return run.ID
}

func TestARunWhoseProcessWasKilled(t *testing.T) {
	s := newShell(t)
	id := s.orphan()
	if r := s.must(0, "runs"); !strings.Contains(r.out, "stopped") {
		t.Errorf("runs says %q", r.out)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	var errs bytes.Buffer
	if code := run(ctx, []string{"show", "--follow", id}, stdio{in: strings.NewReader(""), out: &bytes.Buffer{}, err: &errs}, s.environ()); code != 0 {
		t.Errorf("following a dead process: exit %d", code)
	}
	if !strings.Contains(errs.String(), "plumb resume "+id) {
		t.Errorf("show says %q", errs.String())
	}
	// It never got to keep its folder: the default one is used.
	s.must(0, "resume", "--quiet", "last")
	checkFolder(t, filepath.Join("runs", id))
}

func TestWhatAPersonTypesAtThePrompt(t *testing.T) {
	waiting := &plumb.Run{ID: "r1", Wait: plumb.Wait{Kind: plumb.ForApproval, Round: 2}}
	for _, c := range []struct {
		typed string
		kind  plumb.SignalKind
		text  string
		code  int
	}{
		{"\n", plumb.SigApprove, "", 0}, {"Y\n", plumb.SigApprove, "", 0}, {" yes \n", plumb.SigApprove, "", 0},
		{"n\n", plumb.SigReject, "rejected at the prompt", 0}, {"NO\n", plumb.SigReject, "rejected at the prompt", 0},
		{"also the ferry\n", plumb.SigFeedback, "also the ferry", 0}, {"without an end of line", plumb.SigFeedback, "without an end of line", 0},
		{"", "", "", exitWaiting},
	} {
		p := newProgress(newRoot(stdio{in: strings.NewReader(c.typed), out: &bytes.Buffer{}, err: &bytes.Buffer{}}, nil), false, false)
		s, err := p.ask(context.Background(), nil, waiting)
		if code, _ := exitOf(context.Background(), err); code != c.code {
			t.Errorf("%q: %v", c.typed, err)
		}
		if c.code == 0 && (s.Kind != c.kind || s.Text != c.text || s.Round != 2) {
			t.Errorf("%q sends %+v", c.typed, s)
		}
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	defer r.Close()
	ctx, stop := context.WithCancelCause(context.Background())
	stop(errInterrupted)
	p := newProgress(newRoot(stdio{in: r, out: &bytes.Buffer{}, err: &bytes.Buffer{}}, nil), false, false)
	if _, err := p.ask(ctx, nil, waiting); err == nil {
		t.Error("Ctrl-C at the prompt was taken for an answer")
	} else if code, _ := exitOf(ctx, err); code != exitInterrupted {
		t.Errorf("Ctrl-C at the prompt: %v", err)
	}
}
