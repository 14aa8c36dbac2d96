package main

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
	"unicode"
	"unicode/utf8"

	"github.com/oklog/ulid/v2"
	"github.com/spf13/cobra"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/engine"
	"github.com/plumbresearch/plumb/library"
)

// asked is what the flags of research say.
type asked struct {
	docs, include, exclude               []string
	preset, mode, since, language, style string
	search, papers, approve, thread, out string
	via                                  string
	model, worker, judge, embed          string
	budget                               float64
	tokens                               int64
	strict, noVerify, reuse, json, quiet bool
	home                                 bool // there are documents to search beside those of docs
}

func (r *root) researchCommand() *cobra.Command {
	var q asked
	c := &cobra.Command{
		Use:   "research [flags] QUESTION",
		Short: "Research a question and publish a checked report",
		Example: `  plumb research --docs examples/corpus "Why was the Marrowgate Bridge closed in 2023?"
  plumb research --docs reports --docs minutes --preset deep --strict "What did the repair cost?"
  plumb research --docs . --approve ask "Which risks are still open?"
  plumb research --docs . --model openai:gpt-5-mini --budget 0.50 "Which risks are still open?"
  plumb research --thread last --docs . "And who pays for them?"
  plumb research --via perplexity "Which risks of sodium batteries are still open?"
  plumb research --docs . --json "…" | jq .kind`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("via") {
				return r.researchVia(cmd.Context(), q, strings.Join(args, " "), cmd.Flags().Changed)
			}
			return r.research(cmd.Context(), q, strings.Join(args, " "), cmd.Flags().Changed)
		},
	}
	f := c.Flags()
	f.StringArrayVar(&q.docs, "docs", nil, "folder or file of your documents (repeatable)")
	f.StringVar(&q.preset, "preset", "", "quick, standard, deep or academic (default standard)")
	f.StringVar(&q.preset, "strategy", "", "same as --preset")
	f.StringVar(&q.mode, "scheduling", "", "react, parallel, sequential or hybrid (default: chosen from the plan)")
	f.StringVar(&q.search, "search", "", "web search engines: auto, none or a list (default: auto, with --docs none)")
	f.StringVar(&q.papers, "papers", "", "paper indexes: auto, none or a list (default: as --search; in quick none)")
	f.StringSliceVar(&q.include, "include-domains", nil, "only these web domains")
	f.StringSliceVar(&q.exclude, "exclude-domains", nil, "never these web domains")
	f.StringVar(&q.since, "since", "", "leave out documents known to be older than this date (2024, 2024-03 or 2024-03-12)")
	f.StringVar(&q.language, "language", "", "language of the answer, as a two-letter code (default: the question's)")
	f.StringVar(&q.style, "style", "", "comprehensive or concise (default: the preset's)")
	f.StringVar(&q.model, "model", "", "language model that thinks, as provider:model; none: think without one")
	f.StringVar(&q.worker, "worker-model", "", "language model of the researchers")
	f.StringVar(&q.judge, "judge-model", "", "language model that judges claims")
	f.StringVar(&q.embed, "embed-model", "", "model whose vectors help to rank passages")
	f.Float64Var(&q.budget, "budget", 0, "most dollars to spend (default: the preset's)")
	f.Int64Var(&q.tokens, "max-tokens", 0, "most tokens to spend")
	f.StringVar(&q.approve, "approve", "auto", "auto, or ask: the plan waits for you")
	f.BoolVar(&q.strict, "strict", false, "drop what is not supported from the report")
	f.BoolVar(&q.noVerify, "no-verify", false, "publish without checking; the report says so")
	f.BoolVar(&q.reuse, "reuse", false, "also use findings of earlier runs")
	f.StringVar(&q.via, "via", "", "let gemini, openai or perplexity research, as service or service:model, and check its report")
	f.StringVar(&q.thread, "thread", "", "ask as a follow-up to this run")
	f.StringVar(&q.out, "out", "", "folder for the run's files (default runs/ID)")
	f.BoolVar(&q.json, "json", false, "print events as JSON lines instead of the report")
	f.BoolVar(&q.quiet, "quiet", false, "no progress")
	return c
}

// research asks, works and publishes.
func (r *root) research(ctx context.Context, q asked, text string, changed func(string) bool) error {
	question, limits, err := r.question(q, text, changed)
	if err != nil {
		return err
	}
	p := newProgress(r, q.json, q.quiet)
	return r.with(ctx, p.show, func(a *app) error {
		if err := a.somewhere(ctx, &question); err != nil {
			return err
		}
		if err := a.opens(question.Models); err != nil {
			return err
		}
		if question.Models.Orchestrator == "" && p.live {
			if err := r.offer(ctx, r.io.err); err != nil {
				return err
			}
		}
		run := plumb.NewRun(strings.ToLower(ulid.Make().String()), question, limits)
		if q.thread != "" {
			before, err := a.turn(ctx, q.thread)
			if err != nil {
				return err
			}
			run.Follow(before)
		}
		if err := a.begin(ctx, run, q.out); err != nil {
			return err
		}
		return r.work(ctx, a, p, run.ID)
	})
}

