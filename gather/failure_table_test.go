package gather_test

// What becomes of a lead that can't be read, or not wholly, for both ways of thinking: each row of the table of failures.

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/gather"
)

const (
	firstPage  = "https://first.example/gates"
	secondPage = "https://second.example/gates"
	snippet    = "The Linnhe Barrage has 99 gates, says the snippet."
	fifteen    = "The Linnhe Barrage has 15 gates."
	sixteen    = "The Linnhe Barrage has 16 gates, a second count says."
)

// failure is a row of the table. The texts of errors and notes are those of package page.
type failure struct {
	name   string
	err    string             // of the reader
	text   string             // of the page
	depth  plumb.ContentDepth // as the reader says
	note   string             // of the page
	status int

	reason string             // of the skipped lead; empty: it is read
	row    bool               // the snippet is kept, never counted
	found  plumb.ContentDepth // of the finding that the page gives
}

var failures = []failure{
	{name: "404", err: "remote server returned HTTP 404", reason: "remote server returned HTTP 404"},
	{name: "403", err: "remote server returned HTTP 403 (access refused, likely a paywall)", reason: "remote server returned HTTP 403 (access refused, likely a paywall)"},
	{name: "5xx, tried twice by the reader", err: "remote server returned HTTP 503", reason: "remote server returned HTTP 503"},
	{name: "timeout", err: "request timed out", reason: "request timed out"},
	{name: "TLS", err: "secure connection could not be made: the server's certificate is not valid", reason: "secure connection could not be made: the server's certificate is not valid"},
	{name: "paywall", err: "page is behind a paywall", reason: "page is behind a paywall"},
	{name: "bot wall", err: "site asks for proof that its reader is human", reason: "site asks for proof that its reader is human"},
	{name: "robots.txt", err: "robots.txt of the site does not allow reading this page", reason: "robots.txt of the site does not allow reading this page"},
	{name: "inner address", err: "address is not public", reason: "address is not public"},
	{name: "empty content", depth: plumb.Snippet, note: "no text on the page", status: 200, reason: "no text on the page", row: true},
	{name: "next to no content", text: "Loading, please wait.", depth: plumb.Snippet, note: "too little text on the page", status: 200, reason: "too little text on the page", row: true},
	{name: "so little that it counts as none", text: fifteen, depth: plumb.FullScrape, status: 200, reason: "it could not be read", row: true},
	{name: "partial content", text: fifteen + " " + strings.Repeat("More follows later. ", 10), depth: plumb.PartialScrape, status: 200, found: plumb.PartialScrape},
	{name: "partial content that the reader took for whole", text: fifteen + " " + strings.Repeat("More follows later. ", 10), depth: plumb.FullScrape, status: 200, found: plumb.PartialScrape},
	{name: "JavaScript only", depth: plumb.Snippet, note: "page needs JavaScript, and there is no browser to run it", status: 200, reason: "page needs JavaScript, and there is no browser to run it", row: true},
	{name: "a PDF that was read", text: fifteen + " " + filler, depth: plumb.FullScrape, status: 200, found: plumb.FullScrape},
	{name: "a PDF that can't be read", err: "document could not be read", reason: "document could not be read"},
	{name: "half a page before a paywall", text: fifteen + " " + filler, depth: plumb.PartialScrape, note: "behind a paywall: only the part that is free was read", status: 200, found: plumb.PartialScrape},
	{name: "archived copy", text: fifteen + " " + filler, depth: plumb.FullScrape, note: "archived copy of 2020-01-01, the page itself is gone", status: 200, found: plumb.FullScrape},
}

// outside makes a world in which the best lead leads to the failure and the next one to a good page.
func (c failure) outside() (*world, *desk) {
	w := &world{}
	w.put(firstPage, "The gates of the Linnhe Barrage", snippet, c.text)
	w.put(secondPage, "The Linnhe Barrage", "On the barrage.", sixteen+" "+filler)
	p := w.pages[firstPage]
	p.Depth, p.Note, p.Source.Status = c.depth, c.note, c.status
	w.pages[firstPage] = p
	if c.err != "" {
		w.err[firstPage] = errors.New(c.err)
	}
	return w, &desk{leads: w.leads}
}

