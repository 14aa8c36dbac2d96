package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/engine"
	"github.com/plumbresearch/plumb/llm"
)

// version is set by release builds: -ldflags "-X main.version=1.2.3".
var version = ""

func versionLine() string {
	v := version
	if info, ok := debug.ReadBuildInfo(); ok && v == "" {
		v = info.Main.Version
	}
	return fmt.Sprintf("plumb %s %s/%s %s", firstNonEmpty(v, "(devel)"), runtime.GOOS, runtime.GOARCH, runtime.Version())
}

func (r *root) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Example: "  plumb version",
		Args:    exactly(0, "no arguments"),
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(r.io.out, versionLine())
			return err
		},
	}
}

func (r *root) doctorCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "doctor",
		Short:   "Check that everything Plumb needs is there, and name the cure if not",
		Example: "  plumb doctor",
		Args:    exactly(0, "no arguments"),
		RunE:    func(cmd *cobra.Command, _ []string) error { return r.doctor(cmd.Context()) },
	}
}

// finding of the doctor: what was looked at, how it is, and the cure.
type diagnosis struct {
	what, how string
	ill       bool
}

func (r *root) doctor(ctx context.Context) error {
	all := []diagnosis{{what: "version", how: versionLine()}, r.doctorEnv(), r.doctorStore(ctx), r.doctorPDF(), r.doctorHere(),
		r.doctorThinking(ctx), r.doctorSearch(), r.doctorBrowser()}
	if r.config.Server.Engine == "temporal" {
		all = append(all, r.doctorCluster(ctx))
	}
	ill := 0
	for _, d := range all {
		mark := "ok  "
		if d.ill {
			mark = "ILL "
			ill++
		}
		if _, err := fmt.Fprintf(r.io.out, "%s %-10s %s\n", mark, d.what, d.how); err != nil {
			return err
		}
	}
	if ill > 0 {
		return exit{exitFailed, fmt.Sprintf("%d of %d checks need a cure", ill, len(all))}
	}
	return nil
}

func (r *root) doctorEnv() diagnosis {
	if r.envFile == "" {
		return diagnosis{what: "settings", how: "from the environment; no .env file here or above"}
	}
	return diagnosis{what: "settings", how: "from the environment and " + r.envFile}
}

func (r *root) doctorStore(ctx context.Context) (d diagnosis) {
	d = diagnosis{what: "store"}
	err := r.with(ctx, nil, func(a *app) error {
		runs, err := a.db.Runs(ctx, engine.Filter{})
		if err != nil {
			return err
		}
		if err := checkFile(ctx, a.db); err != nil {
			return err
		}
		docs, err := a.library.List(ctx, "")
		if err != nil {
			return err
		}
		d.how = fmt.Sprintf("%s: %s, %s%s", a.db.Place(), count(len(runs), "run"), count(len(docs), "document"), moreOfStore(a.db))
		return nil
	})
	if err != nil {
		d.ill, d.how = true, oneLine(err.Error())
	}
	return d
}

// doctorCluster calls Temporal, where it is to carry the runs.
func (r *root) doctorCluster(ctx context.Context) diagnosis {
	d := diagnosis{what: "cluster", how: fmt.Sprintf("Temporal at %s, namespace %s: answers", r.config.Server.Temporal, r.config.Server.Namespace)}
	err := r.with(ctx, nil, func(a *app) error {
		c, err := r.dial(ctx, a, slog.New(slog.DiscardHandler))
		if err == nil {
			c.Close()
		}
		return err
	})
	if err != nil {
		d.ill, d.how = true, oneLine(err.Error())
	}
	if r.config.Server.Database == "" {
		d.ill, d.how = true, d.how+"; DATABASE_URL is not set: gateways and workers need one database together"
	}
	return d
}

// checkFile looks for damage in a store that is a file.
func checkFile(ctx context.Context, db store) error {
	if f, ok := db.(interface{ Check(context.Context) error }); ok {
		return f.Check(ctx)
	}
	return nil
}

