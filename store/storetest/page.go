package storetest

// What a reader of pages expects of its cache.

import (
	"testing"
	"time"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/page"
)

// Pages runs the suite of page.Cache over an empty one.
func Pages(t *testing.T, c page.Cache) {
	absent := func(url string) {
		t.Helper()
		_, found, err := c.Page(ctx, url)
		must(t, err)
		equal(t, url+" is there", found, false)
	}
	put := func(url, text string, at time.Time) page.Kept {
		t.Helper()
		k := page.Kept{ETag: `"e"`, Page: page.Page{Text: text, Depth: plumb.FullScrape, Source: plumb.Source{URL: url, RetrievedAt: at}}}
		must(t, c.PutPage(ctx, url, k))
		return k
	}
	absent("https://example.com/")
	put("https://example.com/", "before", start)
	want := put("https://example.com/", "after", later(3600))
	kept, found, err := c.Page(ctx, "https://example.com/")
	must(t, err)
	equal(t, "found", found, true)
	equal(t, "kept", kept, want)
	put("https://example.org/", "another", start.Add(60*24*time.Hour))
	absent("https://example.com/") // nobody read it for two months
}
