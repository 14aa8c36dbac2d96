package gather

// The parts of a question: "why …, what … and is it …?" asks three things.

import (
	"regexp"
	"slices"
	"strings"

	"github.com/plumbresearch/plumb/text"
)

// maxAreas is the most areas a brief has.
const maxAreas = 6

var itemMarker = regexp.MustCompile(`^\s*(?:[-*•–]|\(?[0-9a-z]{1,2}[.)])\s+`)

// parts takes a question apart into what it asks, in order, at least one.
func parts(question, lang string) []string {
	var sentences []string
	for _, span := range text.Sentences(question, lang) {
		for _, s := range stretches(span.Of(question)) {
			s = strings.Trim(itemMarker.ReplaceAllString(s, ""), " \t\n.。¿,、;；")
			if s = strings.Join(strings.Fields(s), " "); strings.Trim(s, "?？ ") != "" {
				sentences = append(sentences, s)
			}
		}
	}
	var out []string
	for _, s := range asking(sentences, lang) {
		for _, c := range clauses(strings.Fields(s), lang) {
			out = append(out, listed(c, lang)...)
		}
	}
	out = joinDangling(out, lang)
	if len(out) == 0 {
		return []string{strings.Join(strings.Fields(question), " ")}
	}
	return out[:min(len(out), maxAreas)]
}

// stretches cuts behind question marks and semicolons.
func stretches(s string) []string {
	var out []string
	from := 0
	for i, r := range s {
		if strings.ContainsRune(";；?？", r) {
			end := i + len(string(r))
			out, from = append(out, s[from:end]), end
		}
	}
	return append(out, s[from:])
}

// asking keeps the sentences that ask something; where none plainly does, all of them.
func asking(sentences []string, lang string) []string {
	var out []string
	for _, s := range sentences {
		ws := strings.Fields(s)
		if begins(ws, lang) || strings.HasSuffix(s, "?") || strings.HasSuffix(s, "？") || imperatives[bare(ws[0])] {
			out = append(out, strings.TrimRight(s, " ?？"))
		}
	}
	if len(out) == 0 || !spaced(strings.Join(sentences, "")) {
		for i, s := range sentences {
			sentences[i] = strings.TrimRight(s, " ?？")
		}
		return sentences
	}
	return out
}

// clauses cuts a sentence before each conjunction or comma behind which another question begins.
func clauses(ws []string, lang string) []string {
	var out []string
	from := 0
	for i := 1; i < len(ws); i++ {
		end := joint(ws, i, lang)
		if end < 0 || !complete(ws[from:end], lang) {
			continue
		}
		out = append(out, strings.Join(ws[from:end], " "))
		from = i
	}
	out = append(out, strings.Join(ws[from:], " "))
	for i := range out {
		out[i] = strings.Trim(out[i], " ,")
	}
	return out
}

// joint says where the part before word i ends, if a new question begins at i, and -1 otherwise.
func joint(ws []string, i int, lang string) int {
	if !begins(ws[i:], lang) {
		return -1
	}
	comma := strings.HasSuffix(ws[i-1], ",")
	conj := conjunctions[lang][bare(ws[i-1])]
	end := i
	if conj {
		end--
	}
	for end > 0 && (bare(ws[end-1]) == "and" || conj && bare(ws[end-1]) == "also") {
		end--
	}
	if i >= 3 && bare(ws[i-1]) == "as" && bare(ws[i-2]) == "well" && bare(ws[i-3]) == "as" {
		conj, end = true, i-3
	}
	if !comma && !conj {
		return -1
	}
	if first := bare(ws[i]); !conj && (relatives[first] || prepositions[first]) && !inverted(ws[i:], lang) {
		return -1
	}
	return end
}

// begins says whether words begin a question: a question word, or an auxiliary before its subject.
func begins(ws []string, lang string) bool {
	if len(ws) == 0 {
		return false
	}
	w := bare(ws[0])
	if askers[lang][w] || (lang == "es" || lang == "pt") && w == "por" && len(ws) > 1 && strings.HasPrefix(bare(ws[1]), "qu") {
		return true
	}
	if lang == "fr" && (strings.Contains(w, "-t-") || strings.HasSuffix(w, "-il") || strings.HasSuffix(w, "-elle")) {
		return true
	}
	if len(ws) > 1 && prepositions[w] && askers[lang][bare(ws[1])] {
		return true // at what rate, by whom
	}
	return auxiliaries[lang][w] && len(ws) > 1 && (subjects[lang][bare(ws[1])] || capitalised(ws[1]))
}

