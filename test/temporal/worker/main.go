// The worker process of the tests: it does the steps of one scenario, until it is told to stop or killed.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"github.com/plumbresearch/plumb/engine/enginetest"
	"github.com/plumbresearch/plumb/engine/temporal"
	"github.com/plumbresearch/plumb/store/sqlite"
)

// job is what it is told, as JSON in its one argument.
type job struct {
	Address, Namespace string
	Store              string // path of the database
	Cut                string // path of a file: while it is there, the store can't be reached
	Scenario           string
}

func main() {
	var j job
	err := json.Unmarshal([]byte(os.Args[1]), &j)
	if err == nil {
		err = j.work()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func (j job) work() error {
	i := slices.IndexFunc(enginetest.Scenarios, func(s enginetest.Scenario) bool { return s.Name == j.Scenario })
	if i < 0 {
		return fmt.Errorf("no scenario %q", j.Scenario)
	}
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
	w := temporal.NewWorker(c, s.Steps(), temporal.WorkerOptions{Rules: s.QuickRules(), Grace: time.Millisecond})
	return errors.Join(w.Run(ctx), db.Close())
}
