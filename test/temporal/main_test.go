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
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"testing"

	"go.temporal.io/server/temporaltest"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/engine"
	"github.com/plumbresearch/plumb/engine/enginetest"
	"github.com/plumbresearch/plumb/engine/temporal"
	"github.com/plumbresearch/plumb/store/sqlite"
)

var update = flag.Bool("update", false, "write the histories that replay tests read")

// job is what a worker process is told: see worker/main.go.
type job struct {
	Address, Namespace, Store, Cut, Scenario string
}

func TestMain(m *testing.M) {
	flag.Parse()
	code := m.Run()
	if cluster.server != nil {
		cluster.server.Stop()
	}
	if cluster.bin != "" {
		if err := os.RemoveAll(cluster.bin); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

// cluster is the one server of all tests, and the programs that work for it.
var cluster struct {
	once   sync.Once
	server *temporaltest.TestServer
	made   sync.Once
	bin    string // a folder
	built  sync.Once
	ships  sync.Once
}

func server(t testing.TB) *temporaltest.TestServer {
	t.Helper()
	cluster.once.Do(func() { cluster.server = temporaltest.NewServer() })
	return cluster.server
}

// program is the worker as this tree has it.
func program(t *testing.T) string {
	t.Helper()
	out := filepath.Join(programs(t), "worker")
	cluster.built.Do(func() { build(t, out) })
	return out
}

// programs is the folder for what is built.
func programs(t testing.TB) string {
	t.Helper()
	cluster.made.Do(func() {
		var err error
		if cluster.bin, err = os.MkdirTemp("", "plumb-worker-"); err != nil {
			t.Fatal(err)
		}
	})
	return cluster.bin
}

// build makes a worker's program.
func build(t *testing.T, out string, flags ...string) {
	t.Helper()
	cmd := exec.Command("go", slices.Concat([]string{"build", "-o", out}, flags, []string{"./worker"})...)
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
}

// bench is a client and a worker process.
type bench struct {
	t      *testing.T
	job    job
	db     *sqlite.DB
	client *temporal.Client
	bin    string // of the next worker; empty: as this tree has it
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
	if b.bin == "" {
		b.bin = program(t)
	}
	b.child = exec.Command(b.bin, string(text))
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