// moreOfStore is what there is to say of one kind of store alone: the size of a file, the vectors of a database.
func moreOfStore(db store) string {
	if v, ok := db.(interface{ Vectors() (bool, string) }); ok {
		_, how := v.Vectors()
		return "; " + how
	}
	if st, err := os.Stat(db.Place()); err == nil {
		return fmt.Sprintf(", %.1f MB", float64(st.Size())/1e6)
	}
	return ""
}

// doctorSearch says what auto would search. Nothing is sent: a search costs.
func (r *root) doctorSearch() diagnosis {
	var w plumb.Where
	if err := r.where(asked{}, "standard", false, &w); err != nil {
		return diagnosis{what: "search", how: oneLine(err.Error()), ill: true}
	}
	if len(w.Search)+len(w.Papers) == 0 {
		return diagnosis{what: "search", how: "your documents only"}
	}
	return diagnosis{what: "search", how: "your documents; without --docs also " + strings.Join(append(w.Search, w.Papers...), ", ")}
}

func (r *root) doctorBrowser() diagnosis {
	if path := r.config.Outside.browser(); path != "" {
		return diagnosis{what: "browser", how: path + " renders pages that need JavaScript"}
	}
	return diagnosis{what: "browser", how: "none: of pages that need JavaScript only the search snippet is seen; Chromium would mend that"}
}

// doctorThinking asks every model of the environment for one word.
func (r *root) doctorThinking(ctx context.Context) diagnosis {
	d := diagnosis{what: "thinking"}
	m, err := r.models(asked{})
	if err == nil && m.Orchestrator == "" {
		d.how = "extractive: no language model, nothing leaves this machine"
		var offer strings.Builder
		if err := r.offer(ctx, &offer); err == nil && offer.Len() > 0 {
			d.how += ". " + strings.TrimSpace(offer.String())
		}
		return d
	}
	if err == nil {
		err = r.with(ctx, nil, func(a *app) error { return a.answers(ctx, m) })
	}
	d.how = strings.Join(m.Names(), ", ") + ": answers"
	if err != nil {
		d.ill, d.how = true, oneLine(err.Error())
	}
	return d
}

// answers makes sure that the models of a question can be reached and answer.
func (a *app) answers(ctx context.Context, m plumb.Models) error {
	if err := a.opens(m); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	for _, name := range m.Names() {
		ask := a.word
		if name == m.Embed {
			ask = a.vector
		}
		if err := ask(ctx, name); err != nil {
			var e *llm.Error
			if errors.As(err, &e) {
				return errors.New(e.Safe())
			}
			return err
		}
	}
	return nil
}

// word asks a model for one.
func (a *app) word(ctx context.Context, name string) error {
	model, err := a.providers.Open(name)
	if err != nil {
		return err
	}
	return llm.Ready(ctx, model)
}

// vector asks an embedder for that of a word.
func (a *app) vector(ctx context.Context, name string) error {
	model, err := a.providers.OpenEmbedder(name)
	if err != nil {
		return err
	}
	_, err = model.Embed(ctx, []string{"ready"})
	return err
}

func (r *root) doctorPDF() diagnosis {
	if path, err := exec.LookPath("pdftotext"); err == nil {
		return diagnosis{what: "pdf", how: "pdftotext at " + path}
	}
	return diagnosis{what: "pdf", how: "built-in reader; pdftotext (package poppler-utils) reads some layouts better"}
}

func (r *root) doctorHere() diagnosis {
	f, err := os.CreateTemp(".", ".plumb-doctor-*")
	if err != nil {
		return diagnosis{what: "runs", how: fmt.Sprintf("this folder can't be written (%v): use --out", cause(err)), ill: true}
	}
	name := f.Name()
	if err := f.Close(); err != nil {
		return diagnosis{what: "runs", how: err.Error(), ill: true}
	}
	if err := os.Remove(name); err != nil {
		return diagnosis{what: "runs", how: err.Error(), ill: true}
	}
	return diagnosis{what: "runs", how: "this folder can be written: run folders go to ./runs"}
}
