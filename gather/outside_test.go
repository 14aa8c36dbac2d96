package gather_test

// Units that go outside: what is searched and when, which leads are read, what is kept of them.

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/gather"
)

// desk answers searches with the same leads, each time.
type desk struct {
	leads []plumb.Lead
	news  plumb.LeadsNews
	err   error
	hangs bool // until the search is given up

	mu    sync.Mutex
	asked []string
}

func (d *desk) Leads(ctx context.Context, q gather.LeadQuery) (gather.Leads, error) {
	d.mu.Lock()
	d.asked = append(d.asked, q.Text)
	d.mu.Unlock()
	if d.hangs {
		<-ctx.Done()
		return gather.Leads{}, ctx.Err()
	}
	news := d.news
	news.Query, news.Found, news.Kept = q.Text, len(d.leads), len(d.leads)
	return gather.Leads{Leads: d.leads, News: news}, d.err
}

// filler makes a page long enough to be read in full.
var filler = strings.Repeat("The valley is green and wide. ", 20)

const gates = "How many gates does the Linnhe Barrage have?"

// estuary is a web of pages on an invented barrage: all in the world, found by the desk in this order.
func estuary(pages ...string) (*world, *desk) {
	w, d := &world{}, &desk{}
	for i, p := range pages {
		url, title, body := fmt.Sprintf("https://site%d.example/barrage", i+1), fmt.Sprintf("The Linnhe Barrage, part %d", i+1), p
		if head, rest, ok := strings.Cut(p, " :: "); ok {
			url, body = head, rest
		}
		w.put(url, title, "On the gates of the Linnhe Barrage.", body+"\n\n"+filler)
	}
	d.leads = slices.Clone(w.leads)
	return w, d
}

type went struct {
	gather.UnitResult
	events []plumb.Event
}

// goOut researches without a model.
func goOut(t *testing.T, task gather.UnitTask, tools gather.Tools) went {
	t.Helper()
	var w went
	var mu sync.Mutex
	task.Emit = func(e plumb.Event) {
		mu.Lock()
		defer mu.Unlock()
		w.events = append(w.events, e)
	}
	var err error
	if w.UnitResult, err = (gather.Extractive{}).Research(context.Background(), task, tools); err != nil {
		t.Fatal(err)
	}
	if tools.Texts != nil {
		kept, dropped, err := gather.Quoted(context.Background(), w.Findings, tools.Texts)
		if err != nil || dropped > 0 || len(kept) != len(w.Findings) {
			t.Errorf("%d quotes are not in their sources: %v", dropped, err)
		}
	}
	return w
}

// texts of the events of a kind.
func told(events []plumb.Event, kind plumb.EventKind) []string {
	var out []string
	for _, e := range events {
		if e.Kind == kind {
			out = append(out, e.Text)
		}
	}
	return out
}

// skipped are leads with the reasons why they came to nothing.
func skipped(t *testing.T, events []plumb.Event) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, e := range events {
		if e.Kind != plumb.LeadSkipped {
			continue
		}
		var n plumb.LeadNews
		if err := json.Unmarshal(e.Data, &n); err != nil || n.Title == "" || n.Reason == "" || !strings.Contains(e.Text, n.Reason) {
			t.Errorf("event %+v, %v", e, err)
		}
		out[n.URL] = n.Reason
	}
	return out
}

func outsideTask(question string, kind plumb.UnitKind) gather.UnitTask {
	task := unitTask(question)
	task.Unit.Kind = kind
	task.Question.Where = plumb.Where{Search: []string{"test"}, Papers: []string{"test"}}
	return task
}

