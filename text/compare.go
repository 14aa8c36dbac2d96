package text

// Comparison of two sentences: how much of one is in the other, and whether
// they contradict each other (clash.go).

import "slices"

// Clash is a contradiction between two sentences.
type Clash struct {
	Kind   string // number, date, negation or name
	A, B   Span   // in a and in b
	Reason string // one line for people: "one says 12 %, the other 15 %"
}

// Comparison says how a sentence a stands to a sentence b.
type Comparison struct {
	Recall         float64    // share of a's weighted content terms found in b
	Overlap        float64    // the same, symmetric: shared weight over all weight
	Missing        []string   // terms of a that are not in b, in order
	NumbersMissing []Quantity // quantities of a with no Equal in b
	Clash          *Clash     // nil where none can be shown
}

// maxClashBytes bounds the sentences that are looked at for a clash: what is
// longer is no sentence.
const maxClashBytes = 4000

// minShared is the share of the shorter sentence's words below which two
// sentences are not looked at for a clash.
const minShared = 0.4

// Compare compares a with b. weight gives the worth of a term, nil counts each 1.
// lang "" is guessed.
func Compare(a, b, lang string, weight func(term string) float64) Comparison {
	if lang == "" {
		lang = Language(a + "\n" + b)
	}
	if weight == nil {
		weight = func(string) float64 { return 1 }
	}
	c, shared := overlap(Terms(a, lang), Terms(b, lang), weight)
	qa := Quantities(a)
	if len(qa) == 0 && shared < minShared {
		return c
	}
	qb := Quantities(b)
	c.NumbersMissing = missingQuantities(qa, qb)
	if shared >= minShared && len(a) <= maxClashBytes && len(b) <= maxClashBytes {
		c.Clash = findClash(see(a, lang, qa), see(b, lang, qb), lang)
	}
	return c
}

// overlap fills in all that terms decide, and says how large a share of the
// fewer terms both have, unweighted.
func overlap(a, b []string, weight func(string) float64) (Comparison, float64) {
	var c Comparison
	inA, inB := map[string]bool{}, map[string]bool{}
	for _, t := range b {
		inB[t] = true
	}
	var all, found float64
	for _, t := range a {
		if inA[t] {
			continue
		}
		inA[t] = true
		w := weight(t)
		all += w
		if inB[t] {
			found += w
			continue
		}
		c.Missing = append(c.Missing, t)
	}
	fewer, union := min(len(inA), len(inB)), all
	for _, t := range b {
		if inB[t] && !inA[t] {
			inB[t] = false
			union += weight(t)
		}
	}
	if all > 0 {
		c.Recall, c.Overlap = found/all, found/union
	}
	return c, float64(len(inA)-len(c.Missing)) / float64(max(fewer, 1))
}

// maxQuantities bounds those of b that each of a is compared with one by one; an
// exact counterpart is found among any number.
const maxQuantities = 1000

func missingQuantities(a, b []Quantity) []Quantity {
	type stated struct {
		kind        Kind
		value, high float64
		unit        string
	}
	exact := make(map[stated]bool, len(b))
	for _, o := range b {
		exact[stated{o.Kind, o.Value, o.High, o.Unit}] = true
	}
	var out []Quantity
	for _, q := range a {
		if !exact[stated{q.Kind, q.Value, q.High, q.Unit}] && !slices.ContainsFunc(b[:min(len(b), maxQuantities)], q.Equal) {
			out = append(out, q)
		}
	}
	return out
}
