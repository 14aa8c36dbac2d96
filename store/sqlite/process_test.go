package sqlite

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/plumbresearch/plumb/engine"
	"github.com/plumbresearch/plumb/llm"
	"github.com/plumbresearch/plumb/store/form"
)

// What the test binary does when it is started as another process: see start.
const (
	childMode = "PLUMB_TEST_CHILD"
	childPath = "PLUMB_TEST_STORE"
)

// TestChild is another process. It prints what it did, a line each.
func TestChild(t *testing.T) {
	mode, path := os.Getenv(childMode), os.Getenv(childPath)
	if mode == "" {
		return
	}
	d, err := Open(ctx, path, Options{})
	if err != nil {
		fmt.Println("error", kindOf(err), err)
		return
	}
	switch mode {
	case "open":
		fmt.Println("opened")
	case "commit": // until it is stopped or killed
		for seq := 1; seq <= 100_000; seq++ {
			if err := d.Commit(ctx, outcome("child", "me", seq)); err != nil {
				t.Fatal(err)
			}
			fmt.Println("committed", seq)
		}
	case "reserve": // once, and when its standard input is closed until it is refused
		for i := 0; ; i++ {
			if i == 1 {
				if _, err := bufio.NewReader(os.Stdin).ReadString('\n'); err == nil {
					t.Fatal("a line was not expected")
				}
			}
			if err := reserve(d, "child", i); err != nil {
				fmt.Println("refused", errors.Is(err, llm.ErrBudget))
				break
			}
			fmt.Println("reserved", i)
		}
	case "lock": // until its standard input is closed
		if err := d.begin(ctx, time.Now().Add(time.Minute), nil); err != nil {
			t.Fatal(err)
		}
		fmt.Println("locked")
		if _, err := bufio.NewReader(os.Stdin).ReadString('\n'); err == nil {
			t.Fatal("a line was not expected")
		}
		if err := d.rollback(); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
}

func kindOf(err error) string {
	for _, kind := range []error{ErrNewer, ErrCorrupt, ErrReadOnly, ErrLocked, ErrFull, ErrNotStore} {
		if errors.Is(err, kind) {
			return kind.Error()
		}
	}
	return "other"
}

// child is a process under way.
type child struct {
	*exec.Cmd
	lines *bufio.Scanner
	stop  func() // closes its standard input
}

// start begins another process on a store.
func start(t *testing.T, mode, path string, change ...func(*exec.Cmd)) *child {
	t.Helper()
	c := exec.Command(os.Args[0], "-test.run=^TestChild$")
	c.Env = append(os.Environ(), childMode+"="+mode, childPath+"="+path)
	c.Stderr = os.Stderr
	for _, f := range change {
		f(c)
	}
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if c.ProcessState == nil { // the test failed before it waited
			if err := errors.Join(c.Process.Kill(), c.Wait()); err != nil {
				t.Log(err)
			}
		}
	})
	return &child{c, bufio.NewScanner(out), func() {
		if err := in.Close(); err != nil {
			t.Error(err)
		}
	}}
}

// line waits for the next line of the process.
func (c *child) line(t *testing.T) string {
	t.Helper()
	if !c.lines.Scan() {
		t.Fatalf("the other process ended: %v", c.lines.Err())
	}
	return c.lines.Text()
}

func TestTwoProcessesWriteToOneStore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "plumb.db")
	d := openAt(t, path, Options{})
	owned(t, d, "mine", "me")
	owned(t, d, "child", "me")
	c := start(t, "commit", path)
	const n = 300
	for seq := 1; seq <= n; seq++ {
		if err := d.Commit(ctx, outcome("mine", "me", seq)); err != nil {
			t.Fatal(err)
		}
		if got, want := c.line(t), fmt.Sprint("committed ", seq); got != want {
			t.Fatalf("the other process says %q, want %q", got, want)
		}
	}
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := c.Wait(); err == nil {
		t.Error("a killed process ended well")
	}
	mine, err := d.LoadRun(ctx, "mine")
	if err != nil || len(mine.Journal) != n || mine.LastSeq != 2*n {
		t.Errorf("%d outcomes, %d events, %v", len(mine.Journal), mine.LastSeq, err)
	}
	theirs, err := d.LoadRun(ctx, "child")
	if err != nil || len(theirs.Journal) < n || theirs.LastSeq != int64(2*len(theirs.Journal)) {
		t.Errorf("the other process: %d outcomes, %d events, %v", len(theirs.Journal), theirs.LastSeq, err)
	}
}

