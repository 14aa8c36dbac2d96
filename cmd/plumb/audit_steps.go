package main

// The four steps of an audit as commands of their own: files in, files out, the same bytes for the same input.

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/engine"
	"github.com/plumbresearch/plumb/library"
	"github.com/plumbresearch/plumb/report"
	"github.com/plumbresearch/plumb/verify"
)

// output is where a step's file goes, and the time that stands in it.
type output struct{ file, at string }

func (o *output) flags(c *cobra.Command) {
	c.Flags().StringVarP(&o.file, "output", "o", "", "write to this file (default: standard output)")
	c.Flags().StringVar(&o.at, "at", "", "time to put into the file, as 2026-01-22T10:30:00Z (default: that of the input)")
}

// time is --at, or when the input was last changed.
func (o output) time(input string) (time.Time, error) {
	if o.at == "" {
		st, err := os.Stat(input)
		if err != nil {
			return time.Time{}, usage("%s can't be read: %v", input, cause(err))
		}
		return st.ModTime().UTC(), nil
	}
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if t, err := time.Parse(layout, o.at); err == nil {
			return t.UTC(), nil
		}
	}
	return time.Time{}, usage("--at %q is no time: use 2026-01-22T10:30:00Z or 2026-01-22", o.at)
}

// write replaces the file as a whole, or prints.
func (o output) write(r *root, data []byte) error {
	if o.file == "" {
		_, err := r.io.out.Write(data)
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(o.file), ".part-*")
	if err != nil {
		return usage("-o %s can't be written (%v): name another file", o.file, cause(err))
	}
	_, err = tmp.Write(data)
	if err = errors.Join(err, tmp.Chmod(0o644), tmp.Close()); err == nil {
		err = os.Rename(tmp.Name(), o.file)
	}
	if err != nil {
		return errors.Join(usage("-o %s can't be written (%v): name another file", o.file, cause(err)), os.Remove(tmp.Name()))
	}
	return nil
}

// marshalled writes one of the documents of a check.
func marshalled[F verify.CitationsFile | verify.ClaimsFile | verify.VerificationFile](r *root, o output, f F) error {
	b, err := verify.Marshal(f)
	if err != nil {
		return err
	}
	return o.write(r, b)
}

func (r *root) citationsCommand() *cobra.Command {
	var o output
	c := &cobra.Command{
		Use:     "citations REPORT",
		Short:   "List every citation of a report, as citations.json",
		Example: "  plumb citations report.md\n  plumb citations -o citations.json report.md",
		Args:    exactly(1, "one report"),
		RunE: func(cmd *cobra.Command, args []string) error {
			draft, at, err := r.input(cmd.Context(), o, args[0])
			if err != nil {
				return err
			}
			return marshalled(r, o, verify.NewCitationsFile(filepath.Base(args[0]), verify.Mentions(draft), verify.Cited(draft), at))
		},
	}
	o.flags(c)
	return c
}

func (r *root) claimsCommand() *cobra.Command {
	var o output
	c := &cobra.Command{
		Use:     "claims REPORT",
		Short:   "Split a report into claims, as claims.json",
		Example: "  plumb claims report.md\n  plumb claims -o claims.json report.md",
		Args:    exactly(1, "one report"),
		RunE: func(cmd *cobra.Command, args []string) error {
			draft, at, err := r.input(cmd.Context(), o, args[0])
			if err != nil {
				return err
			}
			f := verify.NewClaimsFile(verify.Split(draft), at)
			f.SourceFile = filepath.Base(args[0])
			return marshalled(r, o, f)
		},
	}
	o.flags(c)
	return c
}

// input reads the report of a step and the time that its file will say.
func (r *root) input(ctx context.Context, o output, path string) (string, time.Time, error) {
	draft, err := r.readReport(ctx, path)
	if err != nil {
		return "", time.Time{}, err
	}
	at, err := o.time(path)
	return draft, at, err
}

