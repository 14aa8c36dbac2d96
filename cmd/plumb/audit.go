package main

// plumb audit: any report, whoever wrote it, checked claim by claim as a run of its own.

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/oklog/ulid/v2"
	"github.com/spf13/cobra"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/engine"
	"github.com/plumbresearch/plumb/link"
	"github.com/plumbresearch/plumb/text"
	"github.com/plumbresearch/plumb/verify"
)

// audits is what the flags of audit say.
type audits struct {
	asked
	sources   string
	offline   bool
	failUnder float64
}

func (r *root) auditCommand() *cobra.Command {
	var q audits
	c := &cobra.Command{
		Use:   "audit [flags] REPORT",
		Short: "Check any report, claim by claim, against the sources it cites",
		Long: `Audit reads a report that anyone wrote (Markdown, HTML, DOCX or PDF), finds its citations and claims, reads each
source that it cites once, and says of every claim whether its sources bear it out.

Sources are looked for in the folder of a run (--sources), in your documents (--docs, cited as doc:PATH), then on the
web, unless --offline. What could not be read is never held against a claim. REPORT may also be the folder of a run.`,
		Example: `  plumb audit report.md
  plumb audit --docs ~/dossier --offline report.docx
  plumb audit --sources runs/01k9 runs/01k9/report.md
  plumb audit --fail-under 0.8 --quiet report.md > checked.md`,
		Args: exactly(1, "one report (a file, or the folder of a run)"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return r.audit(cmd.Context(), q, args[0], cmd.Flags().Changed)
		},
	}
	f := c.Flags()
	f.StringArrayVar(&q.docs, "docs", nil, "folder or file of your documents (repeatable)")
	f.StringVar(&q.sources, "sources", "", "folder of a run whose stored sources are used first")
	f.BoolVar(&q.offline, "offline", false, "fetch nothing from the web")
	f.BoolVar(&q.strict, "strict", false, "drop what is not supported from the checked report")
	f.Float64Var(&q.failUnder, "fail-under", 0, "exit with 5 when a smaller share of the claims is supported (0 to 1)")
	f.StringVar(&q.model, "model", "", "language model that judges what rules leave open, as provider:model; none: judge without one")
	f.StringVar(&q.judge, "judge-model", "", "the same; wins over --model")
	f.Float64Var(&q.budget, "budget", 0, "most dollars to spend (default: the preset's)")
	f.Int64Var(&q.tokens, "max-tokens", 0, "most tokens to spend")
	f.StringVar(&q.out, "out", "", "folder for the audit's files (default runs/ID)")
	f.BoolVar(&q.json, "json", false, "print events as JSON lines instead of the report")
	f.BoolVar(&q.quiet, "quiet", false, "no progress")
	return c
}

// audit reads the report, starts a run of kind audit and works it to its end.
func (r *root) audit(ctx context.Context, q audits, path string, changed func(string) bool) error {
	if err := checkShare(q.failUnder); err != nil {
		return err
	}
	path, q.sources = ofRun(path, q.sources)
	draft, err := r.readReport(ctx, path)
	if err != nil {
		return err
	}
	with, err := storedSources("--sources ", q.sources)
	if err != nil {
		return err
	}
	question, limits, err := r.auditQuestion(q, filepath.Base(path), draft, changed)
	if err != nil {
		return err
	}
	p := newProgress(r, q.json, q.quiet)
	return r.with(ctx, p.show, func(a *app) error {
		if err := a.opens(question.Models); err != nil {
			return err
		}
		if err := a.shelved(ctx, &question, draft); err != nil {
			return err
		}
		run := engine.NewAudit(strings.ToLower(ulid.Make().String()), question, limits)
		if err := a.begin(ctx, run, q.out); err != nil {
			return err
		}
		if err := engine.Give(ctx, a.db, run.ID, draft, citedOnly(draft, with)); err != nil {
			return err
		}
		if err := r.work(ctx, a, p, run.ID); err != nil {
			return err
		}
		verdicts, err := a.db.Verdicts(ctx, run.ID)
		if err != nil {
			return err
		}
		return below(verdicts, q.failUnder)
	})
}

// ofRun lets the folder of a run stand for the report in it, with its sources.
func ofRun(path, sources string) (report, from string) {
	report = filepath.Join(path, "report.md")
	if st, err := os.Stat(report); err != nil || !st.Mode().IsRegular() {
		return path, sources
	}
	return report, firstNonEmpty(sources, path)
}

