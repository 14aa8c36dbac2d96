package gather_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/gather"
	"github.com/plumbresearch/plumb/llm"
)

func TestDatesAndConfidenceOfFindings(t *testing.T) {
	const built, holds, leaks = "The Corran Dam was built in 1961 by the valley board.", "The Corran Dam holds a great deal of water.", "The Corran Dam is said to leak in places."
	outside := &world{}
	outside.put("https://a.example/", "A", "", built+" "+holds+" "+leaks+" "+strings.Repeat("It stands in a valley. ", 40))
	outside.put("https://b.example/", "B", "", strings.Repeat("The Corran Dam has a crest that people walk on. ", 20))
	b := outside.pages["https://b.example/"]
	b.Source.Date, b.Source.Authors, b.Note = "2020-05-06", []string{"A. Holm"}, "an archived copy"
	outside.pages["https://b.example/"] = b
	tools := gather.Tools{Texts: outside, Web: outside, Pages: outside}
	w := work(t, modelUnit(), tools, map[string][]part{
		"unit": {calls("search_web", `{"query":"dam"}`), fetch("https://a.example/"), fetch("https://b.example/"), says("")},
		"extract": {
			gives(extraction{Snippet: "nonsense", Findings: []extractRow{
				{Fact: "It was built in 1961.", Quote: built, Confidence: "HIGH", Date: "1961"},
				{Fact: "It holds much water.", Quote: holds, Confidence: "certain", Date: "1875-02"},
				{Fact: "It may leak.", Quote: leaks, Confidence: "low", Date: "yesterday"}}}),
			gives(extraction{Snippet: "none", Findings: []extractRow{{Fact: "People walk on its crest.", Quote: "The Corran Dam has a crest that people walk on.", Confidence: "medium", Date: "1999"}}}),
		},
	}).ok(t, outside)
	var got []string
	for _, f := range w.Findings {
		got = append(got, string(f.Confidence)+" "+f.Date+" "+f.Content)
	}
	want := []string{"high 1961 It was built in 1961.", "medium  It holds much water.", "low  It may leak.", "medium 2020-05-06 People walk on its crest."}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if r := w.model.replies("unit")[2]; !strings.Contains(r, "an archived copy") || !strings.Contains(r, "by A. Holm") {
		t.Errorf("reply %q", r)
	}
}

func TestReferencesAreNoEvidenceForModelsEither(t *testing.T) {
	const said, cited = "The seepage of the Corran Dam fell to 35 litres per minute.", "Seepage of the Corran Dam rose to 90 litres per minute."
	body := said + "\n\nReferences\n\nHolm, A. " + cited + " Dam Journal 4."
	s := &shelf{}
	s.put(plumb.Source{URL: "doc:paper.pdf", Title: "Seepage", References: &plumb.Passage{Start: strings.Index(body, "References"), End: len(body)}}, body)
	tools := gather.Tools{Library: indexed(s), Texts: s}
	w := work(t, unitTask("What is the seepage of the Corran Dam?"), tools, map[string][]part{
		"unit":    {fetch("doc:paper.pdf"), says("")},
		"extract": {extracts(row("It fell.", said), row("It rose.", cited))},
	}).ok(t, s)
	if d := cmp.Diff([]string{"paper.pdf: It fell."}, contents(w.Findings)); d != "" {
		t.Error(d)
	}
	if strings.Contains(sourceOf(&w.model.asked("extract")[0]), "90 litres") {
		t.Error("the list of references is shown as evidence")
	}
}

func TestUnitDoesNotRepeatWhatEarlierUnitsFound(t *testing.T) {
	tools := documents()
	lines := func() map[string][]part {
		return map[string][]part{"unit": {fetch("doc:report.md"), says(enough)}, "extract": {quotes(cost, "The Corran Dam was built in 1961.")}}
	}
	task := modelUnit()
	first := work(t, task, tools, lines()).ok(t, tools.Texts)
	task.Earlier = first.Findings[:1]
	again := work(t, task, tools, lines()).ok(t, tools.Texts)
	if d := cmp.Diff(contents(first.Findings[1:]), contents(again.Findings)); d != "" {
		t.Error(d)
	}
	if !strings.Contains(again.model.Asked()[0].Messages[1].Text, "- [doc:report.md]") {
		t.Error("earlier findings are not shown")
	}
}

