package storetest

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/engine"
	"github.com/plumbresearch/plumb/llm"
)

// recording is what a page said, which nobody else was told.
func recording(run, step, key string, nth int) plumb.Recording {
	return plumb.Recording{Run: run, Step: step, Key: key, Nth: nth, Kind: "page", At: start,
		Asked: json.RawMessage(`{"url":"https://example.org"}`), Answer: fmt.Appendf(nil, `{"text":"%s %s %s %d"}`, run, step, key, nth)}
}

// tapes are all recordings of a run.
func tapes(t *testing.T, s Store, run string) (out []plumb.Recording) {
	t.Helper()
	must(t, s.Recordings(ctx, run, func(r plumb.Recording) error {
		out = append(out, r)
		return nil
	}))
	return out
}

// lines are recordings as JSON, which is compared a thousand times faster than bytes are one by one.
func lines(t *testing.T, recs []plumb.Recording) (out []string) {
	t.Helper()
	for _, r := range recs {
		b, err := json.Marshal(r)
		must(t, err)
		out = append(out, string(b))
	}
	return out
}

// Conversation is what a unit asks its model: n calls, each with all that was said before, a tool's reply of about size
// bytes and the same tools.
func Conversation(run string, n, size int) (recs []plumb.Recording) {
	r := llm.Request{
		Messages: []llm.Message{{From: llm.System, Text: "# unit\nAnswer <one> question."}, {From: llm.User, Text: "What is it for?"}},
		Tools:    []llm.Tool{{Name: "search_web", About: strings.Repeat("Searches the web. ", 50), Parameters: json.RawMessage(`{"type":"object"}`)}},
		Output:   4096,
	}
	for i := range n {
		asked, err := json.Marshal(r)
		if err != nil {
			panic(err) // the types always marshal
		}
		recs = append(recs, plumb.Recording{Run: run, Step: "unit.u1", Key: fmt.Sprintf("key %d", i), Kind: "model", At: later(i), Asked: asked,
			Answer: json.RawMessage(`{"calls":[{"id":"1","name":"search_web","arguments":"{}"}],"stop":"tool","usage":{"input":9,"output":3}}`)})
		id := fmt.Sprint(i)
		r.Messages = append(r.Messages, llm.Message{From: llm.Assistant, Calls: []llm.Call{{ID: id, Name: "search_web", Arguments: `{"query":"` + id + `"}`}}},
			llm.Message{From: llm.ToolReply, Reply: id, Text: strings.Repeat(words[i%len(words)]+" "+id+" ", size/20)})
	}
	return recs
}

