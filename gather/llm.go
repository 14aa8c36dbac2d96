package gather

// Thinking with language models: what scope, plan, unit and supervise share.

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/llm"
	"github.com/plumbresearch/plumb/text"
)

// LLM thinks with language models. Orchestrator scopes, plans and supervises, Worker researches units. They need
// know neither tools nor schemas: llm.Drive helps those that don't.
type LLM struct{ Orchestrator, Worker llm.Model }

var _ Thinker = LLM{}

//go:embed prompts/*.md
var promptFiles embed.FS

var prompts = func() llm.Prompts {
	sub, err := fs.Sub(promptFiles, "prompts")
	if err != nil {
		panic(err) // the path is a constant that fs.Sub accepts
	}
	return llm.LoadPrompts(sub)
}()

// Lengths in characters to which the words of models are cut.
const (
	maxQuestion = 600
	maxQuery    = 200
	maxReason   = 600
	maxThought  = 300
)

// Tokens set aside for answers; a small window gives a quarter of itself at most.
const (
	briefOutput   = 2000
	planOutput    = 4000
	chooseOutput  = 500
	unitOutput    = 1500
	extractOutput = 1500
	superOutput   = 2500
)

// request renders a prompt.
func request(m llm.Model, name string, data any, output int) (*llm.Request, error) {
	messages, err := prompts.Messages(name, data)
	if err != nil {
		return nil, fmt.Errorf("prompt %s: %w", name, err)
	}
	return &llm.Request{Messages: messages, Output: outputOf(m, output)}, nil
}

// room is how many tokens a prompt that is filled in with data leaves for more, beside the answer, its schema and a word
// on what is wrong with it.
func room(m llm.Model, name string, data any, output int) (int, error) {
	req, err := request(m, name, data, output)
	if err != nil {
		return 0, err
	}
	return llm.Room(m.Traits(), req, req.Output+reserve(m)), nil
}

// reserve is what a schema and a correction take.
func reserve(m llm.Model) int {
	n := 1000
	if w := m.Traits().Window; w > 0 {
		n = min(n, w/8)
	}
	return n
}

// shorten cuts a text to a number of tokens.
func shorten(s string, tokens int) string {
	for n := llm.Tokens(s); n > tokens && s != ""; n = llm.Tokens(s) {
		r := []rune(s)
		s = string(r[:max(len(r)*tokens/n-1, 0)])
	}
	return s
}

// outputOf is how much of an answer a model has room for beside its prompt.
func outputOf(m llm.Model, want int) int {
	t := m.Traits()
	if t.Output > 0 {
		want = min(want, t.Output)
	}
	if t.Window > 0 {
		want = min(want, t.Window/4)
	}
	return want
}

// line is what a model wrote, on one line and cut between words to n characters.
func line(s string, n int) string {
	s = strings.Join(strings.FieldsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	s = string([]rune(s)[:n-1])
	if i := strings.LastIndexByte(s, ' '); i > len(s)/2 {
		s = s[:i]
	}
	return strings.TrimRight(s, " ,;:") + "…"
}

// uniqueLines are the distinct lines of a list that a model wrote, at most maxQueries.
func uniqueLines(list []string, length int) []string {
	var out []string
	for _, s := range list {
		s = line(s, length)
		if s != "" && len(out) < maxQueries && !slices.ContainsFunc(out, func(o string) bool { return strings.EqualFold(o, s) }) {
			out = append(out, s)
		}
	}
	return out
}

// areaOf is the area that a model means: the one it names, else the one that shares most words with what it wrote, else
// the first.
func areaOf(name, question string, areas []plumb.Area) string {
	for _, a := range areas {
		if strings.EqualFold(line(a.Name, maxHeading), line(name, maxHeading)) {
			return a.Name
		}
	}
	best, at := 0, 0
	lang := language(question)
	have := text.Terms(name+" "+question, lang)
	for i, a := range areas {
		n := 0
		for _, t := range text.Terms(a.Name+" "+a.Question, lang) {
			if slices.Contains(have, t) {
				n++
			}
		}
		if n > best {
			best, at = n, i
		}
	}
	if len(areas) == 0 {
		return line(name, maxHeading)
	}
	return areas[at].Name
}

// kinds are the kinds of unit that there is something to look into for.
func kinds(w plumb.Where) []plumb.UnitKind {
	var out []plumb.UnitKind
	if len(w.Search) > 0 {
		out = append(out, plumb.General)
	}
	if len(w.Papers) > 0 {
		out = append(out, plumb.Academic)
	}
	if len(w.Folders) > 0 || w.Library || len(out) == 0 {
		out = append(out, plumb.Internal)
	}
	return out
}

// kindNamed is the kind that a model named, if it is there, else where to look first for a question.
func kindNamed(name, question string, w plumb.Where, l plumb.Limits) plumb.UnitKind {
	k := plumb.UnitKind(strings.ToLower(strings.TrimSpace(name)))
	if slices.Contains(kinds(w), k) {
		return k
	}
	return kindFor(question, w, l)
}

// kindsLine names the kinds for a prompt.
func kindsLine(w plumb.Where) string {
	var out []string
	for _, k := range kinds(w) {
		out = append(out, string(k))
	}
	return strings.Join(out, ", ")
}

// briefText is a brief as prompts show it.
func briefText(b plumb.Brief) string {
	var s strings.Builder
	fmt.Fprintf(&s, "Question: %s\nLanguage: %s\n", b.Question, b.Language)
	if b.Entity.Name != "" {
		fmt.Fprintf(&s, "About: %s\n", b.Entity.Name)
	}
	if len(b.Entity.Queries) > 0 {
		fmt.Fprintf(&s, "Exact names: %s\n", strings.Join(b.Entity.Queries, "; "))
	}
	if len(b.Entity.Domains) > 0 {
		fmt.Fprintf(&s, "Official sites: %s\n", strings.Join(b.Entity.Domains, ", "))
	}
	s.WriteString("Areas:")
	for _, a := range b.Areas {
		fmt.Fprintf(&s, "\n- %s: %s", a.Name, a.Question)
	}
	return s.String()
}

// dayOf is the day on which a question was asked, or nothing.
func dayOf(q plumb.Question) string {
	if q.At.IsZero() {
		return ""
	}
	return q.At.UTC().Format("2006-01-02")
}

// noModel says which model is missing.
func noModel(m llm.Model, role llm.Role) error {
	if m == nil {
		return errors.New("no " + string(role) + " model")
	}
	return nil
}
