package llm

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"testing"

	"github.com/plumbresearch/plumb"
)

func keyFor(t *testing.T, role Role, model string, asks any) string {
	t.Helper()
	k, err := keyOf(&errand{role: role, name: model, asks: asks})
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func TestAKeyIsWhatIsAskedOfWhomAndAsWhat(t *testing.T) {
	ask := func() *Request {
		return &Request{
			Messages: []Message{{From: User, Text: "hi <b>"}},
			Tools:    []Tool{{Name: "t", Parameters: json.RawMessage(`{"a": 1, "b": {"d": 1.0, "c": 2}}`)}},
			Schema:   &Schema{Name: "s", JSON: json.RawMessage(`{"x":1}`)},
		}
	}
	base := keyFor(t, Worker, "openai:m", ask())
	same, delta := ask(), ask()
	same.Tools[0].Parameters = json.RawMessage("{\"b\":{\"c\":2,\n\"d\":1.0},\"a\":1}")
	delta.Delta = func(string) {}
	for name, r := range map[string]*Request{"again": ask(), "sorted otherwise": same, "watched": delta} {
		if keyFor(t, Worker, "openai:m", r) != base {
			t.Errorf("%s: another key", name)
		}
	}
	text, tool, schema, output := ask(), ask(), ask(), ask()
	text.Messages[0].Text = "hi <B>"
	tool.Tools[0].Parameters = json.RawMessage(`{"a": 2}`)
	schema.Schema = nil
	output.Output = 5
	keys := []string{base, keyFor(t, Judge, "openai:m", ask()), keyFor(t, Worker, "openai:n", ask())}
	for _, r := range []*Request{text, tool, schema, output} {
		keys = append(keys, keyFor(t, Worker, "openai:m", r))
	}
	slices.Sort(keys)
	if len(slices.Compact(keys)) != 7 {
		t.Errorf("keys collide: %v", keys)
	}
}

func TestBrokenParametersHaveNoKey(t *testing.T) {
	r := &Request{Tools: []Tool{{Name: "t", Parameters: json.RawMessage(`{`)}}}
	d := &Desk{Open: func(string) (Model, error) { return Says("x"), nil }}
	m, err := d.At(Place{}).Model("openai:m", Worker)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Complete(t.Context(), r); err == nil {
		t.Error("asked all the same")
	}
}

// put records an answer of trip's question.
func put(t *testing.T, l *MemoryLedger, run, step, answer string, nth int) {
	t.Helper()
	rec := &plumb.Recording{Run: run, Step: step, Key: keyFor(t, Worker, "openai:m", "hello"), Nth: nth, Answer: json.RawMessage(answer)}
	if err := l.Settle(t.Context(), "", nil, rec); err != nil {
		t.Fatal(err)
	}
}

func TestRecordingsAnswer(t *testing.T) {
	l := &MemoryLedger{}
	put(t, l, "r", "s", `"own 0"`, 0)
	put(t, l, "r", "s", `"own 2"`, 2)
	put(t, l, "tape", "s", `"tape 0"`, 0)
	put(t, l, "tape", "s", `"tape 1"`, 1)
	put(t, l, "older", "s", `"older 1"`, 1)
	put(t, l, "older", "s", `"older 3"`, 3)
	put(t, l, "r", "other", `"other"`, 0)
	for _, c := range []struct {
		name  string
		place Place
		want  []string
	}{
		{"the run's own", Place{Run: "r", Step: "s"}, []string{"own 0", "live", "own 2", "live"}},
		{"the run's own before its tapes", Place{Run: "r", Step: "s", Tapes: []string{"tape", "older"}}, []string{"own 0", "tape 1", "own 2", "older 3", "live"}},
		{"tapes alone", Place{Run: "new", Step: "s", Tapes: []string{"older", "tape"}}, []string{"tape 0", "older 1", "live", "older 3"}},
		{"another step", Place{Run: "new", Step: "x", Tapes: []string{"tape"}}, []string{"live", "live"}},
		{"offline", Place{Run: "r", Step: "s", Offline: true}, []string{"own 0", "not recorded", "own 2", "not recorded"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := (&Desk{Ledger: l}).At(c.place)
			for i, want := range c.want {
				got := ""
				e := trip(nil)
				e.decode = func(b json.RawMessage) error { return json.Unmarshal(b, &got) }
				err := s.replay(func(context.Context, *errand) error { got = "live"; return nil })(t.Context(), e)
				if errors.Is(err, ErrNotRecorded) {
					got, err = "not recorded", nil
				}
				if err != nil || got != want {
					t.Errorf("%d: %q %v, want %q", i, got, err, want)
				}
			}
		})
	}
}

func TestARecordingThatCannotBeReadIsAnError(t *testing.T) {
	l := &MemoryLedger{}
	put(t, l, "r", "s", `{"text": 5}`, 0)
	e := trip(nil)
	e.decode = func(b json.RawMessage) error { return json.Unmarshal(b, &Answer{}) }
	if err := (&Desk{Ledger: l}).At(Place{Run: "r", Step: "s"}).replay(takes(0))(t.Context(), e); err == nil {
		t.Error("it answered")
	}
}

func TestAReplayFailsWhereTheFirstTimeFailedAndWhoeverGoesOnAsksAgain(t *testing.T) {
	l := &MemoryLedger{}
	fails := true
	d := deskWith(t, l, func(*Request) (*Answer, error) {
		if fails {
			return nil, &Error{Trouble: TooLong, Model: "openai:m", Text: "sk-internal", Cure: "say less"}
		}
		return &Answer{Text: "yes", Stop: End}, nil
	})
	place := Place{Run: "r", Step: "s"}
	if _, err := modelAt(t, d.At(place), "openai:m", Worker).Complete(t.Context(), say("hi")); err == nil {
		t.Fatal("no error")
	}
	offline := place
	offline.Offline = true
	_, err := modelAt(t, d.At(offline), "openai:m", Worker).Complete(t.Context(), say("hi"))
	var trouble *Error
	if !errors.As(err, &trouble) || trouble.Trouble != TooLong || trouble.Safe() != "say less" || trouble.Text != "" {
		t.Errorf("replayed: %v", err)
	}
	if _, err := modelAt(t, d.At(offline), "openai:m", Worker).Complete(t.Context(), say("something else")); !errors.Is(err, ErrNotRecorded) {
		t.Errorf("what was never asked: %v", err)
	}
	fails = false
	for _, p := range []Place{place, offline} { // an answer that came later answers
		if a, err := modelAt(t, d.At(p), "openai:m", Worker).Complete(t.Context(), say("hi")); err != nil || a.Text != "yes" {
			t.Errorf("offline %v: %v, %v", p.Offline, a, err)
		}
	}
}