func TestUnitQuotesPagesWithAllTheirFields(t *testing.T) {
	w, d := estuary("- The Linnhe Barrage has 15 gates.[2] **They** open in two minutes.")
	p := w.pages["https://site1.example/barrage"]
	p.Source.Date, p.Source.FinalURL, p.Note = "2023-04-01", "https://site1.example/barrage/final", "archived copy of 2024-01-01, the page itself is gone"
	w.pages["https://site1.example/barrage"] = p
	got := goOut(t, outsideTask(gates, plumb.General), gather.Tools{Texts: w, Web: d, Pages: w})
	if len(got.Findings) == 0 {
		t.Fatalf("no findings; notes %q", got.Notes)
	}
	f := got.Findings[0]
	if w.texts[f.Source][f.QuoteStart:f.QuoteEnd] != f.Quote || f.Relevance <= 0 || f.Relevance > 1 {
		t.Errorf("quote %q at %d..%d, relevance %v", f.Quote, f.QuoteStart, f.QuoteEnd, f.Relevance)
	}
	f.Quote, f.QuoteStart, f.QuoteEnd, f.Relevance = "", 0, 0, 0
	want := plumb.Finding{ID: "u1-f01", Content: "The Linnhe Barrage has 15 gates.", SourceURL: "https://site1.example/barrage", SourceTitle: "The Linnhe Barrage, part 1",
		Subtask: 1, Worker: "researcher-u1", At: askedAt, Verified: true, SearchType: "web", Verification: "verified", Status: 200, Depth: plumb.FullScrape,
		Confidence: plumb.High, Chars: p.Source.Chars, Source: p.Source.Hash, Unit: "u1", Area: f.Area, Key: "site1.example", Date: "2023-04-01"}
	if d := cmp.Diff(want, f); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"https://site1.example/barrage", "https://site1.example/barrage/final"}, got.Visited); d != "" || len(got.Sources) != 1 {
		t.Errorf("%s%d sources", d, len(got.Sources))
	}
	if !slices.Contains(got.Notes, "The Linnhe Barrage, part 1: archived copy of 2024-01-01, the page itself is gone") {
		t.Errorf("notes %q", got.Notes)
	}
	if len(told(got.events, plumb.LeadsFound)) != len(d.asked) || len(told(got.events, plumb.SourceRead)) != 1 || len(told(got.events, plumb.FindingMade)) != len(got.Findings) {
		t.Errorf("events %+v", got.events)
	}
}

func TestDocumentsComeFirst(t *testing.T) {
	damWeb := func() (*world, *desk) {
		w, d := &world{}, &desk{}
		w.put("https://dam.example/spillway", "The spillway of the Corran Dam", "Costs.", "The repair of the spillway of the Corran Dam cost EUR 8.1 million, the state audit found. "+filler)
		d.leads = w.leads
		return w, d
	}
	for _, c := range []struct {
		name, question string
		kind           plumb.UnitKind
		searched       bool
		want           []string // parts of findings
	}{
		{"they answer", spillway, plumb.General, false, []string{"EUR 7.5 million", "EUR 9.2 million"}},
		{"they do not", "How many gates does the Linnhe Barrage have?", plumb.General, true, nil},
		{"one sentence is enough where they were asked", "When was the Corran Dam built?", plumb.Internal, false, []string{"1961"}},
		{"and is not elsewhere", "When was the Corran Dam built?", plumb.General, true, []string{"1961"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := indexed(dam())
			w, d := damWeb()
			got := goOut(t, outsideTask(c.question, c.kind), gather.Tools{Library: s, Texts: both{s, w}, Web: d, Papers: d, Pages: w})
			if (len(d.asked) > 0) != c.searched || (len(w.read) > 0) != c.searched {
				t.Errorf("searched %q, read %q", d.asked, w.read)
			}
			if said := strings.Join(told(got.events, plumb.Thought), " "); strings.Contains(said, "The documents answer this: the outside is not searched.") == c.searched {
				t.Errorf("thoughts %q", said)
			}
			for _, want := range c.want {
				if !slices.ContainsFunc(got.Findings, func(f plumb.Finding) bool { return strings.Contains(f.Content, want) }) {
					t.Errorf("%q not in %v", want, contents(got.Findings))
				}
			}
		})
	}
	t.Run("an address that the question names is read all the same", func(t *testing.T) {
		s := indexed(dam())
		w, d := damWeb()
		task := outsideTask(spillway, plumb.General)
		task.Question.Text += " See https://dam.example/spillway."
		got := goOut(t, task, gather.Tools{Library: s, Texts: both{s, w}, Web: d, Pages: w})
		if len(d.asked) > 0 || !slices.ContainsFunc(got.Findings, func(f plumb.Finding) bool { return strings.Contains(f.Content, "EUR 8.1 million") }) {
			t.Errorf("searched %q, found %v", d.asked, contents(got.Findings))
		}
	})
	t.Run("documents that can't be searched are done without", func(t *testing.T) {
		w, d := damWeb()
		got := goOut(t, outsideTask(spillway, plumb.General), gather.Tools{Library: broken{}, Texts: w, Web: d, Pages: w})
		if len(got.Findings) == 0 || !slices.Contains(got.Notes, "The library could not be searched.") || len(told(got.events, plumb.Warning)) != 1 {
			t.Errorf("findings %v, notes %q", contents(got.Findings), got.Notes)
		}
	})
}

