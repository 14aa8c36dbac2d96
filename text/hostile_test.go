package text

import (
	"strings"
	"testing"
	"time"
)

// TestHostileTextIsQuick repeats short stretches that make careless parsers
// quadratic: 50 KB of each take milliseconds, 5 seconds allow for slow
// machines.
func TestHostileTextIsQuick(t *testing.T) {
	units := []string{
		"a.A", ".[", "(", "“", "' ", "p.m. Monday ", "1. ", "- ", "\n \n", "...", ". . ", "Inc. ", "a", " ", "#", "\n", "1.) ",
		"1-", "[1,", "[1", "1 to ", "from 1 to ", "section 1, ", "1/", "10.x", "10.", "www.", "$", "-", "1 ", "a million ", "hundred ",
		"one hundred and ", "March ", "2019-", "not ", "’", "这", "。", "1,", "1,000", "\u00ad", "\u0306", "и\u0306", "\xff", "ﬁ", "https://",
	}
	work := []struct {
		name string
		run  func(s string)
	}{
		{"Sentences", func(s string) { Sentences(s, "en") }},
		{"Tokens", func(s string) { Tokens(s) }},
		{"Terms", func(s string) { Terms(s, "en") }},
		{"Quantities", func(s string) { Quantities(s) }},
		{"Find", func(s string) { NewFolded(s).Find(s[:len(s)/8] + " and the end") }},
		{"Language", func(s string) { Language(s) }},
		{"Compare", func(s string) { Compare(s, s+" not", "en", nil) }},
	}
	for _, unit := range units {
		s := strings.Repeat(unit, 50_000/len(unit))
		for _, w := range work {
			start := time.Now()
			w.run(s)
			if d := time.Since(start); d > 5*time.Second {
				t.Errorf("%s of %d bytes of %q took %v", w.name, len(s), unit, d)
			}
		}
	}
}
