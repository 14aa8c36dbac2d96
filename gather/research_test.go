package gather_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/gather"
)

// dam is a shelf about an invented dam, with a document for each thing that Research must get right.
func dam() *shelf {
	s := &shelf{}
	put := func(url, title, date, format, body string) {
		s.put(plumb.Source{URL: "doc:" + url, Title: title, Date: date, Format: format, Language: "en"}, body)
	}
	put("report.md", "Report on the Corran Dam", "2021-05-04", "markdown", "# Report on the Corran Dam\n\n"+
		"The Corran Dam was built in 1961. It holds 48 million cubic metres of water.\n\n"+
		"The spillway of the Corran Dam was repaired in 2020. The repair of the spillway cost EUR 7.5 million.\n\n"+
		"Visitors may walk along the crest. Dogs must be kept on a lead.")
	put("newspaper.txt", "Valley Herald", "2021-06-01", "text", "The Valley Herald, 1 June 2021\n\n"+
		"The repair of the spillway of the Corran Dam cost EUR 9.2 million, the operator told this newspaper. Nobody answered our second letter.")
	put("reprint.txt", "Hill Gazette", "2021-05-09", "text", "From our correspondent.\n\n"+
		"The spillway of the Corran Dam was repaired in 2020. The repair of the spillway cost EUR 7.5 million.")
	put("inspection.md", "Inspection of the Corran Dam", "2022-03-01", "markdown", "# Inspection of the Corran Dam\n\n## Gallery\n\n"+
		"The lower gallery of the Corran Dam was flooded on 3 January 2022. This was caused by a blocked drain.\n\n"+
		"## Gates\n\nThe gates of the Corran Dam did not fail in the flood of 2022.")
	put("letter.txt", "Letter of the anglers", "2022-04-01", "text", "Dear operator,\n\nthe gates of the Corran Dam failed in the flood of 2022, and our boats were lost.")
	put("gauges.csv", "Gauges of the Corran Dam", "2022-12-31", "csv", "Month: 2022-01; Seepage in litres per minute: 41; Rain in mm: 120.\nMonth: 2022-02; Seepage in litres per minute: 38; Rain in mm: 80.\nMonth: 2022-03; Seepage in litres per minute: 35; Rain in mm: 60.")
	put("other.md", "The weir at Linn", "2020-01-01", "markdown", "The repair of the weir at Linn cost EUR 200,000. The weir at Linn was flooded in 2019.")
	put("bread.md", "Bread", "", "markdown", "Knead the dough for ten minutes. Let it rest over night. Bake it at 240 degrees.")
	return s
}

func unitTask(question string) gather.UnitTask {
	var x gather.Extractive
	q := plumb.Question{Text: question, At: askedAt}
	brief, err := x.Scope(context.Background(), gather.ScopeTask{Question: q})
	if err != nil {
		panic(err)
	}
	limits, err := plumb.Preset("standard")
	if err != nil {
		panic(err)
	}
	u := plumb.Unit{ID: "u1", Question: brief.Areas[0].Question, Kind: plumb.Internal, Area: brief.Areas[0].Name}
	return gather.UnitTask{Run: "r1", Unit: u, Brief: brief, Question: q, Limits: limits.Unit, Number: 1, At: askedAt}
}

