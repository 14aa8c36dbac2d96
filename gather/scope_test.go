package gather_test

import (
	"context"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/gather"
)

func scope(t *testing.T, task gather.ScopeTask) plumb.Brief {
	t.Helper()
	b, err := gather.Extractive{}.Scope(context.Background(), task)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestAreasOfAQuestion(t *testing.T) {
	for _, c := range []struct {
		question string
		want     []string // name | question
	}{
		{"Why was the Marrowgate Bridge closed in 2023, what did the repair cost, and is it safe now?", []string{
			"Why the Marrowgate Bridge was closed in 2023 | Why was the Marrowgate Bridge closed in 2023?",
			"Cost of the repair | Marrowgate Bridge: what did the repair cost?",
			"Current safety | Is the Marrowgate Bridge safe now?"}},
		{"How many vehicles a day were affected by the closure?", []string{
			"How many vehicles a day were affected by the closure | How many vehicles a day were affected by the closure?"}},
		{"What does the retrofit of the Tarn Bridge cost and when is it completed?", []string{
			"Cost of the retrofit of the Tarn Bridge | What does the retrofit of the Tarn Bridge cost?",
			"When the retrofit of the Tarn Bridge is completed | When is the retrofit of the Tarn Bridge completed?"}},
		{"What were the causes, the cost and the consequences of the flood?", []string{
			"Causes of the flood | What were the causes of the flood?",
			"Cost of the flood | What were the cost of the flood?",
			"Consequences of the flood | What were the consequences of the flood?"}},
		{"Summarise the cause of the crack, the cost of the repair and the state of the Tarn Bridge.", []string{
			"Cause of the crack | Tarn Bridge: summarise the cause of the crack",
			"Cost of the repair | Tarn Bridge: summarise the cost of the repair",
			"State of the Tarn Bridge | Summarise the state of the Tarn Bridge"}},
		{"Who paid for the repair; why did the joint fail? Is the bridge safe?", []string{
			"Who paid for the repair | Who paid for the repair?",
			"Why did the joint fail? | Repair: why did the joint fail?",
			"Safety of the bridge | Repair: is the bridge safe?"}},
		{"When, according to the audit letter, was the account closed?", []string{
			"When, according to the audit letter, was the account closed? | When, according to the audit letter, was the account closed?"}},
		{"What is the difference between heat pumps and gas boilers?", []string{
			"Difference between heat pumps and gas boilers | What is the difference between heat pumps and gas boilers?"}},
		{"Was the dam inspected and why?", []string{"Was the dam inspected and why? | Was the dam inspected and why?"}},
		{"The mayor, who was elected in 2019, resigned. Why did she resign as well as who replaced her?", []string{
			"Why did she resign? | Why did she resign?", "Who replaced her | Who replaced her?"}},
		{"1. Why was it closed?\n2. What did it cost?", []string{"Why it was closed | Why was it closed?", "Cost of it | What did it cost?"}},
		{"solar panel recycling rates", []string{"Solar panel recycling rates | Solar panel recycling rates"}},
		{"Warum wurde die Brücke gesperrt, und was hat die Reparatur gekostet?", []string{
			"Warum wurde die Brücke gesperrt? | Warum wurde die Brücke gesperrt?",
			"Was hat die Reparatur gekostet? | Brücke: was hat die Reparatur gekostet?"}},
		{"Pourquoi le pont a-t-il été fermé et combien la réparation a-t-elle coûté ?", []string{
			"Pourquoi le pont a-t-il été fermé? | Pourquoi le pont a-t-il été fermé?",
			"Combien la réparation a-t-elle coûté? | Combien la réparation a-t-elle coûté?"}},
		{"¿Por qué se cerró el puente y cuánto costó la reparación?", []string{
			"Por qué se cerró el puente? | Por qué se cerró el puente?", "Cuánto costó la reparación? | Cuánto costó la reparación?"}},
		{"大桥为什么关闭？维修费用是多少？", []string{"大桥为什么关闭？ | 大桥为什么关闭？", "维修费用是多少？ | 维修费用是多少？"}},
	} {
		t.Run(c.question, func(t *testing.T) {
			var got []string
			for _, a := range scope(t, gather.ScopeTask{Question: plumb.Question{Text: c.question}}).Areas {
				got = append(got, a.Name+" | "+a.Question)
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestEntityOfAQuestion(t *testing.T) {
	for _, c := range []struct {
		question, name string
		queries        []string
	}{
		{"Why was the Marrowgate Bridge closed?", "Marrowgate Bridge", []string{"Marrowgate Bridge"}},
		{"Did the joint at Pier 4 of the Marrowgate Bridge fail?", "Marrowgate Bridge", []string{"Pier 4", "Marrowgate Bridge"}},
		{"How long was the crack in hanger H7 of the Marrowgate Bridge?", "Marrowgate Bridge", []string{"Marrowgate Bridge", "H7"}},
		{"What did Thessaly & Orme recommend?", "Thessaly & Orme", []string{"Thessaly & Orme"}},
		{`What does "force majeure" mean for NATO?`, "force majeure", []string{"force majeure", "NATO"}},
		{"What does the Bank of England's governor earn?", "Bank of England", []string{"Bank of England"}},
		{"Compare the Upper Vell Crossing and the Marrowgate Bridge", "", []string{"Upper Vell Crossing", "Marrowgate Bridge"}},
		{"What is the population of Halvermouth?", "Halvermouth", []string{"Halvermouth"}},
		{"What Is The Best Way To Learn Go Quickly?", "", nil},
		{"how much does it cost", "", nil},
		{"Summarise the minutes.", "", nil},
		{"大桥为什么关闭？", "", nil},
	} {
		e := scope(t, gather.ScopeTask{Question: plumb.Question{Text: c.question}}).Entity
		if e.Name != c.name {
			t.Errorf("%s: name %q, want %q", c.question, e.Name, c.name)
		}
		if d := cmp.Diff(c.queries, e.Queries); d != "" {
			t.Errorf("%s: queries %s", c.question, d)
		}
	}
}

func TestLanguageOfTheAnswerIsTheQuestionsUnlessAskedFor(t *testing.T) {
	q := plumb.Question{Text: "Warum wurde die Brücke im Februar gesperrt und was hat das gekostet?"}
	if b := scope(t, gather.ScopeTask{Question: q}); b.Language != "de" {
		t.Errorf("language %q, want de", b.Language)
	}
	q.Language = "en"
	if b := scope(t, gather.ScopeTask{Question: q}); b.Language != "en" {
		t.Errorf("language %q, want en as asked for", b.Language)
	}
}

func TestAnswerIsAddedToTheQuestion(t *testing.T) {
	b := scope(t, gather.ScopeTask{Question: plumb.Question{Text: "What did the repair cost?"}, Answer: "the Tarn Bridge, without the ferry"})
	if !strings.Contains(b.Question, "Tarn Bridge") || !strings.Contains(b.Areas[0].Question, "Tarn Bridge") {
		t.Errorf("the answer is in neither: %q, %q", b.Question, b.Areas[0].Question)
	}
	if b.Entity.Name != "Tarn Bridge" || b.Ask != "" || b.Answer == "" {
		t.Errorf("brief %+v", b)
	}
}

func TestFollowUpTakesOverWhatTheTurnBeforeWasAbout(t *testing.T) {
	before := &gather.Turn{Question: "Why was the Tarn Bridge closed?"}
	before.Brief = scope(t, gather.ScopeTask{Question: plumb.Question{Text: before.Question}})
	b := scope(t, gather.ScopeTask{Question: plumb.Question{Text: "And what about the cost of the closed bridge?"}, Before: before})
	if b.Shifted || b.Entity.Name != "Tarn Bridge" || !strings.Contains(b.Areas[0].Question, "Tarn Bridge") {
		t.Errorf("brief %+v", b)
	}
	b = scope(t, gather.ScopeTask{Question: plumb.Question{Text: "Which vaccines are recommended for infants?"}, Before: before})
	if !b.Shifted || b.Entity.Name != "" {
		t.Errorf("a new topic: brief %+v", b)
	}
}

func TestTopicShift(t *testing.T) {
	const before = "What did the repair of the bridge cost?"
	for latest, want := range map[string]bool{
		"Who paid for the repair?":                     false,
		"Let us look at a different bridge instead":    true,
		"Switch to the repair of the tunnel":           true,
		"Which vaccines do infants get?":               true,
		"Also look at vaccines":                        false,
		"Go deeper":                                    false,
		"Can you expand on the second point?":          false,
		"How old are the tallest trees?":               true,
		"":                                             false,
		"Wie teuer war die Reparatur? Mehr dazu bitte": false,
	} {
		if got := gather.TopicShift(latest, before); got != want {
			t.Errorf("TopicShift(%q) = %v", latest, got)
		}
	}
	if gather.TopicShift("anything", "") {
		t.Error("a first question shifts nothing")
	}
}

func TestEmptyQuestionIsRefused(t *testing.T) {
	if _, err := (gather.Extractive{}).Scope(context.Background(), gather.ScopeTask{Question: plumb.Question{Text: " \n"}}); err == nil {
		t.Error("no error")
	}
}

func FuzzScope(f *testing.F) {
	for _, s := range []string{"Why was it closed, what did it cost and is it safe?", "1. a\n2. b", "and and and", "?", "What were the , and of", "“", "大桥为什么关闭？", "is the", "¿Por qué?", "Compare", "how much", "the \xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		b, err := gather.Extractive{}.Scope(context.Background(), gather.ScopeTask{Question: plumb.Question{Text: s}})
		if err != nil {
			if strings.TrimSpace(s) != "" {
				t.Fatal(err)
			}
			return
		}
		if len(b.Areas) < 1 || len(b.Areas) > 6 {
			t.Fatalf("%d areas", len(b.Areas))
		}
		for _, a := range b.Areas {
			if a.Name == "" || a.Question == "" || utf8.RuneCountInString(a.Name) > 82 || strings.ContainsAny(a.Name, "\n\t") {
				t.Errorf("area %q: %q", a.Name, a.Question)
			}
		}
		if _, err := (gather.Extractive{}).Plan(context.Background(), gather.PlanTask{Brief: b, Feedback: s}); err != nil {
			t.Error(err)
		}
	})
}
