package gather

// Headings: the part of a question as the title of its section. A part whose grammar is not plain stays a question, which
// is a good heading too.

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// maxHeading is the longest heading, in characters.
const maxHeading = 80

// heading names the section that answers part. name is what the question is about; spoken says that the part only had a
// pronoun for it, so that the heading need not repeat it.
func heading(part, lang, name string, spoken bool) string {
	part = strings.TrimRight(part, " ?？.。!")
	if lang != "en" || !spaced(part) {
		if begins(strings.Fields(part), lang) || !spaced(part) {
			return clip(upperFirst(part)) + mark(part)
		}
		return clip(upperFirst(part))
	}
	ws := strings.Fields(part)
	if len(ws) == 0 {
		return "Question"
	}
	ws[0] = lowerFirst(ws[0])
	ws = dropImperative(ws)
	for _, form := range []func([]string, string, bool) string{costForm, qualityForm, nounForm, invertedForm, statementForm} {
		if h := form(ws, name, spoken); h != "" {
			return clip(upperFirst(h))
		}
	}
	return clip(upperFirst(strings.Join(ws, " "))) + "?"
}

// mark is the question mark of the part's script.
func mark(part string) string {
	if spaced(part) {
		return "?"
	}
	return "？"
}

// dropImperative leaves what is to be summarised, described or listed.
func dropImperative(ws []string) []string {
	if !imperatives[bare(ws[0])] || len(ws) < 2 {
		return ws
	}
	if bare(ws[0]) == "compare" {
		return append([]string{"comparison", "of"}, ws[1:]...)
	}
	rest := ws[1:]
	for len(rest) > 1 && wordSet("me us out about briefly")[bare(rest[0])] {
		rest = rest[1:]
	}
	if i := slices.IndexFunc(rest, func(w string) bool { return bare(w) == "of" }); i > 0 && i < 4 && i+1 < len(rest) && wordSet("overview summary list outline description")[bare(rest[i-1])] {
		rest = rest[i+1:]
	}
	return rest
}

// costForm: "what did X cost", "how much does X cost" → "Cost of X".
func costForm(ws []string, _ string, _ bool) string {
	from := 1
	if len(ws) > 2 && bare(ws[0]) == "how" && bare(ws[1]) == "much" {
		from = 2
	} else if bare(ws[0]) != "what" {
		return ""
	}
	at := slices.IndexFunc(ws, func(w string) bool { return bare(w) == "cost" })
	if at < from+2 || !wordSet("did does do will would could might has have")[bare(ws[from])] {
		return ""
	}
	return strings.TrimSpace("cost of " + strings.Join(ws[from+1:at], " ") + " " + strings.Join(ws[at+1:], " "))
}

// qualityForm: "is X safe now" → "Current safety of X".
func qualityForm(ws []string, name string, spoken bool) string {
	if w := bare(ws[0]); w != "is" && w != "are" && w != "was" && w != "were" && w != "how" {
		return ""
	}
	at := slices.IndexFunc(ws, func(w string) bool { return qualities[bare(w)] != "" })
	if at < 2 {
		return ""
	}
	subject := ws[1:at]
	if bare(ws[0]) == "how" {
		if at != 1 && at != 2 {
			return ""
		}
		subject = ws[at+2:]
	}
	current := ""
	rest := slices.Clone(ws[at+1:])
	subject = slices.DeleteFunc(slices.Clone(subject), func(w string) bool {
		if present[bare(w)] {
			current = "current "
		}
		return present[bare(w)]
	})
	rest = slices.DeleteFunc(rest, func(w string) bool {
		if present[bare(w)] {
			current = "current "
		}
		return present[bare(w)]
	})
	h := current + qualities[bare(ws[at])]
	if current == "" || !spoken || !strings.HasSuffix(strings.Join(subject, " "), name) {
		h += " of " + strings.Join(subject, " ")
	}
	return strings.TrimSpace(h + " " + strings.Join(rest, " "))
}