func research(t *testing.T, s *shelf, task gather.UnitTask) gather.UnitResult {
	t.Helper()
	res, err := gather.Extractive{}.Research(context.Background(), task, gather.Tools{Library: s, Texts: s})
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func contents(fs []plumb.Finding) []string {
	var out []string
	for _, f := range fs {
		out = append(out, strings.TrimPrefix(f.SourceURL, "doc:")+": "+f.Content)
	}
	return out
}

func TestResearchFindsTheSentencesThatAnswer(t *testing.T) {
	for _, c := range []struct {
		name, question string
		want           []string // each must be found
		never          []string // no finding contains any of these
	}{
		{"both figures, the reprint and the look-alike not", "What did the repair of the spillway of the Corran Dam cost?",
			[]string{"report.md: The repair of the spillway cost EUR 7.5 million.", "newspaper.txt: The repair of the spillway of the Corran Dam cost EUR 9.2 million, the operator told this newspaper."},
			[]string{"reprint.txt", "weir", "Dogs", "Nobody answered"}},
		{"both sides of a denial", "Did the gates of the Corran Dam fail in the flood of 2022?",
			[]string{"inspection.md: The gates of the Corran Dam did not fail in the flood of 2022.", "letter.txt: the gates of the Corran Dam failed in the flood of 2022, and our boats were lost."}, []string{"Dear"}},
		{"a pronoun takes the sentence before it along", "Why was the lower gallery of the Corran Dam flooded?",
			[]string{"inspection.md: The lower gallery of the Corran Dam was flooded on 3 January 2022. This was caused by a blocked drain."}, []string{"weir"}},
		{"what it refers to", "How many cubic metres of water does the Corran Dam hold?",
			[]string{"report.md: The Corran Dam was built in 1961. It holds 48 million cubic metres of water."}, nil},
		{"a row of a table", "What was the seepage of the Corran Dam in 2022-01?",
			[]string{"gauges.csv: Month: 2022-01; Seepage in litres per minute: 41; Rain in mm: 120."}, []string{"2022-02; Seepage in litres per minute: 38; Rain in mm: 80. Month"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := contents(research(t, dam(), unitTask(c.question)).Findings)
			for _, w := range c.want {
				if !slices.Contains(got, w) {
					t.Errorf("not found: %s\nfound:\n%s", w, strings.Join(got, "\n"))
				}
			}
			for _, n := range c.never {
				if i := slices.IndexFunc(got, func(s string) bool { return strings.Contains(s, n) }); i >= 0 {
					t.Errorf("found, but does not answer: %s", got[i])
				}
			}
		})
	}
}

// mill is a shelf about causes and disputes.
func mill() *shelf {
	s := &shelf{}
	put := func(url, date, body string) {
		s.put(plumb.Source{URL: "doc:" + url, Title: strings.TrimSuffix(url, ".txt"), Date: date, Format: "text", Language: "en"}, body)
	}
	put("log.txt", "2019-03-02", "The Ostrand Mill was shut down on 2 March 2019 because the main shaft bearing had overheated.")
	put("notes.txt", "2019-03-04", "Operators shut down the Ostrand Mill in the evening of 2 March 2019. Inspectors found metal dust in the bearing housing of the mill.")
	put("workshop.txt", "2019-04-01", "The main shaft bearing of the Ostrand Mill overheated because its oil pump was fitted the wrong way round.")
	put("storm.txt", "2021-02-11", "The Ostrand Mill was shut down on 10 February 2021 because a storm had cut the power line.")
	put("insurer.txt", "2019-04-20", "The cooling fan of the Ostrand Mill failed in March 2019, and the grinding stones cracked because of the heat.")
	put("maker.txt", "2019-05-01", "The cooling fan of the Ostrand Mill did not fail in March 2019.")
	put("guard.txt", "2019-03-03", "The south gate of the Ostrand Mill was locked during the night of the fire.")
	put("police.txt", "2019-03-05", "The south gate of the Ostrand Mill was not locked during the night of the fire.")
	put("soup.txt", "", "Peel the carrots and the onions. Simmer the soup for an hour.")
	return s
}

func TestReasonsAndDisputes(t *testing.T) {
	const shut = "Why was the Ostrand Mill shut down in 2019?"
	for _, c := range []struct {
		name, question string
		want           []string
		first          string // the finding that must come first
	}{
		{"the reason", shut, []string{"log.txt: The Ostrand Mill was shut down on 2 March 2019 because the main shaft bearing had overheated."}, "log.txt"},
		{"a cause in the next sentence is quoted with what it explains", shut,
			[]string{"notes.txt: Operators shut down the Ostrand Mill in the evening of 2 March 2019. Inspectors found metal dust in the bearing housing of the mill."}, "log.txt"},
		{"the reason behind the reason", shut,
			[]string{"workshop.txt: The main shaft bearing of the Ostrand Mill overheated because its oil pump was fitted the wrong way round."}, "log.txt"},
		{"what stands behind the reason counts as such though it has words of the question", "Why did the main shaft bearing of the Ostrand Mill overheat and shut the mill down in 2019?",
			[]string{"workshop.txt: The main shaft bearing of the Ostrand Mill overheated because its oil pump was fitted the wrong way round."}, ""},
		{"another year comes later", "Why was the Ostrand Mill shut down in 2021?",
			[]string{"storm.txt: The Ostrand Mill was shut down on 10 February 2021 because a storm had cut the power line."}, "storm.txt"},
		{"sentences that differ in a negation only are both kept", "Was the south gate of the Ostrand Mill locked during the night of the fire?",
			[]string{"guard.txt: The south gate of the Ostrand Mill was locked during the night of the fire.",
				"police.txt: The south gate of the Ostrand Mill was not locked during the night of the fire."}, ""},
		{"who disputes it, though it answers less directly", "Why did the grinding stones of the Ostrand Mill crack?",
			[]string{"insurer.txt: The cooling fan of the Ostrand Mill failed in March 2019, and the grinding stones cracked because of the heat.",
				"maker.txt: The cooling fan of the Ostrand Mill did not fail in March 2019."}, "insurer.txt"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := contents(research(t, mill(), unitTask(c.question)).Findings)
			for _, w := range c.want {
				if !slices.Contains(got, w) {
					t.Errorf("not found: %s\nfound:\n%s", w, strings.Join(got, "\n"))
				}
			}
			if len(got) > 0 && !strings.HasPrefix(got[0], c.first) {
				t.Errorf("first is %s, want %s", got[0], c.first)
			}
		})
	}
}

