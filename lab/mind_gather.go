package lab

// How the mind scopes, plans, and supervises.

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/plumbresearch/plumb/llm"
)

type scopeAnswer struct {
	Clarify  bool        `json:"clarify"`
	Ask      string      `json:"ask"`
	Question string      `json:"question"`
	Language string      `json:"language"`
	Areas    []area      `json:"areas"`
	Entity   scopeEntity `json:"entity"`
}

type area struct {
	Name     string `json:"name"`
	Question string `json:"question"`
}

type scopeEntity struct {
	Name    string   `json:"name"`
	Queries []string `json:"queries"`
	Domains []string `json:"domains"`
}

// scope asks back only where the question says AMBIGUOUS.
func scope(_ *llm.Request, p prompt) *llm.Answer {
	question := oneLine(p.one("question"))
	a := scopeAnswer{Question: question, Language: "en", Areas: areas(question), Entity: scopeEntity{Queries: []string{}, Domains: []string{}}}
	answered := p.one("answer")
	if answered != "" {
		a.Question += " (" + oneLine(answered) + ")"
	}
	if strings.Contains(question, "AMBIGUOUS") && answered == "" && !strings.Contains(p.user, "Do not ask back") {
		a.Clarify, a.Ask = true, "Which of the things of that name do you mean?"
	}
	return say(a)
}

// splits are where a question turns to its next part.
var splits = regexp.MustCompile(`(?i)[,;]\s*(?:and\s+)?|\s+and\s+|\?\s+`)

// areas are the parts of a question, at most six. Parts without a name of their own keep the names of the whole.
func areas(question string) []area {
	var parts []string
	for _, part := range splits.Split(strings.TrimRight(question, "?. "), -1) {
		part = strings.TrimSpace(part)
		switch {
		case len(weighty(part)) == 0:
		case len(parts) > 0 && (len(strings.Fields(part)) < 3 || len(parts) == 6): // "supply and demand" is one thing
			parts[len(parts)-1] += " and " + part
		default:
			parts = append(parts, part)
		}
	}
	if len(parts) == 0 {
		parts = []string{question}
	}
	names := properNames(question)
	var out []area
	for _, part := range parts {
		q := upperFirst(part)
		if i := slices.IndexFunc(names, func(n string) bool { return strings.Contains(part, n) }); i < 0 && len(names) > 0 {
			q += " (" + strings.Join(names, ", ") + ")"
		}
		out = append(out, area{Name: heading(part), Question: q + "?"})
	}
	return out
}

