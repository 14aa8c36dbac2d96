package gather

// Names in a question: quoted phrases, capitalised names of several words, acronyms.

import (
	"regexp"
	"slices"
	"strings"

	"github.com/plumbresearch/plumb"
)

// maxQueries bounds the exact phrases of an entity.
const maxQueries = 5

var (
	quoted  = regexp.MustCompile(`"([^"]{2,80})"|“([^”]{2,80})”|„([^“”]{2,80})[“”]|«\s?([^»]{2,80}?)\s?»|「([^」]{1,40})」`)
	acronym = regexp.MustCompile(`^[A-Z][A-Z0-9]*[A-Z0-9-]*[A-Z0-9]$`)
	inName  = wordSet("of the & de la du des der van von and")
)

// entity finds what a question names. Name is the first name of several words, else the first quoted phrase, else the
// first acronym or single name; a question that compares names is about none of them alone.
func entity(question, lang string) plumb.Entity {
	var e plumb.Entity
	add := func(s string) {
		if s = strings.TrimSpace(s); s != "" && !slices.Contains(e.Queries, s) && len(e.Queries) < maxQueries {
			e.Queries = append(e.Queries, s)
		}
	}
	for _, m := range quoted.FindAllStringSubmatch(question, -1) {
		add(strings.Join(m[1:], ""))
	}
	phrasesQuoted := len(e.Queries)
	multi, single := names(quoted.ReplaceAllString(question, " , "), lang)
	for _, n := range multi {
		add(n)
	}
	for _, n := range single {
		if !slices.ContainsFunc(e.Queries, func(q string) bool { return strings.Contains(" "+q+" ", " "+n+" ") }) {
			add(n)
		}
	}
	compares := slices.ContainsFunc(strings.Fields(question), func(w string) bool { return comparing[bare(w)] })
	switch {
	case compares && len(multi)+phrasesQuoted > 1:
	case len(multi) > 0:
		e.Name = multi[0]
		if i := slices.IndexFunc(multi, proper); i > 0 {
			e.Name = multi[i]
		}
	case len(e.Queries) > 0:
		e.Name = e.Queries[0]
	}
	return e
}

// names finds runs of capitalised words: those of several words, and acronyms and single names within a sentence.
func names(s, lang string) (multi, single []string) {
	ws := strings.Fields(s)
	if shouted(ws) {
		return nil, nil
	}
	for i := 0; i < len(ws); {
		if !nameWord(ws, i, lang) {
			i++
			continue
		}
		end := i + 1
		for end < len(ws) && !breaks(ws[end-1]) {
			if nameWord(ws, end, lang) || numbered(ws[end]) {
				end++
				continue
			}
			next := end
			for next < len(ws) && inName[bare(ws[next])] && !breaks(ws[next]) && next-end < 2 {
				next++
			}
			if next == end || next >= len(ws) || !nameWord(ws, next, lang) || bare(ws[end]) == "and" || coded(ws[end-1]) {
				break
			}
			end = next + 1
		}
		name := clean(ws[i:end])
		switch {
		case end-i > 1:
			multi = append(multi, name)
		case acronym.MatchString(name) || i > 0 && !breaks(ws[i-1]) && lang != "de":
			single = append(single, name)
		}
		i = end
	}
	return multi, single
}

// nameWord says whether word i is capitalised for another reason than beginning a sentence or being a question word.
func nameWord(ws []string, i int, lang string) bool {
	w := bare(ws[i])
	if !capitalised(ws[i]) || askers[lang][w] || askers["en"][w] || auxiliaries[lang][w] || subjects[lang][w] || w == "i" || months[w] || w == "may" {
		return false
	}
	if i == 0 || strings.ContainsAny(ws[i-1][len(ws[i-1])-1:], ".?!:") {
		if imperatives[w] || prepositions[w] || inName[w] {
			return false
		}
		return i+1 < len(ws) && (capitalised(ws[i+1]) && !breaks(ws[i])) || acronym.MatchString(clean(ws[i:i+1]))
	}
	return true
}

// proper tells a name from a numbered or lettered thing: "Pier 4", "Option A".
func proper(name string) bool {
	n := 0
	for _, w := range strings.Fields(name) {
		if len(w) > 2 && strings.Trim(w, "0123456789") == w {
			n++
		}
	}
	return n > 1
}

// numbered: "Pier 4", "Option 2".
func numbered(w string) bool {
	w = bare(w)
	return w != "" && len(w) <= 3 && strings.Trim(w, "0123456789") == ""
}

// coded words name one of several things ("Pier 4", "hanger H7", "Option A"): what follows with "of" is another name.
func coded(w string) bool {
	w = strings.Trim(w, ".,;:!?")
	return strings.ContainsAny(w, "0123456789") || len(w) == 1
}

// breaks says whether punctuation behind a word ends a name.
func breaks(w string) bool { return strings.ContainsAny(w[len(w)-1:], ",;:?!)") }

// shouted: most words have capitals, so that capitals mean nothing.
func shouted(ws []string) bool {
	n := 0
	for _, w := range ws {
		if capitalised(w) {
			n++
		}
	}
	return len(ws) > 4 && n*10 > len(ws)*7
}

// clean puts a name together without the punctuation and the possessive at its end.
func clean(ws []string) string {
	s := strings.Trim(strings.Join(ws, " "), ".,;:!?\"()[]'‘’")
	return strings.TrimSuffix(strings.TrimSuffix(s, "'s"), "’s")
}
