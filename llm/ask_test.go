package llm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// sheet has every shape that answers of the stages have.
type sheet struct {
	Snippet  string  `json:"snippet" enum:"supported|extended|contradicted|none"`
	Score    float64 `json:"score"`
	Best     int     `json:"best"`
	Sure     bool    `json:"sure"`
	Feedback string  `json:"feedback"`
	Notes    []string
	Findings []sheetFinding `json:"findings"`
	Entity   sheetEntity    `json:"entity"`
	Output   string         `json:"output_form,omitempty"`
}

type sheetFinding struct {
	Fact  string `json:"fact"`
	Quote string `json:"quote,omitempty"`
}

type sheetEntity struct {
	Name    string   `json:"name"`
	Domains []string `json:"domains"`
}

// inTurn answers with one text after the other.
func inTurn(texts ...string) *Script {
	n := 0
	return &Script{Answer: func(*Request) (*Answer, error) {
		n++
		return &Answer{Text: texts[min(n, len(texts))-1]}, nil
	}}
}

func askOnce[T any](text string) (T, error) {
	return Ask[T](context.Background(), Says(text), &Request{Messages: []Message{{From: User, Text: "q"}}}, "sheet", nil)
}

// small is what most ugly answers below try to be.
type small struct {
	Score    float64  `json:"score"`
	Feedback string   `json:"feedback"`
	Notes    []string `json:"notes"`
}

