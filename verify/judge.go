// The embedded judge: a small model in the binary that decides from features how
// likely it is that a page supports a claim.

package verify

import (
	"cmp"
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
	s := w.Support(p.look(f.said, f.asked, f.windows, f.doubts, w.Lexicon).measure())
	return Judgement{Supported: s, Neither: 1 - s}
}

// even is the support from which on it is likelier than not that a page says a
// claim, where half of the claims are said.
const even = 0.5

// weigh lets the embedded judge decide what rules left open.
func weigh(ctx context.Context, judge Judge, f finding, p *page) finding {
	if e, ok := judge.(Embedded); ok {
		return f.weighed(e.read(f, p).normal(), e.weights().Keep, e.weights().Lift)
	}
	j, err := judge.Judge(ctx, f.said.text, f.passages)
	if err != nil {
		return f
	}
	return f.weighed(j.normal(), decisive, decisive)
}

// weighed is a finding after the embedded judge spoke: what rules call supported
// stays so from a support of keep on, what they leave open becomes so from lift on, which is
// more. Nothing that a doubt speaks against is supported, and nothing is contradicted for lack
// of support. The score is the probability that the verdict is right: the support, or what is
// left of 1 where the verdict is not supported.
func (f finding) weighed(j Judgement, keep, lift float64) finding {
	s := j.Supported
	least := lift
	if f.status == plumb.Supported {
		least = keep
	}
	switch {
	case s >= least && f.doubt == "":
		reason := "a passage says this in other words"
		if f.status == plumb.Supported {
			reason = f.reason
		}
		f.span = f.near
		return f.is(plumb.Supported, s, reason)
	case f.status == plumb.Supported:
		return f.is(plumb.Partial, 1-s, cmp.Or(f.doubt, "a passage has most of its words, but may not say this"))
	case f.status == plumb.Partial:
		return f.is(plumb.Partial, 1-s, f.reason)
	case s >= even && len(f.passages) > 0:
		f.span = f.near
		return f.is(plumb.Partial, 1-s, cmp.Or(f.doubt, "a passage may say this, in other words"))
	}
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
	return p.look(s, q, ws, p.doubts(s, ws), lexicon).measure()
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
