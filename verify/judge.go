// The embedded judge: a small model in the binary that decides from features how
// likely it is that a page supports a claim.

package verify

import (
	"context"
	"strings"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/text"
)

// Embedded judges claims without asking anyone. The zero value has the model
// that ships with the program. It never says contradicted: words and numbers in
// common do not show that.
type Embedded struct {
	Weights *Weights // nil: those in the binary
}

var _ Judge = Embedded{}

func (e Embedded) weights() *Weights {
	if e.Weights == nil {
		return standard()
	}
	return e.Weights
}

// Judge takes the passages for the whole source. A Checker shows it the page.
func (e Embedded) Judge(_ context.Context, claim string, passages []string) (Judgement, error) {
	p := newPage(plumb.Source{}, strings.Join(passages, "\n\n"))
	return e.read(judgePage(claim, p), p), nil
}

// read judges what rules found of a claim in a page.
func (e Embedded) read(f finding, p *page) Judgement {
	w := e.weights()
	if f.windows == nil {
		return Judgement{Supported: truth(f.status == plumb.Supported), Neither: truth(f.status != plumb.Supported), Reason: f.reason}
	}
	s := w.Support(p.look(f.said, f.asked, f.windows, w.Lexicon).measure())
	return Judgement{Supported: s, Neither: 1 - s}
}

// Support from which on a claim is supported or at least partly, and beyond which
// no other judge is asked. The outer two are chosen by eye: how often they are right was not measured.
const (
	mayBe    = 0.25
	sureYes  = 0.93
	sureNo   = 0.04
	leastNot = 0.51 // a claim that something speaks against is not half supported
)

// weigh lets the embedded judge decide what rules left open.
func weigh(ctx context.Context, judge Judge, f finding, p *page) finding {
	var j Judgement
	if e, ok := judge.(Embedded); ok {
		j = e.read(f, p)
	} else {
		var err error
		if j, err = judge.Judge(ctx, f.said.text, f.passages); err != nil {
			return f
		}
	}
	return f.weighed(j.normal())
}

// weighed is a finding after the embedded judge spoke. What it does not find
// supported is never contradicted for that.
func (f finding) weighed(j Judgement) finding {
	s := j.Supported
	switch {
	case s >= decisive && f.doubt != "":
		f.span = f.near
		return f.is(plumb.Partial, max(leastNot, 1-s), f.doubt)
	case s >= decisive:
		reason := "a passage says this in other words"
		if f.status == plumb.Supported {
			reason = f.reason
		}
		f.span, f.open = f.near, s < sureYes
		return f.is(plumb.Supported, s, reason)
	case f.status == plumb.Supported:
		return f.is(plumb.Partial, 1-s, "a passage has most of its words, but may not say this")
	case f.status == plumb.Partial:
		return f.is(plumb.Partial, 1-s, f.reason)
	case s >= mayBe && len(f.passages) > 0:
		f.span = f.near
		return f.is(plumb.Partial, 1-s, "a passage may say this, in other words")
	}
	f.open = s > sureNo
	return f.is(plumb.NotFound, 1-s, f.reason)
}

// Measure gives the features of a claim beside a source, nil when they share no
// word.
func Measure(claim, source string, lexicon []byte) []float64 {
	p := newPage(plumb.Source{}, source)
	claim = bare(claim)
	s := statement{claim, text.Quantities(claim)}
	q := p.query(claim)
	ws := p.windows(s, q)
	if len(ws) == 0 {
		return nil
	}
	return p.look(s, q, ws, lexicon).measure()
}

// Feature describes a feature to whoever trains.
type Feature struct {
	Name, Group string
	Sign        int // +1: support only grows with it, -1: only falls
}

// Features lists what Measure gives.
func Features() []Feature {
	out := make([]Feature, len(features))
	for i, f := range features {
		out[i] = Feature{f.name, f.group, f.sign}
	}
	return out
}

// Lexicon makes the table of how many of n texts have each stem.
func Lexicon(df map[string]int, n int) []byte { return newLexicon(df, n) }
