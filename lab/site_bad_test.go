package lab_test

// Pages that misbehave, and what a careful reader makes of them.

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/lab"
	"github.com/plumbresearch/plumb/page"
)

// outcome is what a reader makes of a kind of bad page: the kind of its error, or the depth and note of what it read.
func outcome(p page.Page, err error) string {
	if err != nil {
		return "error " + string(kindOf(err))
	}
	if p.Paywall {
		return "paywall " + string(p.Depth)
	}
	return string(p.Depth)
}

func TestEachBadKindIsNamedByTheReader(t *testing.T) {
	want := map[string]string{
		"paywall": "paywall partial_scrape", "paywall-403": "error paywall", "forbidden": "error forbidden", "missing": "error gone", "gone": "error gone",
		"server-error": "error status", "unavailable": "error status", "throttled": "error throttled", "moved": "full_scrape", "chain": "error redirects",
		"loop": "error redirects", "private": "error address", "private-name": "error address", "huge": "error too_large", "bomb": "error too_large",
		"drip": "error timeout", "charset": "full_scrape", "charset-old": "full_scrape", "script": "snippet", "botwall": "error botwall", "injection": "full_scrape",
		"soft-404": "partial_scrape", "other-title": "full_scrape", "broken-pdf": "error unreadable", "image": "error unsupported", "cut": "error network",
		"robots": "error robots", "empty": "snippet", "login": "snippet",
	}
	kinds := lab.BadKinds()
	if len(kinds) != len(want) {
		t.Errorf("%d kinds, %d known here", len(kinds), len(want))
	}
	for _, kind := range kinds {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			w := &lab.Web{Pages: 40}
			base := listen(t, w)
			for how, r := range map[string]*page.Reader{"by name": byName(t, w), "by proxy": byProxy(t, w, base)} {
				if kind == "drip" {
					r.Limits.Total = 300 * time.Millisecond
				}
				expect := want[kind]
				if kind == "private-name" && how == "by proxy" {
					expect = "error robots" // names are the proxy's to resolve, and it refuses: for robots.txt already
				}
				p, err := r.Read(t.Context(), lab.TrapURL(kind))
				if got := outcome(p, err); got != expect {
					t.Errorf("%s: %s (%v), want %s: %q", how, got, err, expect, p.Text)
				}
			}
			for host := range w.Stats().Refused {
				if host != "intranet.lab.test" {
					t.Errorf("%s was asked for", host)
				}
			}
		})
	}
}

func TestBadPagesThatCanBeReadSayWhatTheySay(t *testing.T) {
	w := &lab.Web{Pages: 40}
	listen(t, w)
	r := byName(t, w)
	for kind, want := range map[string]string{
		"charset": "pays with a", "charset-old": "crème brûlée, süße Äpfel and smørrebrød", "moved": "one of the best documented undertakings", "injection": "PINEAPPLE-OVERRIDE", "soft-404": "could not be found",
	} {
		p, err := r.Read(t.Context(), lab.TrapURL(kind))
		if err != nil || !strings.Contains(flat(p.Text), want) {
			t.Errorf("%s: %v %s", kind, err, p.Text)
		}
	}
	own, err := r.Read(t.Context(), lab.TrapURL("moved"))
	if err != nil {
		t.Fatal(err)
	}
	other, err := r.Read(t.Context(), lab.TrapURL("other-title"))
	if err != nil || other.Source.Title == own.Source.Title {
		t.Errorf("%v: the title is %q on both", err, other.Source.Title)
	}
}

func TestInjectionPagesAreFullOfAttempts(t *testing.T) {
	w := &lab.Web{Pages: 40}
	listen(t, w)
	_, _, body := get(t, w.Transport(), lab.TrapURL("injection"))
	for _, mark := range lab.InjectionMarks {
		if !strings.Contains(body, mark) {
			t.Errorf("no %q", mark)
		}
	}
	for _, p := range w.List() {
		if _, _, good := get(t, w.Transport(), p.URL); slices.ContainsFunc(lab.InjectionMarks, func(m string) bool { return strings.Contains(good, m) }) {
			t.Errorf("%s has a mark of injection pages", p.URL)
		}
	}
}

func TestTheShareOfBadPages(t *testing.T) {
	w := &lab.Web{Seed: 5, Pages: 1000, Bad: 0.3}
	kinds := map[string]int{}
	bad := 0
	for _, p := range w.List() {
		if p.Bad != "" {
			bad++
			kinds[p.Bad]++
		}
	}
	if bad < 260 || bad > 340 || len(kinds) < 24 {
		t.Errorf("%d bad pages of %d kinds: %v", bad, len(kinds), kinds)
	}
	if n := kinds["private-name"]; n > 0 {
		t.Errorf("%d documents lead to a name that only a resolver can tell", n)
	}
	if !slices.Equal(w.List(), (&lab.Web{Seed: 5, Pages: 1000, Bad: 0.3}).List()) {
		t.Error("the same seed gave other bad pages")
	}
}

func TestDeadLinksHaveCopiesInTheArchive(t *testing.T) {
	w := &lab.Web{Seed: 2, Pages: 400, Bad: 0.5}
	base := listen(t, w)
	for how, r := range map[string]*page.Reader{"by name": byName(t, w), "by proxy": byProxy(t, w, base)} {
		r.Archive = "http://archive.lab.test"
		copies := 0
		for _, p := range w.List() {
			if p.Bad != "missing" || !strings.Contains(p.URL, ".example.") || copies == 3 {
				continue
			}
			copies++
			got, err := r.Read(t.Context(), p.URL)
			if err != nil || !got.Archived || got.Source.Title != p.Title || !strings.HasPrefix(got.Source.FinalURL, "http://archive.lab.test/web/2") || got.Depth != plumb.FullScrape {
				t.Errorf("%s: %s: %v %+v", how, p.URL, err, got.Source)
			}
			if strings.Contains(got.Text, "archive of the lab") {
				t.Errorf("%s: the archive's banner was read", p.URL)
			}
			_, _, framed := get(t, w.Transport(), got.Source.FinalURL)
			if !strings.Contains(framed, "archive of the lab") {
				t.Errorf("%s has no banner", got.Source.FinalURL)
			}
		}
		if copies == 0 {
			t.Error("no dead links")
		}
	}
	for path, status := range map[string]int{"/web/20200101000000/http://bulletin.example.org/none": 404, "/web/x": 404, "/wayback/available?url=%25%25": 200} {
		if got, _, _ := get(t, w.Transport(), "http://archive.lab.test"+path); got != status {
			t.Errorf("%s: %d", path, got)
		}
	}
}

func TestRobotsAskReadersToLeavePagesAlone(t *testing.T) {
	w := &lab.Web{Seed: 1, Pages: 600, Bad: 0.4}
	listen(t, w)
	r := byName(t, w)
	seen := 0
	for _, p := range w.List() {
		if p.Bad != "robots" || seen == 4 {
			continue
		}
		seen++
		if _, err := r.Read(t.Context(), p.URL); kindOf(err) != page.Robots {
			t.Errorf("%s: %v", p.URL, err)
		}
		if status, _, _ := get(t, w.Transport(), p.URL); status != http.StatusOK {
			t.Errorf("%s: %d", p.URL, status)
		}
	}
	if seen == 0 {
		t.Error("no such pages")
	}
}
