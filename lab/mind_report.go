package lab

// How the mind writes a report, reviews it, weighs sources that disagree, and judges claims.

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/plumbresearch/plumb/llm"
	"github.com/plumbresearch/plumb/text"
)

// note is one line that the writer is given.
type note struct {
	cites      string // [3] or [3][5]
	area       string
	confidence string
	fact       string
}

var (
	noteLine = regexp.MustCompile(`(?m)^- (\[\d+\]) \(([^;\n]*); (\w*)([^;\n]*); [^;)\n]*\) (.*)$`)
	cited    = regexp.MustCompile(`\[\d+\]`)
)

func readNotes(s string) []note {
	var out []note
	for _, m := range noteLine.FindAllStringSubmatch(s, -1) {
		fact, _, _ := strings.Cut(m[5], ` — "`)
		also := strings.Join(cited.FindAllString(m[4], -1), "") // "high, also [5]"
		out = append(out, note{m[1] + also, m[2], m[3], fact})
	}
	return out
}

// sentence is a note as the report says it, with its citations behind each of its sentences.
func (n note) sentence() string {
	fact := oneLine(n.fact)
	var out []string
	for _, s := range text.Sentences(fact, "en") {
		if said := strings.TrimRight(s.Of(fact), ".!? "); said != "" {
			out = append(out, said+" "+n.cites+".")
		}
	}
	if n.confidence == "low" {
		return "[UNCERTAIN] " + strings.Join(out, " ")
	}
	return strings.Join(out, " ")
}

// headingLine is a heading that the writer must use: its level, and its name before a hint.
var headingLine = regexp.MustCompile(`(?m)^(#{2,3}) (.+)$`)

// draft writes the report; one that was cut it goes on with.
func draft(r *llm.Request, p prompt) *llm.Answer {
	whole := compose(p)
	if last := r.Messages[len(r.Messages)-1]; last.From == llm.User && strings.Contains(last.Text, "Your answer broke off") {
		for _, m := range r.Messages {
			if rest, ok := strings.CutPrefix(whole, m.Text); ok && m.From == llm.Assistant && strings.TrimSpace(rest) != "" {
				whole = rest
			}
		}
	}
	return &llm.Answer{Text: whole}
}

// compose says what the notes have, under the headings that are told.
func compose(p prompt) string {
	notes := readNotes(p.one("notes"))
	most := 8 // sentences of a section
	if strings.Contains(p.user, "Style: concise") {
		most = 3
	}
	var b strings.Builder
	question, _, _ := strings.Cut(p.one("question"), "\n")
	fmt.Fprintf(&b, "# %s\n", strings.TrimRight(oneLine(question), "?. "))
	_, told, _ := strings.Cut(p.user, "Headings, in this order:")
	told, _, _ = strings.Cut(told, "<data ")
	n := 0
	for _, h := range headingLine.FindAllStringSubmatch(told, -1) {
		name, _, asked := strings.Cut(h[2], " — ")
		if !asked {
			name = hint.ReplaceAllString(name, "")
		}
		fmt.Fprintf(&b, "\n%s %s\n\n", h[1], name)
		if h[1] == "###" {
			b.WriteString(section(notes, name, most))
			continue
		}
		if n++; n <= 4 {
			b.WriteString(part(n, notes, p, most))
		}
	}
	if n == 0 { // a prompt without headings
		for _, name := range noteAreas(notes) {
			fmt.Fprintf(&b, "\n### %s\n\n%s", name, section(notes, name, most))
		}
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}

var hint = regexp.MustCompile(`\s*\([^()]*\)\s*$`)

// part is what stands under the second-level headings: a summary, bullets, nothing before the areas, disagreements.
func part(n int, notes []note, p prompt, most int) string {
	var out []string
	switch n {
	case 1:
		for _, name := range noteAreas(notes) {
			out = append(out, notes[slices.IndexFunc(notes, func(n note) bool { return n.area == name })].sentence())
		}
		if len(out) == 0 {
			return "*The sources do not answer the question.*\n"
		}
		return strings.Join(out[:min(len(out), most)], " ") + "\n"
	case 2:
		for _, n := range notes[:min(len(notes), 6)] {
			out = append(out, "- "+n.sentence())
		}
	case 4:
		for line := range strings.Lines(p.one("disagreements")) {
			says, _, _ := strings.Cut(strings.TrimPrefix(oneLine(line), "- "), `". `) // what follows is for the writer
			if says = strings.TrimRight(says, `".`); says != "" {
				out = append(out, "*"+says+"\".*\n")
			}
		}
	}
	if len(out) == 0 {
		return ""
	}
	return strings.Join(out, "\n") + "\n"
}

// noteAreas are the areas of notes in order.
func noteAreas(notes []note) []string {
	var out []string
	for _, n := range notes {
		if !slices.Contains(out, n.area) {
			out = append(out, n.area)
		}
	}
	return out
}

// section says what the notes have on an area.
func section(notes []note, name string, most int) string {
	var out []string
	for _, n := range notes {
		if strings.EqualFold(n.area, name) && len(out) < most && !slices.Contains(out, n.sentence()) {
			out = append(out, n.sentence())
		}
	}
	if len(out) == 0 {
		return "*The sources do not answer this part of the question.*\n"
	}
	return strings.Join(out, " ") + "\n"
}

type reviewAnswer struct {
	Score    float64  `json:"score"`
	Feedback string   `json:"feedback"`
	Notes    []string `json:"notes"`
}

func review(_ *llm.Request, p prompt) *llm.Answer {
	return say(reviewAnswer{Score: 0.8, Notes: []string{fmt.Sprintf("The draft cites %d times.", strings.Count(p.one("draft"), "["))}})
}

type debateAnswer struct {
	Verdict string `json:"verdict"`
	Stands  string `json:"stands"`
	Reason  string `json:"reason"`
}

// debate quotes both sides and decides for neither.
func debate(_ *llm.Request, p prompt) *llm.Answer {
	return say(debateAnswer{
		Verdict: fmt.Sprintf("One source says: %s The other says: %s", short(p.one("first")), short(p.one("second"))),
		Stands:  "neither",
		Reason:  "Nothing in the two sources says which is right.",
	})
}

// short is the first 110 characters of a text, whole words, as a sentence.
func short(s string) string {
	s = strings.TrimRight(oneLine(s), ".")
	if r := []rune(s); len(r) > 110 {
		s = string(r[:110])
		s = s[:max(strings.LastIndexByte(s, ' '), 1)] + " …"
	}
	return s + "."
}

type judgeAnswer struct {
	Supported    float64 `json:"supported"`
	Contradicted float64 `json:"contradicted"`
	Neither      float64 `json:"neither"`
	Reason       string  `json:"reason"`
}

// judge finds a claim supported where a passage has most of its weighty words and all of its numbers.
func judge(_ *llm.Request, p prompt) *llm.Answer {
	claim := oneLine(p.one("claim"))
	best := 0.0
	for _, passage := range p.all("passage") {
		if c := text.Compare(claim, passage, "en", nil); len(c.NumbersMissing) == 0 {
			best = max(best, c.Recall)
		}
	}
	if best >= 0.6 {
		return say(judgeAnswer{0.9, 0.02, 0.08, fmt.Sprintf("A passage has %.0f %% of the claim's words and all of its numbers.", 100*best)})
	}
	return say(judgeAnswer{0.1, 0.1, 0.8, "No passage has most of the claim's words and all of its numbers."})
}
