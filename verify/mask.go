// What of a draft only points at sources, blanked out: the sentences of a draft
// are read without it, at the offsets they have in the draft.

package verify

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

var (
	// What is left of "(Source: https://…)" once the address is gone.
	hollow = regexp.MustCompile(`(?i)[(（\[【]\s*(?:(?:sources?|see|via|cf\.?|refs?\.?|links?|url|来源|资料来源|参见|参考|出处|quellen?|fuente)\s*[:：]?)?(?:[\s,;，；、·|&]|\b(?:and|see|also|und|et|y)\b|和|及|与)*[)）\]】]`)
	tail   = regexp.MustCompile(`(?i)(?:^|[\s(（])(?:sources?|来源|资料来源|参见|出处|quellen?|fuente)\s*[:：][\s,;，；、]*$`)
)

// maxBetween is how many bytes stand between two mentions of one list, as in
// "([a](…), [b](…))" or "(… and …)".
const maxBetween = 9

// maskMentions returns the draft, of equal length, with blanks for all that only
// points at a source, and links that are words of a sentence reduced to them.
func maskMentions(draft string, ms []mention) string {
	b := []byte(draft)
	for i := range ms {
		m := &ms[i]
		if m.inSentence() && !pointsOnly(draft, *m) {
			blank(b, m.start, m.shown[0])
			blank(b, m.shown[1], m.end)
			continue
		}
		m.shown = [2]int{}
		blank(b, m.start, m.end)
	}
	for i := 0; i < len(ms); {
		start, end := ms[i].start, ms[i].end
		for i++; i < len(ms) && ms[i].start <= end+maxBetween; i++ {
			end = max(end, ms[i].end)
		}
		from, to := around(b, start, end)
		for _, h := range hollow.FindAllIndex(b[from:to], -1) {
			blank(b, from+h[0], from+h[1])
		}
	}
	for _, m := range ms {
		if !m.inSentence() && endsBefore(b[:m.start]) && beginsAfter(b[m.end:]) {
			b[m.start], b[m.start+1] = '\n', '\n' // an empty line ends a sentence whatever the words are
		}
	}
	return string(b)
}

// shortened are abbreviations whose full stop ends no sentence: "Smith et al. [12] found".
var shortened = regexp.MustCompile(`(?i)(?:^|[\s(])(?:al|e\.g|i\.e|cf|vs|figs?|nos?|eqs?|refs?|sec|ch|vol|pp?|approx|dr|mrs?|ms|prof|st|inc|ltd|co|corp|etc|[a-z])\.$`)

// endsBefore says whether a sentence ends before a marker.
func endsBefore(b []byte) bool {
	const reach = 40
	s := strings.TrimRight(string(b[max(0, len(b)-reach):]), " \n*_)]）】\"”’»")
	r, _ := utf8.DecodeLastRuneInString(s)
	return strings.ContainsRune(".!?。！？…", r) && !shortened.MatchString(s)
}

// beginsAfter says whether what follows a marker can begin a sentence.
func beginsAfter(b []byte) bool {
	const reach = 200
	s := strings.TrimLeft(string(b[:min(len(b), reach)]), " \n*_\"“‘«(（")
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsLetter(r) && !unicode.IsLower(r) || unicode.IsDigit(r)
}

// around widens a span by a few bytes within its line, to whole characters.
func around(b []byte, start, end int) (int, int) {
	const reach = 24
	from, to := start, end
	for from > 0 && start-from < reach && b[from-1] != '\n' {
		from--
	}
	for to < len(b) && to-end < reach && b[to] != '\n' {
		to++
	}
	for from < start && !utf8.RuneStart(b[from]) {
		from++
	}
	for to < len(b) && to > end && !utf8.RuneStart(b[to]) {
		to--
	}
	return from, to
}

// blank overwrites with spaces and keeps line breaks, so that blocks stay blocks.
func blank(b []byte, start, end int) {
	for i := start; i < end; i++ {
		if b[i] != '\n' && b[i] != '\r' {
			b[i] = ' '
		}
	}
}

var pointerText = regexp.MustCompile(`(?i)^[\[\]\\\s]*(?:sources?|links?|here|ref(?:erence)?s?|来源|链接|出处|原文|[0-9]{1,3}|https?://\S+|www\.\S+)[\[\]\\\s]*$`)

// pointsOnly says whether a link only points at a source: it stands alone in
// brackets, its text says no more than "source", or it follows a full stop at
// the end of its line.
func pointsOnly(draft string, m mention) bool {
	if pointerText.MatchString(draft[m.shown[0]:m.shown[1]]) {
		return true
	}
	before := strings.TrimRight(draft[:m.start], " \t*_")
	after := strings.TrimLeft(draft[m.end:], " \t*_")
	p, _ := utf8.DecodeLastRuneInString(before)
	n, _ := utf8.DecodeRuneInString(after)
	opened := strings.ContainsRune("(（[【", p)
	closed := strings.ContainsRune(")）]】", n)
	listed := strings.ContainsRune(",;，；、", p) || strings.ContainsRune(",;，；、", n)
	if opened && closed || listed && (opened || closed) {
		return true
	}
	return strings.ContainsRune(".。!！)）", p) && (after == "" || n == '\n' || n == '\r')
}
