package server_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/engine"
	"github.com/plumbresearch/plumb/front"
	"github.com/plumbresearch/plumb/server"
)

func newOpenAI(s *httptest.Server) openai.Client {
	return openai.NewClient(option.WithBaseURL(s.URL+"/v1/"), option.WithAPIKey("none"), option.WithMaxRetries(0))
}

// noKeyNeeded keeps the client's key away: on loopback none is needed, and a wrong one is refused.
var noKeyNeeded = option.WithHeaderDel("Authorization")

func quick(messages ...openai.ChatCompletionMessageParamUnion) openai.ChatCompletionNewParams {
	return openai.ChatCompletionNewParams{Model: "plumb-quick", Messages: messages}
}

// complete asks and waits for the answer.
func complete(t *testing.T, c openai.Client, p openai.ChatCompletionNewParams) (*openai.ChatCompletion, http.Header) {
	t.Helper()
	var res *http.Response
	got, err := c.Chat.Completions.New(t.Context(), p, option.WithResponseInto(&res), noKeyNeeded)
	if err != nil {
		t.Fatal(err)
	}
	return got, res.Header
}

// asksBack stops the run at its scope with a question to the person, once.
func (h *house) asksBack(ask string) doer {
	return func(ctx context.Context, t *engine.Task, do func(context.Context, *engine.Task) (*plumb.Outcome, error)) (*plumb.Outcome, error) {
		out, err := do(ctx, t)
		if err != nil || t.Step.Kind != plumb.StepScope || t.Step.Round > 1 {
			return out, err
		}
		var b plumb.Brief
		if err := h.db.Artefact(ctx, t.Run, out.Refs.Brief, &b); err != nil {
			return nil, err
		}
		b.Ask = ask
		out.Refs.Ask = out.Refs.Brief
		return out, h.db.PutArtefact(ctx, t.Run, out.Refs.Brief, b)
	}
}

func TestModelsAreThePresets(t *testing.T) {
	c := newOpenAI(newHouse(t, nil).serve(nil))
	page, err := c.Models.List(t.Context(), noKeyNeeded)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range page.Data {
		got = append(got, m.ID)
	}
	if want := []string{"plumb-quick", "plumb-standard", "plumb-deep", "plumb-academic"}; !slices.Equal(got, want) {
		t.Error(got)
	}
	if m, err := c.Models.Get(t.Context(), "plumb-deep", noKeyNeeded); err != nil || m.ID != "plumb-deep" || m.OwnedBy != "plumb" {
		t.Error(m, err)
	}
}

