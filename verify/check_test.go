package verify

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plumbresearch/plumb"
)

const harbour = `Harbour of Ostmark
The harbour of Ostmark was opened in 1962 by the city. It is 14 metres deep and handles grain and ore.
Freight through the harbour rose by 12 % in 2023, the port authority said. The new crane cost 4 million euros.
"We have never seen such a busy summer at the quay," said the harbour master Jana Vogel.
Emissions of the ferries decreased after the new filters were installed. No accident was recorded in the western basin.

References
Miller, A. (2019). Dredging of the Ostmark basin doubled the number of large ships calling every year.
`

func TestVerdicts(t *testing.T) {
	for _, c := range []struct {
		claim    string
		want     plumb.Status
		evidence string // must be in the evidence
		reason   string // must be in the reason
	}{
		{"Freight through the harbour rose by 12 % in 2023.", plumb.Supported, "rose by 12 %", "in these words"},
		{"Freight through the har­bour rose by 12 % in 2023.", plumb.Supported, "rose by 12 %", "in these words"},
		{"In 2023 the harbour's freight rose 12 percent.", plumb.Supported, "12 %", "same numbers"},
		{"Freight through the harbour rose by 15 % in 2023.", plumb.Contradicted, "rose by 12 %", "source says 12 %, claim says 15 %"},
		{"The new crane cost 9 million euros.", plumb.Contradicted, "4 million euros", "source says 4 million euros, claim says 9 million euros"},
		{"The harbour of Ostmark is 14 metres deep, handles grain and has 30 berths.", plumb.Partial, "14 metres", "30"},
		{`Jana Vogel, the harbour master, said "We have never seen such a busy summer at the quay".`, plumb.Supported, "busy summer", "quotation"},
		{`Jana Vogel, the harbour master, said "We have never seen such a quiet summer at the quay".`, plumb.Partial, "busy summer", "quotation is not in the source"},
		{"Depth: It is 14 metres deep and handles grain and ore.", plumb.Supported, "14 metres", "quotation"},
		{"The harbour of Nordheim is 14 metres deep and handles grain and ore.", plumb.Partial, "14 metres", "Nordheim"},
		{"Emissions of the ferries increased after new filters were installed.", plumb.Contradicted, "decreased", `source says "decreased", claim says "increased"`},
		{"When new filters were installed, the ferries had increased emissions.", plumb.Partial, "decreased", "opposite"},
		{"Several accidents were recorded in the western basin.", plumb.Partial, "No accident", "negated"},
		{"Dredging of the Ostmark basin doubled the number of large ships calling every year.", plumb.NotFound, "", "no passage"},
		{"Penguins breed on the southern coast of Chile.", plumb.NotFound, "", "no passage"},
		{"Der Hafen wurde nach dem Krieg von der Stadt wieder aufgebaut und erweitert.", plumb.NotFound, "", "another language"},
	} {
		v := check(t, c.claim, harbour)
		if v.Status != c.want || !strings.Contains(v.Evidence, c.evidence) || !strings.Contains(v.Reason, c.reason) {
			t.Errorf("%q\n got %s %q: %s\nwant %s %q: %s", c.claim, v.Status, v.Evidence, v.Reason, c.want, c.evidence, c.reason)
		}
		if v.Evidence != harbour[v.Start:v.End] || v.Score < 0 || v.Score > 1 || strings.Contains(v.Reason, "\n") || v.Reason == "" {
			t.Errorf("%q: %+v", c.claim, v)
		}
	}
}

func TestReferencesNeverSupport(t *testing.T) {
	text := "The survey covers many ports.\n\nList of works\nMiller: The Ostmark basin was dredged twice in the nineties.\n\nAppendix\nNothing else was measured here."
	at := strings.Index(text, "List of works")
	end := strings.Index(text, "Appendix")
	source := plumb.Source{References: &plumb.Passage{Start: at, End: end}}
	claim := "The Ostmark basin was dredged twice in the nineties."
	if f := judgePage(claim, newPage(source, text)); f.status != plumb.NotFound {
		t.Errorf("%+v", f)
	}
	if f := judgePage(claim, newPage(plumb.Source{}, text)); f.status != plumb.Supported {
		t.Errorf("without the mark: %+v", f)
	}
	if f := judgePage("Nothing else was measured here.", newPage(source, text)); f.status != plumb.Supported || f.span.Of(text) != "Nothing else was measured here" {
		t.Errorf("behind the list: %+v", f)
	}
}

// scripted answers with texts or errors and counts the readings.
type scripted struct {
	texts map[string]string
	errs  map[string]error
	mu    sync.Mutex
	reads map[string]int
}