func TestWhatHappenedInAnotherYearIsLessRelevant(t *testing.T) {
	relevance := map[string]float64{}
	for _, f := range research(t, mill(), unitTask("Why was the Ostrand Mill shut down in 2019?")).Findings {
		relevance[f.SourceURL] = max(relevance[f.SourceURL], f.Relevance)
	}
	if relevance["doc:log.txt"] < 0.9 || relevance["doc:storm.txt"] > 0.65 {
		t.Errorf("2019: %v, 2021: %v", relevance["doc:log.txt"], relevance["doc:storm.txt"])
	}
}

func TestUnansweredQuestionHasNoFindings(t *testing.T) {
	for _, q := range []string{
		"Which vaccines does the national schedule recommend for infants?",
		"What fee will visitors of the Corran Dam pay in 2031?",
		"Who designed the Sydney Opera House?",
		"How many trout were released below the Corran Dam?",
		"What is the salary of the operator's director?",
	} {
		res := research(t, dam(), unitTask(q))
		if len(res.Findings) > 0 {
			t.Errorf("%s: %s", q, strings.Join(contents(res.Findings), "; "))
		}
		if len(res.Notes) != 1 || !strings.Contains(res.Notes[0], "do") {
			t.Errorf("%s: notes %q", q, res.Notes)
		}
	}
}