func (r *root) verifyCommand() *cobra.Command {
	var o output
	var q audits
	c := &cobra.Command{
		Use:   "verify claims.json",
		Short: "Check claims against the sources they cite, as verification.json",
		Long: `Verify checks the claims of a claims.json by rules; plumb audit also asks a language model, if one is named.
Sources are looked for beside claims.json or in --sources, in --docs, then on the web, unless --offline. With -o, what was
fetched is kept beside the file (sources.jsonl, sources/), so that checking again fetches nothing.`,
		Example: `  plumb verify --offline runs/01k9/claims.json
  plumb verify --sources runs/01k9 -o verification.json claims.json`,
		Args: exactly(1, "one claims.json"),
		RunE: func(cmd *cobra.Command, args []string) error { return r.verify(cmd.Context(), q, o, args[0]) },
	}
	o.flags(c)
	c.Flags().StringVar(&q.sources, "sources", "", "folder of a run whose stored sources are used first (default: that of claims.json)")
	c.Flags().StringArrayVar(&q.docs, "docs", nil, "folder or file of your documents (repeatable)")
	c.Flags().BoolVar(&q.offline, "offline", false, "fetch nothing from the web")
	c.Flags().Float64Var(&q.failUnder, "fail-under", 0, "exit with 5 when a smaller share of the claims is supported (0 to 1)")
	return c
}

func (r *root) verify(ctx context.Context, q audits, o output, path string) error {
	claims, err := readClaims(path)
	if err != nil {
		return err
	}
	if err := checkShare(q.failUnder); err != nil {
		return err
	}
	at, err := o.time(path)
	if err != nil {
		return err
	}
	dir := filepath.Dir(path)
	if q.sources == "" {
		if _, err := os.Stat(filepath.Join(dir, "sources.jsonl")); err == nil {
			q.sources = dir
		}
	}
	with, err := storedSources("--sources ", q.sources)
	if err != nil {
		return err
	}
	return r.with(ctx, nil, func(a *app) error {
		k, err := a.keeper(ctx, q, with)
		if err != nil {
			return err
		}
		verdicts, err := verify.NewChecker(k, nil).Check(ctx, claims, nil)
		if err != nil {
			return err
		}
		if o.file != "" && len(k.fetched) > 0 {
			if err := engine.AddSources(filepath.Dir(o.file), k.fetched); err != nil {
				return usage("what was fetched can't be kept beside -o %s: %v", o.file, err)
			}
		}
		f := verify.NewVerificationFile(verdicts, at)
		f.ClaimsFile = filepath.Base(path)
		if err := marshalled(r, o, f); err != nil {
			return err
		}
		return below(verdicts, q.failUnder)
	})
}

// readClaims reads a claims.json.
func readClaims(path string) ([]plumb.Claim, error) {
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, usage("%s is not there: make it with plumb claims -o claims.json REPORT", path)
	}
	if err != nil {
		return nil, usage("%s can't be read: %v", path, cause(err))
	}
	var f struct {
		verify.ClaimsFile
		Claims *[]plumb.Claim `json:"claims"`
	}
	if err := json.Unmarshal(b, &f); err != nil || f.Claims == nil {
		return nil, usage("%s is no claims.json: make one with plumb claims -o claims.json REPORT", path)
	}
	return *f.Claims, nil
}

// keeper finds sources and remembers those that were fetched.
type keeper struct {
	engine.Finder
	near    []string // hashes that were here before
	mu      sync.Mutex
	fetched []engine.Stored
}

