package engine

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/gofrs/flock"
)

// Owner is who holds leases, and who can tell whether another holder still lives.
type Owner interface {
	ID() string
	Alive(id string) bool
}

// Cluster owns the runs that a cluster of workers drives: its leases never end, and no process may take its runs over.
const Cluster = "temporal"

// nobody is an owner whose death only the end of its leases tells.
type nobody string

func anonymous() Owner { return nobody("anonymous-" + rand.Text()) }

func (n nobody) ID() string        { return string(n) }
func (n nobody) Alive(string) bool { return true }

// Process is an owner that proves its life by a lock on a file. The system lets go of the lock when the process dies,
// even by kill -9, so that its runs can be taken over at once, and a reused process number fools nobody.
type Process struct {
	id   string
	home string
	lock *flock.Flock
}

// NewProcess locks a file of its own in dir. Close it at the end.
func NewProcess(dir string) (*Process, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("owner locks: %w", err)
	}
	home, err := homeOf(dir)
	if err != nil {
		return nil, fmt.Errorf("owner locks: %w", err)
	}
	id := fmt.Sprintf("%s-%d-%s", home, os.Getpid(), rand.Text()[:12])
	p := &Process{id: id, home: home, lock: flock.New(lockPath(dir, id))}
	switch ok, err := p.lock.TryLock(); {
	case err != nil:
		return nil, fmt.Errorf("owner lock: %w", err)
	case !ok:
		return nil, fmt.Errorf("owner lock %s is taken", p.lock.Path())
	}
	return p, nil
}

// homeOf names a folder of locks, once and for all. A database may have owners on other machines, whose locks can't be
// tried here: their names begin otherwise.
func homeOf(dir string) (string, error) {
	path := filepath.Join(dir, "home")
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		mine := filepath.Join(dir, "home."+rand.Text())
		if err := os.WriteFile(mine, []byte(strings.ToLower(rand.Text()[:12])), 0o600); err != nil {
			return "", err
		}
		// A link appears whole or not at all, and never in the place of another's.
		if err := os.Link(mine, path); err != nil && !errors.Is(err, fs.ErrExist) {
			return "", err
		}
		if err := os.Remove(mine); err != nil {
			return "", err
		}
	}
	name, err := os.ReadFile(path)
	return string(name), err
}

func lockPath(dir, id string) string { return filepath.Join(dir, "owner-"+id+".lock") }

// ID names the process and this use of it.
func (p *Process) ID() string { return p.id }

// Alive tries the other owner's lock: one that can be had, or is not there, was left by a dead process. Owners of another
// home count as alive.
func (p *Process) Alive(id string) bool {
	if id == p.id || id == Cluster {
		return true
	}
	if !strings.HasPrefix(id, p.home+"-") || strings.ContainsAny(id, `/\`) {
		return true // of another machine: only the end of its lease tells
	}
	path := lockPath(filepath.Dir(p.lock.Path()), id)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return false
	}
	other := flock.New(path)
	ok, err := other.TryLock()
	if err != nil || !ok {
		return true
	}
	if err := errors.Join(os.Remove(path), other.Unlock()); err != nil {
		return false // a lock file that stays behind does no harm
	}
	return false
}

// Close gives the lock back and removes its file.
func (p *Process) Close() error {
	return errors.Join(os.Remove(p.lock.Path()), p.lock.Unlock())
}