var uglyAnswers = []struct {
	name, text string
	want       small
}{
	{"clean", `{"score":0.8,"feedback":"ok","notes":["a","b"]}`, small{0.8, "ok", []string{"a", "b"}}},
	{"json fence", "```json\n{\"score\":0.8,\"feedback\":\"ok\",\"notes\":[]}\n```", small{0.8, "ok", []string{}}},
	{"bare fence", "```\n{\"score\":0.8,\"feedback\":\"ok\",\"notes\":[]}\n```", small{0.8, "ok", []string{}}},
	{"fence never closed", "```json\n{\"score\":0.8,\"feedback\":\"ok\",\"notes\":[]}", small{0.8, "ok", []string{}}},
	{"prose before", `Sure! Here is my review: {"score":0.8,"feedback":"ok","notes":[]}`, small{0.8, "ok", []string{}}},
	{"prose after", `{"score":0.8,"feedback":"ok","notes":[]} I hope this helps {smile}.`, small{0.8, "ok", []string{}}},
	{"prose with brackets before", `As [1] and [2] say: {"score":0.8,"feedback":"ok","notes":[]}`, small{0.8, "ok", []string{}}},
	{"fence inside prose", "Here:\n```json\n{\"score\":0.8,\"feedback\":\"ok\",\"notes\":[]}\n```\nLet me know!", small{0.8, "ok", []string{}}},
	{"byte order mark", "\uFEFF{\"score\":0.8,\"feedback\":\"ok\",\"notes\":[]}", small{0.8, "ok", []string{}}},
	{"think block", "<think>maybe {\"score\":0.1,\"feedback\":\"a long thought that is longer\",\"notes\":[]}</think>{\"score\":0.8,\"feedback\":\"ok\",\"notes\":[]}", small{0.8, "ok", []string{}}},
	{"thinking block", "<thinking>\nhm\n</thinking>\n{\"score\":0.8,\"feedback\":\"ok\",\"notes\":[]}", small{0.8, "ok", []string{}}},
	{"think without its beginning", "I should say 0.8\n</think>\n\n{\"score\":0.8,\"feedback\":\"ok\",\"notes\":[]}", small{0.8, "ok", []string{}}},
	{"think without its end", "<think>\nI should say 0.8 {\"score\":0.8,\"feedback\":\"ok\",\"notes\":[]}", small{0.8, "ok", []string{}}},
	{"think tag within a text", `{"score":0.8,"feedback":"the <think> tag\n<think> again","notes":[]}`, small{0.8, "the <think> tag\n<think> again", []string{}}},
	{"single quotes", `{'score': 0.8, 'feedback': 'ok', 'notes': ['a']}`, small{0.8, "ok", []string{"a"}}},
	{"apostrophe in single quotes", `{'score': 0.8, 'feedback': 'it's fine', 'notes': []}`, small{0.8, "it’s fine", []string{}}},
	{"trailing commas", `{"score":0.8,"feedback":"ok","notes":["a","b",],}`, small{0.8, "ok", []string{"a", "b"}}},
	{"missing comma", "{\"score\":0.8 \"feedback\":\"ok\"\n\"notes\":[\"a\" \"b\"]}", small{0.8, "ok", []string{"a", "b"}}},
	{"comments", "{\n// how good\n\"score\":0.8, /* why */ \"feedback\":\"ok\",\"notes\":[]}", small{0.8, "ok", []string{}}},
	{"names without quotes", `{score: 0.8, feedback: "ok", notes: []}`, small{0.8, "ok", []string{}}},
	{"smart quotes", `{“score”: 0.8, “feedback”: “ok”, “notes”: [“a”]}`, small{0.8, "ok", []string{"a"}}},
	{"python words", `{"score": 0.8, "feedback": None, "notes": None}`, small{0.8, "", []string{}}},
	{"brace missing at the end", `{"score":0.8,"feedback":"ok","notes":["a","b"]`, small{0.8, "ok", []string{"a", "b"}}},
	{"brackets missing at the end", `{"score":0.8,"feedback":"ok","notes":["a","b"`, small{0.8, "ok", []string{"a", "b"}}},
	{"one brace too many", `{"score":0.8,"feedback":"ok","notes":[]}}`, small{0.8, "ok", []string{}}},
	{"no braces", `"score": 0.8, "feedback": "ok", "notes": ["a"]`, small{0.8, "ok", []string{"a"}}},
	{"ellipsis", `{"score":0.8,"feedback":"ok","notes":["a", ...]}`, small{0.8, "ok", []string{"a"}}},
	{"line break in a text", "{\"score\":0.8,\"feedback\":\"one\ntwo\",\"notes\":[]}", small{0.8, "one\ntwo", []string{}}},
	{"tab in a text", "{\"score\":0.8,\"feedback\":\"one\ttwo\",\"notes\":[]}", small{0.8, "one\ttwo", []string{}}},
	{"quotes in a text", `{"score":0.8,"feedback":"he said "go" to me","notes":[]}`, small{0.8, `he said "go" to me`, []string{}}},
	{"backslash that escapes nothing", `{"score":0.8,"feedback":"\d+ and \alpha","notes":[]}`, small{0.8, `\d+ and \alpha`, []string{}}},
	{"broken unicode escape", `{"score":0.8,"feedback":"\u12 x","notes":[]}`, small{0.8, `\u12 x`, []string{}}},
	{"number as text", `{"score":"0.8","feedback":"ok","notes":[]}`, small{0.8, "ok", []string{}}},
	{"percent", `{"score":"80%","feedback":"ok","notes":[]}`, small{0.8, "ok", []string{}}},
	{"number with a list around", `{"score":[0.8],"feedback":"ok","notes":[]}`, small{0.8, "ok", []string{}}},
	{"one text for a list", `{"score":0.8,"feedback":"ok","notes":"a"}`, small{0.8, "ok", []string{"a"}}},
	{"empty text for a list", `{"score":0.8,"feedback":"ok","notes":""}`, small{0.8, "ok", []string{}}},
	{"list in a text", `{"score":0.8,"feedback":"ok","notes":"[\"a\",\"b\"]"}`, small{0.8, "ok", []string{"a", "b"}}},
	{"objects for texts", `{"score":0.8,"feedback":"ok","notes":[{"note":"a"},{"note":"b"}]}`, small{0.8, "ok", []string{"a", "b"}}},
	{"numbers for texts", `{"score":0.8,"feedback":7,"notes":[1,true]}`, small{0.8, "7", []string{"1", "true"}}},
	{"list for a text", `{"score":0.8,"feedback":["one","two"],"notes":[]}`, small{0.8, "one\ntwo", []string{}}},
	{"null for a list", `{"score":0.8,"feedback":null,"notes":null}`, small{0.8, "", []string{}}},
	{"nulls in a list", `{"score":0.8,"feedback":"ok","notes":[null,"a"]}`, small{0.8, "ok", []string{"a"}}},
	{"list left out", `{"score":0.8,"feedback":"ok"}`, small{0.8, "ok", []string{}}},
	{"fields unknown", `{"score":0.8,"feedback":"ok","notes":[],"mood":"good","_":{}}`, small{0.8, "ok", []string{}}},
	{"other case", `{"Score":0.8,"FEEDBACK":"ok","Notes":["a"]}`, small{0.8, "ok", []string{"a"}}},
	{"in another object", `{"review":{"score":0.8,"feedback":"ok","notes":[]}}`, small{0.8, "ok", []string{}}},
	{"in a list", `[{"score":0.8,"feedback":"ok","notes":[]}]`, small{0.8, "ok", []string{}}},
	{"in the schema", `{"type":"object","properties":{"score":0.8,"feedback":"ok","notes":[]}}`, small{0.8, "ok", []string{}}},
	{"in a string", `{"answer":"{\"score\":0.8,\"feedback\":\"ok\",\"notes\":[]}"}`, small{0.8, "ok", []string{}}},
	{"two objects, the larger counts", `{"score":0.1} then {"score":0.8,"feedback":"ok","notes":[]}`, small{0.8, "ok", []string{}}},
	{"two objects alike, the later counts", `{"score":0.1,"feedback":"no","notes":[]} no: {"score":0.8,"feedback":"ok","notes":[]}`, small{0.8, "ok", []string{}}},
	{"a larger one that is something else", `{"what":"the form of the answer is explained here at length, far too long"} {"score":0.8,"feedback":"ok","notes":[]}`, small{0.8, "ok", []string{}}},
	{"stray brace before", `The set {a, b … {"score":0.8,"feedback":"ok","notes":[]}`, small{0.8, "ok", []string{}}},
	{"long text with line breaks", "{\"score\":0.8,\"feedback\":\"" + strings.Repeat("line\n", 40_000) + "\",\"notes\":[]}", small{0.8, strings.Repeat("line\n", 40_000), []string{}}},
	{"invalid bytes", "{\"score\":0.8,\"feedback\":\"a\xffb\",\"notes\":[]}", small{0.8, "a\uFFFDb", []string{}}},
}