func TestEveryQuoteStandsAtItsOffsets(t *testing.T) {
	s := dam()
	res := research(t, s, unitTask("What did the repair of the spillway of the Corran Dam cost?"))
	kept, dropped, err := gather.Quoted(context.Background(), res.Findings, s)
	if err != nil || dropped != 0 || len(kept) != len(res.Findings) || len(kept) == 0 {
		t.Fatalf("%d kept, %d dropped, %v", len(kept), dropped, err)
	}
	for i, f := range kept {
		if s.texts[f.Source][f.QuoteStart:f.QuoteEnd] != f.Quote {
			t.Errorf("%s: quote %q is not at its offsets", f.ID, f.Quote)
		}
		want := plumb.Finding{
			ID: fmt.Sprintf("u1-f%02d", i+1), Unit: "u1", Worker: "researcher-u1", Subtask: 1, At: askedAt, Verified: true, Verification: "verified",
			SearchType: "internal", Depth: plumb.FullScrape, Area: "Cost of the repair of the spillway of the Corran Dam",
		}
		got := plumb.Finding{ID: f.ID, Unit: f.Unit, Worker: f.Worker, Subtask: f.Subtask, At: f.At, Verified: f.Verified, Verification: f.Verification, SearchType: f.SearchType, Depth: f.Depth, Area: f.Area}
		if got != want {
			t.Errorf("got %+v\nwant %+v", got, want)
		}
		if f.Relevance <= 0 || f.Relevance > 1 || f.Confidence == "" || f.Key == "" || f.Chars == 0 || !f.Citable() {
			t.Errorf("%+v", f)
		}
	}
	if !slices.IsSortedFunc(kept, func(a, b plumb.Finding) int { return int(1000 * (b.Relevance - a.Relevance)) }) {
		t.Error("not in order of relevance")
	}
}

func TestQuotedRepairsOffsetsAndDropsInventions(t *testing.T) {
	s := &shelf{}
	s.put(plumb.Source{URL: "doc:a"}, "A first sentence. The efﬁciency rose to 42 percent in May.")
	hash := s.hits[0].Source.Hash
	f := func(quote string, start, end int) plumb.Finding {
		return plumb.Finding{Source: hash, SourceURL: "doc:a", Quote: quote, QuoteStart: start, QuoteEnd: end}
	}
	kept, dropped, err := gather.Quoted(context.Background(), []plumb.Finding{
		f("A first sentence.", 0, 17),
		f("The efficiency rose to 42 percent", 0, 5),   // elsewhere, and with a ligature in the source
		f("The efficiency rose to 43 percent", 18, 51), // invented
		f("A first sentence.", -3, 900),
		{Quote: "no source"},
	}, s)
	if err != nil || dropped != 2 || len(kept) != 3 {
		t.Fatalf("%d kept, %d dropped, %v", len(kept), dropped, err)
	}
	if got := kept[1]; got.Quote != "The efﬁciency rose to 42 percent" || s.texts[hash][got.QuoteStart:got.QuoteEnd] != got.Quote {
		t.Errorf("repaired to %q at %d", got.Quote, got.QuoteStart)
	}
	if kept[2].QuoteStart != 0 || kept[2].QuoteEnd != 17 {
		t.Errorf("offsets %d..%d", kept[2].QuoteStart, kept[2].QuoteEnd)
	}
	if _, _, err := gather.Quoted(context.Background(), []plumb.Finding{{Source: "gone", Quote: "x"}}, s); err == nil {
		t.Error("a text that cannot be read is no error")
	}
}

func TestSameQuestionSameResult(t *testing.T) {
	var first string
	for range 5 {
		b, err := json.Marshal(research(t, dam(), unitTask("Why was the lower gallery of the Corran Dam flooded?")))
		if err != nil {
			t.Fatal(err)
		}
		if first == "" {
			first = string(b)
		}
		if string(b) != first {
			t.Fatalf("differs:\n%s\n%s", first, b)
		}
	}
}

func TestHurriedUnitKeepsWhatItFound(t *testing.T) {
	task := unitTask("Why was the lower gallery of the Corran Dam flooded?")
	s := dam()
	searches := 0
	s.hurry = func() { searches++ }
	full := research(t, s, task)
	if searches < 3 {
		t.Fatalf("%d searches: nothing to be hurried in", searches)
	}
	for stop := 1; stop <= searches; stop++ {
		ctx, cancel := context.WithCancelCause(context.Background())
		s, n := dam(), 0
		s.hurry = func() {
			if n++; n == stop {
				cancel(errors.New("hurry"))
			}
		}
		res, err := gather.Extractive{}.Research(ctx, task, gather.Tools{Library: s, Texts: s})
		if stop == 1 {
			if !errors.Is(err, context.Canceled) {
				t.Errorf("stopped before anything was found: %v, want the context's error", err)
			}
			continue
		}
		if err != nil || len(res.Findings) == 0 || len(res.Findings) > len(full.Findings) {
			t.Errorf("stopped at search %d: %d of %d findings, %v", stop, len(res.Findings), len(full.Findings), err)
		}
	}
}