func TestChatIsAnsweredWithTheReport(t *testing.T) {
	h := newHouse(t, nil)
	h.shelve("", 6)
	got, header := complete(t, newOpenAI(h.serve(nil)), quick(openai.SystemMessage("You are helpful."), openai.UserMessage(bridge)))
	id := header.Get("X-Workflow-ID")
	report, err := h.Tenant("").Report(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	message := got.Choices[0].Message
	if message.Content != report.Markdown || got.Choices[0].FinishReason != "stop" || message.Role != "assistant" {
		t.Errorf("%.200s", message.Content)
	}
	if got.ID != "chatcmpl-"+id || got.Model != "plumb-quick" || got.Object != "chat.completion" || got.Created == 0 || header.Get("X-Session-ID") == "" {
		t.Errorf("%+v", got)
	}
	chars := []rune(message.Content)
	seen := map[string]bool{}
	for _, a := range message.Annotations {
		u := a.URLCitation
		if marker := string(chars[u.StartIndex:u.EndIndex]); !strings.HasPrefix(marker, "[") || !strings.HasSuffix(marker, "]") || u.Title == "" {
			t.Errorf("%q is cited as %+v", marker, u)
		}
		seen[u.URL] = true
	}
	if len(seen) != len(report.Citations) {
		t.Errorf("annotations name %d of %d sources", len(seen), len(report.Citations))
	}
}

func TestChatUsageIsTheBill(t *testing.T) {
	var h *house
	h = newHouse(t, func(ctx context.Context, t *engine.Task, do func(context.Context, *engine.Task) (*plumb.Outcome, error)) (*plumb.Outcome, error) {
		if t.Step.Kind == plumb.StepWrite {
			for _, row := range []plumb.LedgerRow{{Input: 900, Cached: 400, Output: 80}, {Input: 100, Output: 20, Error: "cut off"}} {
				row.Run, row.Step, row.At, row.Model = t.Run, t.Step.ID, time.Now(), "openai:big"
				if err := h.db.AddLedgerRow(ctx, row); err != nil {
					return nil, err
				}
			}
		}
		return do(ctx, t)
	})
	h.shelve("", 6)
	got, _ := complete(t, newOpenAI(h.serve(nil)), quick(openai.UserMessage(bridge)))
	if u := got.Usage; u.PromptTokens != 1000 || u.CompletionTokens != 100 || u.TotalTokens != 1100 || u.PromptTokensDetails.CachedTokens != 400 {
		t.Errorf("%+v", u)
	}
}

func TestChatStreamsProgressThenTheReport(t *testing.T) {
	h := newHouse(t, nil)
	h.shelve("", 6)
	p := quick(openai.UserMessage(bridge))
	p.StreamOptions = openai.ChatCompletionStreamOptionsParam{IncludeUsage: openai.Bool(true)}
	c := newOpenAI(h.serve(nil))
	stream := c.Chat.Completions.NewStreaming(t.Context(), p, noKeyNeeded)
	var acc openai.ChatCompletionAccumulator
	var thoughts, content strings.Builder
	var usage, late int
	var cites []json.RawMessage
	for stream.Next() {
		chunk := stream.Current()
		if !acc.AddChunk(chunk) {
			t.Errorf("a chunk does not fit: %s", chunk.RawJSON())
		}
		if chunk.JSON.Usage.Valid() {
			if usage++; len(chunk.Choices) != 0 {
				t.Error("the usage has a chunk of its own")
			}
			continue
		}
		var d struct {
			Reasoning   string            `json:"reasoning_content"`
			Annotations []json.RawMessage `json:"annotations"`
		}
		if err := json.Unmarshal([]byte(chunk.Choices[0].Delta.RawJSON()), &d); err != nil {
			t.Fatal(err)
		}
		if d.Reasoning != "" && content.Len() > 0 {
			late++
		}
		thoughts.WriteString(d.Reasoning)
		content.WriteString(chunk.Choices[0].Delta.Content)
		cites = append(cites, d.Annotations...)
	}
	if err := stream.Err(); err != nil {
		t.Fatal(err)
	}
	id := strings.TrimPrefix(acc.ID, "chatcmpl-")
	report, err := h.Tenant("").Report(t.Context(), id)
	if err != nil || content.String() != report.Markdown || acc.Choices[0].FinishReason != "stop" {
		t.Errorf("%v %.200s", err, content.String())
	}
	if usage != 1 || late != 0 || len(cites) == 0 || !strings.Contains(thoughts.String(), "Read: ") || !strings.Contains(thoughts.String(), "Published: ") {
		t.Errorf("%d usages, %d late, %d citations, thoughts %s", usage, late, len(cites), thoughts.String())
	}
}

// lines posts a chat and reads the data: lines of the answer.
func lines(t *testing.T, base, body string) []string {
	t.Helper()
	res, err := http.Post(base+"/v1/chat/completions", "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := res.Body.Close(); err != nil {
			t.Error(err)
		}
	}()
	var out []string
	in := bufio.NewScanner(res.Body)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		if data, ok := strings.CutPrefix(in.Text(), "data: "); ok {
			out = append(out, data)
		}
	}
	return out
}

func chatBody(question, more string) string {
	return fmt.Sprintf(`{"model":"plumb-quick","messages":[{"role":"user","content":%q}]%s}`, question, more)
}

func TestChatStreamBeginsWithTheRoleAndEndsWithDone(t *testing.T) {
	h := newHouse(t, nil)
	h.shelve("", 6)
	got := lines(t, h.serve(nil).URL, chatBody(bridge, `,"stream":true`))
	if n := len(got); n < 5 || got[n-1] != "[DONE]" || !strings.Contains(got[n-2], `"finish_reason":"stop"`) || !strings.Contains(got[0], `"delta":{"role":"assistant","content":""}`) {
		t.Error(got)
	}
	for _, line := range got {
		if strings.Contains(line, `"usage"`) {
			t.Error("the usage was not asked for")
		}
	}
}

