package gather_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/gather"
	"github.com/plumbresearch/plumb/llm"
)

const bridge = "Why was the Marrowgate Bridge closed in 2023, and what did the repair cost?"

// scopeLine is an answer to the prompt scope.
func scopeLine(clarify bool, ask, language string, areas ...string) string {
	var list []string
	for _, a := range areas {
		name, question, _ := strings.Cut(a, ": ")
		list = append(list, fmt.Sprintf(`{"name":%q,"question":%q}`, name, question))
	}
	return fmt.Sprintf(`{"clarify":%v,"ask":%q,"question":"Why the Marrowgate Bridge was closed in 2023 and what its repair cost","language":%q,
		"areas":[%s],"entity":{"name":"Marrowgate Bridge","queries":["Marrowgate Bridge"],"domains":["https://www.marrowgate.example/about","not a domain","10.0.0.1","MARROWGATE.example"]}}`,
		clarify, ask, language, strings.Join(list, ","))
}

func scopeWith(t *testing.T, task gather.ScopeTask, answers ...string) (plumb.Brief, *play) {
	t.Helper()
	var parts []part
	for _, a := range answers {
		parts = append(parts, says(a))
	}
	m := newPlay(map[string][]part{"scope": parts})
	b, err := gather.LLM{Orchestrator: m}.Scope(context.Background(), task)
	if err != nil {
		t.Fatal(err)
	}
	return b, m
}

func TestModelScopesAQuestion(t *testing.T) {
	task := gather.ScopeTask{Question: plumb.Question{Text: bridge, At: askedAt}}
	b, m := scopeWith(t, task, scopeLine(false, "", "en", "Closure: Why was the Marrowgate Bridge closed in 2023?", "Cost: What did the repair of the Marrowgate Bridge cost?"))
	want := plumb.Brief{
		Question: "Why the Marrowgate Bridge was closed in 2023 and what its repair cost", Language: "en", By: "script:model",
		Areas: []plumb.Area{
			{Name: "Closure", Question: "Why was the Marrowgate Bridge closed in 2023?", Terms: []string{"marrowgate", "bridge", "closed", "2023"}},
			{Name: "Cost", Question: "What did the repair of the Marrowgate Bridge cost?", Terms: []string{"repair", "marrowgate", "bridge", "cost"}},
		},
		Entity: plumb.Entity{Name: "Marrowgate Bridge", Queries: []string{"Marrowgate Bridge"}, Domains: []string{"marrowgate.example"}},
	}
	if d := cmp.Diff(want, b); d != "" {
		t.Error(d)
	}
	golden(t, "scope", m.asked("scope")[0])
}

func TestModelAsksBackOnlyWhenItMay(t *testing.T) {
	same := &gather.Turn{Question: "Who built the Marrowgate Bridge?", Brief: plumb.Brief{Question: "Who built the Marrowgate Bridge?", Entity: plumb.Entity{Name: "Marrowgate Bridge"}}}
	other := &gather.Turn{Question: "Which vaccines do infants get?"}
	for _, c := range []struct {
		name string
		task gather.ScopeTask
		asks bool
	}{
		{"a first question", gather.ScopeTask{}, true},
		{"it was answered", gather.ScopeTask{Answer: "the one in Vellmouth"}, false},
		{"a follow-up on the same topic", gather.ScopeTask{Before: same}, false},
		{"a follow-up on another topic", gather.ScopeTask{Before: other}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.task.Question = plumb.Question{Text: bridge}
			b, m := scopeWith(t, c.task, scopeLine(true, "Which Marrowgate Bridge?", "en"))
			if got := b.Ask != ""; got != c.asks {
				t.Errorf("asks back: %q", b.Ask)
			}
			if told := strings.Contains(m.Asked()[0].Messages[1].Text, "Do not ask back"); told == c.asks {
				t.Errorf("told not to ask back: %v", told)
			}
			if len(b.Areas) == 0 {
				t.Error("a brief without areas")
			}
		})
	}
}

func TestFollowUpContinuesTheBriefBefore(t *testing.T) {
	before := &gather.Turn{Question: "Why was the Tarn Bridge closed?"}
	before.Brief = scope(t, gather.ScopeTask{Question: plumb.Question{Text: before.Question}})
	answer := `{"clarify":false,"ask":"","question":"What did closing the Tarn Bridge cost?","language":"en","areas":[{"name":"Cost","question":"What did closing the Tarn Bridge cost?"}],"entity":{"name":"","queries":[],"domains":[]}}`
	b, m := scopeWith(t, gather.ScopeTask{Question: plumb.Question{Text: "And what about the cost of the closed bridge?"}, Before: before}, answer)
	if b.Shifted || b.Entity.Name != "Tarn Bridge" || len(b.Areas) != 1 || len(b.Notes) != 1 {
		t.Errorf("brief %+v", b)
	}
	golden(t, "scope-follow-up", m.asked("scope")[0])
	b, _ = scopeWith(t, gather.ScopeTask{Question: plumb.Question{Text: "Which vaccines are recommended for infants?"}, Before: before}, answer)
	if !b.Shifted || b.Entity.Name != "" {
		t.Errorf("a new topic: brief %+v", b)
	}
}