// auditQuestion makes the question of an audit and its limits from flags and environment.
func (r *root) auditQuestion(q audits, name, draft string, changed func(string) bool) (plumb.Question, plumb.Limits, error) {
	limits, err := r.config.limits(firstNonEmpty(r.config.Preset, "standard"))
	if err != nil {
		return plumb.Question{}, limits, err
	}
	if err := q.check(); err != nil {
		return plumb.Question{}, limits, err
	}
	if changed("budget") {
		limits.Caps.USD = q.budget
	}
	limits.Caps.Tokens = q.tokens
	limits.Check = true
	out := plumb.Question{Text: "Audit of " + clean(name), At: time.Now().UTC().Truncate(time.Second), Language: text.Language(draft), Strict: q.strict,
		Where: plumb.Where{Cited: !q.offline}}
	q.model = firstNonEmpty(q.model, q.judge)
	models, err := r.models(q.asked)
	if err != nil {
		return out, limits, err
	}
	if models.Judge != "" { // nobody but the judge thinks in an audit
		out.Models = plumb.Models{Orchestrator: models.Judge, Judge: models.Judge}
	}
	if out.Models.Judge != "" && (changed("budget") && q.budget == 0 || changed("max-tokens") && q.tokens == 0) {
		return out, limits, usage("--budget 0 and --max-tokens 0 leave nothing to spend: name an amount, or judge without models with --model none")
	}
	for _, d := range q.docs {
		folder, err := documents("--docs ", d)
		if err != nil {
			return out, limits, err
		}
		out.Where.Folders = append(out.Where.Folders, folder)
	}
	out.Where.Folders = outermost(out.Where.Folders)
	return out, limits, nil
}

// shelved lets a report that cites documents find them in the library when no folder is named.
func (a *app) shelved(ctx context.Context, q *plumb.Question, draft string) error {
	if len(q.Where.Folders) > 0 || !strings.Contains(draft, "doc:") {
		return nil
	}
	folders, err := a.library.Folders(ctx)
	q.Where.Library = len(folders) > 0
	return err
}

// citedOnly leaves out stored sources that a report does not cite.
func citedOnly(draft string, with []engine.Stored) []engine.Stored {
	cited := verify.Cited(draft)
	return slices.DeleteFunc(slices.Clone(with), func(s engine.Stored) bool {
		return !slices.ContainsFunc(cited, func(c plumb.Citation) bool {
			name := strings.HasPrefix(c.URL, "doc:") && filepath.Base(c.URL) == filepath.Base(s.URL)
			return name || link.Same(c.URL, s.URL) || s.FinalURL != "" && link.Same(c.URL, s.FinalURL)
		})
	})
}

// maxReport is the most bytes of a report that are read.
const maxReport = 50 << 20

// readReport reads a report of any format as Markdown.
func (r *root) readReport(ctx context.Context, path string) (string, error) {
	st, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", usage("%s is not there: name a report (Markdown, HTML, DOCX or PDF)", path)
	case err != nil:
		return "", usage("%s can't be read: %v", path, cause(err))
	case st.IsDir():
		return "", usage("%s is a folder without a report.md: name a report, or the folder of a run", path)
	case !st.Mode().IsRegular():
		return "", usage("%s is no file: name a report (Markdown, HTML, DOCX or PDF)", path)
	case st.Size() > maxReport:
		return "", usage("%s has %d MB, at most %d are read", path, st.Size()>>20, maxReport>>20)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return "", usage("%s can't be read: %v", path, cause(err))
	}
	ex, err := r.extractor()
	if err != nil {
		return "", err
	}
	draft, err := ex.Report(ctx, path, data)
	if err != nil && ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	if err != nil {
		return "", usage("%s can't be read as a report (%v): give it as Markdown, HTML, DOCX or PDF with text", path, err)
	}
	return draft, nil
}

// storedSources reads the sources of a run's folder; flag is what named it, with a blank.
func storedSources(flag, dir string) ([]engine.Stored, error) {
	if dir == "" {
		return nil, nil
	}
	out, err := engine.ReadSources(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, usage("%s%s lacks sources.jsonl or a text that it names: name the folder of a run", flag, dir)
	}
	if err != nil {
		return nil, usage("%s%s: %v", flag, dir, err)
	}
	return out, nil
}

func checkShare(share float64) error {
	if !(share >= 0 && share <= 1) { // NaN is neither
		return usage("--fail-under %v is no share: use a number from 0 to 1, as 0.8", share)
	}
	return nil
}

// below ends the program with its own code when too few claims are supported.
func below(verdicts []plumb.Verdict, share float64) error {
	if share <= 0 {
		return nil
	}
	f := verify.NewVerificationFile(verdicts, time.Time{})
	if len(verdicts) > 0 && float64(f.Summary.Supported) >= share*float64(len(verdicts)) {
		return nil
	}
	return exit{exitBelow, fmt.Sprintf("%d of %s supported (%.2f), below --fail-under %g", f.Summary.Supported, count(len(verdicts), "claim"), f.Rate, share)}
}