func (s *scripted) Source(_ context.Context, url string) (plumb.Source, string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.reads == nil {
		s.reads = map[string]int{}
	}
	s.reads[url]++
	return plumb.Source{Hash: "hash of " + url, Paywall: strings.Contains(url, "teaser")}, s.texts[url], s.errs[url]
}

func claim(text string, urls ...string) plumb.Claim {
	return plumb.Claim{ID: "claim_001", Text: text, Citations: urls}
}

func TestBestOfCitations(t *testing.T) {
	s := &scripted{
		texts: map[string]string{
			"https://yes.example": "The tower is 90 metres high.", "https://no.example": "The tower is 70 metres high.",
			"https://off.example": "Bread is baked at night.", "https://empty.example": " \n",
			"https://teaser.example": "Towers have been built for ages. Read on with a subscription.", "https://teaser.example/2": "The tower is 90 metres high. Read on.",
		},
		errs: map[string]error{
			"https://wall.example": fmt.Errorf("status 402: %w", ErrPaywall),
			"https://gone.example": fmt.Errorf("status 404: %w", ErrInaccessible),
			"https://odd.example":  errors.New("dial tcp 10.0.0.7:443: secret"),
		},
	}
	for _, c := range []struct {
		urls     []string
		want     plumb.Status
		url      string
		disputed bool
		reason   string
	}{
		{nil, plumb.NotFound, "", false, "No citation provided"},
		{[]string{"https://off.example", "https://yes.example"}, plumb.Supported, "https://yes.example", false, "in these words"},
		{[]string{"https://no.example", "https://yes.example"}, plumb.Supported, "https://yes.example", true, "in these words"},
		{[]string{"https://no.example", "https://off.example"}, plumb.Contradicted, "https://no.example", false, "source says 70 metres, claim says 90 metres"},
		{[]string{"https://gone.example", "https://wall.example"}, plumb.Paywall, "https://wall.example", false, "status 402: source is behind a paywall"},
		{[]string{"https://gone.example"}, plumb.Inaccessible, "https://gone.example", false, "status 404: source could not be read"},
		{[]string{"https://odd.example"}, plumb.Inaccessible, "https://odd.example", false, "source could not be read"},
		{[]string{"https://teaser.example"}, plumb.Paywall, "https://teaser.example", false, "the rest is behind a paywall"},
		{[]string{"https://teaser.example/2"}, plumb.Supported, "https://teaser.example/2", false, "in these words"},
		{[]string{"https://empty.example"}, plumb.Inaccessible, "https://empty.example", false, "no text"},
		{[]string{"https://gone.example", "https://off.example"}, plumb.NotFound, "https://off.example", false, "no passage"},
	} {
		vs, err := Checker{Sources: s}.Check(t.Context(), []plumb.Claim{claim("The tower is 90 metres high.", c.urls...)}, nil)
		if err != nil {
			t.Fatal(err)
		}
		v := vs[0]
		if v.Status != c.want || v.URL != c.url || v.Disputed != c.disputed || !strings.Contains(v.Reason, c.reason) || len(v.Others) != max(len(c.urls)-1, 0) {
			t.Errorf("%v: %+v", c.urls, v)
		}
		if strings.Contains(v.Reason+v.Notes, "secret") {
			t.Errorf("internals shown: %+v", v)
		}
	}
}

func TestNoCitationIsSaidInNotes(t *testing.T) {
	vs, err := Checker{}.Check(t.Context(), []plumb.Claim{claim("Nobody cites this sentence.")}, nil)
	if err != nil || vs[0].Notes != "No citation provided" || vs[0].Status != plumb.NotFound || vs[0].URL != "" {
		t.Errorf("%+v, %v", vs, err)
	}
}

func TestEachSourceIsReadOnceAndOrderKept(t *testing.T) {
	s := &scripted{texts: map[string]string{"https://a.example/x": harbour, "doc:b": harbour}}
	var claims []plumb.Claim
	for i := range 40 {
		c := claim("Freight through the harbour rose by 12 % in 2023.", "https://a.example/x", "https://www.a.example/x/", "doc:b")
		c.ID = fmt.Sprintf("claim_%03d", i+1)
		claims = append(claims, c)
	}
	run := func(atOnce int) ([]plumb.Verdict, []string) {
		var seen []string
		vs, err := Checker{Sources: s, AtOnce: atOnce}.Check(t.Context(), claims, func(e plumb.Event) {
			var v plumb.Verdict
			if err := json.Unmarshal(e.Data, &v); err != nil || e.Kind != plumb.ClaimChecked {
				t.Errorf("%+v: %v", e, err)
			}
			seen = append(seen, v.ClaimID+" "+e.Text)
		})
		if err != nil {
			t.Fatal(err)
		}
		return vs, seen
	}
	many, seen := run(7)
	if s.reads["https://a.example/x"]+s.reads["https://www.a.example/x/"] != 1 || s.reads["doc:b"] != 1 {
		t.Errorf("reads: %v", s.reads)
	}
	for i, line := range seen {
		if want := claims[i].ID + " supported: Freight through the harbour rose by 12 % in 2023."; line != want {
			t.Errorf("event %d: %s", i, line)
		}
	}
	one, _ := run(1)
	if d := cmp.Diff(one, many); d != "" {
		t.Error(d)
	}
}

