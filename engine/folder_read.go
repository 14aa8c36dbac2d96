package engine

// A run's folder read back: its sources, for an audit or a check, and all that its report is compiled from.

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/link"
	"github.com/plumbresearch/plumb/report"
	"github.com/plumbresearch/plumb/verify"
)

// About is run.json: what a report says of its run beside what stands in the other files.
type About struct {
	Run       string         `json:"run"`
	Kind      plumb.Kind     `json:"kind"`
	Question  plumb.Question `json:"question"` // without the folders of this machine
	Limits    plumb.Limits   `json:"limits"`
	Standing  plumb.Standing `json:"standing"`
	Thinking  []string       `json:"thinking"`
	Findings  int            `json:"findings"`
	Hosts     []string       `json:"hosts"`
	Spent     plumb.Spent    `json:"spent"`
	Unpriced  []string       `json:"unpriced,omitempty"`
	Notes     []string       `json:"notes,omitempty"`
	Generated time.Time      `json:"generated_at"`
	Checked   time.Time      `json:"checked_at,omitzero"`
}

func aboutOf(r report.Report) About {
	a := About{Run: r.Run, Kind: r.Kind, Question: r.Question, Limits: r.Limits, Standing: r.Standing, Thinking: r.Thinking, Findings: r.Findings,
		Hosts: r.Hosts, Spent: r.Spent, Unpriced: r.Unpriced, Notes: r.Notes, Generated: r.Generated, Checked: r.Checked}
	a.Question.Where.Folders = nil
	return a
}

func (a About) report() report.Report {
	return report.Report{Run: a.Run, Kind: a.Kind, Question: a.Question, Limits: a.Limits, Standing: a.Standing, Thinking: a.Thinking, Findings: a.Findings,
		Hosts: a.Hosts, Spent: a.Spent, Unpriced: a.Unpriced, Notes: a.Notes, Generated: a.Generated, Checked: a.Checked}
}

// ReadSources reads the sources of a run's folder with their texts. A text that is not what its name says is refused.
func ReadSources(dir string) ([]Stored, error) {
	b, err := os.ReadFile(filepath.Join(dir, "sources.jsonl"))
	if err != nil {
		return nil, err
	}
	var out []Stored
	for dec := json.NewDecoder(bytes.NewReader(b)); ; {
		var s Stored
		err := dec.Decode(&s.Source)
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, fmt.Errorf("sources.jsonl, line %d: %w", len(out)+1, err)
		}
		name := filepath.Join("sources", s.Hash+".txt")
		if !sourceText.MatchString(filepath.Base(name)) {
			return nil, fmt.Errorf("sources.jsonl, line %d: %q is no hash of a text", len(out)+1, s.Hash)
		}
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		if sum := sha256.Sum256(text); hex.EncodeToString(sum[:]) != s.Hash {
			return nil, fmt.Errorf("%s was changed: its name is not the hash of its text", name)
		}
		s.Text = string(text)
		out = append(out, s)
	}
}

// AddSources adds sources to those of a folder, and makes it if need be.
func AddSources(dir string, fresh []Stored) error {
	known, err := ReadSources(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.MkdirAll(filepath.Join(dir, "sources"), 0o755); err != nil {
		return err
	}
	w := &folder{dir: dir, written: map[string]bool{}}
	all := append(known, fresh...)
	slices.SortStableFunc(all, func(a, b Stored) int { return strings.Compare(a.URL, b.URL) })
	var rows []plumb.Source
	for _, s := range all {
		if slices.ContainsFunc(rows, func(r plumb.Source) bool { return r.URL == s.URL && r.Hash == s.Hash }) {
			continue
		}
		if err := w.put(filepath.Join("sources", s.Hash+".txt"), []byte(s.Text)); err != nil {
			return err
		}
		rows = append(rows, s.Source)
	}
	return putLines(w, "sources.jsonl", rows)
}

// ReadFolder reads what the report of a run's folder is compiled from. A folder that no run has written needs report.md and
// claims.json; without verification.json its claims are unchecked. A zero at: the time is the run's, or that of the files.
func ReadFolder(dir string, at time.Time) (report.Report, error) {
	var a About
	if found, err := readInto(dir, "run.json", &a); err != nil {
		return report.Report{}, err
	} else if !found {
		a.Kind, a.Limits.Check = plumb.Audit, true
	}
	r := a.report()
	r.Texts = map[string]string{}
	draft, err := os.ReadFile(filepath.Join(dir, "report.md"))
	if err != nil {
		return r, err
	}
	r.Draft = string(draft)
	if _, err := readInto(dir, "brief.json", &r.Brief); err != nil {
		return r, err
	}
	if err := readChecked(dir, &r); err != nil {
		return r, err
	}
	sources, err := ReadSources(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return r, err
	}
	for _, s := range sources {
		r.Sources, r.Texts[s.Hash] = append(r.Sources, s.Source), s.Text
	}
	name(r.Citations, r.Sources, r.Verdicts)
	if !at.IsZero() {
		r.Generated = at
	}
	if r.Generated.IsZero() {
		r.Generated = r.Checked
	}
	return r, nil
}

// readChecked reads the three files of the check.
func readChecked(dir string, r *report.Report) error {
	var cites verify.CitationsFile
	if _, err := readInto(dir, "citations.json", &cites); err != nil {
		return err
	}
	if r.Citations = cites.Sources; len(r.Citations) == 0 {
		r.Citations = verify.Cited(r.Draft)
	}
	var claims verify.ClaimsFile
	if found, err := readInto(dir, "claims.json", &claims); err != nil {
		return err
	} else if !found {
		return fmt.Errorf("claims.json: %w", fs.ErrNotExist)
	}
	r.Claims = claims.Claims
	for _, c := range r.Claims {
		if c.Start < 0 || c.Start > c.End || c.End > len(r.Draft) {
			return fmt.Errorf("claims.json: %s does not stand in report.md: split it again with plumb claims", c.ID)
		}
	}
	var v verify.VerificationFile
	found, err := readInto(dir, "verification.json", &v)
	if err != nil {
		return err
	}
	if r.Limits.Check = found && r.Limits.Check; r.Limits.Check {
		r.Verdicts, r.Checked = v.Results, v.VerifiedAt
	}
	return nil
}

// name puts what was read of sources into citations that do not have it yet.
func name(cs []plumb.Citation, sources []plumb.Source, verdicts []plumb.Verdict) {
	rows := audited{readings: map[string]reading{}}
	for _, s := range slices.Backward(sources) {
		rows.readings[link.Identity(s.URL)] = reading{Source: s}
	}
	byHash := map[string]plumb.Source{}
	for _, s := range sources {
		byHash[s.Hash] = s
	}
	for _, v := range verdicts { // under the address that was cited, which may not be the source's own
		for _, one := range append([]plumb.Verdict{v}, v.Others...) {
			if s, ok := byHash[one.Source]; ok {
				rows.readings[link.Identity(one.URL)] = reading{Source: s}
			}
		}
	}
	for i := range cs {
		if cs[i].Source == "" {
			rows.fill(cs[i : i+1])
		}
	}
}

// readInto reads a JSON file of a folder and reports whether it is there.
func readInto(dir, file string, v any) (bool, error) {
	b, err := os.ReadFile(filepath.Join(dir, file))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err == nil {
		if err = json.Unmarshal(b, v); err != nil {
			err = fmt.Errorf("%s: %w", file, err)
		}
	}
	return err == nil, err
}