type down struct{}

func (down) Search(context.Context, gather.Query) ([]plumb.Hit, error) {
	return nil, errors.New("database is locked: /home/me/plumb.db")
}

func TestLibraryThatIsDownIsDoneWithout(t *testing.T) {
	outside := valley()
	task := modelUnit()
	task.Unit.Kind = plumb.Academic
	task.Question.Text = "What does https://named.example/dam say of the spillway?"
	task.Question.Where.Include, task.Brief.Entity.Domains = []string{"dam.example"}, []string{"corran.example"}
	outside.put("https://named.example/dam", "Named", "", "The page that the question names. "+strings.Repeat("It says a lot. ", 50))
	tools := gather.Tools{Library: down{}, Texts: outside, Papers: outside, Pages: outside}
	w := work(t, task, tools, map[string][]part{
		"unit": {calls("search_library", `{"query":"dam"}`, "search_papers", `{"query":"dam"}`, "fetch_url", `{"url":"https://named.example/dam"}`, "fetch_url", `{"url":"https://corran.example/x"}`),
			fetch("https://dam.example/spillway"), says("")},
		"extract": {quotes(web)},
	}).ok(t, outside)
	if len(w.Findings) != 1 || w.Findings[0].SearchType != "paper" || len(w.Sources) != 2 {
		t.Errorf("findings %+v", w.Findings)
	}
	r := w.model.replies("unit")
	if strings.Contains(r[0], "plumb.db") || !strings.HasPrefix(r[3], "That address is in none") {
		t.Errorf("replies %q", r)
	}
	if first := w.model.Asked()[0].Messages[1].Text; !strings.Contains(first, "Begin with papers.") || !strings.Contains(first, "Only these sites are wanted: dam.example.") {
		t.Errorf("prompt %s", first)
	}
	if !slices.Contains(w.Notes, "The library could not be searched.") {
		t.Errorf("notes %q", w.Notes)
	}
}

// A step that is done again asks the same, so that recordings answer it: calls made at once included.
func TestUnitIsReplayedFromItsRecordings(t *testing.T) {
	ledger := &llm.MemoryLedger{}
	unit := func(place llm.Place, open func(string) (llm.Model, error)) (gather.UnitResult, error) {
		desk := &llm.Desk{Open: open, Ledger: ledger}
		m, err := desk.At(place).Model("script:model", llm.Worker)
		if err != nil {
			t.Fatal(err)
		}
		tools, _ := everything()
		return gather.LLM{Worker: m}.Research(context.Background(), modelUnit(), tools)
	}
	first, err := unit(llm.Place{Run: "r1", Step: "unit.u1"}, func(string) (llm.Model, error) {
		return newPlay(map[string][]part{
			"unit": {calls("search_web", `{"query":"a"}`, "search_papers", `{"query":"b"}`),
				calls("fetch_url", `{"url":"doc:report.md"}`, "fetch_url", `{"url":"https://dam.example/spillway"}`, "fetch_url", `{"url":"doc:newspaper.txt"}`), says(enough)},
			"extract": {quotes(cost, press, web)},
		}), nil
	})
	if err != nil || len(first.Findings) != 3 {
		t.Fatalf("findings %v, %v", contents(first.Findings), err)
	}
	again, err := unit(llm.Place{Run: "r1", Step: "unit.u1", Offline: true}, func(string) (llm.Model, error) { return newPlay(nil), nil })
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(first, again); d != "" {
		t.Error(d)
	}
	if n := len(ledger.Rows()); n != 6 {
		t.Errorf("%d calls on the bill", n)
	}
}