// deaf never answers, not even when its context ends, until released.
type deaf struct{ release chan struct{} }

func (d deaf) Source(context.Context, string) (plumb.Source, string, error) {
	<-d.release
	return plumb.Source{}, "", nil
}

func TestSourceThatNeverAnswersTimesOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := deaf{make(chan struct{})}
		defer close(d.release)
		begin := time.Now()
		vs, err := Checker{Sources: d}.Check(t.Context(), []plumb.Claim{claim("The tower is 90 metres high.", "https://slow.example")}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if took := time.Since(begin); took != 10*time.Second {
			t.Errorf("took %v", took)
		}
		if vs[0].Status != plumb.Inaccessible || vs[0].Reason != "source could not be read: no answer within 10s" {
			t.Errorf("%+v", vs[0])
		}
	})
}

func TestCancelledCheckEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := deaf{make(chan struct{})}
		defer close(d.release)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		vs, err := Checker{Sources: d}.Check(ctx, []plumb.Claim{claim("The tower is 90 metres high.", "https://slow.example")}, nil)
		if !errors.Is(err, context.DeadlineExceeded) || vs != nil {
			t.Errorf("%v, %v", vs, err)
		}
	})
}

// fixed is a judge with one answer.
type fixed struct {
	answer Judgement
	err    error
}

func (f fixed) Judge(_ context.Context, _ string, passages []string) (Judgement, error) {
	if len(passages) == 0 {
		return Judgement{}, errors.New("no passages")
	}
	return f.answer, f.err
}

func TestJudgeDecidesWhatRulesLeaveOpen(t *testing.T) {
	const (
		exact   = "The new crane cost 4 million euros."
		vague   = "Ships with filters pollute less in Ostmark."
		swapped = "Freight through the harbour rose by 15 % in 2023."
		missing = "The harbour of Ostmark is 14 metres deep, handles grain and has 30 berths."
	)
	yes := fixed{answer: Judgement{Supported: 0.9, Contradicted: 0.05, Neither: 0.05, Reason: "same thing in other words"}}
	no := fixed{answer: Judgement{Supported: 0.1, Contradicted: 0.8, Neither: 0.1}}
	neither := fixed{answer: Judgement{Supported: 0.2, Contradicted: 0.2, Neither: 0.6}}
	broken := fixed{err: errors.New("down")}
	for _, c := range []struct {
		claim string
		judge Judge
		want  plumb.Status
	}{
		{exact, no, plumb.Supported},
		{swapped, yes, plumb.Contradicted},
		{vague, yes, plumb.Supported},
		{vague, no, plumb.Contradicted},
		{vague, neither, plumb.NotFound},
		{vague, broken, plumb.NotFound},
		{missing, yes, plumb.Partial},
		{"In 2023 the harbour's freight rose 12 percent.", neither, plumb.Partial},
	} {
		vs, err := Checker{Sources: stored{"doc:a": harbour}, Judge: c.judge}.Check(t.Context(), []plumb.Claim{claim(c.claim, "doc:a")}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if vs[0].Status != c.want {
			t.Errorf("%q with %+v: %+v", c.claim, c.judge, vs[0])
		}
	}
}

func BenchmarkCheck(b *testing.B) {
	sources := stored{}
	var claims []plumb.Claim
	for i := range 30 {
		var s strings.Builder
		for n := 0; s.Len() < 5000; n++ {
			fmt.Fprintf(&s, "In district %d the water board of town %d recorded a level of %d.%d metres after the autumn rains. ", i, n, n, i)
		}
		s.WriteString(harbour)
		url := fmt.Sprintf("doc:%d", i)
		sources[url] = s.String()
		for j := range 10 {
			text := fmt.Sprintf("After rains in autumn the water board of the town recorded %d.%d metres in district %d.", j, i, i)
			claims = append(claims, plumb.Claim{ID: fmt.Sprint(i, j), Text: text, Citations: []string{url}})
		}
	}
	n := 0
	for b.Loop() {
		if _, err := (Checker{Sources: sources}).Check(b.Context(), claims, nil); err != nil {
			b.Fatal(err)
		}
		n += len(claims)
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "claims/s")
}