// keeper knows the sources that came with claims, the documents and, unless it shall not, the web.
func (a *app) keeper(ctx context.Context, q audits, with []engine.Stored) (*keeper, error) {
	texts := map[string]string{}
	k := &keeper{}
	for _, s := range with {
		k.Given, texts[s.Hash] = append(k.Given, s.Source), s.Text
	}
	k.Text = func(ctx context.Context, hash string) (string, error) {
		if t, ok := texts[hash]; ok {
			return t, nil
		}
		return a.db.Text(ctx, hash)
	}
	if !q.offline {
		k.Outside = a.world
	}
	for _, d := range q.docs {
		folder, err := documents("--docs ", d)
		if err != nil {
			return nil, err
		}
		if _, err := a.library.Add(ctx, folder, library.AddOptions{}); err != nil {
			return nil, err
		}
		docs, err := engine.Documents(ctx, a.library, []string{folder})
		if err != nil {
			return nil, err
		}
		k.Documents = append(k.Documents, docs...)
	}
	for _, s := range slices.Concat(k.Given, k.Documents) {
		k.near = append(k.near, s.Hash)
	}
	return k, nil
}

// Source finds a source, and keeps it when it came from elsewhere.
func (k *keeper) Source(ctx context.Context, url string) (plumb.Source, string, error) {
	s, text, err := k.Finder.Source(ctx, url)
	if err == nil && !slices.Contains(k.near, s.Hash) {
		k.mu.Lock()
		defer k.mu.Unlock()
		k.fetched = append(k.fetched, engine.Stored{Source: s, Text: text})
	}
	return s, text, err
}

func (r *root) compileCommand() *cobra.Command {
	var o output
	var page, strict bool
	var share float64
	c := &cobra.Command{
		Use:   "compile RUNDIR",
		Short: "Compile the files of a run into the checked report",
		Long: `Compile merges report.md, citations.json, claims.json and verification.json of a folder, with the sources that are
there, into the report with every verdict in its place. Of the folder of a run it makes final.md and final.html again.`,
		Example: `  plumb compile runs/01k9
  plumb compile -o final.html runs/01k9`,
		Args: exactly(1, "the folder of a run"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkShare(share); err != nil {
				return err
			}
			rep, err := compiled(args[0], o)
			if err != nil {
				return err
			}
			rep.Question.Strict = rep.Question.Strict || strict
			if err := r.compile(rep, o, page || strings.EqualFold(filepath.Ext(o.file), ".html")); err != nil {
				return err
			}
			return below(rep.Verdicts, share)
		},
	}
	o.flags(c)
	c.Flags().BoolVar(&page, "html", false, "the page instead of Markdown (as -o FILE.html)")
	c.Flags().BoolVar(&strict, "strict", false, "drop what is not supported")
	c.Flags().Float64Var(&share, "fail-under", 0, "exit with 5 when a smaller share of the claims is supported (0 to 1)")
	return c
}

// compiled reads a folder to be compiled.
func compiled(dir string, o output) (report.Report, error) {
	var at time.Time
	var err error
	if o.at != "" {
		if at, err = o.time(""); err != nil {
			return report.Report{}, err
		}
	}
	rep, err := engine.ReadFolder(dir, at)
	if errors.Is(err, fs.ErrNotExist) {
		return rep, usage("%s is no folder to compile (%v): it needs report.md and claims.json, see plumb claims --help", dir, missing(err))
	}
	if err != nil {
		return rep, usage("%s: %v", dir, err)
	}
	if rep.Generated.IsZero() {
		rep.Generated, err = o.time(filepath.Join(dir, "claims.json"))
	}
	return rep, err
}

// missing names the file that is not there, without the folder that the caller names anyway.
func missing(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return fmt.Errorf("no %s", filepath.Base(p.Path))
	}
	return err
}

func (r *root) compile(rep report.Report, o output, page bool) error {
	if page {
		b, err := report.HTML(rep)
		if err != nil {
			return usage("%v", err)
		}
		return o.write(r, append([]byte(strings.TrimRight(string(b), "\n")), '\n'))
	}
	md, err := report.Compile(rep)
	if err != nil {
		return usage("%v", err)
	}
	return o.write(r, []byte(strings.TrimRight(md, "\n")+"\n"))
}
