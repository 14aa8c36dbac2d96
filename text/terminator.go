package text

// The words around a full stop, and what they say about it.

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxWord bounds, in bytes, how far a word is followed, so that a text without
// spaces costs no more than one with them.
const maxWord = 100

// lastWord is the stretch without spaces at the end of s.
func lastWord(s string) string {
	if len(s) > maxWord {
		s = s[runeStart(s, len(s)-maxWord):]
	}
	return s[strings.LastIndexFunc(s, unicode.IsSpace)+1:]
}

// firstWord is the stretch without spaces at the beginning of s.
func firstWord(s string) string {
	if len(s) > maxWord {
		s = s[:runeStart(s, maxWord)]
	}
	if i := strings.IndexFunc(s, unicode.IsSpace); i >= 0 {
		return s[:i]
	}
	return s
}

// endsWord decides about a single full stop by the words around it.
func (p *splitter) endsWord(i, closed int, rest string) bool {
	before := lastWord(p.s[p.start:i])
	word := strings.TrimLeft(before, "([{\"'“‘„«¿¡*_—–-")
	if k := strings.LastIndexAny(word, "-–—/(["); k >= 0 && !strings.Contains(word, "://") {
		word = strings.TrimLeft(word[k:], "-–—/([")
	}
	if word == "" {
		return true
	}
	next := strings.TrimLeft(firstWord(rest), "([\"'“‘„«*_")
	starter := p.abbr.starts(next)
	switch p.abbr.kind(word, next) {
	case abbrNever:
		return closed > i+1 && starter
	case abbrNumber:
		return !(next != "" && (isDigit(next[0]) || romanOrLetter(next)))
	case abbrMaybe:
		return starter && p.long(i)
	case abbrTime:
		return p.long(i) && !timeWords[strings.Trim(next, ".,;:()")]
	}
	if initial(word) {
		return p.endsInitial(i, word, starter && !initial(strings.TrimRight(next, ".")))
	}
	return true
}

// long says whether the sentence up to i has more than three words: "At 5 a.m."
// has not.
func (p *splitter) long(i int) bool {
	spaces := 0
	for j := p.start; j < i && spaces < 3; j++ {
		if p.s[j] == ' ' && j > p.start {
			spaces++
		}
	}
	return spaces == 3
}

func romanOrLetter(w string) bool {
	w = strings.TrimRight(w, ".,;:)")
	return roman(w) || len(w) == 1 && w != "I" && w != "A"
}

func roman(w string) bool {
	return w != "" && len(w) <= 5 && strings.Trim(strings.ToLower(w), "ivxlc") == "" && w != "I"
}

// initial: one capital letter, or several with points: "J", "J.C", "Ph.D".
func initial(w string) bool {
	letters := 0
	for _, r := range w {
		if r == '.' {
			letters = 0
			continue
		}
		letters++
		if letters > 1 && !strings.Contains(w, ".") || letters > 2 || !unicode.IsLetter(r) {
			return false
		}
	}
	return unicode.IsUpper(firstRune(w)) || strings.Contains(w, ".")
}

// endsInitial: "Albert I. Jones" goes on, "you and I. Did" and "the E.U. How" end.
func (p *splitter) endsInitial(i int, word string, starter bool) bool {
	if strings.Contains(word, ".") {
		return starter
	}
	if strings.Contains("NSEW", word) && strings.ContainsAny(lastWord(strings.TrimRight(p.s[p.start:i-len(word)], " ")), "0123456789°′'") {
		return true // a coordinate
	}
	if !starter {
		return false
	}
	if word == "I" {
		before := lastWord(strings.TrimRightFunc(p.s[p.start:i-1], unicode.IsSpace))
		return before == "" || !unicode.IsUpper(firstRune(before))
	}
	before := lastWord(strings.TrimRightFunc(p.s[p.start:i-len(word)], unicode.IsSpace))
	return before != "" && unicode.IsLower(firstRune(before))
}

// startsSentence says whether rest can begin a sentence.
func startsSentence(rest string) bool {
	for len(rest) > 0 {
		r, n := utf8.DecodeRuneInString(rest)
		switch {
		case unicode.IsUpper(r), unicode.IsDigit(r), unicode.IsTitle(r):
			return true
		case unicode.IsLower(r):
			return camelCase(rest)
		case unicode.IsLetter(r): // scripts without case
			return true
		case r == '-' || r == '–' || r == '—':
			after := strings.TrimLeft(rest[n:], " -–—")
			return unicode.IsUpper(firstRune(after)) && !strings.HasPrefix(rest, "--")
		case opener(r) != 0, r == '¿', r == '¡', r == '*', r == '_', r == '#', r == '$', r == '€', r == '£', r == '”', r == '…', r == '.', r == '’', r == '>', r == '•', r == '`':
			rest = rest[n:]
			if r == '.' || r == '…' || r == '«' {
				rest = strings.TrimLeft(rest, ". \u00a0\u202f")
			}
		default:
			return false
		}
	}
	return true
}

// camelCase finds names such as iPhone and eBay.
func camelCase(s string) bool {
	_, n := utf8.DecodeRuneInString(s)
	return len(s) > n+1 && unicode.IsUpper(firstRune(s[n:])) && unicode.IsLower(firstRune(s[n+1:]))
}
