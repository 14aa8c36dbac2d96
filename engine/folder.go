package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/library"
	"github.com/plumbresearch/plumb/verify"
)

// Shelf is the part of a store from which a run's folder is written.
type Shelf interface {
	Contents
	Ledger
	EventLog
}

// Usage is what usage.json says: the bill, and the rows it is the sum of.
type Usage struct {
	Run    string            `json:"run"`
	USD    float64           `json:"cost_usd"`
	Tokens int64             `json:"total_tokens"`
	Calls  int               `json:"calls"`
	Rows   []plumb.LedgerRow `json:"rows"`
}

// WriteFolder writes what there is of a run into dir, as DESIGN lists it; docs/files.md has the schemas. It may be
// called at any time and again: each file is replaced as a whole.
func WriteFolder(ctx context.Context, s Shelf, run *plumb.Run, dir string) error {
	w := &folder{ctx: ctx, s: s, run: run, dir: dir, written: map[string]bool{}}
	if err := os.MkdirAll(filepath.Join(dir, "sources"), 0o755); err != nil {
		return fmt.Errorf("run folder: %w", err)
	}
	for _, f := range []func() error{w.question, w.sources, w.findings, w.draft, w.checked, w.final, w.usage, w.sweep, w.events} {
		if err := f(); err != nil {
			return fmt.Errorf("run folder %s: %w", dir, err)
		}
	}
	return nil
}

type folder struct {
	ctx context.Context
	s   Shelf
	run *plumb.Run
	dir string

	written map[string]bool
}

// files are the names that WriteFolder may write, sources aside.
var files = []string{"prompt.txt", "brief.json", "plan.json", "sources.jsonl", "findings.jsonl", "report.md", "citations.json",
	"claims.json", "verification.json", refMarkdown, refHTML, refAbout, "usage.json", "events.jsonl"}

// Occupied names a file in dir that WriteFolder would overwrite although no run has written it; "" if there is none.
func Occupied(dir string) string {
	if library.RunFolder(dir) {
		return ""
	}
	for _, name := range files {
		if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
			return name
		}
	}
	return ""
}

var sourceText = regexp.MustCompile(`^[0-9a-f]{64}\.txt$`)

