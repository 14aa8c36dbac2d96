package lab

// Answers that are not what was asked for: the models' own faults, as opposed to the connection's.

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/plumbresearch/plumb/llm"
)

// spoil does to an answer what the dice say, and names what it did.
func (k *Knobs) spoil(a *llm.Answer, c *call, d dice) []string {
	var done []string
	try := func(name string, p float64, change func() bool) {
		if d.falls(name, p) && change() {
			done = append(done, name)
		}
	}
	try("false-quotes", k.FalseQuotes, func() bool { return c.prompt.name == "extract" && falsify(a) })
	try("invented-citations", k.InventedCitations, func() bool { return c.prompt.name == "write" && invent(a) })
	try("wrong-types", k.WrongTypes, func() bool { return eachJSON(a, mistype) })
	try("malformed", k.Malformed, func() bool {
		way := breaks[d.pick("break", len(breaks))]
		return eachJSON(a, func(s string) string {
			if out := way(s); !json.Valid([]byte(out)) {
				return out
			}
			return strings.TrimSuffix(s, "}")
		})
	})
	try("fenced", k.Fenced, func() bool { return a.Text != "" && strings.HasPrefix(a.Text, "{") && fence(a) })
	try("think", k.Think, func() bool {
		a.Text = "<think>\nLet me see. Perhaps {\"answer\": \"not this\"}? No: I should look again.\n</think>\n\n" + a.Text
		return len(a.Calls) == 0 || a.Text != ""
	})
	try("cut-off", k.CutOff, func() bool { return cutOff(a) })
	return done
}

// eachJSON changes the JSON of an answer and of its calls' arguments; it reports whether there was any.
func eachJSON(a *llm.Answer, change func(string) string) bool {
	changed := false
	if strings.HasPrefix(a.Text, "{") {
		a.Text, changed = change(a.Text), true
	}
	for i := range a.Calls {
		a.Calls[i].Arguments, changed = change(a.Calls[i].Arguments), true
	}
	return changed
}

var lastString = regexp.MustCompile(`"([^"\\]*)"(\s*[}\]]*)$`)

// breaks are the ways in which models break JSON. Not all can be mended.
var breaks = []func(string) string{
	func(s string) string { return strings.TrimSuffix(s, "}") },
	func(s string) string { return strings.TrimSuffix(s, "}") + ",}" },
	func(s string) string { return strings.Replace(s, `":`, `"`, 1) },
	func(s string) string { return lastString.ReplaceAllString(s, `"$1$2`) },
	func(s string) string { return "{" + strings.ReplaceAll(s[1:], `"`, `'`) },
	func(string) string { return `{"I am sorry": I can not` },
}

// mistype puts values of other types into JSON.
func mistype(s string) string {
	var v any
	if json.Unmarshal([]byte(s), &v) != nil {
		return s
	}
	fields, ok := v.(map[string]any)
	if !ok {
		return s
	}
	for name, value := range fields {
		switch value := value.(type) {
		case float64:
			fields[name] = "about " + strconv.FormatFloat(value, 'g', -1, 64)
		case bool:
			fields[name] = map[bool]string{true: "yes", false: "no"}[value]
		case []any:
			fields[name] = "none of these"
		case string:
			fields[name] = []string{value}
		}
	}
	return string(encode(fields))
}

// fence puts JSON where readers of chats want it.
func fence(a *llm.Answer) bool {
	a.Text = "Here is the JSON you asked for:\n\n```json\n" + a.Text + "\n```\n\nLet me know if {anything} should change!"
	return true
}

// chatter is how weak models answer.
func chatter(s string) string {
	if strings.HasPrefix(s, "{") {
		return "Sure! Here is the answer:\n\n```json\n" + s + "\n```\n\nI hope this helps."
	}
	return s
}

// cutOff keeps the first half.
func cutOff(a *llm.Answer) bool {
	switch n := len(a.Calls); {
	case n > 0:
		last := &a.Calls[n-1]
		last.Arguments = half(last.Arguments)
	case a.Text != "":
		a.Text = half(a.Text)
	default:
		return false
	}
	a.Stop = llm.Length
	return true
}

func half(s string) string {
	at := len(s) / 2
	for at > 0 && !utf8.RuneStart(s[at]) {
		at--
	}
	return s[:at]
}

// limit cuts an answer at the tokens that were allowed; 0: any number.
func limit(a *llm.Answer, output int) {
	for output > 0 && tokensOf(a) > output && (a.Text != "" || len(a.Calls) > 0) {
		a.Stop = llm.Length
		switch over := llm.Tokens(a.Text) - output; {
		case len(a.Calls) > 0:
			a.Calls = a.Calls[:len(a.Calls)-1]
		case over > output:
			a.Text = half(a.Text)
		default:
			_, size := utf8.DecodeLastRuneInString(a.Text)
			a.Text = a.Text[:len(a.Text)-max(size, min(over, len(a.Text)-1))]
			a.Text = strings.ToValidUTF8(a.Text, "")
		}
	}
}

// invent adds citations of sources that there are not.
func invent(a *llm.Answer) bool {
	lines := strings.Split(a.Text, "\n")
	i := slices.IndexFunc(lines, func(l string) bool { return strings.HasSuffix(l, ".") && !strings.HasPrefix(l, "#") })
	if i < 0 {
		return false
	}
	lines[i] = strings.TrimSuffix(lines[i], ".") + " [97]. Experts agree that this will double within a decade [98]."
	a.Text = strings.Join(lines, "\n")
	return true
}

// falsify makes the quotes of findings say what no source says.
func falsify(a *llm.Answer) bool {
	var e extractAnswer
	if json.Unmarshal([]byte(a.Text), &e) != nil || len(e.Findings) == 0 {
		return false
	}
	for i := range e.Findings {
		e.Findings[i].Quote = "Sources close to the matter put it at 1,234 percent, " + strings.ToLower(half(e.Findings[i].Quote))
	}
	a.Text = string(encode(e))
	return true
}