// begin starts a run, and keeps which folder its files go to: out, or runs/ID.
func (a *app) begin(ctx context.Context, run *plumb.Run, out string) error {
	dir, err := outFolder(firstNonEmpty(out, filepath.Join("runs", run.ID)))
	if err != nil {
		return err
	}
	if err := a.engine.Start(ctx, run); err != nil {
		return err
	}
	return a.db.PutArtefact(ctx, run.ID, refOut, dir)
}

// turn finds the run that a follow-up question speaks of.
func (a *app) turn(ctx context.Context, name string) (*plumb.Run, error) {
	id, err := a.find(ctx, name)
	if err != nil {
		return nil, err
	}
	run, err := a.look(ctx, id)
	if err == nil && run.State() != plumb.Finished {
		err = usage("--thread %s: run %s is not done: finish it with plumb resume %s", name, id, id)
	}
	return run, err
}

// refOut is where a run remembers its folder.
const refOut = "out"

// outFolder makes a folder for the files of a run, and refuses one in which they would overwrite others.
func outFolder(path string) (string, error) {
	dir, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", usage("the run's folder %s can't be made (%v): name another with --out", path, cause(err))
	}
	if name := engine.Occupied(dir); name != "" {
		return "", usage("--out %s holds a %s that no run has written: name another folder", path, name)
	}
	return dir, nil
}

// question makes the question and its limits from flags and environment.
func (r *root) question(q asked, text string, changed func(string) bool) (plumb.Question, plumb.Limits, error) {
	none := plumb.Question{}
	text, err := questionText(text)
	if err != nil {
		return none, plumb.Limits{}, err
	}
	preset := firstNonEmpty(q.preset, r.config.Preset, "standard")
	limits, err := r.config.limits(preset)
	if err != nil {
		return none, limits, err
	}
	if err := q.check(); err != nil {
		return none, limits, err
	}
	if changed("budget") {
		limits.Caps.USD = q.budget
	}
	limits.Caps.Tokens = q.tokens
	limits.Check = !q.noVerify
	limits.Approve = q.approve == "ask"
	out := plumb.Question{Text: text, At: time.Now().UTC().Truncate(time.Second), Language: q.language, Mode: plumb.Mode(q.mode),
		Style: plumb.Style(q.style), Reuse: q.reuse, Strict: q.strict}
	if out.Style == "" {
		out.Style = limits.Style()
	}
	if out.Models, err = r.models(q); err != nil {
		return none, limits, err
	}
	if out.Models.Orchestrator != "" && (changed("budget") && q.budget == 0 || changed("max-tokens") && q.tokens == 0) {
		return none, limits, usage("--budget 0 and --max-tokens 0 leave nothing to spend: name an amount, or think without models with --model none")
	}
	out.Where.Since = q.since
	out.Where.Include, out.Where.Exclude = q.include, q.exclude
	for _, d := range q.docs {
		folder, err := documents("--docs ", d)
		if err != nil {
			return none, limits, err
		}
		out.Where.Folders = append(out.Where.Folders, folder)
	}
	out.Where.Folders = outermost(out.Where.Folders)
	return out, limits, r.where(q, preset, q.home || len(out.Where.Folders) > 0, &out.Where)
}

// questionText checks what was asked.
func questionText(text string) (string, error) {
	text = strings.TrimSpace(clean(text))
	if text == "" {
		return "", usage(`there is no question: plumb research --docs FOLDER "your question"`)
	}
	if n := utf8.RuneCountInString(text); n > plumb.MaxQuestion {
		return "", usage("the question has %d characters, at most %d are allowed", n, plumb.MaxQuestion)
	}
	return text, nil
}

// outermost leaves out folders that are named twice or stand inside others: a document has one address in a run.
func outermost(folders []string) []string {
	var out []string
	for i, f := range folders {
		inside := func(other string) bool {
			return strings.HasPrefix(f, strings.TrimSuffix(other, string(filepath.Separator))+string(filepath.Separator))
		}
		if !slices.Contains(folders[:i], f) && !slices.ContainsFunc(folders, func(o string) bool { return o != f && inside(o) }) {
			out = append(out, f)
		}
	}
	return out
}

// clean takes out what is no text: bytes that are not UTF-8, and control characters, tabs and line breaks aside.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
}