// inverted: question word, auxiliary, subject. A relative clause has another order.
func inverted(ws []string, lang string) bool {
	return len(ws) > 2 && auxiliaries[lang][bare(ws[1])] && (subjects[lang][bare(ws[2])] || capitalised(ws[2]))
}

// complete says whether words can stand as a question: they begin like one and are more than its first word, as in
// "When, according to the report, was …".
func complete(ws []string, lang string) bool {
	if len(ws) < 2 || strings.HasSuffix(ws[0], ",") {
		return false
	}
	return begins(ws, lang) || imperatives[bare(ws[0])]
}

// listed takes "the causes, the cost and the consequences of X" apart, and "the cause of X and the cost of Y".
func listed(clause, lang string) []string {
	ws := strings.Fields(clause)
	if lang != "en" || slices.ContainsFunc(ws, func(w string) bool { return comparing[bare(w)] }) {
		return []string{clause}
	}
	lead := leadEnd(ws)
	if lead <= 0 {
		return []string{clause}
	}
	heads := items(ws[lead:])
	if len(heads) < 2 {
		return []string{clause}
	}
	tail := ""
	if last := heads[len(heads)-1]; !slices.ContainsFunc(heads[:len(heads)-1], hasPreposition) {
		at := slices.IndexFunc(last, func(w string) bool { return prepositions[bare(w)] })
		if at < 1 {
			return []string{clause}
		}
		tail = " " + strings.Join(last[at:], " ")
		heads[len(heads)-1] = last[:at]
	} else if !hasPreposition(last) {
		return []string{clause}
	}
	var out []string
	for _, h := range heads {
		if tail != "" && len(h) > 4 || slices.ContainsFunc(h, func(w string) bool { return tail != "" && capitalised(w) }) {
			return []string{clause}
		}
		out = append(out, strings.Join(ws[:lead], " ")+" "+strings.Join(h, " ")+tail)
	}
	return out
}

// leadEnd is where the noun phrases begin behind "what is known about", "what were", "summarise".
func leadEnd(ws []string) int {
	switch first := bare(ws[0]); {
	case imperatives[first]:
		return 1
	case first != "what" && first != "which" || len(ws) < 3:
		return 0
	}
	if i := slices.IndexFunc(ws, func(w string) bool { return bare(w) == "about" }); i > 0 && i < 6 {
		return i + 1
	}
	if b := bare(ws[1]); (b == "is" || b == "are" || b == "was" || b == "were") && determiners[bare(ws[2])] {
		return 2
	}
	return 0
}

// items cuts words at commas and conjunctions, keeping only cuts before a noun phrase.
func items(ws []string) [][]string {
	var out [][]string
	var cur []string
	for _, w := range ws {
		if b := bare(w); b == "and" || b == "&" {
			if len(cur) > 0 {
				out = append(out, cur)
			}
			cur = nil
			continue
		}
		cur = append(cur, strings.TrimSuffix(w, ","))
		if strings.HasSuffix(w, ",") {
			out, cur = append(out, cur), nil
		}
	}
	if len(cur) > 0 {
		out = append(out, cur)
	}
	return out
}

func hasPreposition(ws []string) bool {
	return slices.ContainsFunc(ws, func(w string) bool { return prepositions[bare(w)] })
}

// joinDangling gives a part without a content word of its own ("and why?") back to the part before it.
func joinDangling(ps []string, lang string) []string {
	var out []string
	for _, p := range ps {
		ws := strings.Fields(p)
		alone := !slices.ContainsFunc(ws, func(w string) bool {
			return !askers[lang][bare(w)] && !prepositions[bare(w)] && bare(w) != "much" && bare(w) != "many" && bare(w) != "long"
		})
		if alone && len(out) > 0 {
			out[len(out)-1] += " and " + p
			continue
		}
		out = append(out, p)
	}
	return out
}
