package llm

// Tokens are estimated, not counted: every model has its own tokenizer, and a prompt must fit before it is sent.

import (
	"slices"
	"strings"
	"unicode"
)

// Weights in twelfths of a token.
const (
	letterWeight = 3  // Latin: about four to a token
	denseWeight  = 6  // digits, punctuation, other alphabets, and the tail of long words
	wideWeight   = 12 // CJK
	rareWeight   = 24 // emoji and the like are several bytes, hence several tokens
	blankWeight  = 2  // blanks after a blank: never under a sixth
	longWord     = 12 // letters; what is longer is an address, a hash or a compound, and splits more finely
)

// Tokens estimates how many tokens a text is.
func Tokens(text string) int {
	sum, word, blank := 0, 0, false
	for _, r := range text {
		space := unicode.IsSpace(r)
		switch {
		case space && blank:
			sum += blankWeight
		case space:
			sum += letterWeight
		case unicode.IsLetter(r) && r < 0x250:
			if word++; word > longWord {
				sum += denseWeight
			} else {
				sum += letterWeight
			}
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai):
			sum += wideWeight
		case '0' <= r && r <= '9':
			word = longWord // letters among digits are a hash or a code
			sum += denseWeight
		case r < 0x2000 || unicode.IsPunct(r) || unicode.IsLetter(r):
			sum += denseWeight
		default:
			sum += rareWeight
		}
		if blank = space; space {
			word = 0
		}
	}
	return (sum + 11) / 12
}

const (
	messageFrame = 4 // tokens that mark where a message begins and who speaks
	callFrame    = 8 // tokens around a call, a tool or a schema
)

// Tokens estimates the whole prompt.
func (r *Request) Tokens() int {
	n := 3
	for _, m := range r.Messages {
		n += messageFrame + Tokens(m.Text)
		if m.Reply != "" {
			n += callFrame
		}
		for _, c := range m.Calls {
			n += callFrame + Tokens(c.Name) + Tokens(c.Arguments)
		}
	}
	for _, t := range r.Tools {
		n += callFrame + Tokens(t.Name) + Tokens(t.About) + Tokens(string(t.Parameters))
	}
	if r.Schema != nil {
		n += callFrame + Tokens(r.Schema.Name) + Tokens(string(r.Schema.JSON))
	}
	return n
}

// smallWindow is assumed of a model that does not say how much it takes.
const smallWindow = 8192

// spare is what the window leaves beside r and an answer; negative when r is too long already. Estimates are off by
// some percent, so a margin is kept. An output of 0 is r's own, or the model's limit, but at most a quarter of the window.
func spare(t Traits, r *Request, output int) int {
	window := t.Window
	if window <= 0 {
		window = smallWindow
	}
	if output <= 0 {
		output = r.Output
	}
	if output <= 0 {
		output = window / 4
	}
	if t.Output > 0 {
		output = min(output, t.Output)
	}
	return window - window/20 - 64 - output - r.Tokens()
}

// Room is how many tokens of material still fit beside what r holds already and an answer of output tokens. An output of
// 0 is r's own, or the model's limit, but at most a quarter of the window.
func Room(t Traits, r *Request, output int) int { return max(0, spare(t, r, output)) }

// Fit says how many of the notes, best first, fit in room tokens.
func Fit(notes []string, room int) int {
	for i, n := range notes {
		if room -= Tokens(n) + 1; room < 0 { // the one is for the line's end
			return i
		}
	}
	return len(notes)
}

// Trim shortens a conversation that has outgrown the window: the oldest replies of tools become one-line notes until
// the rest fits. What the system and the first user said and the last two exchanges stay. It gives a new request, or r
// itself when nothing had to go, and how many replies were cut.
func Trim(r *Request, t Traits, output int) (*Request, int) {
	if spare(t, r, output) >= 0 {
		return r, 0
	}
	last, exchanges := len(r.Messages), 0
	for last > 0 && exchanges < 2 {
		if last--; r.Messages[last].From == Assistant {
			exchanges++
		}
	}
	out := *r
	out.Messages = slices.Clone(r.Messages)
	cut := 0
	for i := range out.Messages[:last] {
		m := &out.Messages[i]
		if m.From != ToolReply {
			continue
		}
		note := leftOut(m.Text)
		if len(note) >= len(m.Text) {
			continue
		}
		m.Text = note
		if cut++; spare(t, &out, output) >= 0 {
			break
		}
	}
	if cut == 0 {
		return r, 0
	}
	return &out, cut
}

// leftOut is what stays of a reply. What was fenced is fenced again.
func leftOut(text string) string {
	const keep = 80
	fenced := strings.Contains(text, "<data label=")
	if fenced {
		text = fenceLine.ReplaceAllString(text, "")
	}
	line := []rune(strings.Join(strings.Fields(text), " "))
	note := "[left out: " + string(line[:min(keep, len(line))]) + "…]"
	if fenced {
		return Fence("left out", note)
	}
	return note
}