func TestChatRefusesWhatItCannotAnswer(t *testing.T) {
	s := newHouse(t, nil).serve(nil)
	for _, c := range []struct {
		name, body, param, code string
		status                  int
	}{
		{"not JSON", `{`, "", "", 400},
		{"wrong type", `{"model":"plumb-quick","messages":[],"stream":"yes"}`, "stream", "", 400},
		{"no model", `{"messages":[{"role":"user","content":"x"}]}`, "model", "", 400},
		{"unknown model", `{"model":"gpt-4o","messages":[{"role":"user","content":"x"}]}`, "model", "model_not_found", 404},
		{"no messages", `{"model":"plumb-quick"}`, "messages", "", 400},
		{"last is not the user's", `{"model":"plumb-quick","messages":[{"role":"assistant","content":"x"}]}`, "messages", "", 400},
		{"empty", chatBody("  ", ""), "messages", "", 400},
		{"picture", `{"model":"plumb-quick","messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"x"}}]}]}`, "messages", "", 400},
		{"too long", chatBody(strings.Repeat("a", 10_001), ""), "messages", "", 400},
		{"two answers", chatBody("x", `,"n":2`), "n", "", 400},
		{"JSON wanted", chatBody("x", `,"response_format":{"type":"json_object"}`), "response_format", "", 400},
		{"session", chatBody("x", `,"metadata":{"session_id":"a b"}`), "metadata", "", 400},
		{"nothing to search", chatBody("x", ""), "", "", 400},
	} {
		t.Run(c.name, func(t *testing.T) {
			res, err := http.Post(s.URL+"/v1/chat/completions", "application/json", strings.NewReader(c.body))
			if err != nil {
				t.Fatal(err)
			}
			data, err := io.ReadAll(res.Body)
			if err != nil || res.Body.Close() != nil {
				t.Fatal(err)
			}
			var got struct {
				Error struct {
					Message, Type string
					Param, Code   *string
				}
			}
			if err := json.Unmarshal(data, &got); err != nil {
				t.Fatalf("%v: %s", err, data)
			}
			str := func(p *string) string {
				if p == nil {
					return ""
				}
				return *p
			}
			if e := got.Error; res.StatusCode != c.status || e.Type != "invalid_request_error" || str(e.Param) != c.param || str(e.Code) != c.code || e.Message == "" {
				t.Errorf("%s: %s", res.Status, data)
			}
		})
	}
}

func TestChatIgnoresParametersThatMeanNothing(t *testing.T) {
	h := newHouse(t, nil)
	h.shelve("", 6)
	got := lines(t, h.serve(nil).URL, `{"model":"plumb-quick","temperature":0.2,"max_tokens":10,"tools":[],"seed":1,"stop":["x"],"stream":true,"n":1,
		"messages":[{"role":"developer","content":"x"},{"role":"user","content":[{"type":"text","text":"`+bridge+`"}]}]}`)
	if len(got) < 5 || got[len(got)-1] != "[DONE]" {
		t.Error(got)
	}
}

func TestChatWithoutAKeyIsRefusedAsOpenAIClientsKnowIt(t *testing.T) {
	c := newOpenAI(newHouse(t, nil).serve(func(o *server.Options) { o.Open = false }))
	_, err := c.Models.List(t.Context())
	var known *openai.Error
	if !errors.As(err, &known) || known.StatusCode != http.StatusUnauthorized || known.Type != "authentication_error" || known.Message == "" {
		t.Errorf("%#v", err)
	}
}

func TestFollowUpsAreTurnsOfAThread(t *testing.T) {
	h := newHouse(t, nil)
	h.shelve("", 6)
	c := newOpenAI(h.serve(nil))
	follow := "What did the council decide about it?"
	first, header := complete(t, c, quick(openai.UserMessage(bridge)))
	thread, id := header.Get("X-Session-ID"), header.Get("X-Workflow-ID")

	turn := func(said string) *plumb.Run {
		t.Helper()
		_, header := complete(t, c, quick(openai.UserMessage(bridge), openai.AssistantMessage(said), openai.UserMessage(follow)))
		run, err := h.Tenant("").Run(t.Context(), header.Get("X-Workflow-ID"))
		if err != nil {
			t.Fatal(err)
		}
		return run
	}
	if run := turn(first.Choices[0].Message.Content); run.Thread != thread || run.Parent != id || run.Asked.Text != follow {
		t.Errorf("%s of thread %s after %s", run.Asked.Text, run.Thread, run.Parent)
	}
	if run := turn("The bridge, as the client sums it up."); run.Thread != thread {
		t.Errorf("thread %s", run.Thread)
	}
	_, header = complete(t, c, quick(openai.UserMessage(bridge)))
	if again := header.Get("X-Session-ID"); again == thread {
		t.Error("another conversation with the same beginning is the same thread")
	}
	p := quick(openai.UserMessage(bridge))
	p.Metadata = map[string]string{"session_id": "mine"}
	if _, header = complete(t, c, p); header.Get("X-Session-ID") != "mine" {
		t.Error(header)
	}
}