func TestQuestionAsAWholeRepeatsNothingOfItsParts(t *testing.T) {
	task := unitTask("What did the repair of the spillway of the Corran Dam cost, and why was the lower gallery flooded?")
	seen := map[string]bool{}
	for _, a := range task.Brief.Areas {
		task.Unit = plumb.Unit{ID: "u1", Question: a.Question, Area: a.Name}
		for _, f := range research(t, dam(), task).Findings {
			seen[f.Quote] = true
		}
	}
	task.Unit = plumb.Unit{ID: "u3", Question: task.Brief.Question}
	for _, f := range research(t, dam(), task).Findings {
		if seen[f.Quote] {
			t.Errorf("found again: %s", f.Content)
		}
	}
}

func TestUnitHeedsWhatItIsTold(t *testing.T) {
	const q = "What did the repair of the spillway of the Corran Dam cost?"
	has := func(res gather.UnitResult, url string) bool {
		return slices.ContainsFunc(res.Findings, func(f plumb.Finding) bool { return f.SourceURL == url })
	}
	task := unitTask(q)
	all := research(t, dam(), task)
	if !has(all, "doc:report.md") || !has(all, "doc:newspaper.txt") {
		t.Fatalf("found %s", contents(all.Findings))
	}

	since := task
	since.Question.Where.Since = "2021-05-20"
	if res := research(t, dam(), since); has(res, "doc:report.md") || !has(res, "doc:newspaper.txt") {
		t.Errorf("since May 20: %s", contents(res.Findings))
	}

	later := task
	later.Earlier = all.Findings[:1]
	if res := research(t, dam(), later); slices.ContainsFunc(res.Findings, func(f plumb.Finding) bool { return f.Quote == all.Findings[0].Quote }) {
		t.Errorf("repeats the finding of the unit before it: %s", contents(res.Findings))
	}

	again := task
	again.Unit.Question = "repair spillway Corran Dam cost"
	again.Visited = []string{"doc:report.md"}
	if res := research(t, dam(), again); has(res, "doc:report.md") || slices.Contains(res.Visited, "doc:report.md") {
		t.Errorf("a second try reads a document again: %s", contents(res.Findings))
	}

	few := task
	few.Limits.Findings = 1
	if res := research(t, dam(), few); len(res.Findings) != 1 {
		t.Errorf("%d findings, at most 1 allowed", len(res.Findings))
	}

	lonely := task
	lonely.Missing = []string{"u7"}
	if res := research(t, dam(), lonely); len(res.Notes) != 1 || !strings.Contains(res.Notes[0], "u7") {
		t.Errorf("notes %q", res.Notes)
	}
}

func TestReferencesAreNoEvidence(t *testing.T) {
	body := "The seepage of the Corran Dam fell to 35 litres per minute.\n\nReferences\n\nHolm, A. Seepage of the Corran Dam rose to 90 litres per minute. Dam Journal 4."
	s := &shelf{}
	at := strings.Index(body, "References")
	s.put(plumb.Source{URL: "doc:paper", Title: "Seepage", References: &plumb.Passage{Start: at, End: len(body)}}, body)
	res := research(t, s, unitTask("What is the seepage of the Corran Dam?"))
	if len(res.Findings) != 1 || strings.Contains(res.Findings[0].Content, "90") {
		t.Errorf("found %s", contents(res.Findings))
	}
}