// properNames are the words that are capitalised inside a sentence, at most three.
func properNames(s string) []string {
	var out []string
	for i, w := range strings.Fields(s) {
		w = strings.TrimFunc(w, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		if i > 0 && w != "" && unicode.IsUpper([]rune(w)[0]) && w != strings.ToUpper(w) && !slices.Contains(out, w) && len(out) < 3 {
			out = append(out, w)
		}
	}
	return out
}

// heading is a short name for a part of a question.
func heading(s string) string {
	words := strings.Fields(s)
	skip := []string{"what", "when", "why", "how", "who", "which", "where", "did", "does", "do", "is", "are", "was", "were", "the", "a", "an", "and"}
	var out []string
	for _, w := range words {
		if len(out) < 5 && (len(out) > 0 || !slices.Contains(skip, strings.ToLower(w))) && !slices.Contains([]string{"the", "a", "an"}, w) {
			out = append(out, strings.Trim(w, ".,;:?!"))
		}
	}
	if len(out) == 0 {
		return s
	}
	return upperFirst(strings.Join(out, " "))
}

func upperFirst(s string) string {
	first, size := utf8.DecodeRuneInString(s)
	if size == 0 {
		return s
	}
	return string(unicode.ToUpper(first)) + s[size:]
}

// briefAreas are the areas of a brief as prompts show it.
func briefAreas(brief string) []area {
	var out []area
	for line := range strings.Lines(brief) {
		item, ok := strings.CutPrefix(strings.TrimSpace(line), "- ")
		if !ok {
			continue
		}
		name, question, _ := strings.Cut(item, ": ")
		out = append(out, area{Name: name, Question: question})
	}
	if len(out) == 0 {
		_, question, _ := strings.Cut(brief, "Question: ")
		question, _, _ = strings.Cut(question, "\n")
		out = areas(question)
	}
	return out
}

type planAnswer struct {
	Units      []planUnit `json:"units"`
	Complexity float64    `json:"complexity"`
	Evidence   string     `json:"evidence_strategy"`
	Form       string     `json:"output_form"`
}

type planUnit struct {
	ID       string   `json:"id"`
	Question string   `json:"question"`
	Area     string   `json:"area"`
	Kind     string   `json:"kind"`
	Queries  []string `json:"queries"`
	Needs    []string `json:"needs"`
}

var (
	kindsThere = regexp.MustCompile(`Kinds that are there: ([a-z]+)`)
	mostUnits  = regexp.MustCompile(`At most (\d+) units`)
)

func kindOf(p prompt) string {
	if m := kindsThere.FindStringSubmatch(p.user); m != nil {
		return m[1]
	}
	return "general"
}

// plan is a unit for each area; of three and more the last needs the first.
func plan(_ *llm.Request, p prompt) *llm.Answer {
	a := planAnswer{Complexity: 0.6, Evidence: "Reports of those who were there, with figures and dates. A text that names neither is weak.", Form: "A section for each area, with the figures first."}
	list := briefAreas(p.one("brief"))
	if wish := oneLine(p.one("feedback")); wish != "" {
		list = append(list, area{Name: heading(wish), Question: wish})
	}
	if m := mostUnits.FindStringSubmatch(p.user); m != nil {
		if n, err := strconv.Atoi(m[1]); err == nil && n > 0 {
			list = list[:min(n, len(list))]
		}
	}
	for i, r := range list {
		u := planUnit{ID: fmt.Sprintf("u%d", i+1), Question: r.Question, Area: r.Name, Kind: kindOf(p), Queries: queries(r), Needs: []string{}}
		if u.Question == "" {
			u.Question = r.Name
		}
		if i == len(list)-1 && i >= 2 {
			u.Needs = []string{"u1"}
		}
		a.Units = append(a.Units, u)
	}
	return say(a)
}

// queries are two ways to search for an area.
func queries(r area) []string {
	return []string{r.Name, strings.Join(weighty(r.Question), " ")}
}

type chooseAnswer struct {
	Best   int    `json:"best"`
	Reason string `json:"reason"`
}

func choose(*llm.Request, prompt) *llm.Answer {
	return say(chooseAnswer{Best: 1, Reason: "It covers every area once."})
}

type conductArguments struct {
	Question string   `json:"question"`
	Area     string   `json:"area"`
	Kind     string   `json:"kind"`
	Queries  []string `json:"queries"`
}

type completeArguments struct {
	Reason string `json:"reason"`
}

var spareUnits = regexp.MustCompile(`You may ask for (?:(one) more unit|up to (\d+) more units)`)

func spare(p prompt) int {
	m := spareUnits.FindStringSubmatch(p.user)
	switch {
	case m == nil:
		return 0
	case m[1] != "":
		return 1
	}
	n, err := strconv.Atoi(m[2])
	if err != nil {
		return 0
	}
	return n
}

// supervise asks for one more unit where an area has no finding, units that were planned wait, or the gate turned the
// run back.
func supervise(r *llm.Request, p prompt) *llm.Answer {
	if wanted, ok := wanting(p); ok && spare(p) > 0 && len(calls(r)) == 0 {
		tried := unitsOn(wanted, p)
		return ask(r, "", llm.Call{Name: "ConductResearch", Arguments: string(encode(conductArguments{
			Question: fmt.Sprintf(angles[tried%len(angles)], wanted.Name) + " " + wanted.Question,
			Area:     wanted.Name, Kind: kindOf(p), Queries: append(queries(wanted), wanted.Name+" report"),
		}))})
	}
	return ask(r, "", llm.Call{Name: "ResearchComplete", Arguments: string(encode(completeArguments{Reason: "Every area that the sources speak of has findings."}))})
}

// angles are the sides from which the units of an area come at it, one after the other.
var angles = []string{
	"What is known about this: %s?",
	"Which figures, dates and causes are reported elsewhere for: %s?",
	"Who else speaks of this, and what do they say: %s?",
	"Which later reports correct what was said on: %s?",
}

func unitsOn(a area, p prompt) int { return strings.Count(p.one("units"), "("+a.Name+";") }

func notesOn(a area, p prompt) int { return strings.Count(p.one("notes"), "("+a.Name+";") }

// mostTries is how many units an area without findings gets before the sources count as silent on it.
const mostTries = 3

// wanting is the area that most needs another unit.
func wanting(p prompt) (area, bool) {
	list := briefAreas(p.one("brief"))
	slices.SortStableFunc(list, func(a, b area) int { return notesOn(a, p) - notesOn(b, p) })
	for _, a := range list {
		if notesOn(a, p) == 0 && unitsOn(a, p) < mostTries {
			return a, true
		}
	}
	again := strings.Contains(p.user, "the gate turned us back") || p.one("planned") != ""
	if !again || len(list) == 0 {
		return area{}, false
	}
	return list[0], true
}