// check refuses values that mean nothing.
func (q asked) check() error {
	for _, v := range []struct{ flag, value, allowed string }{
		{"--scheduling", q.mode, "react, parallel, sequential, hybrid"},
		{"--style", q.style, "comprehensive, concise"},
		{"--approve", q.approve, "auto, ask"},
	} {
		if v.value != "" && !slices.Contains(strings.Split(v.allowed, ", "), v.value) {
			return usage("%s %q is unknown: use %s", v.flag, v.value, v.allowed)
		}
	}
	if q.since != "" && !isDate(q.since) {
		return usage("--since %q is not a date: use 2024, 2024-03 or 2024-03-12", q.since)
	}
	if q.language != "" && len(q.language) != 2 {
		return usage("--language %q is not a two-letter code: use en, de, fr …", q.language)
	}
	if !(q.budget >= 0) || q.tokens < 0 { // NaN is neither
		return usage("--budget and --max-tokens can't be negative")
	}
	return nil
}

func isDate(s string) bool {
	for _, layout := range []string{"2006", "2006-01", "2006-01-02"} {
		if _, err := time.Parse(layout, s); err == nil {
			return true
		}
	}
	return false
}

// documents checks a folder or file of documents before anything is begun. flag is what named it, with a blank.
func documents(flag, path string) (string, error) {
	st, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", usage("%s%s is not there: name a folder or file of documents", flag, path)
	case err != nil:
		return "", usage("%s%s can't be read: %v", flag, path, cause(err))
	case !st.IsDir() && !st.Mode().IsRegular(): // opening a named pipe would wait for its writer
		return "", usage("%s%s is neither a file nor a folder", flag, path)
	}
	f, err := os.Open(path)
	if err != nil {
		return "", usage("%s%s can't be read: %v", flag, path, cause(err))
	}
	if err := f.Close(); err != nil {
		return "", err
	}
	return library.Folder(path)
}

// cause is what the system says, without the path that the caller names anyway.
func cause(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// somewhere makes sure that there is anything to search.
func (a *app) somewhere(ctx context.Context, q *plumb.Question) error {
	if len(q.Where.Folders) > 0 {
		return nil
	}
	folders, err := a.library.Folders(ctx)
	if err != nil {
		return err
	}
	q.Where.Library = len(folders) > 0
	if !q.Where.Library && len(q.Where.Search)+len(q.Where.Papers) == 0 {
		return usage("there is nothing to search: name your documents with --docs FOLDER, or let the web be searched with --search auto")
	}
	return nil
}

func firstNonEmpty(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}

// work drives a run to its end or to a wait, asks the person where one is there, and writes the run's folder.
func (r *root) work(ctx context.Context, a *app, p *progress, id string) error {
	defer p.rest()
	for {
		run, err := a.engine.Work(ctx, id)
		if err != nil {
			return r.interrupted(ctx, id, err)
		}
		if run.State() == plumb.Waiting && p.interactive() {
			s, err := p.ask(ctx, a, run)
			if err != nil {
				return err
			}
			if err := a.engine.Send(ctx, id, s); err != nil {
				return err
			}
			p.answered()
			continue
		}
		return r.present(ctx, a, p, run)
	}
}

// interrupted says how to go on, whatever stopped the work.
func (r *root) interrupted(ctx context.Context, id string, err error) error {
	if errors.Is(context.Cause(ctx), errInterrupted) {
		return exit{exitInterrupted, fmt.Sprintf("interrupted. Go on with: plumb resume %s", id)}
	}
	if errors.Is(context.Cause(ctx), errUnread) {
		return exit{exitFailed, fmt.Sprintf("%v. Go on with: plumb resume %s", context.Cause(ctx), id)}
	}
	if errors.Is(err, engine.ErrNotOwner) {
		return exit{exitFailed, fmt.Sprintf("run %s is being worked on by another process: wait for it, or follow it with plumb show --follow %s", id, id)}
	}
	return exit{exitFailed, fmt.Sprintf("%v. Go on with: plumb resume %s", err, id)}
}

// present writes the run's folder, prints the report and says where everything is.
func (r *root) present(ctx context.Context, a *app, p *progress, run *plumb.Run) error {
	var dir string
	if err := a.db.Artefact(ctx, run.ID, refOut, &dir); err != nil && !errors.Is(err, engine.ErrNotFound) {
		return err
	}
	if dir == "" { // the process died between starting the run and keeping its folder
		var err error
		if dir, err = outFolder(filepath.Join("runs", run.ID)); err != nil {
			return err
		}
	}
	if err := engine.WriteFolder(ctx, a.db, run, dir); err != nil {
		if ctx.Err() != nil {
			return r.interrupted(ctx, run.ID, err)
		}
		return exit{exitFailed, fmt.Sprintf("%v. The run itself is safe; write its files again with: plumb resume %s", err, run.ID)}
	}
	if run.State() == plumb.Finished {
		md, err := engine.Markdown(ctx, a.db, run.ID)
		if err != nil {
			return err
		}
		p.report(md)
	}
	bill, err := a.db.LedgerRows(ctx, run.ID)
	if err != nil {
		return err
	}
	p.end(run, dir, bill)
	if err := p.lost(); err != nil {
		return fmt.Errorf("%w; the run's files are in %s", err, dir)
	}
	return exitOfState(run)
}
