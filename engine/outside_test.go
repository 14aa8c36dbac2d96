package engine_test

// Units that go outside, in a small world without a network.

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/engine"
	"github.com/plumbresearch/plumb/gather"
	"github.com/plumbresearch/plumb/lab"
)

// town is an outside of a few pages; each search finds all of them.
type town struct {
	mu    sync.Mutex
	pages map[string]gather.Page
	order []string
	read  map[string]int
	down  bool // searches fail
}

func newTown() *town { return &town{pages: map[string]gather.Page{}, read: map[string]int{}} }

func (w *town) put(url, final, date, text string) {
	sum := sha256.Sum256([]byte(text))
	w.order = append(w.order, url)
	w.pages[url] = gather.Page{Text: text, Depth: plumb.FullScrape, Source: plumb.Source{Hash: hex.EncodeToString(sum[:]), URL: url, FinalURL: final,
		Status: 200, Title: "About " + url, Date: date, Key: strings.TrimPrefix(url, "https://"), RetrievedAt: time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC), Language: "en", Chars: len(text)}}
}

func (w *town) Search(plumb.Where) (web, papers engine.Searcher, err error) {
	return street{w}, nil, nil
}

func (w *town) Read(_ context.Context, url string) (gather.Page, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.read[url]++
	p, ok := w.pages[url]
	if !ok || p.Text == "" {
		return gather.Page{}, errors.New("remote server returned HTTP 404")
	}
	return p, nil
}

type street struct{ town *town }

func (street) Hosts() []string { return []string{"search.example"} }

func (s street) Leads(context.Context, gather.LeadQuery) (gather.Leads, error) {
	s.town.mu.Lock()
	defer s.town.mu.Unlock()
	if s.town.down {
		return gather.Leads{}, errors.New("every engine failed")
	}
	var out gather.Leads
	for _, url := range s.town.order {
		out.Leads = append(out.Leads, plumb.Lead{URL: url, Title: "About " + url, Snippet: "The Oxley mill burned down.", Engine: "street", Score: 1})
	}
	out.News = plumb.LeadsNews{Engines: []string{"street"}, Found: len(out.Leads), Kept: len(out.Leads)}
	return out, nil
}

const millStory = "The Oxley mill burned down on 9 March 2022 because a bearing ran hot. Nobody was hurt in the fire at the Oxley mill. " +
	"The insurer pays 3.1 million euros for the Oxley mill. The excess is 50,000 euros, as the insurer wrote in April 2022. " +
	"The council voted to rebuild the Oxley mill on 10 March 2022 for 4.2 million euros, with two votes against. " +
	"The new mill opened on 1 May 2024 and employs 40 people, as the company said at the opening of the Oxley mill. " +
	"The old mill had stood since 1871 and was the last of its kind on the river, as the museum of the town says."

// online is a desk whose questions search the web.
func (w *town) online(t *testing.T) (*desk, func(*plumb.Run)) {
	d := newDesk(t, nil)
	d.Outside = w
	return d, func(r *plumb.Run) { r.Asked.Where = plumb.Where{Search: []string{"street"}}; r.Stage = plumb.AtScope }
}

func TestAQuestionIsAnsweredFromTheWeb(t *testing.T) {
	w := newTown()
	w.put("https://gone.example/mill", "", "", "")
	w.put("https://news.example/mill", "https://news.example/mill", "2024-05-02", millStory)
	w.put("https://away.example/mill", "https://banned.example/mill", "2024-05-02", strings.ReplaceAll(millStory, "Oxley mill", "Oxley  mill"))
	w.put("https://old.example/mill", "https://old.example/mill", "2019-01-01", millStory+" An older text.")
	d, change := w.online(t)
	d.ask("r1", "Why did the Oxley mill burn?", func(r *plumb.Run) {
		change(r)
		r.Asked.Where.Exclude, r.Asked.Where.Since = []string{"banned.example"}, "2022"
	})
	md := d.published("r1")
	for _, want := range []string{"a bearing ran hot", "<https://news.example/mill>", "search.example", "news.example"} {
		if !strings.Contains(md, want) {
			t.Errorf("the report lacks %q:\n%s", want, md)
		}
	}
	for _, bad := range []string{"banned.example/", "An older text", "<https://old.example", "<https://gone.example"} {
		if strings.Contains(md, bad) {
			t.Errorf("the report has %q", bad)
		}
	}
	for url, n := range w.read {
		if n > 1 {
			t.Errorf("%s was read %d times", url, n)
		}
	}
	w.put("https://news.example/mill", "", "", "") // what is not on tape is gone
	w.down = true
	_, other, err := d.again("r1")
	if err != nil {
		t.Fatal(err)
	}
	if got := other.published("r1"); got != md {
		t.Errorf("replayed:\n%s\nwas:\n%s", got, md)
	}
}

func TestAWebWithoutAnswersIsAReportThatSaysSo(t *testing.T) {
	w := newTown()
	w.down = true
	d, change := w.online(t)
	run := d.ask("r1", "Why did the Oxley mill burn?", change)
	if run.Claims > 0 {
		t.Errorf("%d claims from nothing:\n%s", run.Claims, d.published("r1"))
	}
}

func TestModelsResearchTheWeb(t *testing.T) {
	w := newTown()
	w.put("https://news.example/mill", "https://news.example/mill", "2024-05-02", millStory)
	w.put("https://gone.example/mill", "", "", "")
	d, change := w.online(t)
	m := &lab.Models{}
	d.withModels(m)
	run := d.ask("r1", millQuestion, thinking(change))
	md := d.published("r1")
	if !strings.Contains(md, "3.1 million") || !strings.Contains(md, "news.example") || len(run.FellBack) > 0 {
		t.Errorf("fell back %v:\n%s", run.FellBack, md)
	}
	calls := m.Stats().Calls
	w.down = true
	_, other, err := d.again("r1")
	if err != nil {
		t.Fatal(err)
	}
	if got := other.published("r1"); got != md || m.Stats().Calls > calls {
		t.Errorf("%d calls; replayed:\n%s\nwas:\n%s", m.Stats().Calls-calls, got, md)
	}
}

// A question about the web must not show a hosted model what stands in the library.
func TestTheLibraryIsOnlySearchedWhenTheQuestionSaysSo(t *testing.T) {
	w := newTown()
	d := newDesk(t, millDocs)
	d.Outside = w
	d.ask("r1", "Why did the Oxley mill burn?", nil) // reads the documents into the library
	run := d.ask("r2", "Why did the Oxley mill burn?", func(r *plumb.Run) {
		r.Asked.Where = plumb.Where{Search: []string{"street"}}
		r.Stage = plumb.AtScope
	})
	if strings.Contains(d.published(run.ID), "bearing") {
		t.Errorf("the library was read:\n%s", d.published(run.ID))
	}
}