func TestAnswersOfWeakModelsAreUnderstood(t *testing.T) {
	for _, c := range uglyAnswers {
		got, err := askOnce[small](c.text)
		if err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: got %.200q, %v; want %.200q", c.name, plainJSON(got), err, plainJSON(c.want))
		}
	}
}

func TestWhatCanNotBeMeantIsTold(t *testing.T) {
	whole := func(field, v string) string {
		m := map[string]json.RawMessage{"snippet": json.RawMessage(`"none"`), "score": json.RawMessage(`1`), "best": json.RawMessage(`1`),
			"sure": json.RawMessage(`true`), "feedback": json.RawMessage(`""`)}
		m[field] = json.RawMessage(v)
		return plainJSON(m)
	}
	for _, c := range []struct{ text, want string }{
		{``, "no JSON"},
		{`I can't do that.`, "no JSON"},
		{`{}`, "has none of the fields snippet, score"},
		{`{"type":"object","properties":{"x":{"type":"number"}}}`, "has none of the fields"},
		{whole("score", `"NaN"`), `score must be a number, not "NaN"`},
		{strings.Replace(whole("score", `1`), `"score":1`, `"score":NaN`, 1), `score must be a number, not "NaN"`},
		{whole("score", `1e999`), `score must be a number, not "1e999"`},
		{whole("score", `"high"`), `score must be a number, not "high"`},
		{whole("score", `{}`), `score must be a number, not an object`},
		{whole("score", `true`), `score must be a number, not true`},
		{whole("score", `null`), `score is missing`},
		{whole("best", `2.5`), `best must be a whole number, not "2.5"`},
		{whole("sure", `"perhaps"`), `sure must be true or false, not "perhaps"`},
		{whole("snippet", `"wrong"`), `snippet must be one of supported, extended, contradicted, none, not "wrong"`},
		{whole("snippet", `"supported|extended|contradicted|none"`), `snippet must be one of`},
		{whole("snippet", `null`), `snippet is missing: give one of`},
		{whole("feedback", `{"a":1,"b":2}`), `feedback must be a text, not an object`},
		{whole("findings", `["a"]`), `findings[0] must be an object with fact, quote, not "a"`},
		{whole("findings", `[{"fact":"a"},{"fact":{"x":{}}}]`), `findings[1].fact must be a text`},
		{strings.Repeat("[", 100) + strings.Repeat("]", 100), "nested too deeply"},
		{strings.Repeat(`{"a":`, 5000), "nested too deeply"},
		{strings.Repeat("x", maxAnswer+1), "far too many"},
	} {
		_, err := askOnce[sheet](c.text)
		if !errors.Is(err, ErrAnswer) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.80s: got %v, want %q", c.text, err, c.want)
		}
	}
}

