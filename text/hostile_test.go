package text

import (
	"strings"
	"testing"
)

// TestHostileTextEnds repeats short stretches that make careless parsers quadratic or worse: 50 KB of each take milliseconds,
// and a parser that hangs on one runs into the time limit of the tests.
func TestHostileTextEnds(t *testing.T) {
	units := []string{
		"a.A", ".[", "(", "“", "' ", "p.m. Monday ", "1. ", "- ", "\n \n", "...", ". . ", "Inc. ", "a", " ", "#", "\n", "1.) ",
		"1-", "[1,", "[1", "1 to ", "from 1 to ", "section 1, ", "1/", "10.x", "10.", "www.", "$", "-", "1 ", "a million ", "hundred ",
		"one hundred and ", "March ", "2019-", "not ", "’", "这", "。", "1,", "1,000", "\u00ad", "\u0306", "и\u0306", "\xff", "ﬁ", "https://",
	}
	work := []func(s string){
		func(s string) { Sentences(s, "en") },
		func(s string) { Tokens(s) },
		func(s string) { Terms(s, "en") },
		func(s string) { Quantities(s) },
		func(s string) { NewFolded(s).Find(s[:len(s)/8] + " and the end") },
		func(s string) { Language(s) },
		func(s string) { Compare(s, s+" not", "en", nil) },
	}
	for _, unit := range units {
		s := strings.Repeat(unit, 50_000/len(unit))
		for _, w := range work {
			w(s)
		}
	}
}
