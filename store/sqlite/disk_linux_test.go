package sqlite

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/engine"
)

// nobody is the user that a test run by root gives a process whose permissions matter.
const nobody = 65534

// asUser starts a process as somebody to whom permissions apply. The binary is named by /proc, as its folder is root's.
func asUser(c *exec.Cmd) {
	if os.Getuid() == 0 {
		c.Path = "/proc/self/exe"
		c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	}
}

// userFolder is a folder of that user with a store in it.
func userFolder(t *testing.T) (dir, path string) {
	t.Helper()
	dir, err := os.MkdirTemp("", "plumb-store-*")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(os.Chmod(dir, 0o700), os.RemoveAll(dir)); err != nil {
			t.Error(err)
		}
	})
	path = filepath.Join(dir, "plumb.db")
	d := openAt(t, path, Options{})
	owned(t, d, "a", "me")
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if os.Getuid() == 0 {
		if err := errors.Join(os.Chown(dir, nobody, nobody), os.Chown(path, nobody, nobody)); err != nil {
			t.Fatal(err)
		}
	}
	return dir, path
}

func TestPermissionsAreExplained(t *testing.T) {
	for _, c := range []struct {
		name string
		mode os.FileMode // of the folder
		file os.FileMode
		path string // in the folder
		want string
	}{
		{"all is well", 0o700, 0o600, "plumb.db", "opened"},
		{"a file that is read-only", 0o700, 0o400, "plumb.db", "error read-only"},
		{"a file that can't be read", 0o700, 0o000, "plumb.db", "error read-only"},
		{"a folder that is read-only", 0o500, 0o600, "plumb.db", "error read-only"},
		{"a new store in a folder that is read-only", 0o500, 0o600, "new.db", "error read-only"},
		{"a new folder in a folder that is read-only", 0o500, 0o600, "sub/new.db", "error read-only"},
		{"a folder that can't be entered", 0o000, 0o600, "plumb.db", "error read-only"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir, path := userFolder(t)
			if err := errors.Join(os.Chmod(path, c.file), os.Chmod(dir, c.mode)); err != nil {
				t.Fatal(err)
			}
			child := start(t, "open", filepath.Join(dir, c.path), asUser)
			got := child.line(t)
			if !strings.HasPrefix(got, c.want) || c.want != "opened" && !strings.Contains(got, "PLUMB_HOME") {
				t.Errorf("the other process says %q, want %q", got, c.want)
			}
			for child.lines.Scan() {
			}
			if err := child.Wait(); err != nil {
				t.Error(err)
			}
		})
	}
}

// smallDisk mounts a file system of that size, which only root may.
func smallDisk(t *testing.T, kb int) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%dk", kb)); err != nil {
		t.Skipf("no small disk can be mounted here (%v); TestFullStoreAnswersAndRecovers does without", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// fillDisk writes a file until nothing more fits.
func fillDisk(t *testing.T, dir string) (path string) {
	t.Helper()
	path = filepath.Join(dir, "filler")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	for err == nil {
		_, err = f.Write(make([]byte, 4096))
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestFullDiskAnswersEverybodyAndRecovers(t *testing.T) {
	dir := smallDisk(t, 4096)
	d := openAt(t, filepath.Join(dir, "plumb.db"), Options{})
	owned(t, d, "a", "me")
	if err := d.Commit(ctx, outcome("a", "me", 1)); err != nil {
		t.Fatal(err)
	}
	filler := fillDisk(t, dir)
	release := hold(t, d)
	var wg sync.WaitGroup
	const n = 10
	errs := make([]error, n)
	for i := range n {
		wg.Go(func() { errs[i] = d.PutArtefact(ctx, "a", fmt.Sprint(i), strings.Repeat("x", 40_000)) })
	}
	waiting(t, d, n)
	release()
	wg.Wait()
	for i, err := range errs {
		trouble(t, err, ErrFull, d.Path(), "free some space")
		if err := d.Artefact(ctx, "a", fmt.Sprint(i), new(string)); !errors.Is(err, engine.ErrNotFound) {
			t.Errorf("artefact %d, which did not count: %v", i, err)
		}
	}
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	if err := d.Commit(ctx, outcome("a", "me", 2)); err != nil {
		t.Errorf("with space again: %v", err)
	}
	if rec, err := d.LoadRun(ctx, "a"); err != nil || len(rec.Journal) != 2 {
		t.Errorf("%d outcomes, %v", len(rec.Journal), err)
	}
	if err := d.Check(ctx); err != nil {
		t.Error(err)
	}
}

func TestFullDiskAtTheBeginning(t *testing.T) {
	dir := smallDisk(t, 1024)
	filler := fillDisk(t, dir)
	path := filepath.Join(dir, "plumb.db")
	_, err := Open(ctx, path, Options{Wait: 100 * time.Millisecond})
	trouble(t, err, ErrFull, path)
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	d := openAt(t, path, Options{})
	owned(t, d, "a", "me")
	if err := d.AddLedgerRow(ctx, plumb.LedgerRow{Run: "a", At: asked}); err != nil {
		t.Error(err)
	}
}