func TestPlainMeaningsOfOtherTypes(t *testing.T) {
	got, err := askOnce[sheet](`{"Snippet":"Supported.","score":1,"best":"3","sure":"yes","feedback":"f",
		"notes":"n","findings":{"fact":"x"},"entity":"{\"name\":\"e\",\"domains\":\"d.org\"}","outputForm":"list"}`)
	want := sheet{"supported", 1, 3, true, "f", []string{"n"}, []sheetFinding{{Fact: "x"}}, sheetEntity{"e", []string{"d.org"}}, "list"}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v", got, err)
	}
	got, err = askOnce[sheet](`{"snippet":"none","score":0,"best":1.0,"sure":0}`)
	want = sheet{"none", 0, 1, false, "", []string{}, []sheetFinding{}, sheetEntity{"", []string{}}, ""}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v", got, err)
	}
	type list struct {
		Findings []sheetFinding `json:"findings"`
	}
	if got, err := askOnce[list](`[{"fact":"a"},{"fact":"b"}]`); err != nil || len(got.Findings) != 2 {
		t.Errorf("a bare list: %+v, %v", got, err)
	}
}

func TestWrongAnswerIsCorrectedInTheSameConversation(t *testing.T) {
	m := inTurn(`{"score":"bad"}`, `{"score":2,"feedback":"x"}`, `{"score":0.5,"feedback":"y"}`)
	r := &Request{Messages: []Message{{From: System, Text: "s"}, {From: User, Text: "u"}}, Output: 100}
	before := plainJSON(r)
	got, err := Ask(context.Background(), m, r, "review", func(s *small) error {
		if s.Score > 1 {
			return fmt.Errorf("score must be between 0 and 1, not %g", s.Score)
		}
		return nil
	})
	if err != nil || got.Score != 0.5 {
		t.Fatalf("got %+v, %v", got, err)
	}
	if plainJSON(r) != before {
		t.Errorf("the caller's request was changed: %s", plainJSON(r))
	}
	asked := m.Asked()
	if len(asked) != 3 {
		t.Fatalf("%d calls", len(asked))
	}
	for i := 1; i < len(asked); i++ {
		was, is := asked[i-1], asked[i]
		if n := len(was.Messages); len(is.Messages) != n+2 || plainJSON(is.Messages[:n]) != plainJSON(was.Messages) ||
			plainJSON(is.Schema) != plainJSON(was.Schema) || is.Output != 100 {
			t.Errorf("call %d does not begin as call %d did:\n%s\n%s", i, i-1, plainJSON(is), plainJSON(was))
		}
	}
	last := asked[2].Messages
	if last[2].From != Assistant || last[2].Text != `{"score":"bad"}` || !strings.Contains(last[3].Text, `score must be a number, not "bad"`) ||
		!strings.Contains(last[5].Text, "score must be between 0 and 1, not 2") {
		t.Errorf("corrections: %s", plainJSON(last))
	}
	if asked[0].Schema.Name != "review" {
		t.Errorf("schema %q", asked[0].Schema.Name)
	}
}

func TestAfterTwoCorrectionsThereIsNoAnswer(t *testing.T) {
	m := Says("no idea")
	_, err := Ask[small](context.Background(), m, &Request{}, "review", nil)
	if !errors.Is(err, ErrAnswer) || len(m.Asked()) != 3 {
		t.Errorf("%v after %d calls", err, len(m.Asked()))
	}
}

func TestErrorsOfTheModelComeBackAsTheyAre(t *testing.T) {
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Ask[small](cancelled, Says("{}"), &Request{}, "x", nil); err != context.Canceled { //nolint:errorlint // as it is
		t.Errorf("got %v", err)
	}
	for _, want := range []error{fmt.Errorf("run: %w", ErrBudget), &Error{Trouble: BadKey}, &Error{Trouble: TooLong}} {
		m := &Script{Answer: func(*Request) (*Answer, error) { return nil, want }}
		if _, err := Ask[small](context.Background(), m, &Request{}, "x", nil); err != want { //nolint:errorlint // as it is
			t.Errorf("got %v, want %v", err, want)
		}
	}
}