func TestLanguageIsTheQuestionsWhateverTheModelSays(t *testing.T) {
	for _, c := range []struct{ question, asked, said, want string }{
		{bridge, "", "fr", "en"},
		{"Warum wurde die Brücke im Februar gesperrt und was hat das gekostet?", "", "en", "de"},
		{bridge, "de", "en", "de"},
		{"Xylo Qrtz 7", "", "pt-BR", "pt"},
		{"Xylo Qrtz 7", "", "Klingon", "en"},
	} {
		b, _ := scopeWith(t, gather.ScopeTask{Question: plumb.Question{Text: c.question, Language: c.asked}}, scopeLine(false, "", c.said, "A: B?"))
		if b.Language != c.want {
			t.Errorf("%s: language %q, want %q", c.question, b.Language, c.want)
		}
	}
}

func TestBriefIsSoundWhateverTheModelAnswers(t *testing.T) {
	many := []string{"## 1. One: Why one?", "one: Why, one, again?", "Two: why ONE?", "Three: ", ": What is four?", "Five: What is five?", "Six: What is six?", "Seven: What is seven?", "Eight: What is eight?", strings.Repeat("long ", 100) + ": " + strings.Repeat("longer ", 500)}
	b, _ := scopeWith(t, gather.ScopeTask{Question: plumb.Question{Text: bridge}}, scopeLine(false, "", "en", many...))
	var names []string
	for _, a := range b.Areas {
		names = append(names, a.Name)
	}
	if d := cmp.Diff([]string{"One", "Three", "What is four?", "Five", "Six", "Seven"}, names); d != "" {
		t.Error(d)
	}
	b, _ = scopeWith(t, gather.ScopeTask{Question: plumb.Question{Text: bridge}}, scopeLine(false, "", "en"))
	if len(b.Areas) != 1 || b.Areas[0].Name == "" || b.Areas[0].Question != b.Question {
		t.Errorf("no areas in the answer: %+v", b.Areas)
	}
}

func TestScopeReturnsTheTroubleOfItsModel(t *testing.T) {
	trouble := &llm.Error{Trouble: llm.BadKey, Model: "a:b"}
	m := newPlay(map[string][]part{"scope": {fails(trouble)}})
	if _, err := (gather.LLM{Orchestrator: m}).Scope(context.Background(), gather.ScopeTask{Question: plumb.Question{Text: bridge}}); !errors.Is(err, error(trouble)) {
		t.Errorf("error %v", err)
	}
	m = newPlay(map[string][]part{"scope": {says("I would rather not.")}})
	if _, err := (gather.LLM{Orchestrator: m}).Scope(context.Background(), gather.ScopeTask{Question: plumb.Question{Text: bridge}}); !errors.Is(err, llm.ErrAnswer) {
		t.Errorf("error %v, want one of the answer", err)
	}
	if _, err := (gather.LLM{}).Scope(context.Background(), gather.ScopeTask{Question: plumb.Question{Text: bridge}}); err == nil {
		t.Error("no model, no error")
	}
	if _, err := (gather.LLM{Orchestrator: m}).Scope(context.Background(), gather.ScopeTask{Question: plumb.Question{Text: " "}}); err == nil {
		t.Error("no question, no error")
	}
}

func FuzzModelScope(f *testing.F) {
	f.Add(bridge, scopeLine(false, "", "en", "A: B?"))
	f.Add("x", `{"question":"\u0000 \n","areas":[{"name":"\t","question":""}],"entity":{"domains":["."]}}`)
	f.Add("大桥为什么关闭？", `{"areas":[{"name":"费用","question":"维修费用是多少？"},{"name":"","question":"？"}]}`)
	f.Fuzz(func(t *testing.T, question, answer string) {
		m := newPlay(map[string][]part{"scope": {says(answer)}})
		b, err := gather.LLM{Orchestrator: m}.Scope(context.Background(), gather.ScopeTask{Question: plumb.Question{Text: question}})
		if err != nil {
			return
		}
		if len(b.Areas) < 1 || len(b.Areas) > 6 || b.Question == "" || b.Language == "" {
			t.Fatalf("brief %+v", b)
		}
		for _, a := range b.Areas {
			if a.Name == "" || a.Question == "" || utf8.RuneCountInString(a.Name) > 82 || strings.ContainsAny(a.Name+a.Question, "\n\t\x00") {
				t.Errorf("area %q: %q", a.Name, a.Question)
			}
		}
	})
}
