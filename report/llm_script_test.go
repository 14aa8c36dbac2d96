package report

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/llm"
)

// scripted is a model that answers each prompt, known by its name, from a list: the last answer stays.
type scripted struct {
	window, output int
	most           int              // tokens of a prompt above which it says that it is too long; 0: none
	answers        map[string][]any // string, *llm.Answer, error, or what JSON is made of
	pieces         int              // size of the pieces of a stream; 0: 7

	mu    sync.Mutex
	asked map[string][]*llm.Request
}

func (s *scripted) Name() string { return "test:scripted" }
func (s *scripted) Traits() llm.Traits {
	return llm.Traits{Window: s.window, Output: s.output, Schema: true}
}

// promptName is the first line of the system part.
func promptName(r *llm.Request) string {
	first, _, _ := strings.Cut(r.Messages[0].Text, "\n")
	return strings.TrimPrefix(first, "# ")
}

func (s *scripted) Complete(ctx context.Context, r *llm.Request) (*llm.Answer, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	name := promptName(r)
	if s.asked == nil {
		s.asked = map[string][]*llm.Request{}
	}
	n := len(s.asked[name])
	s.asked[name] = append(s.asked[name], r)
	if s.most > 0 && r.Tokens() > s.most {
		return nil, &llm.Error{Trouble: llm.TooLong, Model: s.Name()}
	}
	list := s.answers[name]
	if len(list) == 0 {
		return nil, errors.New("no answer in the script for " + name)
	}
	switch a := list[min(n, len(list)-1)].(type) {
	case error:
		return nil, a
	case string:
		return s.say(r, &llm.Answer{Text: a, Stop: llm.End, Usage: llm.Usage{Input: 1, Output: int64(llm.Tokens(a))}}), nil
	case *llm.Answer:
		return s.say(r, a), nil
	default:
		b, err := json.Marshal(a)
		return s.say(r, &llm.Answer{Text: string(b), Stop: llm.End}), err
	}
}

// say streams an answer in pieces.
func (s *scripted) say(r *llm.Request, a *llm.Answer) *llm.Answer {
	if r.Delta == nil {
		return a
	}
	size := max(s.pieces, 1)
	if s.pieces == 0 {
		size = 7
	}
	rest := []rune(a.Text)
	for len(rest) > 0 {
		n := min(size, len(rest))
		r.Delta(string(rest[:n]))
		rest = rest[n:]
	}
	return a
}

// prompt is a request as text, for golden files.
func promptText(r *llm.Request) string {
	var b strings.Builder
	for _, m := range r.Messages {
		fmt.Fprintf(&b, "=== %s\n%s\n", m.From, m.Text)
	}
	fmt.Fprintf(&b, "=== output %d\n", r.Output)
	return b.String()
}

// shownText is a draft as whoever follows the events sees it in the end.
type shownText struct {
	text   strings.Builder
	events []plumb.Event
}

func (s *shownText) emit(e plumb.Event) {
	s.events = append(s.events, e)
	if e.Kind != plumb.DraftDelta {
		return
	}
	if e.Text == "" {
		s.text.Reset()
	}
	s.text.WriteString(e.Text)
}

func (s *shownText) kinds(k plumb.EventKind) []string {
	var out []string
	for _, e := range s.events {
		if e.Kind == k {
			out = append(out, e.Text)
		}
	}
	return out
}
