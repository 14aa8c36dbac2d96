package gather

// Follow-up turns: whether a question leaves the topic of the one before.

import (
	"strings"

	"github.com/plumbresearch/plumb/text"
)

var (
	shiftMarkers = phrases(`instead; switch; different; rather than; forget; something else; new topic; change the subject; unrelated;
		stattdessen; wechseln; anderes thema; etwas anderes; plutôt; au lieu; autre sujet; autre chose; en cambio; cambiar; otro tema`)
	continuationMarkers = phrases(`also; expand; deeper; further; more about; more on; more detail; elaborate; continue; furthermore;
		in addition; additionally; what about; how about; tell me more; go on; same; that; this; it; they; these; those;
		auch; außerdem; mehr dazu; genauer; ausführlicher; weiter; davon; dazu; aussi; davantage; plus de détails; approfondir;
		también; además; más sobre; profundizar; 另外; 还有; 更多; 深入; さらに; もっと`)
)

// TopicShift says whether latest leaves the topic of previous. Where they share words only an explicit marker ("instead",
// "switch") is a shift; where they share none, it is one unless a marker ("also", "deeper", "what about") continues.
func TopicShift(latest, previous string) bool {
	if strings.TrimSpace(previous) == "" || strings.TrimSpace(latest) == "" {
		return false
	}
	if shareTerms(latest, previous) {
		return marked(latest, shiftMarkers)
	}
	return !marked(latest, continuationMarkers)
}

// shareTerms compares stems in the language of each text, so that a follow-up too short to be recognised still meets.
func shareTerms(a, b string) bool {
	lang := language(b)
	have := map[string]bool{}
	for _, t := range text.Terms(b, lang) {
		have[t] = true
	}
	for _, t := range text.Terms(a, lang) {
		if have[t] && !generic[t] {
			return true
		}
	}
	return false
}

func marked(s string, markers []string) bool {
	padded := " " + words(s) + " "
	for _, m := range markers {
		if strings.Contains(padded, " "+m+" ") || !spaced(m) && strings.Contains(s, m) {
			return true
		}
	}
	return false
}

// words is s folded, its words separated by single spaces.
func words(s string) string {
	return strings.Join(strings.FieldsFunc(text.Fold(s), func(r rune) bool {
		return r != '\'' && r != '-' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && r < 0x80
	}), " ")
}

// spaced says whether s is of a script that puts spaces between words.
func spaced(s string) bool {
	for _, r := range s {
		if r >= 0x2E80 {
			return false
		}
	}
	return true
}

// phrases reads a list separated by semicolons into folded phrases.
func phrases(list string) []string {
	var out []string
	for _, p := range strings.Split(list, ";") {
		if spaced(p) {
			p = words(p)
		}
		out = append(out, strings.TrimSpace(p))
	}
	return out
}

// wordSet reads a list separated by white space.
func wordSet(list string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(list) {
		set[w] = true
	}
	return set
}
