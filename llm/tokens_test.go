package llm

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestTokensAreNearTheTruth(t *testing.T) {
	for _, c := range []struct {
		text        string
		least, most int // about what common tokenizers give, and half as much again
	}{
		{"", 0, 0},
		{"a", 1, 1},
		{"The quick brown fox jumps over the lazy dog.", 9, 15},
		{"In 2023, revenue grew by 14.5 % to $1,234,567.", 14, 30},
		{"https://www.example.org/path/to/page?id=12345&x=abcdef", 15, 35},
		{"深度研究需要仔细核对每一个来源。", 10, 20},
		{"研究には慎重な確認が必要です。", 9, 18},
		{"Исследование требует проверки.", 7, 18},
		{"e3b0c44298fc1c149afbf4c8996fb924", 15, 32},
		{"👍🏽🎉", 3, 12},
		{strings.Repeat(" ", 600), 100, 160},
		{`{"score":0.8,"notes":["a","b"]}`, 10, 20},
	} {
		if got := Tokens(c.text); got < c.least || got > c.most {
			t.Errorf("%.40q: %d, want %d to %d", c.text, got, c.least, c.most)
		}
	}
}

func FuzzTokens(f *testing.F) {
	f.Add("hello", "world")
	f.Add("\xff", "   \n\n")
	f.Add("\xd1", "\xa6")
	f.Fuzz(func(t *testing.T, a, b string) {
		n := Tokens(a)
		if n < utf8.RuneCountInString(a)/6 || n > 2*utf8.RuneCountInString(a) {
			t.Errorf("%q: %d tokens", a, n)
		}
		if utf8.ValidString(a) && Tokens(a+b) < n { // else b may complete the last letter of a
			t.Errorf("%q is more than %q", a, a+b)
		}
	})
}

func TestRequestCountsAllItSends(t *testing.T) {
	r := &Request{}
	last := r.Tokens()
	for _, add := range []func(){
		func() { r.Messages = append(r.Messages, Message{From: User, Text: "hello"}) },
		func() {
			r.Messages = append(r.Messages, Message{From: Assistant, Calls: []Call{{ID: "1", Name: "search_web", Arguments: `{"query":"x"}`}}})
		},
		func() { r.Messages = append(r.Messages, Message{From: ToolReply, Reply: "1", Text: "found"}) },
		func() { r.Tools = testTools },
		func() { r.Schema = &Schema{Name: "x", JSON: json.RawMessage(`{"type":"object"}`)} },
	} {
		add()
		if n := r.Tokens(); n <= last {
			t.Errorf("%d tokens after %d", n, last)
		} else {
			last = n
		}
	}
}

func TestRoomKeepsAMargin(t *testing.T) {
	r := &Request{Messages: []Message{{From: User, Text: strings.Repeat("word ", 100)}}}
	used := r.Tokens()
	for _, c := range []struct {
		t      Traits
		output int
		want   int
	}{
		{Traits{Window: 10_000, Output: 4000}, 1000, 10_000 - 500 - 64 - 1000 - used},
		{Traits{Window: 10_000, Output: 500}, 1000, 10_000 - 500 - 64 - 500 - used},
		{Traits{Window: 10_000, Output: 10_000}, 0, 10_000 - 500 - 64 - 2500 - used},
		{Traits{}, 1000, 8192 - 409 - 64 - 1000 - used},
		{Traits{Window: 200}, 100, 0},
	} {
		if got := Room(c.t, r, c.output); got != c.want {
			t.Errorf("%+v: %d, want %d", c, got, c.want)
		}
	}
	r.Output = 2000
	if got := Room(Traits{Window: 10_000, Output: 4000}, r, 0); got != 10_000-500-64-2000-used {
		t.Errorf("the request's own output: %d", got)
	}
}

func TestFitTakesTheBest(t *testing.T) {
	notes := []string{"one two three four", strings.Repeat("long ", 100), "x"}
	for _, c := range []struct{ room, want int }{{0, 0}, {-5, 0}, {5, 0}, {6, 1}, {100, 1}, {1000, 3}} {
		if got := Fit(notes, c.room); got != c.want {
			t.Errorf("room %d: %d, want %d", c.room, got, c.want)
		}
	}
}

// longTalk is a conversation of n exchanges.
func longTalk(n int) *Request {
	r := &Request{Messages: []Message{{From: System, Text: "system"}, {From: User, Text: "user"}}, Tools: testTools}
	for i := range n {
		id := fmt.Sprintf("call_%d", i)
		r.Messages = append(r.Messages,
			Message{From: Assistant, Calls: []Call{{ID: id, Name: "search_web", Arguments: `{"query":"x"}`}}},
			Message{From: ToolReply, Reply: id, Text: fmt.Sprintf("3 passages, search %d\n", i) + Fence("passages", strings.Repeat("text of the page ", 200))})
	}
	return r
}

func TestTrimCutsTheOldestReplies(t *testing.T) {
	r := longTalk(8)
	before := plainJSON(r)
	got, cut := Trim(r, Traits{Window: 6000, Output: 1000}, 500)
	if plainJSON(r) != before {
		t.Error("the caller's request was changed")
	}
	if cut == 0 || cut > 6 || spare(Traits{Window: 6000, Output: 1000}, got, 500) < 0 {
		t.Fatalf("%d cut, %d tokens left", cut, got.Tokens())
	}
	for i, m := range got.Messages {
		was := r.Messages[i]
		isNote := strings.Contains(m.Text, "[left out: 3 passages")
		if wantNote := was.From == ToolReply && i < 2+2*cut; isNote != wantNote {
			t.Errorf("message %d: %.60q", i, m.Text)
		}
		if !isNote && plainJSON(m) != plainJSON(was) {
			t.Errorf("message %d was changed", i)
		}
		if isNote && (strings.Count(m.Text, "<data ") != 1 || strings.Count(m.Text, "</data ") != 1 || len(m.Text) > 200 || m.Reply != was.Reply) {
			t.Errorf("note %d: %q", i, m.Text)
		}
	}
	if again, n := Trim(got, Traits{Window: 6000, Output: 1000}, 500); n != 0 || again != got {
		t.Errorf("%d cut again", n)
	}
}

func TestTrimLeavesWhatMustStay(t *testing.T) {
	small := longTalk(2)
	if got, cut := Trim(small, Traits{Window: 200}, 50); cut != 0 || got != small {
		t.Errorf("%d of the last two exchanges were cut", cut)
	}
	tiny := longTalk(6)
	got, cut := Trim(tiny, Traits{Window: 200}, 50)
	if cut != 4 || plainJSON(got.Messages[:2]) != plainJSON(tiny.Messages[:2]) || plainJSON(got.Messages[10:]) != plainJSON(tiny.Messages[10:]) {
		t.Errorf("%d cut: %s", cut, plainJSON(got))
	}
	plain := longTalk(4)
	plain.Messages[3].Text = strings.Repeat("own words\n", 50)
	got, _ = Trim(plain, Traits{Window: 200}, 50)
	if want := "[left out: " + strings.Repeat("own words ", 8) + "…]"; got.Messages[3].Text != want {
		t.Errorf("got %q", got.Messages[3].Text)
	}
}