// sweep removes what an earlier run had written into the folder and this one has not.
func (w *folder) sweep() error {
	var stale []string
	for _, name := range files[:len(files)-1] { // events.jsonl, which marks the folder as a run's, is written last
		if !w.written[name] {
			stale = append(stale, name)
		}
	}
	texts, err := os.ReadDir(filepath.Join(w.dir, "sources"))
	if err != nil {
		return err
	}
	for _, t := range texts {
		if name := filepath.Join("sources", t.Name()); sourceText.MatchString(t.Name()) && !w.written[name] {
			stale = append(stale, name)
		}
	}
	for _, name := range stale {
		if err := os.Remove(filepath.Join(w.dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// put replaces a file, so that a reader or a crash never sees half of it.
func (w *folder) put(name string, data []byte) error {
	path := filepath.Join(w.dir, name)
	w.written[name] = true
	tmp, err := os.CreateTemp(filepath.Dir(path), ".part-*")
	if err != nil {
		return err
	}
	_, err = tmp.Write(data)
	if err = errors.Join(err, tmp.Chmod(0o644), tmp.Close()); err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(tmp.Name()))
	}
	return nil
}

func (w *folder) putJSON(name string, v any) error {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return w.put(name, append(b, '\n'))
}

// putLines writes JSON lines.
func putLines[T any](w *folder, name string, rows []T) error {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	for _, r := range rows {
		if err := enc.Encode(r); err != nil {
			return err
		}
	}
	return w.put(name, buf.Bytes())
}

// artefact fills v and reports whether it is there.
func (w *folder) artefact(ref string, v any) (bool, error) {
	if ref == "" {
		return false, nil
	}
	err := w.s.Artefact(w.ctx, w.run.ID, ref, v)
	if errors.Is(err, ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

func (w *folder) question() error {
	if err := w.put("prompt.txt", []byte(w.run.Asked.Text+"\n")); err != nil {
		return err
	}
	var b plumb.Brief
	if ok, err := w.artefact(w.run.Refs.Brief, &b); err != nil {
		return err
	} else if ok {
		if err := w.putJSON("brief.json", b); err != nil {
			return err
		}
	}
	var p plumb.Plan
	if ok, err := w.artefact(w.run.Refs.Plan, &p); err != nil || !ok {
		return err
	}
	return w.putJSON("plan.json", p)
}

func (w *folder) sources() error {
	sources, err := w.s.Sources(w.ctx, w.run.ID)
	if err != nil {
		return err
	}
	for _, s := range sources {
		text, err := w.s.Text(w.ctx, s.Hash)
		if err != nil {
			return err
		}
		if err := w.put(filepath.Join("sources", s.Hash+".txt"), []byte(text)); err != nil {
			return err
		}
	}
	return putLines(w, "sources.jsonl", sources)
}

func (w *folder) findings() error {
	fs, err := w.s.Findings(w.ctx, w.run.ID)
	if err != nil {
		return err
	}
	return putLines(w, "findings.jsonl", fs)
}

func (w *folder) draft() error {
	var draft string
	if ok, err := w.artefact(w.run.Refs.Draft, &draft); err != nil || !ok {
		return err
	}
	return w.put("report.md", []byte(draft))
}

// checked writes the three files of the check, from the times at which it was made.
func (w *folder) checked() error {
	var at times
	if ok, err := w.artefact(refTimes, &at); err != nil || !ok {
		return err
	}
	var ms []plumb.Mention
	if _, err := w.artefact(refMentions, &ms); err != nil {
		return err
	}
	cs, err := w.s.Citations(w.ctx, w.run.ID)
	if err != nil {
		return err
	}
	claims, err := w.s.Claims(w.ctx, w.run.ID)
	if err != nil {
		return err
	}
	verdicts, err := w.s.Verdicts(w.ctx, w.run.ID)
	if err != nil {
		return err
	}
	err = putFile(w, "citations.json", verify.NewCitationsFile("report.md", ms, cs, at.Generated))
	if err == nil {
		err = putFile(w, "claims.json", verify.NewClaimsFile(claims, at.Generated))
	}
	if err == nil && !at.Checked.IsZero() {
		err = putFile(w, "verification.json", verify.NewVerificationFile(verdicts, at.Checked))
	}
	return err
}

func putFile[F verify.CitationsFile | verify.ClaimsFile | verify.VerificationFile](w *folder, name string, f F) error {
	b, err := verify.Marshal(f)
	if err != nil {
		return err
	}
	return w.put(name, b)
}

func (w *folder) final() error {
	for _, ref := range []string{refMarkdown, refHTML} {
		var text string
		ok, err := w.artefact(ref, &text)
		if err == nil && ok {
			err = w.put(ref, []byte(strings.TrimRight(text, "\n")+"\n"))
		}
		if err != nil {
			return err
		}
	}
	var a About
	if ok, err := w.artefact(refAbout, &a); err != nil || !ok {
		return err
	}
	return w.putJSON(refAbout, a)
}

func (w *folder) usage() error {
	rows, err := w.s.LedgerRows(w.ctx, w.run.ID)
	if err != nil {
		return err
	}
	sum, err := w.s.Spent(w.ctx, w.run.ID)
	if err != nil {
		return err
	}
	if rows == nil {
		rows = []plumb.LedgerRow{}
	}
	return w.putJSON("usage.json", Usage{Run: w.run.ID, USD: sum.USD, Tokens: sum.Tokens, Calls: len(rows), Rows: rows})
}

func (w *folder) events() error {
	events, err := w.s.Events(w.ctx, w.run.ID, 0, 0)
	if err != nil {
		return err
	}
	return putLines(w, "events.jsonl", events)
}

// Markdown gives a run's published report, or ErrNotFound.
func Markdown(ctx context.Context, s Artefacts, run string) (string, error) {
	var md string
	err := s.Artefact(ctx, run, refMarkdown, &md)
	return md, err
}

// Page gives a run's published report as one HTML file, or ErrNotFound.
func Page(ctx context.Context, s Artefacts, run string) (string, error) {
	var page string
	err := s.Artefact(ctx, run, refHTML, &page)
	return page, err
}