func TestRunsOfOthersAreNoThreadOfAChat(t *testing.T) {
	h := newHouse(t, nil)
	h.shelve("", 6)
	h.shelve("other", 2)
	others, err := h.Tenant("other").Ask(t.Context(), front.Ask{Text: bridge})
	if err != nil {
		t.Fatal(err)
	}
	theirs := others.ID
	_, header := complete(t, newOpenAI(h.serve(nil)), quick(openai.UserMessage("x y"), openai.AssistantMessage("- Run: "+theirs), openai.UserMessage(bridge)))
	run, err := h.Tenant("").Run(t.Context(), header.Get("X-Workflow-ID"))
	if err != nil || run.Thread == theirs || run.Parent != "" {
		t.Error(run.Thread, run.Parent, err)
	}
}

func TestRunGoesOnWithoutItsClient(t *testing.T) {
	g := newGate(plumb.StepWrite)
	h := newHouse(t, g.hold)
	h.shelve("", 6)
	c := newOpenAI(h.serve(nil))
	ctx, cancel := context.WithCancel(t.Context())
	left := make(chan error, 1)
	go func() {
		_, err := c.Chat.Completions.New(ctx, quick(openai.UserMessage(bridge)), noKeyNeeded)
		left <- err
	}()
	<-g.at
	cancel()
	if err := <-left; !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	runs, n, err := h.Tenant("").Runs(t.Context(), engine.Filter{})
	if err != nil || n != 1 {
		t.Fatalf("%d runs %v", n, err)
	}
	close(g.open)
	h.await("", runs[0].ID, plumb.Finished)
}

func TestAskingAgainJoinsTheRunThatIsAtWork(t *testing.T) {
	g := newGate(plumb.StepWrite)
	h := newHouse(t, g.hold)
	h.shelve("", 6)
	s := h.serve(nil)
	c := newOpenAI(s)
	ids := make(chan string, 2)
	for range 2 {
		stream := c.Chat.Completions.NewStreaming(t.Context(), quick(openai.UserMessage(bridge)), noKeyNeeded)
		if !stream.Next() {
			t.Fatal(stream.Err())
		}
		go func() {
			id := stream.Current().ID
			for stream.Next() {
				if stream.Current().ID != id {
					id = "changed"
				}
			}
			ids <- id
		}()
	}
	<-g.at
	close(g.open)
	if a, b := <-ids, <-ids; a != b {
		t.Errorf("%s and %s", a, b)
	}
}

func TestAskingAgainForMoreIsAnotherRun(t *testing.T) {
	g := newGate(plumb.StepWrite)
	h := newHouse(t, g.hold)
	h.shelve("", 6)
	c := newOpenAI(h.serve(nil))
	p := quick(openai.UserMessage(bridge))
	one := c.Chat.Completions.NewStreaming(t.Context(), p, noKeyNeeded)
	p.Model = "plumb-standard"
	two := c.Chat.Completions.NewStreaming(t.Context(), p, noKeyNeeded)
	if !one.Next() || !two.Next() || one.Current().ID == two.Current().ID {
		t.Error(one.Current().ID, two.Current().ID, one.Err(), two.Err())
	}
	close(g.open)
	for one.Next() || two.Next() {
	}
}

func TestClarifyingQuestionIsAMessage(t *testing.T) {
	var h *house
	h = newHouse(t, func(ctx context.Context, t *engine.Task, do func(context.Context, *engine.Task) (*plumb.Outcome, error)) (*plumb.Outcome, error) {
		return h.asksBack("Which bridge do you mean?")(ctx, t, do)
	})
	h.shelve("", 6)
	c := newOpenAI(h.serve(nil))
	asked, header := complete(t, c, quick(openai.UserMessage(bridge)))
	question := asked.Choices[0].Message.Content
	if !strings.HasPrefix(question, "Which bridge do you mean?") || asked.Choices[0].FinishReason != "stop" {
		t.Fatalf("%+v", asked.Choices[0])
	}
	got, again := complete(t, c, quick(openai.UserMessage(bridge), openai.AssistantMessage(question), openai.UserMessage("The one at Halvermouth")))
	if id := header.Get("X-Workflow-ID"); again.Get("X-Workflow-ID") != id || !strings.Contains(got.Choices[0].Message.Content, "Verification Status") {
		t.Errorf("%.100s", got.Choices[0].Message.Content)
	}
}