// nounForm: "what were the consequences of X" → "Consequences of X"; a part without a question word is one already.
func nounForm(ws []string, _ string, _ bool) string {
	w := bare(ws[0])
	if w == "what" && len(ws) > 3 && bare(ws[1]) == "is" && bare(ws[2]) == "known" && bare(ws[3]) == "about" {
		return nounForm(ws[4:], "", false)
	}
	if w == "what" && len(ws) > 3 && beAndModals[bare(ws[1])] && determiners[bare(ws[2])] {
		last := bare(ws[len(ws)-1])
		if strings.HasSuffix(last, "ed") || prepositions[last] || participles[last] || len(ws) > 5 && !hasPreposition(ws[3:min(len(ws), 7)]) {
			return ""
		}
		return strings.Join(ws[3:], " ")
	}
	if askers["en"][w] || auxiliaries["en"][w] || begins(ws, "en") {
		return ""
	}
	if determiners[w] {
		ws = ws[1:]
	}
	return strings.Join(ws, " ")
}

// invertedForm: "why was the bridge closed" → "why the bridge was closed".
func invertedForm(ws []string, name string, _ bool) string {
	w := bare(ws[0])
	if len(ws) < 4 || !askers["en"][w] || !beAndModals[bare(ws[1])] || w == "who" || w == "which" {
		return ""
	}
	end := subjectEnd(ws, 2, name)
	if end < 0 || w == "what" && end+1 < len(ws) && !prepositions[bare(ws[end+1])] {
		return "" // behind "what", a participle before a noun belongs to it: "what is the waiting time"
	}
	out := append([]string{ws[0]}, ws[2:end]...)
	out = append(out, ws[1])
	return strings.Join(append(out, ws[end:]...), " ")
}

// subjectEnd finds where the subject that begins at from ends, -1 when that is not plain.
func subjectEnd(ws []string, from int, name string) int {
	i := from
	if determiners[bare(ws[i])] {
		i++
	}
	if n := strings.Fields(name); len(n) > 0 && i+len(n) < len(ws) && strings.Join(ws[i:i+len(n)], " ") == name {
		i += len(n)
		if !prepositions[bare(ws[i])] {
			return i
		}
	} else if i == from && !subjects["en"][bare(ws[i])] {
		return -1
	}
	for i++; i < len(ws); i++ {
		b := bare(ws[i])
		if strings.HasSuffix(b, "ed") || strings.HasSuffix(b, "ing") || participles[b] || qualities[b] != "" || b == "not" || b == "still" {
			return i
		}
	}
	return -1
}

// statementForm: "who paid for X", "what caused X", "whether X holds", "how many X are affected" read as they are.
func statementForm(ws []string, _ string, _ bool) string {
	w := bare(ws[0])
	if len(ws) < 2 || !askers["en"][w] {
		return ""
	}
	asks := 1
	switch w {
	case "how":
		if len(ws) < 4 || bare(ws[1]) != "many" && bare(ws[1]) != "much" {
			return ""
		}
		asks = 2
	case "which":
		asks = 2
	case "whether":
		return strings.Join(ws, " ")
	case "who", "what":
		if beAndModals[bare(ws[1])] && len(ws) > 2 && !subjects["en"][bare(ws[2])] && !capitalised(ws[2]) && w == "who" {
			return strings.Join(ws, " ")
		}
	default:
		return ""
	}
	for i := asks; i < len(ws)-1; i++ {
		if auxiliaries["en"][bare(ws[i])] && (subjects["en"][bare(ws[i+1])] || capitalised(ws[i+1]) || i == 1 || bare(ws[i]) == "did" || bare(ws[i]) == "do" || bare(ws[i]) == "does") {
			return ""
		}
	}
	return strings.Join(ws, " ")
}

// clip cuts a heading between words. Without spaces it is cut between characters.
func clip(s string) string {
	if utf8.RuneCountInString(s) <= maxHeading {
		return s
	}
	if !spaced(s) {
		return string([]rune(s)[:maxHeading])
	}
	ws := strings.Fields(s)
	for len(ws) > 1 && utf8.RuneCountInString(strings.Join(ws, " ")) > maxHeading {
		ws = ws[:len(ws)-1]
	}
	for len(ws) > 1 && (prepositions[bare(ws[len(ws)-1])] || determiners[bare(ws[len(ws)-1])] || bare(ws[len(ws)-1]) == "and") {
		ws = ws[:len(ws)-1]
	}
	out := []rune(strings.TrimRight(strings.Join(ws, " "), " ,;:"))
	return string(out[:min(len(out), maxHeading)])
}
