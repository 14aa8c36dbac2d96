package report

// Going on: an answer that was cut is continued in the same conversation, so that the provider's cache has its beginning.

import (
	"context"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/plumbresearch/plumb/llm"
	"github.com/plumbresearch/plumb/markdown"
	"github.com/plumbresearch/plumb/text"
)

const (
	maxContinuations = 2
	nearlyFull       = 0.9 // share of an answer's room from which on it was probably cut, whatever the model says
	leastRoom        = 200 // tokens of an answer below which going on is no use
	minOverlap       = 10  // characters that stand at the end and again at the beginning by no chance
	maxOverlap       = 4000
)

// wasCut says whether an answer ended for want of room. What a model may think comes on top of the room it was given.
func (w *writing) wasCut(a *llm.Answer, r *llm.Request) bool {
	used := int(a.Usage.Output)
	if used == 0 {
		used = llm.Tokens(a.Text)
	}
	room := r.Output + w.model.Traits().Thinking
	return a.Stop == llm.Length || float64(used) >= nearlyFull*float64(room)
}

// goOn continues a text until it is complete, the model has nothing to add or the attempts are used up. What a failing
// call leaves is what stands already, up to its last whole sentence; only the end of the context is an error.
func (w *writing) goOn(ctx context.Context, r *llm.Request, a *llm.Answer, jots []jot) (string, error) {
	all := llm.Strip(a.Text)
	for n := 0; w.wasCut(a, r); n++ {
		g := w.gaps(all, jots)
		said := atSentence(all, w.m.Brief.Language)
		if g.complete() || n == maxContinuations {
			return said, nil
		}
		ask, err := prompts.Messages("continue", struct{ Lacks []string }{g.areas})
		if err != nil {
			return "", err
		}
		next, ok := w.follow(r, said, ask)
		if !ok {
			return said, nil
		}
		a, err = w.call(ctx, next, said+"\n\n")
		if err != nil {
			if ctx.Err() != nil || errors.Is(err, context.Canceled) {
				return "", err
			}
			return said, nil
		}
		r = next
		if all = join(said, llm.Strip(a.Text)); all == said {
			break
		}
	}
	return all, nil
}

// said is what an answer says; one that was cut ends with its last whole sentence.
func (w *writing) said(a *llm.Answer, r *llm.Request) string {
	if !w.wasCut(a, r) {
		return llm.Strip(a.Text)
	}
	return atSentence(llm.Strip(a.Text), w.m.Brief.Language)
}

// follow is the next request of a conversation, if the window has room for it. The prompt of the first is its prefix.
func (w *writing) follow(r *llm.Request, said string, ask []llm.Message) (*llm.Request, bool) {
	next := &llm.Request{Messages: append(append([]llm.Message{}, w.prompt...), llm.Message{From: llm.Assistant, Text: said})}
	next.Messages = append(next.Messages, ask...)
	next.Output = min(r.Output, llm.Room(w.model.Traits(), next, 1))
	return next, next.Output >= leastRoom
}

// atSentence cuts a text back to its last whole sentence or line: where an answer was cut, its last word may be half.
func atSentence(s, lang string) string {
	s = strings.TrimRight(s, " \t\r\n")
	d := markdown.Parse(s)
	if breaksOff(d, lang) == "" || len(d.Blocks) == 0 {
		return s
	}
	last := d.Blocks[len(d.Blocks)-1]
	if last.Kind == markdown.Heading || last.Kind == markdown.Code || last.Kind == markdown.Row {
		return strings.TrimRight(s[:lineStart(s, last.Start)], " \t\r\n")
	}
	body := d.Text(last)
	spans := text.Sentences(body, lang)
	if len(spans) > 1 {
		return strings.TrimRight(s[:last.Start+spans[len(spans)-1].Start], " \t\r\n")
	}
	return strings.TrimRight(s[:lineStart(s, last.Start)], " \t\r\n")
}

// join puts a continuation behind a text that ends with a sentence, without what it repeats.
func join(said, more string) string {
	more = strings.TrimSpace(chatter.ReplaceAllString(strings.TrimSpace(more), ""))
	if more == "" || strings.HasSuffix(said, more) {
		return said
	}
	if again(said, more) {
		if utf8.RuneCountInString(more) > utf8.RuneCountInString(said) {
			return more
		}
		return said
	}
	if n := overlap(said, more); n > 0 {
		return strings.TrimRight(said, " \n") + more[n:]
	}
	sep := " "
	if first, _ := utf8.DecodeRuneInString(more); opensBlock(more) || strings.HasSuffix(said, "|") && first == '|' {
		sep = "\n\n"
		if sameList(said, more) {
			sep = "\n"
		}
	}
	return said + sep + more
}

// again says whether a model began from the start.
func again(said, more string) bool {
	first, _, _ := strings.Cut(said, "\n")
	return strings.HasPrefix(first, "# ") && strings.HasPrefix(more, first)
}

// overlap is how much of the beginning of more ends said.
func overlap(said, more string) int {
	for n := min(len(said), len(more), maxOverlap); n >= minOverlap; n-- {
		if utf8.RuneStart(said[len(said)-n]) && strings.HasPrefix(more, said[len(said)-n:]) {
			return n
		}
	}
	return 0
}

func opensBlock(s string) bool {
	for _, p := range []string{"#", "- ", "* ", "> ", "|", "1. ", "```"} {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}

// sameList says whether more goes on with the list or table that said ends in.
func sameList(said, more string) bool {
	last := strings.TrimLeft(said[lineStart(said, len(said)):], " ")
	for _, p := range []string{"- ", "* ", "|"} {
		if strings.HasPrefix(last, p) && strings.HasPrefix(more, p) {
			return true
		}
	}
	return false
}
