// Statements that a semicolon joins are claims of their own.

package verify

import (
	"strings"
	"unicode/utf8"
)

// clauses cuts a sentence behind its semicolons, where both sides could stand
// alone; a semicolon in brackets or quotation marks joins parts of a list. It
// returns spans of s.
func clauses(s string) [][2]int {
	if !strings.ContainsAny(s, ";；") {
		return [][2]int{{0, len(s)}}
	}
	var cuts []int
	depth := 0
	for i, r := range s {
		switch {
		case strings.ContainsRune("([{（【「《“", r):
			depth++
		case strings.ContainsRune(")]}）】」》”", r):
			depth = max(depth-1, 0)
		case (r == ';' || r == '；') && depth == 0:
			cuts = append(cuts, i+utf8.RuneLen(r))
		}
	}
	var out [][2]int
	from := 0
	for i, at := range cuts {
		next := len(s)
		if i+1 < len(cuts) {
			next = cuts[i+1]
		}
		// The part behind is looked at first: the one before may have grown long, but then only of parts too short.
		if standsAlone(s[at:next]) && standsAlone(s[from:at]) {
			out = append(out, [2]int{from, at})
			from = at + len(s[at:]) - len(strings.TrimLeft(s[at:], " \t\n"))
		}
	}
	return append(out, [2]int{from, len(s)})
}

// standsAlone says whether a part is long enough for a statement.
func standsAlone(s string) bool {
	words, dense := count(s)
	return words >= minWords-1 || dense >= minDenseChars
}