// holds checks what came of a unit against the row.
func (c failure) holds(t *testing.T, r gather.UnitResult, events []plumb.Event) {
	t.Helper()
	var first, rows []plumb.Finding
	second := false
	for _, f := range r.Findings {
		switch {
		case f.Depth == plumb.Snippet:
			rows = append(rows, f)
		case f.SourceURL == firstPage:
			first = append(first, f)
		case f.SourceURL == secondPage:
			second = f.Content == sixteen
		}
	}
	if c.reason != "" && !second {
		t.Errorf("the next lead was not tried: %v", contents(r.Findings))
	}
	if (len(first) > 0) != (c.found != "") || len(first) > 0 && (first[0].Depth != c.found || first[0].Content != fifteen || !first[0].Citable() || first[0].Status != c.status) {
		t.Errorf("findings of the page: %+v", first)
	}
	if len(first) > 0 && (first[0].Verification == "partial") != (c.found == plumb.PartialScrape) {
		t.Errorf("verification %s", first[0].Verification)
	}
	if got := skipped(t, events)[firstPage]; got != c.reason {
		t.Errorf("reason %q, want %q", got, c.reason)
	}
	if c.row != (len(rows) == 1) || len(rows) > 1 {
		t.Fatalf("rows %+v", rows)
	}
	if c.row {
		f := rows[0]
		if f.Citable() || f.Verified || f.Verification != "failed" || f.Content != snippet || f.Quote != "" || f.Source != "" || f.Confidence != plumb.Low || f.SearchType != "web" || f.Status != c.status || f.Key != "first.example" {
			t.Errorf("row %+v", f)
		}
	}
	if !slices.Contains(r.Visited, firstPage) {
		t.Error("it would be opened again by the next unit")
	}
	if c.note != "" && !strings.Contains(strings.Join(r.Notes, "\n"), c.note) || c.err != "" && !strings.Contains(strings.Join(r.Notes, "\n"), c.err) {
		t.Errorf("notes %q", r.Notes)
	}
}

func TestFailuresWithoutAModel(t *testing.T) {
	for _, c := range failures {
		t.Run(c.name, func(t *testing.T) {
			w, d := c.outside()
			task := outsideTask(gates, plumb.General)
			task.Limits.Sources = 1
			got := goOut(t, task, gather.Tools{Texts: w, Web: d, Pages: w})
			c.holds(t, got.UnitResult, got.events)
		})
	}
}

func TestFailuresWithAModel(t *testing.T) {
	for _, c := range failures {
		t.Run(c.name, func(t *testing.T) {
			w, d := c.outside()
			got := work(t, outsideTask(gates, plumb.General), gather.Tools{Texts: w, Web: d, Pages: w}, map[string][]part{
				"unit":    {calls("search_web", `{"query":"Linnhe Barrage gates"}`), fetch(firstPage), fetch(secondPage), says("Done.")},
				"extract": {quotes(fifteen, sixteen)},
			}).ok(t, w)
			c.holds(t, got.UnitResult, got.events)
			reply := got.model.replies("unit")[1]
			if said := c.reason; said != "" && (!strings.Contains(reply, "It could not be read") || said != "it could not be read" && !strings.Contains(reply, said)) {
				t.Errorf("the model was told %q", reply)
			}
			if c.found != "" && !strings.Contains(reply, c.note) {
				t.Errorf("the model was not told %q: %q", c.note, reply)
			}
		})
	}
}

func TestModelThatEndsEarlyHasFailuresReplaced(t *testing.T) {
	for _, c := range failures {
		w, d := c.outside()
		task := outsideTask(gates, plumb.General)
		task.Limits.Sources = 1
		got := work(t, task, gather.Tools{Texts: w, Web: d, Pages: w}, map[string][]part{"unit": {says("I know it.")}, "extract": {quotes(fifteen, sixteen)}}).ok(t, w)
		c.holds(t, got.UnitResult, got.events)
	}
}