// broken is a library that is down.
type broken struct{}

func (broken) Search(context.Context, gather.Query) ([]plumb.Hit, error) {
	return nil, errors.New("open /home/someone/plumb.db: no such file")
}

func TestContradictionOfDocumentAndPageIsFound(t *testing.T) {
	s := &shelf{}
	s.put(plumb.Source{URL: "doc:note.txt", Title: "Note", Format: "text", Language: "en"}, "The Linnhe Barrage has 12 gates.")
	w, d := estuary("The Linnhe Barrage has 15 gates.")
	got := goOut(t, outsideTask(gates, plumb.General), gather.Tools{Library: indexed(s), Texts: both{s, w}, Web: d, Pages: w})
	all := strings.Join(contents(got.Findings), "\n")
	if !strings.Contains(all, "12 gates") || !strings.Contains(all, "15 gates") {
		t.Errorf("found:\n%s", all)
	}
}

func TestHowManySourcesAreRead(t *testing.T) {
	var pages []string
	for i := range 12 {
		pages = append(pages, fmt.Sprintf("The Linnhe Barrage has %d gates, one count says.", i+10))
	}
	for _, c := range []struct {
		name   string
		kind   plumb.UnitKind
		limit  int
		broken []int // pages that can't be read
		read   int   // sources
		tried  int
	}{
		{"standard", plumb.General, 3, nil, 3, 3},
		{"deep", plumb.General, 5, nil, 5, 5},
		{"academic unit", plumb.Academic, 3, nil, 5, 5},
		{"quick academic unit", plumb.Academic, 2, nil, 5, 5},
		{"no limit set", plumb.General, 0, nil, 3, 3},
		{"one is dead: the next takes its place", plumb.General, 3, []int{1}, 3, 4},
		{"all are dead: twice as many are tried", plumb.General, 3, []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, 0, 6},
	} {
		t.Run(c.name, func(t *testing.T) {
			w, d := estuary(pages...)
			for _, n := range c.broken {
				w.err[fmt.Sprintf("https://site%d.example/barrage", n)] = errors.New("remote server returned HTTP 404")
			}
			task := outsideTask(gates, c.kind)
			task.Limits.Sources = c.limit
			got := goOut(t, task, gather.Tools{Texts: w, Web: d, Papers: d, Pages: w})
			if len(got.Sources) != c.read || len(w.read) != c.tried {
				t.Errorf("%d read, %d tried", len(got.Sources), len(w.read))
			}
			if n := len(skipped(t, got.events)); n != c.tried-c.read {
				t.Errorf("%d skipped with a reason, want %d", n, c.tried-c.read)
			}
			per := map[string]int{}
			for _, f := range got.Findings {
				if per[f.Source]++; per[f.Source] > 4 {
					t.Errorf("more than four findings of %s", f.SourceURL)
				}
			}
			if c.read > 0 && len(per) != c.read {
				t.Errorf("findings of %d sources: %v", len(per), contents(got.Findings))
			}
		})
	}
}

func TestPagesThatSayNothingMakeRoomForOthers(t *testing.T) {
	w, d := estuary("Barrages are useful.", "Rivers flow.", "Fish swim.", "The Linnhe Barrage has 15 gates.")
	got := goOut(t, outsideTask(gates, plumb.General), gather.Tools{Texts: w, Web: d, Pages: w})
	if len(got.Findings) != 1 || got.Findings[0].SourceURL != "https://site4.example/barrage" || len(got.Sources) != 4 {
		t.Errorf("%d sources, findings %v", len(got.Sources), contents(got.Findings))
	}
}

