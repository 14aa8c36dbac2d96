package server

// A chat that is answered piece by piece: progress as reasoning_content, which clients that don't know it ignore, then the
// report as content once it is checked. Drafts are not shown: they are written again, and nothing of them is checked.

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/front"
)

type chatChunk struct {
	ID      string      `json:"id"`
	Object  string      `json:"object"`
	Created int64       `json:"created"`
	Model   string      `json:"model"`
	Choices []chatPiece `json:"choices"`
	Usage   *chatUsage  `json:"usage,omitempty"`
}

type chatPiece struct {
	Index        int       `json:"index"`
	Delta        chatDelta `json:"delta"`
	Logprobs     *struct{} `json:"logprobs"`
	FinishReason *string   `json:"finish_reason"`
}

type chatDelta struct {
	Role        string     `json:"role,omitempty"`
	Content     *string    `json:"content,omitempty"`
	Reasoning   string     `json:"reasoning_content,omitempty"`
	Annotations []chatCite `json:"annotations,omitempty"`
}

// chatLine writes chunks.
type chatLine struct {
	*line
	chatChunk
}

func (l chatLine) chunk(pieces []chatPiece, usage *chatUsage) error {
	c := l.chatChunk
	c.Choices, c.Usage = pieces, usage
	data, err := json.Marshal(c)
	if err != nil {
		return err
	}
	return l.send(fmt.Appendf(nil, "data: %s\n\n", data))
}

func (l chatLine) delta(d chatDelta) error { return l.chunk([]chatPiece{{Delta: d}}, nil) }

// chatStream follows a run and tells its client. After the first chunk an error can only be said in the stream.
func (s *Server) chatStream(w http.ResponseWriter, r *http.Request, ask chatAsk, t turn) {
	ctx := r.Context()
	l := chatLine{newLine(w), chatChunk{ID: chatID(t.run), Object: "chat.completion.chunk", Created: t.run.Asked.At.Unix(), Model: ask.Model}}
	defer l.close()
	empty := ""
	if l.delta(chatDelta{Role: "assistant", Content: &empty}) != nil {
		return
	}
	err := s.follow(ctx, l.line, t.run.ID, t.after, s.untilItWaits(ctx, t, func(e plumb.Event) error {
		if text := front.Line(e); text != "" {
			return l.delta(chatDelta{Reasoning: text + "\n"})
		}
		return nil
	}))
	said, err := s.outcome(ctx, t, err)
	if err == nil {
		err = l.tell(said, ask.StreamOptions != nil && ask.StreamOptions.IncludeUsage)
	} else if ctx.Err() == nil && !errors.Is(err, errGone) {
		err = s.breakOff(ctx, l, err)
	}
	if err != nil && ctx.Err() == nil {
		s.o.Log.DebugContext(ctx, "the client went away", "error", err)
	}
}

// breakOff says in the stream what went wrong. No [DONE] follows.
func (s *Server) breakOff(ctx context.Context, l chatLine, err error) error {
	_, body := s.chatBody(ctx, err)
	data, err := json.Marshal(body)
	if err != nil {
		return err
	}
	return l.send(fmt.Appendf(nil, "data: %s\n\n", data))
}

// chatPieceSize is how much of a report goes into one chunk, in bytes.
const chatPieceSize = 2048

// tell writes the answer and ends the stream.
func (l chatLine) tell(said chatSaid, withUsage bool) error {
	for rest := said.text; rest != ""; {
		piece := cut(rest)
		rest = rest[len(piece):]
		if err := l.delta(chatDelta{Content: &piece}); err != nil {
			return err
		}
	}
	if len(said.cites) > 0 {
		if err := l.delta(chatDelta{Annotations: said.cites}); err != nil {
			return err
		}
	}
	stop := "stop"
	if err := l.chunk([]chatPiece{{FinishReason: &stop}}, nil); err != nil {
		return err
	}
	if withUsage {
		if err := l.chunk([]chatPiece{}, &said.usage); err != nil {
			return err
		}
	}
	return l.send([]byte("data: [DONE]\n\n"))
}

// cut takes a piece off the beginning, whole lines where they are not too long, never half a character.
func cut(s string) string {
	if len(s) <= chatPieceSize {
		return s
	}
	if i := strings.LastIndexByte(s[:chatPieceSize], '\n'); i >= 0 {
		return s[:i+1]
	}
	n := chatPieceSize
	for n > 1 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
