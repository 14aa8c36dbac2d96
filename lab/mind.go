package lab

// The scripted mind reads a prompt as the program writes it, knows it by its name, and answers from what stands in it:
// it has no knowledge of its own and never throws dice.

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/plumbresearch/plumb/llm"
	"github.com/plumbresearch/plumb/text"
)

// prompt is what the mind sees of a request.
type prompt struct {
	name string // the first line of the system's part, `# name`
	user string // what the first user said
	data []datum
}

// datum is fenced text.
type datum struct{ label, text string }

// minds know how to answer the prompts with their names.
var minds = map[string]func(*llm.Request, prompt) *llm.Answer{
	"scope":     scope,
	"plan":      plan,
	"choose":    choose,
	"unit":      research,
	"extract":   extract,
	"supervise": supervise,
	"debate":    debate,
	"write":     draft,
	"review":    review,
	"judge":     judge,
}

var promptName = regexp.MustCompile(`(?m)^# ([a-z]+)[ \t]*$`)

// readPrompt finds the name of the prompt and everything fenced in it, replies of tools included.
func readPrompt(r *llm.Request) prompt {
	var p prompt
	first := true
	for _, m := range r.Messages {
		switch {
		case m.From == llm.System && p.name == "":
			if match := promptName.FindStringSubmatch(m.Text); match != nil {
				p.name = match[1]
			}
		case m.From == llm.User && first:
			p.user, first = m.Text, false
		}
		if m.From != llm.System && m.From != llm.Assistant {
			p.data = append(p.data, fenced(m.Text)...)
		}
	}
	return p
}

var fenceOpens = regexp.MustCompile(`<data label="([^"\n]*)" id="([0-9a-f]{8})">\n`)

// fenced is what stands between fences; a fence ends only where its own id says so.
func fenced(s string) []datum {
	var out []datum
	for {
		at := fenceOpens.FindStringSubmatchIndex(s)
		if at == nil {
			return out
		}
		label, id := s[at[2]:at[3]], s[at[4]:at[5]]
		s = s[at[1]:]
		body, rest, closed := strings.Cut(s, "\n</data id=\""+id+"\">")
		if !closed {
			continue // what it holds may still have fences of its own
		}
		out, s = append(out, datum{label, body}), rest
	}
}

// one is the first text under a label; "" where there is none.
func (p prompt) one(label string) string {
	if all := p.all(label); len(all) > 0 {
		return all[0]
	}
	return ""
}

// all are the texts whose label is, or begins with, these words.
func (p prompt) all(label string) []string {
	var out []string
	for _, d := range p.data {
		if d.label == label || strings.HasPrefix(d.label, label+" ") {
			out = append(out, d.text)
		}
	}
	return out
}

// answer thinks. Prompts without a known name get a value that fits their schema, or a sentence.
func answer(r *llm.Request, p prompt) *llm.Answer {
	if mind, ok := minds[p.name]; ok {
		return mind(r, p)
	}
	if r.Schema != nil {
		return &llm.Answer{Text: string(example(r.Schema.JSON))}
	}
	said := strings.Join(strings.Fields(p.user), " ")
	if words := strings.Fields(said); len(words) > 12 {
		said = strings.Join(words[:12], " ") + " …"
	}
	return &llm.Answer{Text: "You said: " + said}
}

// say answers with JSON.
func say(v any) *llm.Answer { return &llm.Answer{Text: string(encode(v))} }

// calls are what the assistant has asked for so far, over the wire or in plain words.
func calls(r *llm.Request) []llm.Call {
	var out []llm.Call
	for _, m := range r.Messages {
		if m.From != llm.Assistant {
			continue
		}
		out = append(out, m.Calls...)
		out = append(out, plainCalls(m.Text)...)
	}
	return out
}

// plain is how models without tools ask for them.
type plain struct {
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
	Text      string          `json:"text,omitempty"`
}

// plainCalls reads the calls that stand in a text, one or a list, whatever chatter is around them.
func plainCalls(s string) []llm.Call {
	at := strings.Index(s, `{"tool"`)
	if at < 0 {
		return nil
	}
	var out []llm.Call
	d := json.NewDecoder(strings.NewReader(s[at:]))
	for {
		var p plain
		if d.Decode(&p) != nil {
			return out
		}
		if p.Tool != "answer" {
			out = append(out, llm.Call{Name: p.Tool, Arguments: string(p.Arguments)})
		}
		rest, comma := strings.CutPrefix(strings.TrimSpace(s[at+int(d.InputOffset()):]), ",")
		if !comma {
			return out
		}
		s, at = rest, 0
		d = json.NewDecoder(strings.NewReader(s))
	}
}

var toolTold = regexp.MustCompile(`(?m)^- (\w+): `)

// tools are the names of the tools that are there: given over the wire, or told in plain words.
func tools(r *llm.Request) (names []string, overWire bool) {
	for _, t := range r.Tools {
		names = append(names, t.Name)
	}
	if len(names) > 0 || len(r.Messages) == 0 {
		return names, true
	}
	_, told, plainly := strings.Cut(r.Messages[0].Text, "The tools are:")
	if !plainly {
		return nil, true
	}
	for _, m := range toolTold.FindAllStringSubmatch(told, -1) {
		names = append(names, m[1])
	}
	return names, false
}

// ask calls tools, all at once over the wire, the first alone in plain words.
func ask(r *llm.Request, said string, list ...llm.Call) *llm.Answer {
	if _, overWire := tools(r); overWire {
		return &llm.Answer{Text: said, Calls: list}
	}
	return say(plain{Tool: list[0].Name, Arguments: json.RawMessage(list[0].Arguments)})
}

// end answers without a tool.
func end(r *llm.Request, said string) *llm.Answer {
	if _, overWire := tools(r); overWire {
		return &llm.Answer{Text: said}
	}
	return say(plain{Tool: "answer", Text: said})
}

// weighty are the content words of a text, each once.
func weighty(s string) []string {
	var out []string
	for _, t := range text.Terms(s, "en") {
		if !slices.Contains(out, t) && !slices.Contains(askingWords, t) {
			out = append(out, t)
		}
	}
	return out
}

// askingWords say that something is asked, not what about.
var askingWords = []string{"what", "when", "why", "how", "who", "which", "where", "much", "mani", "did", "doe", "do"}

// overlap is how many of the words stand in a text.
func overlap(words []string, s string) int {
	n := 0
	have := text.Terms(s, "en")
	for _, w := range words {
		if slices.Contains(have, w) {
			n++
		}
	}
	return n
}

// oneLine is a text on one line.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