func TestPapersComeFirstInAcademicUnits(t *testing.T) {
	w, d := estuary("The Linnhe Barrage has 15 gates.", "The Linnhe Barrage has 16 gates.")
	papers := &world{pages: w.pages, texts: w.texts, err: w.err}
	for i := range 4 {
		papers.put(fmt.Sprintf("https://doi.org/10.1234/gates.%d", i), fmt.Sprintf("The gates of the Linnhe Barrage, study %d", i), "We count the gates of the Linnhe Barrage.", fmt.Sprintf("We counted and found that the Linnhe Barrage has %d gates in all. ", 20+i)+filler)
	}
	papers.put("https://doi.org/10.1234/zebra", "Zebras", "On zebras.", "Zebras have stripes. "+filler)
	p := &desk{leads: papers.leads}
	for _, c := range []struct {
		kind  plumb.UnitKind
		first string
		web   int
	}{{plumb.Academic, "paper", 1}, {plumb.General, "", 0}} {
		w.read = nil
		got := goOut(t, outsideTask(gates, c.kind), gather.Tools{Texts: w, Web: d, Papers: p, Pages: w})
		var kinds []string
		for _, s := range got.Sources {
			kind := "web"
			if strings.HasPrefix(s.URL, "https://doi.org/") {
				kind = "paper"
			}
			kinds = append(kinds, kind)
		}
		if c.kind == plumb.Academic && !slices.Equal(kinds, []string{"paper", "paper", "paper", "paper", "web"}) {
			t.Errorf("read %v", kinds)
		}
		if slices.Contains(w.read, "https://doi.org/10.1234/zebra") {
			t.Error("a paper on something else was read before a page on the question")
		}
		for _, f := range got.Findings {
			if (f.SearchType == "paper") != strings.HasPrefix(f.SourceURL, "https://doi.org/") || f.SearchType == "paper" && f.Key != "doi:10.1234/"+strings.TrimPrefix(f.SourceURL, "https://doi.org/10.1234/") {
				t.Errorf("finding %+v", f)
			}
		}
	}
}

func TestSearchesThatFailAreToldAndSurvived(t *testing.T) {
	internal := errors.New("dial tcp 10.0.0.3:443: connection refused")
	for _, c := range []struct {
		name        string
		web, papers *desk
		found       bool
		notes       []string
	}{
		{"the web fails", &desk{err: internal, news: plumb.LeadsNews{Failed: []string{"brave refuses its key: set BRAVE_API_KEY"}}}, nil, true, []string{"The web could not be searched: brave refuses its key: set BRAVE_API_KEY."}},
		{"papers fail", nil, &desk{err: internal}, true, []string{"Papers could not be searched."}},
		{"both fail", &desk{err: internal}, &desk{err: internal}, false, []string{"The web could not be searched.", "Papers could not be searched.", "Nothing was found on: " + gates}},
		{"nothing is found", &desk{}, &desk{}, false, []string{"Nothing was found on: " + gates}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w, d := estuary("The Linnhe Barrage has 15 gates.")
			tools := gather.Tools{Texts: w, Web: d, Papers: d, Pages: w}
			if c.web != nil {
				tools.Web = c.web
			}
			if c.papers != nil {
				tools.Papers = c.papers
			}
			got := goOut(t, outsideTask(gates, plumb.General), tools)
			if (len(got.Findings) > 0) != c.found {
				t.Errorf("findings %v", contents(got.Findings))
			}
			if d := cmp.Diff(c.notes, got.Notes); d != "" {
				t.Error(d)
			}
			warned := told(got.events, plumb.Warning)
			for _, n := range c.notes {
				if strings.Contains(n, "could not be searched") && !slices.Contains(warned, n) {
					t.Errorf("no event says %q", n)
				}
			}
			if all := fmt.Sprint(got.Notes, got.events); strings.Contains(all, "10.0.0.3") {
				t.Errorf("an inner address is shown: %s", all)
			}
		})
	}
}

func TestSearchesEndAfterAMinuteAndRunAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, d := estuary("The Linnhe Barrage has 15 gates.")
		begun := time.Now()
		got := goOut(t, outsideTask(gates, plumb.General), gather.Tools{Texts: w, Web: &desk{hangs: true}, Papers: d, Pages: w})
		if took := time.Since(begun); took != time.Minute {
			t.Errorf("took %v", took)
		}
		if len(got.Findings) != 1 || !slices.Contains(got.Notes, "The web could not be searched: the search timed out.") {
			t.Errorf("findings %v, notes %q", contents(got.Findings), got.Notes)
		}
		begun = time.Now()
		got = goOut(t, outsideTask(gates, plumb.General), gather.Tools{Texts: w, Web: &desk{hangs: true}, Papers: &desk{hangs: true}, Pages: w})
		if took := time.Since(begun); took != time.Minute || len(got.Findings) != 0 {
			t.Errorf("both: took %v", took)
		}
	})
}