func TestKilledProcessLosesNothingThatWasAnswered(t *testing.T) {
	path := filepath.Join(t.TempDir(), "plumb.db")
	d := openAt(t, path, Options{})
	owned(t, d, "child", "me")
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	c := start(t, "commit", path)
	for range 50 {
		c.line(t)
	}
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	last := 50
	for c.lines.Scan() { // what it had answered before it died
		if _, err := fmt.Sscanf(c.lines.Text(), "committed %d", &last); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Wait(); err == nil {
		t.Error("a killed process ended well")
	}
	d = openAt(t, path, Options{})
	rec, err := d.LoadRun(ctx, "child")
	if err != nil || len(rec.Journal) < last || len(rec.Journal) > last+1 || rec.LastSeq != int64(2*len(rec.Journal)) {
		t.Errorf("%d outcomes and %d events after %d answers, %v", len(rec.Journal), rec.LastSeq, last, err)
	}
	if err := d.Commit(ctx, outcome("child", "me", len(rec.Journal)+1)); err != nil {
		t.Error(err)
	}
	if err := d.Check(ctx); err != nil {
		t.Error(err)
	}
}

func TestProcessesThatCreateTheSameStore(t *testing.T) {
	for range 3 {
		path := filepath.Join(t.TempDir(), "new", "plumb.db")
		var children []*child
		for range 4 {
			children = append(children, start(t, "open", path))
		}
		d := openAt(t, path, Options{})
		for _, c := range children {
			if got := c.line(t); got != "opened" {
				t.Errorf("another process says %q", got)
			}
			for c.lines.Scan() { // the test's own last words
			}
			if err := c.Wait(); err != nil {
				t.Error(err)
			}
		}
		if v, err := d.version(ctx, len(form.Migrations(files))); err != nil || v != len(form.Migrations(files)) {
			t.Errorf("schema %d, %v", v, err)
		}
		owned(t, d, "a", "me")
	}
}

func TestOpensOfTheSameNewStoreAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "plumb.db")
	var wg sync.WaitGroup
	for i := range 6 {
		wg.Go(func() {
			d, err := Open(ctx, path, Options{})
			if err != nil {
				t.Error(err)
				return
			}
			owned(t, d, fmt.Sprint(i), "me")
			if err := d.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if runs, err := openAt(t, path, Options{}).Runs(ctx, engine.Filter{}); err != nil || len(runs) != 6 {
		t.Errorf("%d runs, %v", len(runs), err)
	}
}

func TestStoreLockedByAnotherProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "plumb.db")
	d := openAt(t, path, Options{Wait: 100 * time.Millisecond})
	owned(t, d, "a", "me")
	c := start(t, "lock", path)
	if got := c.line(t); got != "locked" {
		t.Fatalf("the other process says %q", got)
	}
	err := d.Commit(ctx, outcome("a", "me", 1))
	trouble(t, err, ErrLocked, path, "locked by")
	if _, missing := os.Stat("/proc/locks"); missing == nil {
		trouble(t, err, ErrLocked, fmt.Sprintf("process %d (", c.Process.Pid))
	}
	openAt(t, path, Options{Wait: 100 * time.Millisecond}) // whoever only reads is not kept out
	c.stop()
	for c.lines.Scan() {
		if strings.HasPrefix(c.lines.Text(), "---") {
			t.Error(c.lines.Text())
		}
	}
	if err := c.Wait(); err != nil {
		t.Error(err)
	}
	if err := d.Commit(ctx, outcome("a", "me", 1)); err != nil {
		t.Errorf("after the lock: %v", err)
	}
}

func TestRunThatAnotherProcessReplacedIsNotMixedUp(t *testing.T) {
	path := filepath.Join(t.TempDir(), "plumb.db")
	d, other := openAt(t, path, Options{}), openAt(t, path, Options{})
	owned(t, d, "a", "me")
	if err := d.Commit(ctx, outcome("a", "me", 1)); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(other.Release(ctx, "a", "me"), other.DeleteRun(ctx, "a")); err != nil {
		t.Fatal(err)
	}
	owned(t, other, "b", "me") // would have the number of the old a, if numbers were given again
	owned(t, other, "a", "me")
	if err := d.Commit(ctx, outcome("a", "me", 1)); err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]int{"a": 1, "b": 0} {
		if rec, err := d.LoadRun(ctx, id); err != nil || len(rec.Journal) != want {
			t.Errorf("run %s: %d outcomes, want %d (%v)", id, len(rec.Journal), want, err)
		}
	}
	if err := errors.Join(other.Release(ctx, "a", "me"), other.DeleteRun(ctx, "a")); err != nil {
		t.Fatal(err)
	}
	if err := d.Commit(ctx, outcome("a", "me", 2)); !errors.Is(err, engine.ErrNoRun) {
		t.Errorf("commit on a run that is gone: %v", err)
	}
}

// A process that writes all the time leaves gaps of microseconds; one that writes now and then must get through.
func TestBusyProcessDoesNotStarveAnother(t *testing.T) {
	path := filepath.Join(t.TempDir(), "plumb.db")
	d := openAt(t, path, Options{})
	owned(t, d, "child", "me")
	const busy = 64
	for i := range busy {
		owned(t, d, fmt.Sprint(i), "me")
	}
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for i := range busy {
		wg.Go(func() {
			for seq := 1; ; seq++ {
				select {
				case <-stop:
					return
				default:
				}
				if err := d.Commit(ctx, outcome(fmt.Sprint(i), "me", seq)); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	c := start(t, "commit", path)
	for seq := 1; seq <= 10; seq++ {
		if got, want := c.line(t), fmt.Sprint("committed ", seq); got != want {
			t.Errorf("the other process says %q, want %q", got, want)
		}
	}
	close(stop)
	wg.Wait()
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := c.Wait(); err == nil {
		t.Error("a killed process ended well")
	}
}
