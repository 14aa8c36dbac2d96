package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/engine"
	"github.com/plumbresearch/plumb/extract"
	"github.com/plumbresearch/plumb/library"
	"github.com/plumbresearch/plumb/llm/provider"
)

// app is the program put together: store, library, engine.
type app struct {
	db        store
	library   *library.Library
	owner     *engine.Process
	steps     *engine.Steps
	providers *provider.Providers
	world     *world
	engine    *engine.Local
}

// open puts the program together. show is called with every event of the runs it works on.
func (r *root) open(ctx context.Context, show func(plumb.Event)) (*app, error) {
	db, err := r.store(ctx)
	if err != nil {
		return nil, err
	}
	a := &app{db: db}
	if a.owner, err = engine.NewProcess(filepath.Join(r.config.Home, "owners")); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	ex, err := r.extractor()
	if err != nil {
		return nil, errors.Join(err, a.close())
	}
	a.library = &library.Library{Index: db, Extract: ex}
	models, providers, err := r.thinkers(db)
	if err != nil {
		return nil, errors.Join(err, a.close())
	}
	world, err := r.outside(ex, db)
	if err != nil {
		return nil, errors.Join(err, a.close())
	}
	a.providers, a.world = providers, world
	a.steps = &engine.Steps{Contents: db, Library: a.library, Outside: world, Models: models, Remote: r.services(), Ledger: db, Tapes: db}
	a.engine = engine.NewLocal(db, a.steps, r.options(a, show))
	return a, nil
}

// options are those of the engine.
func (r *root) options(a *app, show func(plumb.Event)) engine.Options {
	o := engine.Options{Owner: a.owner, Show: show}
	if t := r.config.Timeouts.unit(); t > 0 {
		rule := engine.DefaultRules[plumb.StepUnit]
		rule.Timeout = t
		o.Rules = map[plumb.StepKind]engine.Rule{plumb.StepUnit: rule}
	}
	if r.verbose {
		a.steps.Failed = func(run, step string, err error) {
			if _, werr := fmt.Fprintf(r.io.err, "run %s: step %s: %v\n", run, step, err); werr != nil {
				r.verbose = false // nobody can read it
			}
		}
		o.Failed = a.steps.Failed
	}
	return o
}

// extractor reads PDFs in a child process of this same program, or with pdftotext where it is installed.
func (r *root) extractor() (extract.Extractor, error) {
	self, err := os.Executable()
	if err != nil {
		return extract.Extractor{}, fmt.Errorf("own program file: %w", err)
	}
	ex := extract.Extractor{Child: []string{self, pdfCommand}, Timeout: time.Duration(r.config.Timeouts.PDF) * time.Second}
	if path, err := exec.LookPath("pdftotext"); err == nil {
		ex.PDFToText = path
	}
	return ex, nil
}

func (a *app) close() error {
	if a.engine != nil {
		a.engine.Close()
	}
	var err error
	if a.world != nil {
		err = a.world.close()
	}
	return errors.Join(err, a.owner.Close(), a.db.Close())
}

// with opens the program for f and closes it after.
func (r *root) with(ctx context.Context, show func(plumb.Event), f func(*app) error) (err error) {
	a, err := r.open(ctx, show)
	if err != nil {
		return err
	}
	defer func() {
		if cerr := a.close(); err == nil {
			err = cerr
		}
	}()
	return f(a)
}

// worked reports whether a living process works on the run.
func (a *app) worked(s engine.Summary) bool { return s.Owner != "" && a.owner.Alive(s.Owner) }

// find gives the id of a run that was named in full, by a unique part of its id, or as "last".
func (a *app) find(ctx context.Context, name string) (string, error) {
	runs, err := a.db.Runs(ctx, engine.Filter{})
	if err != nil {
		return "", err
	}
	var ids []string
	for i, s := range runs {
		if s.ID == name || (name == "last" && i == 0) {
			return s.ID, nil
		}
		if len(name) >= 4 && strings.Contains(s.ID, name) {
			ids = append(ids, s.ID)
		}
	}
	switch len(ids) {
	case 1:
		return ids[0], nil
	case 0:
		return "", usage("run %q is not in the store: see plumb runs", name)
	}
	return "", usage("run %q could be %s: name it in full", name, strings.Join(ids, " or "))
}