func TestNothingIsReadTwice(t *testing.T) {
	w, d := estuary("The Linnhe Barrage has 15 gates.", "The Linnhe Barrage has 16 gates.", "The Linnhe Barrage has 17 gates.", "The Linnhe Barrage has 18 gates.")
	copyOf := w.pages["https://site2.example/barrage"]
	copyOf.Source.URL, copyOf.Source.FinalURL = "https://mirror.example/b", "https://mirror.example/b"
	w.pages["https://mirror.example/b"] = copyOf
	d.leads = append(d.leads, plumb.Lead{URL: "http://www.site2.example/barrage/", Title: "The Linnhe Barrage again"}, plumb.Lead{URL: "https://mirror.example/b", Title: "The Linnhe Barrage, part 2", Snippet: "The gates of the Linnhe Barrage: 16 gates. The Linnhe Barrage has how many gates?"})
	task := outsideTask(gates, plumb.General)
	task.Visited = []string{"http://site1.example/barrage/"}
	task.Limits.Sources = 4
	got := goOut(t, task, gather.Tools{Texts: w, Web: d, Papers: d, Pages: w})
	slices.Sort(w.read)
	if d := cmp.Diff([]string{"https://mirror.example/b", "https://site2.example/barrage", "https://site3.example/barrage", "https://site4.example/barrage"}, w.read); d != "" {
		t.Error(d)
	}
	why := skipped(t, got.events)
	if why["https://site1.example/barrage"] != "it was opened before" || len(why) != 2 || len(got.Sources) != 3 {
		t.Errorf("%d sources, skipped %v", len(got.Sources), why)
	}
	seen := map[string]bool{}
	for _, f := range got.Findings {
		if seen[f.Content] {
			t.Errorf("found twice: %s", f.Content)
		}
		seen[f.Content] = true
	}
	again := outsideTask(gates, plumb.General)
	again.Visited = slices.Concat(task.Visited, got.Visited)
	w.read = nil
	if got := goOut(t, again, gather.Tools{Texts: w, Web: d, Papers: d, Pages: w}); len(w.read) > 0 || len(got.Findings) > 0 {
		t.Errorf("a later unit read %q again", w.read)
	}
}

func TestQueriesAreFewAndNameWhatIsAsked(t *testing.T) {
	for _, c := range []struct {
		name, question string
		queries        []string
		searches       int
		web, papers    []string
	}{
		{"the question, or its terms for papers", gates, nil, 15, []string{"How many gates does the Linnhe Barrage have"}, []string{"Linnhe Barrage gates"}},
		{"phrasings of the plan, each with the name", gates, []string{"sluice count", "Linnhe Barrage sluice count", "Linnhe Barrage design", "tidal power"}, 15,
			[]string{"How many gates does the Linnhe Barrage have", "Linnhe Barrage sluice count", "Linnhe Barrage design"}, []string{"Linnhe Barrage sluice count", "Linnhe Barrage design", "Linnhe Barrage tidal power"}},
		{"quick: fewer", gates, []string{"sluice count", "design", "tidal power"}, 4, []string{"How many gates does the Linnhe Barrage have", "Linnhe Barrage sluice count"}, []string{"Linnhe Barrage sluice count", "Linnhe Barrage design"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w, web := estuary("The Linnhe Barrage has 15 gates.")
			papers := &desk{}
			task := outsideTask(c.question, plumb.General)
			task.Unit.Queries, task.Limits.Searches = c.queries, c.searches
			goOut(t, task, gather.Tools{Texts: w, Web: web, Papers: papers, Pages: w})
			slices.Sort(web.asked)
			slices.Sort(papers.asked)
			if d := cmp.Diff(slices.Sorted(slices.Values(c.web)), web.asked); d != "" {
				t.Errorf("web: %s", d)
			}
			if d := cmp.Diff(slices.Sorted(slices.Values(c.papers)), papers.asked); d != "" {
				t.Errorf("papers: %s", d)
			}
		})
	}
}

func TestOtherTitleIsNotedAndCountsALittle(t *testing.T) {
	relevance := func(title string) (float64, []string) {
		w, d := estuary("The Linnhe Barrage has 15 gates.")
		d.leads[0].Title = title
		got := goOut(t, outsideTask(gates, plumb.General), gather.Tools{Texts: w, Web: d, Pages: w})
		if len(got.Findings) != 1 {
			t.Fatalf("findings %v", contents(got.Findings))
		}
		return got.Findings[0].Relevance, got.Notes
	}
	same, notes := relevance("Linnhe Barrage - part one | News")
	if len(notes) > 0 {
		t.Errorf("notes %q", notes)
	}
	other, notes := relevance("Cheap flights to sunny islands")
	if d := cmp.Diff([]string{"The Linnhe Barrage, part 1: its title differs from that of the search result"}, notes); d != "" {
		t.Error(d)
	}
	if other >= same || other < 0.9*same {
		t.Errorf("relevance %v, with another title %v", same, other)
	}
}

