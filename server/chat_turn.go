package server

// Which run answers a turn of a chat. Clients send the whole conversation each time and no id, so that the thread is found
// by what they send: the session they name, the run that an earlier answer names (every report ends with the id of its
// run), or else the first message.

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"regexp"
	"strings"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/engine"
	"github.com/plumbresearch/plumb/front"
)

// turn is a run to be followed from a seq.
type turn struct {
	run   *plumb.Run
	after int64
}

// turn starts the run that answers a conversation, goes on with the one that waits for the answer that this is, or joins the
// one that is at work on the same question already: a client that lost its connection asks again.
func (s *Server) turn(ctx context.Context, ask chatAsk, preset string) (turn, error) {
	thread, err := s.threadOf(ctx, ask)
	if err != nil {
		return turn{}, err
	}
	if thread != "" {
		t, err := s.goOn(ctx, thread, ask.question(), preset)
		if err != nil || t.run != nil {
			return t, err
		}
		if !ask.named() && !ask.followsUp() && t.after > 0 {
			thread = "" // the same first message as in a conversation before: this is another one
		}
	}
	run, err := tenant(ctx).Ask(ctx, front.Ask{Text: ask.question(), Thread: thread, Preset: preset})
	return turn{run: run}, err
}

// goOn finds the run of a thread that the question belongs to. Without one, after is more than 0 if the thread has runs.
func (s *Server) goOn(ctx context.Context, thread, question, preset string) (turn, error) {
	t := tenant(ctx)
	runs, n, err := t.Runs(ctx, engine.Filter{Thread: thread, Limit: 1})
	if err != nil || n == 0 {
		return turn{}, err
	}
	none := turn{after: int64(n)}
	if runs[0].State.Ended() {
		return none, nil
	}
	run, err := t.Run(ctx, runs[0].ID)
	switch {
	case err != nil:
		return none, err
	case run.Asked.Text == question && run.Limits.Preset == preset && run.Kind == plumb.Research:
		return turn{run: run}, nil
	case run.Wait.Kind != plumb.ForAnswer:
		return none, nil
	}
	seen, err := t.Events(ctx, run.ID, 0, 0)
	if err != nil {
		return none, err
	}
	return turn{run: run, after: seen[len(seen)-1].Seq}, t.Tell(ctx, run.ID, plumb.Signal{Kind: plumb.SigAnswer, Text: question, By: by(ctx)})
}

// named tells whether the client names its thread itself.
func (a chatAsk) named() bool { return a.Metadata["session_id"] != "" }

// followsUp tells whether there was an answer before.
func (a chatAsk) followsUp() bool {
	for _, m := range a.Messages {
		if m.Role == "assistant" {
			return true
		}
	}
	return false
}

// runLine names a run at the end of a report or of a clarifying question.
var runLine = regexp.MustCompile(`(?m)^\W*Run: ([0-9a-z]{26})\b`)

// threadOf finds the thread of a conversation; one that is new has a name all the same.
func (s *Server) threadOf(ctx context.Context, ask chatAsk) (string, error) {
	if ask.named() {
		return ask.Metadata["session_id"], nil
	}
	for i := len(ask.Messages) - 1; i >= 0; i-- {
		if ask.Messages[i].Role != "assistant" {
			continue
		}
		for _, m := range runLine.FindAllStringSubmatch(ask.Messages[i].Content.Text, -1) {
			run, err := tenant(ctx).Run(ctx, m[1])
			if err == nil {
				return run.Thread, nil
			}
			if !errors.Is(err, engine.ErrNoRun) {
				return "", err
			}
		}
	}
	return firstThread(ask), nil
}

// firstThread is named after the user and the first message.
func firstThread(ask chatAsk) string {
	for _, m := range ask.Messages {
		if m.Role == "user" {
			sum := sha256.Sum256([]byte(ask.User + "\x00" + strings.TrimSpace(m.Content.Text)))
			return "chat-" + hex.EncodeToString(sum[:12])
		}
	}
	return ""
}