var recordingCases = []testCase{
	{"recordings come back whole", func(t *testing.T, s Store) {
		create(t, s, "a", "b")
		var want []plumb.Recording
		for i, put := range []func(r *plumb.Recording) error{
			func(r *plumb.Recording) error { return s.PutRecording(ctx, *r) },
			func(r *plumb.Recording) error { return s.Settle(ctx, "", nil, r) },
		} {
			r := filled[plumb.Recording](i)
			r.Run = "a"
			must(t, put(&r))
			want = append(want, r)
			equal(t, "recorded", got(s.Recorded(ctx, "a", r.Step, r.Key, r.Nth))(t), &r)
		}
		equal(t, "recordings", tapes(t, s, "a"), want)
		equal(t, "recordings of another run", tapes(t, s, "b"), nil)
	}},
	{"what was asked and answered comes back to the byte", func(t *testing.T, s Store) {
		create(t, s, "a")
		for i, asked := range append([]string{
			``, `null`, `""`, `[]`, `{}`, `{"messages":[]}`, `{"messages":null}`, `{"messages":{}}`, `{"messages":[]`, `{"messages":[1,"x",null,[2],{"a":{}}]}`,
			`{"messages":[1,1,1],"tools":[]}`, `{"messages": [1, 2]}`, `{"messages":[1 ,2]}`, `{"messages":[1,2] }`, ` {"messages":[1]}`, `{"messages":[1]} `,
			`{"tools":[],"messages":[1]}`, `{"messages":[1],"messages":[2]}`, `{"messages":[1,2],"Messages":[1]}`, `{"messages":["]}",",",""]}`,
			`{"model":"m","messages":[1,2],"tools":[]}`, `{"x":{"messages":[1]},"messages":[2]}`, `{"x":"\"messages\":[1]","messages":[1]}`, `{"messages":[`,
			`not JSON`, "\x00\xff", `{"messages":["\u003cb\u003e <b> ü \ud83e"]}`, `{"messages":["` + "\xff" + `"]}`,
		}, words...) {
			for _, kind := range []string{"model", "embed", "search"} {
				r := recording("a", kind, "key", i)
				r.Kind, r.Asked, r.Answer = kind, json.RawMessage(asked), json.RawMessage(asked)
				must(t, s.PutRecording(ctx, r))
				back := got(s.Recorded(ctx, "a", kind, "key", i))(t)
				if string(back.Asked) != asked || string(back.Answer) != asked {
					t.Errorf("%s: %q came back as %q, answered with %q", kind, asked, back.Asked, back.Answer)
				}
			}
		}
	}},
	{"what was never recorded is nil", func(t *testing.T, s Store) {
		create(t, s, "a", "b")
		must(t, s.PutRecording(ctx, recording("a", "x", "k", 0)))
		must(t, s.PutRecording(ctx, recording("a", "x", "k", 2)))
		for _, c := range []struct {
			run, step, key string
			nth            int
		}{{"a", "x", "k", 1}, {"a", "x", "k", -1}, {"a", "x", "K", 0}, {"a", "y", "k", 0}, {"b", "x", "k", 0}, {"nobody", "x", "k", 0}, {"", "", "", 0}} {
			equal(t, fmt.Sprint(c), got(s.Recorded(ctx, c.run, c.step, c.key, c.nth))(t), nil)
		}
		equal(t, "recordings of no run", tapes(t, s, "nobody"), nil)
	}},
	{"the same asked again is another recording", func(t *testing.T, s Store) {
		create(t, s, "a", "b")
		var want []plumb.Recording
		for _, run := range []string{"a", "b"} {
			for _, step := range []string{"x", "y"} {
				for nth := range 3 {
					want = append(want, recording(run, step, "k", nth))
					must(t, s.PutRecording(ctx, want[len(want)-1]))
				}
			}
		}
		for _, r := range want {
			equal(t, "recorded", got(s.Recorded(ctx, r.Run, r.Step, r.Key, r.Nth))(t), &r)
		}
		equal(t, "recordings", tapes(t, s, "a"), want[:6])
	}},
	{"the first recording stays", func(t *testing.T, s Store) {
		create(t, s, "a")
		first := recording("a", "x", "k", 0)
		must(t, s.PutRecording(ctx, first))
		second := first
		second.Kind, second.Answer, second.At = "model", json.RawMessage(`"another"`), later(1)
		second.Asked = json.RawMessage(`{"messages":[{"from":"user"}]}`)
		must(t, s.PutRecording(ctx, second))
		must(t, s.Settle(ctx, "", nil, &second))
		equal(t, "recordings", tapes(t, s, "a"), []plumb.Recording{first})
		equal(t, "recorded", got(s.Recorded(ctx, "a", "x", "k", 0))(t), &first)
	}},
	{"recordings are in the order of their times, then as they were put", func(t *testing.T, s Store) {
		create(t, s, "a")
		for i, second := range []int{5, 1, 3, 1, 5, 0} {
			r := recording("a", "x", fmt.Sprint(i), 0)
			r.At = later(second)
			must(t, s.PutRecording(ctx, r))
		}
		var keys string
		for _, r := range tapes(t, s, "a") {
			keys += r.Key
		}
		equal(t, "keys", keys, "513204")
	}},
	{"whoever is shown recordings may use the store, and stop", func(t *testing.T, s Store) {
		create(t, s, "a", "b")
		for i := range 20 {
			must(t, s.PutRecording(ctx, recording("a", "x", "k", i)))
		}
		must(t, atOnce(20, func(int) error { // more than there are connections
			return s.Recordings(ctx, "a", func(r plumb.Recording) error {
				r.Step = "copy"
				if err := s.PutRecording(ctx, r); err != nil { // not shown itself
					return err
				}
				r.Run = "b"
				if err := s.PutRecording(ctx, r); err != nil {
					return err
				}
				_, err := s.Recorded(ctx, "b", "copy", "k", r.Nth)
				return err
			})
		}))
		equal(t, "recordings of b", len(tapes(t, s, "b")), 20)
		enough, n := errors.New("enough"), 0
		is(t, "stopped", s.Recordings(ctx, "a", func(plumb.Recording) error {
			if n++; n == 3 {
				return enough
			}
			return nil
		}), enough)
		equal(t, "shown", n, 3)
	}},
	{"a long conversation comes back whole, call by call", func(t *testing.T, s Store) {
		create(t, s, "a", "b")
		for _, run := range []string{"a", "b"} {
			want := Conversation(run, 40, 2000)
			must(t, atOnce(len(want), func(i int) error {
				return s.Settle(ctx, "", &plumb.LedgerRow{Run: run, At: want[i].At, Input: 1}, &want[i])
			}))
			equal(t, "recordings", lines(t, tapes(t, s, run)), lines(t, want))
			last := got(s.Recorded(ctx, run, "unit.u1", "key 39", 0))(t)
			equal(t, "the last", lines(t, []plumb.Recording{*last}), lines(t, want[39:]))
		}
		must(t, s.DeleteRun(ctx, "a"))
		equal(t, "recordings of the other run", lines(t, tapes(t, s, "b")), lines(t, Conversation("b", 40, 2000)))
	}},
	{"recordings go with their run", func(t *testing.T, s Store) {
		create(t, s, "a")
		recs := Conversation("a", 5, 100)
		for _, r := range recs {
			must(t, s.PutRecording(ctx, r))
		}
		must(t, s.DeleteRun(ctx, "a"))
		equal(t, "of the run that is gone", tapes(t, s, "a"), nil)
		is(t, "put", s.PutRecording(ctx, recs[0]), engine.ErrNoRun)
		create(t, s, "a")
		equal(t, "created again", tapes(t, s, "a"), nil)
		equal(t, "recorded", got(s.Recorded(ctx, "a", "unit.u1", "key 0", 0))(t), nil)
		must(t, s.PutRecording(ctx, recs[4]))
		equal(t, "put again", tapes(t, s, "a"), recs[4:])
	}},
	{"times are kept to the microsecond, in UTC", func(t *testing.T, s Store) {
		create(t, s, "a")
		r := recording("a", "x", "k", 0)
		r.At = start.Add(1500 * time.Nanosecond).In(time.FixedZone("east", 3600))
		must(t, s.PutRecording(ctx, r))
		equal(t, "time", got(s.Recorded(ctx, "a", "x", "k", 0))(t).At, start.Add(time.Microsecond))
	}},
}
