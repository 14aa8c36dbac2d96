package llm

import (
	"cmp"

	"github.com/plumbresearch/plumb"
)

// The reckoning of a run, in tokens. A unit that reads three sources of 5,000 characters takes 8,600: 500 of search
// results, 300 to choose among them, for each source 2,000 of text (0.4 a character) and 500 of what is taken from it,
// 300 for the findings. The rest is reckoned in the same way from what the prompts and answers of those steps hold; the
// ledger of a run tells what it really took.
const (
	unitResults   = 500
	unitChoice    = 300
	unitFindings  = 300
	sourceAnswer  = 500
	perCharacter  = 0.4
	scopeInput    = 1500
	scopeAnswer   = 500
	planInput     = 2000
	planAnswer    = 1000
	superviseIn   = 2500
	superviseOut  = 400
	noteInput     = 120 // one note of the writer's prompt, with its quote
	writeInput    = 1500
	writeAnswer   = 3000
	reviewAnswer  = 500
	judgeInput    = 700 // a claim and its passages
	judgeAnswer   = 120
	claimsPerNote = 2.0 // claims of a report for each of its citations, at most
)

// What makes the difference between the low and the high end.
const (
	// rereading: a researcher's conversation is sent again with every turn. Turns number a few more than the sources read.
	rereading = 3.0
	// doubtful is the share of claims that rules and passages leave to a judge, at the low end.
	doubtful = 0.25
)

// tally adds up what the calls of one role take.
type tally struct{ input, output float64 }

func (t *tally) add(times, input, output float64) {
	t.input += times * input
	t.output += times * output
}

// Forecast is what a run with so many planned units will probably take. The low end is the plan as it is, written once;
// the high end adds the waves and re-writes that the limits allow, and is cut off at the caps. A role that names no model
// is done by the orchestrator's (embeddings: by nobody); without any model there is nothing to pay.
func Forecast(p *Prices, m plumb.Models, units int, l plumb.Limits) plumb.Estimate {
	if p == nil {
		p = DefaultPrices()
	}
	e := plumb.Estimate{Priced: true, CapUSD: l.Caps.USD, CapTokens: l.Caps.Tokens}
	worker, judge := cmp.Or(m.Worker, m.Orchestrator), cmp.Or(m.Judge, m.Orchestrator)
	most := units
	if l.Waves > 1 {
		most = min(units+(l.Waves-1)*l.PerWave, max(units, l.InAll))
	}
	low := [...]tally{lead(l, 1, 0), work(l, units, 1), judging(l, doubtful, 1), embedding(l, units)}
	high := [...]tally{lead(l, max(1, l.Waves), l.Review.Rewrites), work(l, most, rereading), judging(l, 1, claimsPerNote), embedding(l, most)}
	for i, model := range [...]string{m.Orchestrator, worker, judge, m.Embed} {
		if model == "" {
			continue
		}
		lowUSD, lowTokens, known := low[i].cost(p, model)
		highUSD, highTokens, _ := high[i].cost(p, model)
		e.LowUSD += lowUSD
		e.HighUSD += highUSD
		e.LowTokens += lowTokens
		e.HighTokens += highTokens
		e.Priced = e.Priced && known
	}
	if e.CapUSD > 0 {
		e.LowUSD, e.HighUSD = min(e.LowUSD, e.CapUSD), min(e.HighUSD, e.CapUSD)
	}
	if e.CapTokens > 0 {
		e.LowTokens, e.HighTokens = min(e.LowTokens, e.CapTokens), min(e.HighTokens, e.CapTokens)
	}
	return e
}

// cost prices a tally as calls of ordinary length: the price of very long prompts never comes in.
func (t tally) cost(p *Prices, model string) (usd float64, tokens int64, known bool) {
	const thousand = 1000
	per, known := p.Cost(model, Usage{Input: thousand})
	out, _ := p.Cost(model, Usage{Output: thousand})
	return (t.input*per + t.output*out) / thousand, int64(t.input + t.output), known
}

// lead is scope, plan, supervise, write and review.
func lead(l plumb.Limits, waves, rewrites int) tally {
	var t tally
	t.add(1, scopeInput, scopeAnswer)
	t.add(1, planInput, planAnswer)
	t.add(float64(waves), superviseIn, superviseOut)
	drafts := float64(1 + rewrites)
	t.add(drafts, writeInput+noteInput*float64(l.Citations), writeAnswer)
	if l.Review.Threshold > 0 {
		t.add(drafts, writeInput+writeAnswer, reviewAnswer)
	}
	return t
}

// work is the units, whose material is sent so many times.
func work(l plumb.Limits, units int, times float64) tally {
	var t tally
	sources := float64(l.Unit.Sources)
	material := unitResults + sources*perCharacter*float64(l.Unit.Characters)
	t.add(float64(units), times*material, unitChoice+unitFindings+sources*sourceAnswer)
	return t
}

// judging is the check of the claims.
func judging(l plumb.Limits, share, claims float64) tally {
	var t tally
	if l.Check {
		t.add(share*claims*float64(l.Citations), judgeInput, judgeAnswer)
	}
	return t
}

// embedding is the text of what the units read, and their questions.
func embedding(l plumb.Limits, units int) tally {
	var t tally
	t.add(float64(units), float64(l.Unit.Sources*l.Unit.Characters)*perCharacter+100, 0)
	return t
}