func TestLongPagesAreQuotedWhereTheyAnswer(t *testing.T) {
	var long strings.Builder
	for i := range 400 {
		fmt.Fprintf(&long, "## Chapter %d\n\nThe river rose in the year %d, and the farmers moved their sheep to the upper meadows until it fell.\n\n", i, 1500+i)
	}
	w, d := estuary(long.String() + "## Gates\n\nThe Linnhe Barrage has 15 gates.\n\n" + long.String())
	got := goOut(t, outsideTask(gates, plumb.General), gather.Tools{Texts: w, Web: d, Pages: w})
	if len(got.Findings) != 1 || got.Findings[0].Content != "The Linnhe Barrage has 15 gates." {
		t.Errorf("findings %v", contents(got.Findings))
	}
}

func TestSameUnitOutsideFindsTheSame(t *testing.T) {
	var first string
	for range 6 {
		var pages []string
		for i := range 8 {
			pages = append(pages, fmt.Sprintf("The Linnhe Barrage has %d gates. The gates of the Linnhe Barrage weigh %d tonnes.", i+10, i+40))
		}
		w, d := estuary(pages...)
		w.err["https://site2.example/barrage"] = errors.New("request timed out")
		got := goOut(t, outsideTask(gates, plumb.Academic), gather.Tools{Texts: w, Web: d, Papers: d, Pages: w})
		b, err := json.Marshal(struct {
			R gather.UnitResult
			E []plumb.Event
		}{got.UnitResult, got.events})
		if err != nil {
			t.Fatal(err)
		}
		if first == "" {
			first = string(b)
		}
		if string(b) != first {
			t.Fatal(cmp.Diff(first, string(b)))
		}
	}
}

func TestUnitThatIsStoppedOutsideKeepsWhatItHas(t *testing.T) {
	s := &shelf{}
	s.put(plumb.Source{URL: "doc:note.txt", Title: "Note", Format: "text", Language: "en"}, "The Linnhe Barrage has 12 gates.")
	w, _ := estuary("The Linnhe Barrage has 15 gates.")
	ctx, cancel := context.WithCancel(context.Background())
	stopping := &stopper{desk: desk{leads: w.leads}, stop: cancel}
	res, err := gather.Extractive{}.Research(ctx, outsideTask(gates, plumb.General), gather.Tools{Library: indexed(s), Texts: both{s, w}, Web: stopping, Pages: w})
	if err != nil || len(res.Findings) != 1 || res.Findings[0].SourceURL != "doc:note.txt" || len(w.read) > 0 {
		t.Errorf("findings %v, read %q, %v", contents(res.Findings), w.read, err)
	}
}

// stopper is a desk at which the run is stopped.
type stopper struct {
	desk
	stop func()
}

func (s *stopper) Leads(ctx context.Context, q gather.LeadQuery) (gather.Leads, error) {
	s.stop()
	return s.desk.Leads(ctx, q)
}

func TestFigureOfTheKindAskedForIsTheLastResort(t *testing.T) {
	const question, page = "How many people had to vacate for the Hollin Dam?", "The Hollin Dam is 62 metres high. The church of 323 people was flooded by the Hollin Dam. Of the bells nothing is known."
	w, d := &world{}, &desk{}
	w.put("https://hollin.example/", "Hollin Dam", "On the Hollin Dam.", page+"\n\n"+filler)
	d.leads = w.leads
	got := goOut(t, outsideTask(question, plumb.General), gather.Tools{Texts: w, Web: d, Pages: w})
	if len(got.Findings) != 1 || got.Findings[0].Content != "The church of 323 people was flooded by the Hollin Dam." || got.Findings[0].Confidence != plumb.Low {
		t.Errorf("findings %+v", got.Findings)
	}
	s := &shelf{}
	s.put(plumb.Source{URL: "doc:dam.txt", Title: "Hollin Dam", Format: "text", Language: "en"}, page)
	if got := research(t, indexed(s), unitTask(question)); len(got.Findings) > 0 {
		t.Errorf("documents alone do not answer: %v", contents(got.Findings))
	}
	if got := goOut(t, outsideTask("Why was the Hollin Dam painted?", plumb.General), gather.Tools{Texts: w, Web: d, Pages: w}); len(got.Findings) > 0 {
		t.Errorf("no figure is asked for: %v", contents(got.Findings))
	}
}
