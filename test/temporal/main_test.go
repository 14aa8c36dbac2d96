// Package temporal_test plays the scenarios of runs on a real Temporal server with real worker processes. It is a module of
// its own, because the server is 200 MB of dependencies that nothing else needs.
package temporal_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.temporal.io/server/temporaltest"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/engine"
	"github.com/plumbresearch/plumb/engine/enginetest"
	"github.com/plumbresearch/plumb/engine/temporal"
	"github.com/plumbresearch/plumb/store/sqlite"
)

var update = flag.Bool("update", false, "write the histories that replay tests read")

// job is what a worker process is told.
type job struct {
	Address, Namespace string
	Store              string // path of the database
	Cut                string // path of a file: while it is there, the store can't be reached
	Scenario           string
	Providers          map[string]float64
}

const jobVariable = "PLUMB_TEST_WORKER"

func TestMain(m *testing.M) {
	if text := os.Getenv(jobVariable); text != "" {
		if err := work(text); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	flag.Parse()
	code := m.Run()
	if cluster.server != nil {
		cluster.server.Stop()
	}
	os.Exit(code)
}

// work is the life of a worker process.
func work(text string) error {
	var j job
	if err := json.Unmarshal([]byte(text), &j); err != nil {
		return err
	}
	i := slices.IndexFunc(enginetest.Scenarios, func(s enginetest.Scenario) bool { return s.Name == j.Scenario })
	s := enginetest.Scenarios[i]
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	db, err := sqlite.Open(ctx, j.Store, sqlite.Options{})
	if err != nil {
		return err
	}
	store := enginetest.Cuttable{Store: db, Away: func() bool { _, err := os.Stat(j.Cut); return !errors.Is(err, fs.ErrNotExist) }}
	c, err := temporal.Dial(ctx, store, temporal.Options{Address: j.Address, Namespace: j.Namespace})
	if err != nil {
		return err
	}
	defer c.Close()
	fmt.Println("ready")
	w := temporal.NewWorker(c, s.Steps(), temporal.WorkerOptions{Rules: s.QuickRules(), Grace: time.Millisecond, Providers: j.Providers})
	return errors.Join(w.Run(ctx), db.Close())
}

// cluster is the one server of all tests.
var cluster struct {
	once   sync.Once
	server *temporaltest.TestServer
}

func server(t *testing.T) *temporaltest.TestServer {
	t.Helper()
	cluster.once.Do(func() { cluster.server = temporaltest.NewServer() })
	return cluster.server
}

// bench is a client and a worker process.
type bench struct {
	t      *testing.T
	job    job
	db     *sqlite.DB
	client *temporal.Client
	child  *exec.Cmd
}

func newBench(t *testing.T, s enginetest.Scenario) *bench {
	t.Helper()
	dir := t.TempDir()
	b := &bench{t: t, job: job{Address: server(t).GetFrontendHostPort(), Namespace: server(t).GetDefaultNamespace(),
		Store: filepath.Join(dir, "p.db"), Cut: filepath.Join(dir, "cut"), Scenario: s.Name}}
	var err error
	if b.db, err = sqlite.Open(context.Background(), b.job.Store, sqlite.Options{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.db.Close(); err != nil {
			t.Error(err)
		}
	})
	o := temporal.Options{Address: b.job.Address, Namespace: b.job.Namespace}
	if s.Small {
		o.History = 100
	}
	if b.client, err = temporal.Dial(context.Background(), b.db, o); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.client.Close)
	return b
}

// spawn starts a worker process and waits until it is ready.
func (b *bench) spawn(t *testing.T) {
	t.Helper()
	text, err := json.Marshal(b.job)
	if err != nil {
		t.Fatal(err)
	}
	b.child = exec.Command(os.Args[0])
	b.child.Env = append(os.Environ(), jobVariable+"="+string(text))
	b.child.Stderr = os.Stderr
	out, err := b.child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := b.child.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatalf("worker: %v", err)
	}
}

// stop tells the worker process to stop, and waits.
func (b *bench) stop(t *testing.T) {
	t.Helper()
	if err := b.child.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := b.child.Wait(); err != nil {
		t.Errorf("worker: %v", err)
	}
}

func (b *bench) Start(ctx context.Context, run *plumb.Run, with func(context.Context) error) error {
	return b.client.Start(ctx, run, with)
}

func (b *bench) Send(ctx context.Context, run string, s plumb.Signal) error {
	return b.client.Send(ctx, run, s)
}

func (b *bench) Store() engine.Store { return b.db }

func (b *bench) Do(t *testing.T, d enginetest.Deed) {
	t.Helper()
	switch d {
	case enginetest.Kill:
		if err := b.child.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		var exit *exec.ExitError
		if err := b.child.Wait(); !errors.As(err, &exit) {
			t.Fatalf("killed worker: %v", err)
		}
		b.spawn(t)
	case enginetest.Drain:
		b.stop(t)
		b.spawn(t)
	case enginetest.Cut:
		if err := os.WriteFile(b.job.Cut, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	case enginetest.Mend:
		if err := os.Remove(b.job.Cut); err != nil {
			t.Fatal(err)
		}
	default:
		t.Fatalf("no deed %s", d)
	}
}