func TestFailedRunIsAnErrorThatIsNotTriedAgain(t *testing.T) {
	h := newHouse(t, func(ctx context.Context, t *engine.Task, do func(context.Context, *engine.Task) (*plumb.Outcome, error)) (*plumb.Outcome, error) {
		if t.Step.Kind == plumb.StepWrite {
			return nil, engine.Permanent(errors.New("no ink"))
		}
		return do(ctx, t)
	})
	h.shelve("", 6)
	s := h.serve(nil)
	c := openai.NewClient(option.WithBaseURL(s.URL+"/v1/"), option.WithAPIKey("none")) // tries again by itself
	_, err := c.Chat.Completions.New(t.Context(), quick(openai.UserMessage(bridge)), noKeyNeeded)
	var known *openai.Error
	if !errors.As(err, &known) || known.StatusCode != http.StatusInternalServerError || known.Code != "run_failed" {
		t.Fatalf("%v", err)
	}
	stream := c.Chat.Completions.NewStreaming(t.Context(), quick(openai.UserMessage("Another question about the bridge")), noKeyNeeded)
	for stream.Next() {
	}
	if err := stream.Err(); err == nil || !strings.Contains(err.Error(), "has failed") {
		t.Error(err)
	}
	if _, n, err := h.Tenant("").Runs(t.Context(), engine.Filter{}); err != nil || n != 2 {
		t.Errorf("%d runs %v", n, err)
	}
}

func TestChatsAreToldThatTheServerStops(t *testing.T) {
	g := newGate(plumb.StepWrite)
	h := newHouse(t, g.hold)
	h.shelve("", 6)
	srv := server.New(server.Options{House: h.House, Keys: h.db, Replies: h.db, Open: true})
	s := httptest.NewServer(srv.Handler())
	defer s.Close()
	c := newOpenAI(s)
	whole := make(chan error, 1)
	go func() {
		_, err := c.Chat.Completions.New(context.Background(), quick(openai.UserMessage(bridge)), noKeyNeeded)
		whole <- err
	}()
	<-g.at
	stream := c.Chat.Completions.NewStreaming(t.Context(), quick(openai.UserMessage(bridge)), noKeyNeeded)
	if !stream.Next() {
		t.Fatal(stream.Err())
	}
	srv.Stop()
	var known *openai.Error
	if err := <-whole; !errors.As(err, &known) || known.StatusCode != http.StatusServiceUnavailable {
		t.Error(err)
	}
	for stream.Next() {
	}
	if err := stream.Err(); err == nil || !strings.Contains(err.Error(), "stopping") {
		t.Error(err)
	}
	close(g.open)
}

// TestOpenAIForNode lets the official client of another language ask. OPENAI_NODE names a folder where it is installed.
func TestOpenAIForNode(t *testing.T) {
	modules := os.Getenv("OPENAI_NODE")
	if modules == "" {
		t.Skip("OPENAI_NODE is not set: npm install --prefix DIR openai, and set it to DIR")
	}
	h := newHouse(t, nil)
	h.shelve("", 6)
	s := h.serve(nil)
	script, err := os.ReadFile("../test/clients/openai.mjs")
	if err != nil {
		t.Fatal(err)
	}
	file := modules + "/plumb-openai.mjs" // beside node_modules, where imports are looked for
	if err := os.WriteFile(file, script, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "node", file, s.URL+"/v1", bridge)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var got struct {
		Models                     []string
		Whole, Streamed, Reasoning string
		Annotations                int
		Missing                    struct {
			Status int
			Code   string
		}
	}
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, text := range []string{got.Whole, got.Streamed} {
		if !strings.Contains(text, "Marrowgate") || !strings.Contains(text, "## Sources") {
			t.Errorf("%.200s", text)
		}
	}
	if len(got.Models) != 4 || got.Reasoning == "" || got.Annotations == 0 || got.Missing.Status != 404 || got.Missing.Code != "model_not_found" {
		t.Errorf("%+v", got)
	}
}