func TestAnswerThatWasCutOffIsAskedForShorter(t *testing.T) {
	cut := `{"score":0.8,"feedback":"ok","notes":["one","tw`
	n := 0
	m := &Script{Answer: func(r *Request) (*Answer, error) {
		if n++; n == 1 {
			return &Answer{Text: cut, Stop: Length}, nil
		}
		if last := r.Messages[len(r.Messages)-1].Text; !strings.Contains(last, "cut off") || !strings.Contains(last, "shorter") {
			t.Errorf("the correction is %q", last)
		}
		return &Answer{Text: `{"score":0.7,"feedback":"","notes":[]}`}, nil
	}}
	if got, err := Ask[small](context.Background(), m, &Request{}, "x", nil); err != nil || got.Score != 0.7 {
		t.Errorf("got %+v, %v", got, err)
	}
	always := &Script{Answer: func(*Request) (*Answer, error) { return &Answer{Text: cut, Stop: Length}, nil }}
	got, err := Ask[small](context.Background(), always, &Request{}, "x", nil)
	if err != nil || got.Feedback != "ok" || len(always.Asked()) != 3 {
		t.Errorf("at last what there is must do: %+v, %v after %d calls", got, err, len(always.Asked()))
	}
	whole := &Script{Answer: func(*Request) (*Answer, error) {
		return &Answer{Text: `{"score":0.8,"feedback":"ok","notes":[]} and then I went on`, Stop: Length}, nil
	}}
	if _, err := Ask[small](context.Background(), whole, &Request{}, "x", nil); err != nil || len(whole.Asked()) != 1 {
		t.Errorf("the JSON was whole: %v after %d calls", err, len(whole.Asked()))
	}
	long := &Script{Answer: func(*Request) (*Answer, error) {
		return &Answer{Text: strings.Repeat("word ", 40_000), Stop: Length}, nil
	}}
	if _, err := Ask[small](context.Background(), long, &Request{}, "x", nil); !errors.Is(err, ErrAnswer) {
		t.Error(err)
	}
	if last := long.Asked()[2]; last.Tokens() > 2000 {
		t.Errorf("a runaway answer was put back whole: %d tokens", last.Tokens())
	}
}

func TestRefusalIsTriedOnceMore(t *testing.T) {
	m := &Script{Answer: func(*Request) (*Answer, error) { return &Answer{Text: "I can't help with that.", Stop: Refusal}, nil }}
	if _, err := Ask[small](context.Background(), m, &Request{}, "x", nil); !errors.Is(err, ErrAnswer) || len(m.Asked()) != 2 {
		t.Errorf("%v after %d calls", err, len(m.Asked()))
	}
	empty := &Script{Answer: func(*Request) (*Answer, error) { return &Answer{Stop: Refusal}, nil }}
	if _, err := Ask[small](context.Background(), empty, &Request{}, "x", nil); !errors.Is(err, ErrAnswer) {
		t.Error(err)
	}
	for _, msg := range empty.Asked()[1].Messages {
		if msg.Text == "" {
			t.Error("an empty message was sent")
		}
	}
}

func TestAnswerAsACallIsRead(t *testing.T) {
	m := &Script{Answer: func(*Request) (*Answer, error) {
		return &Answer{Calls: []Call{{ID: "1", Name: "review", Arguments: `{"score":0.4,"feedback":"x","notes":[]}`}}}, nil
	}}
	if got, err := Ask[small](context.Background(), m, &Request{}, "review", nil); err != nil || got.Score != 0.4 {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestConversationsOfModelsWithoutSchemasKeepTheirBeginningToo(t *testing.T) {
	m := inTurn("no", "neither", `{"score":0.5,"feedback":"y"}`)
	m.Can = Traits{Window: 8000, Output: 1000}
	r := &Request{Messages: []Message{{From: System, Text: "s"}, {From: User, Text: "u"}}}
	if _, err := Ask[small](context.Background(), m, r, "review", nil); err != nil {
		t.Fatal(err)
	}
	asked := m.Asked()
	for i := 1; i < 3; i++ {
		n := len(asked[i-1].Messages)
		if plainJSON(asked[i].Messages[:n]) != plainJSON(asked[i-1].Messages) || asked[i].Schema != nil {
			t.Errorf("call %d: %s", i, plainJSON(asked[i]))
		}
	}
	if !strings.Contains(asked[0].Messages[1].Text, `{"score": <number>, "feedback": "<text>", "notes": ["<text>", …]}`) {
		t.Errorf("the form is not told: %s", asked[0].Messages[1].Text)
	}
}
