package server

// What a chat is answered: the published report with its citations, or the question that a run asks back.

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"unicode/utf8"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/front"
	"github.com/plumbresearch/plumb/markdown"
)

// chatSaid is what came of a turn.
type chatSaid struct {
	text  string
	cites []chatCite
	usage chatUsage
}

// chatAnswer is a whole answer.
type chatAnswer struct {
	ID      string       `json:"id"`
	Object  string       `json:"object"`
	Created int64        `json:"created"`
	Model   string       `json:"model"`
	Choices []chatChoice `json:"choices"`
	Usage   chatUsage    `json:"usage"`
}

type chatChoice struct {
	Index        int        `json:"index"`
	Message      chatReport `json:"message"`
	Logprobs     *struct{}  `json:"logprobs"`
	FinishReason string     `json:"finish_reason"`
}

type chatReport struct {
	Role        string     `json:"role"`
	Content     string     `json:"content"`
	Refusal     *string    `json:"refusal"`
	Annotations []chatCite `json:"annotations"`
}

// chatCite is a citation as an annotation. Its indexes count characters (code points) of the content.
type chatCite struct {
	Type string      `json:"type"`
	URL  chatCiteURL `json:"url_citation"`
}

type chatCiteURL struct {
	Start int    `json:"start_index"`
	End   int    `json:"end_index"`
	URL   string `json:"url"`
	Title string `json:"title"`
}

// chatUsage is the sum of the run's bill.
type chatUsage struct {
	Prompt     int64       `json:"prompt_tokens"`
	Completion int64       `json:"completion_tokens"`
	Total      int64       `json:"total_tokens"`
	Details    chatDetails `json:"prompt_tokens_details"`
}

type chatDetails struct {
	Cached int64 `json:"cached_tokens"`
}

func (c chatSaid) whole(model string, run *plumb.Run) chatAnswer {
	message := chatReport{Role: "assistant", Content: c.text, Annotations: c.cites}
	return chatAnswer{ID: chatID(run), Object: "chat.completion", Created: run.Asked.At.Unix(), Model: model, Usage: c.usage,
		Choices: []chatChoice{{Message: message, FinishReason: "stop"}}}
}

func chatID(run *plumb.Run) string { return "chatcmpl-" + run.ID }

// errWaits: the run waits for a person.
var errWaits = errors.New("the run waits for a person")

// await follows a run until it has ended or waits for a person. A client that goes away ends the waiting, not the run.
func (s *Server) await(ctx context.Context, t turn) (chatSaid, error) {
	following, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.serving, cancel)()
	err := tenant(ctx).Follow(following, t.run.ID, t.after, s.untilItWaits(ctx, t, func(plumb.Event) error { return nil }))
	if err != nil && s.serving.Err() != nil {
		err = errStopping
	}
	return s.outcome(ctx, t, err)
}

// untilItWaits shows events, and stops at the one that says what the run waits for now.
func (s *Server) untilItWaits(ctx context.Context, t turn, show func(plumb.Event) error) func(plumb.Event) error {
	return func(e plumb.Event) error {
		if e.Kind != plumb.RunWaiting {
			return show(e)
		}
		var news plumb.WaitNews
		if err := json.Unmarshal(e.Data, &news); err != nil {
			return err
		}
		run, err := tenant(ctx).Run(ctx, t.run.ID)
		if err == nil && run.State() == plumb.Waiting && run.Wait.Kind == news.For && run.Wait.Round == news.Round {
			err = errWaits
		}
		return err
	}
}

// outcome is what there is to say once a run is not followed any more.
func (s *Server) outcome(ctx context.Context, t turn, err error) (chatSaid, error) {
	switch {
	case errors.Is(err, errStopping):
		return chatSaid{}, fail(http.StatusServiceUnavailable, "The server is stopping. The run goes on when it is back: ask again then")
	case err != nil && !errors.Is(err, errWaits):
		return chatSaid{}, err
	}
	run, err := tenant(ctx).Run(ctx, t.run.ID)
	if err != nil {
		return chatSaid{}, err
	}
	said := chatSaid{cites: []chatCite{}}
	if said.usage, err = usageOf(ctx, run.ID); err != nil {
		return said, err
	}
	switch run.State() {
	case plumb.Finished:
		p, err := tenant(ctx).Report(ctx, run.ID)
		said.text, said.cites = p.Markdown, citesOf(p)
		return said, err
	case plumb.FailedState:
		return said, &wrongChat{http.StatusInternalServerError, "", "run_failed", fmt.Sprintf("Run %s has failed: %s", run.ID, run.Fail)}
	case plumb.CancelledState:
		return said, &wrongChat{http.StatusConflict, "", "run_cancelled", fmt.Sprintf("Run %s was cancelled", run.ID)}
	}
	said.text, err = asksBack(ctx, run)
	return said, err
}

// asksBack is what a waiting run wants to know. It names the run, so that the answer finds it.
func asksBack(ctx context.Context, run *plumb.Run) (string, error) {
	if run.Wait.Kind == plumb.ForApproval {
		return fmt.Sprintf("The plan waits for approval at /api/v1/tasks/%s/review.\n\nRun: %s", run.ID, run.ID), nil
	}
	b, err := tenant(ctx).Brief(ctx, run.ID)
	return fmt.Sprintf("%s\n\nRun: %s", b.Ask, run.ID), err
}

// usageOf sums up what a run has used so far.
func usageOf(ctx context.Context, run string) (chatUsage, error) {
	var u chatUsage
	rows, err := tenant(ctx).Bill(ctx, run)
	for _, r := range rows {
		u.Prompt += r.Input
		u.Completion += r.Output
		u.Details.Cached += r.Cached
	}
	u.Total = u.Prompt + u.Completion
	return u, err
}

// citesOf finds the citation numbers in a report. A number is an annotation for each place where it stands.
func citesOf(p front.Published) []chatCite {
	cited := map[int]plumb.Citation{}
	for _, c := range p.Citations {
		cited[c.Number] = c
	}
	out := []chatCite{}
	chars, seen := 0, 0
	count := func(to int) int { // markers come in the order of the text
		chars, seen = chars+utf8.RuneCountInString(p.Markdown[seen:to]), to
		return chars
	}
	for _, m := range markdown.Markers(p.Markdown) {
		start := count(m.Start)
		end := count(m.End)
		for _, n := range m.Numbers {
			if c, ok := cited[n]; ok {
				out = append(out, chatCite{Type: "url_citation", URL: chatCiteURL{Start: start, End: end, URL: c.URL, Title: c.Title}})
			}
		}
	}
	return out
}
