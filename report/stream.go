package report

// Streaming: a draft is shown as it is written, without the thoughts that some models write before it.

import (
	"regexp"
	"strings"

	"github.com/plumbresearch/plumb"
)

// thinkTag begins or ends a thought.
var thinkTag = regexp.MustCompile(`(?i)<(/?)(?:think|thinking|reasoning|thought)>`)

// thinkTags are the tags whose beginnings are held back until they are whole.
var thinkTags = []string{"<think>", "</think>", "<thinking>", "</thinking>", "<reasoning>", "</reasoning>", "<thought>", "</thought>"}

// thoughts takes a stream apart into what is shown and what was only thought, wherever its pieces are cut.
type thoughts struct {
	held   string // may be the beginning of a tag
	inside bool
}

// next gives what a piece adds to the text. again says that all before was a thought whose beginning was never written,
// as by models whose template opens it for them.
func (t *thoughts) next(piece string) (show string, again bool) {
	var b strings.Builder
	rest := t.held + piece
	t.held = ""
	for {
		m := thinkTag.FindStringSubmatchIndex(rest)
		if m == nil {
			break
		}
		closes := m[2] < m[3]
		switch {
		case !t.inside && closes:
			b.Reset()
			again = true
		case !t.inside:
			b.WriteString(rest[:m[0]])
			t.inside = true
		case closes:
			t.inside = false
		}
		rest = rest[m[1]:]
	}
	keep := tagBegun(rest)
	t.held, rest = rest[keep:], rest[:keep]
	if !t.inside {
		b.WriteString(rest)
	}
	return b.String(), again
}

// rest is what was held back when nothing more comes.
func (t *thoughts) rest() string {
	if t.inside {
		return ""
	}
	return t.held
}

// tagBegun is where the beginning of a tag stands at the end of s, or its length.
func tagBegun(s string) int {
	i := strings.LastIndexByte(s, '<')
	if i < 0 {
		return len(s)
	}
	for _, tag := range thinkTags {
		if len(s)-i < len(tag) && strings.EqualFold(s[i:], tag[:len(s)-i]) {
			return i
		}
	}
	return len(s)
}

// stream shows a draft. Its zero value shows nothing.
type stream struct {
	emit   plumb.Emit
	before string // what stands already, when an answer goes on
	begun  bool   // something was shown
	thoughts
}

// start prepares for a call that goes on after before.
func (s *stream) start(before string) {
	s.before, s.thoughts = before, thoughts{}
	if s.begun { // what is gone on from was cut back to a sentence
		s.again()
	}
}

// delta takes a piece of the answer; an empty one says that the call began again.
func (s *stream) delta(piece string) {
	if piece == "" {
		s.thoughts = thoughts{}
		s.again()
		return
	}
	show, again := s.next(piece)
	if again {
		s.again()
	}
	s.show(show)
}

func (s *stream) again() {
	s.send("")
	s.show(s.before)
}

func (s *stream) show(text string) {
	if text != "" {
		s.begun = true
		s.send(text)
	}
}

func (s *stream) send(text string) {
	if s.emit != nil {
		s.emit(plumb.Event{Kind: plumb.DraftDelta, Text: text})
	}
}

// end shows what was held back.
func (s *stream) end() {
	s.show(s.rest())
	s.thoughts = thoughts{}
}