func TestEventsOfAUnit(t *testing.T) {
	task := unitTask("What did the repair of the spillway of the Corran Dam cost?")
	count := map[plumb.EventKind]int{}
	read := map[string]int{}
	task.Emit = func(e plumb.Event) {
		count[e.Kind]++
		if e.Unit != "u1" || e.Text == "" {
			t.Errorf("event %+v", e)
		}
		if e.Kind == plumb.SourceRead {
			var s plumb.Source
			if err := json.Unmarshal(e.Data, &s); err != nil {
				t.Error(err)
			}
			read[s.URL]++
		}
	}
	res := research(t, dam(), task)
	if count[plumb.UnitStarted] != 1 || count[plumb.FindingMade] != len(res.Findings) || count[plumb.SourceRead] != len(res.Sources) || len(read) != len(res.Sources) {
		t.Errorf("events %v for %d findings of %d sources", count, len(res.Findings), len(res.Sources))
	}
	for _, f := range res.Findings {
		if !slices.ContainsFunc(res.Sources, func(s plumb.Source) bool { return s.Hash == f.Source }) || !slices.Contains(res.Visited, f.SourceURL) {
			t.Errorf("source of %s is not among those read", f.ID)
		}
	}
}

type oldFindings []plumb.Finding

func (o oldFindings) EarlierFindings(context.Context, string, int) ([]plumb.Finding, error) {
	return o, nil
}

func TestFindingsOfEarlierRunsAreMarked(t *testing.T) {
	s := dam()
	old := oldFindings{
		{Content: "The Corran Dam leaks.", Quote: "The Corran Dam leaks.", Source: "h", QuoteEnd: 21, Verified: true, Depth: plumb.FullScrape, Reused: "run-7"},
		{Content: "Only seen in a search.", Source: "i", Depth: plumb.Snippet, Reused: "run-7"},
	}
	res, err := gather.Extractive{}.Research(context.Background(), unitTask("What did the repair of the spillway of the Corran Dam cost?"), gather.Tools{Library: s, Texts: s, Earlier: old})
	if err != nil {
		t.Fatal(err)
	}
	var reused []plumb.Finding
	for _, f := range res.Findings {
		if f.Reused != "" {
			reused = append(reused, f)
		}
	}
	if len(reused) != 1 || reused[0].Reused != "run-7" || reused[0].Unit != "u1" || !strings.HasPrefix(reused[0].ID, "u1-f") {
		t.Errorf("reused %+v", reused)
	}
}

// big is a shelf of thousands of documents.
func big(n int) *shelf {
	s := &shelf{}
	nouns := strings.Fields("pump valve gate gallery drain spillway gauge tunnel weir crest bolt hinge panel cable sensor motor filter ladder roof wall")
	for i := range n {
		a, b, c := nouns[i%20], nouns[(i/20)%20], nouns[(i/400)%20]
		body := fmt.Sprintf("The %s beside the %s number %d was repaired in %d. The work on the %s cost EUR %d. A %s was added because the %s had failed.\n\n", a, b, i, 1990+i%30, c, 1000+7*i, b, a)
		s.put(plumb.Source{URL: fmt.Sprintf("doc:%05d.txt", i), Title: fmt.Sprintf("Log of the %s %d", a, i), Date: "2020-01-01", Format: "text", Language: "en"}, strings.Repeat(body, 3))
	}
	s.put(plumb.Source{URL: "doc:answer.txt", Title: "Corran Dam"}, "The turbine of the Corran Dam was replaced because its blades had cracked.")
	return s
}

func TestUnitStaysFastOverThousandsOfDocuments(t *testing.T) {
	s := big(3000)
	task := unitTask("Why was the turbine of the Corran Dam replaced?")
	research(t, s, task) // builds the index
	start := time.Now()
	res := research(t, s, task)
	t.Logf("%d passages: %s", len(s.hits), time.Since(start))
	if len(res.Findings) != 1 || res.Findings[0].SourceURL != "doc:answer.txt" {
		t.Errorf("found %s", contents(res.Findings))
	}
}

func BenchmarkResearch(b *testing.B) {
	s := big(3000)
	task := unitTask("Why was the pump beside the valve repaired and what did it cost?")
	for b.Loop() {
		if _, err := (gather.Extractive{}).Research(context.Background(), task, gather.Tools{Library: s, Texts: s}); err != nil {
			b.Fatal(err)
		}
	}
}
