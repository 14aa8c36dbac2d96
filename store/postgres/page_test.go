package postgres

import (
	"testing"
	"time"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/page"
)

func TestPagesAreKeptUntilNobodyReadsThem(t *testing.T) {
	ctx := t.Context()
	db := open(t, Options{})
	if _, found, err := db.Page(ctx, "https://example.com/"); found || err != nil {
		t.Fatalf("an empty store: %v, %v", found, err)
	}
	old := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	put := func(url, text string, at time.Time) {
		t.Helper()
		k := page.Kept{ETag: `"e"`, Page: page.Page{Text: text, Depth: plumb.FullScrape, Source: plumb.Source{URL: url, RetrievedAt: at}}}
		if err := db.PutPage(ctx, url, k); err != nil {
			t.Fatal(err)
		}
	}
	put("https://example.com/", "before", old)
	put("https://example.com/", "after", old.Add(time.Hour))
	k, found, err := db.Page(ctx, "https://example.com/")
	if err != nil || !found || k.Page.Text != "after" || k.ETag != `"e"` || !k.Page.Source.RetrievedAt.Equal(old.Add(time.Hour)) {
		t.Errorf("%+v %v %v", k, found, err)
	}
	put("https://example.org/", "another", old.Add(60*24*time.Hour))
	if _, found, err := db.Page(ctx, "https://example.com/"); found || err != nil {
		t.Errorf("two months later it is still there: %v, %v", found, err)
	}
}
