package page

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/plumbresearch/plumb"
)

const abstractHead = `<!doctype html><html lang="en"><head><title>[2301.01234] Halls and frost</title><meta name="citation_title" content="Halls and frost">` +
	`<meta name="citation_author" content="Lund, Ada"><meta name="citation_author" content="Berg, Bo"><meta name="citation_date" content="2023/01/03"></head><body>`

const abstractBody = `<h1>Halls and frost</h1><blockquote class="abstract">We study turbine halls. ` + sentence + `</blockquote>`

func TestArXivAbstractsLeadToTheFullText(t *testing.T) {
	full := pdfOf(strings.ReplaceAll("The full text as PDF.\n"+strings.Repeat(sentence, 8), ". ", ".\n"))
	offer := `<a href="https://arxiv.org/html/2301.01234v2" id="latexml-download-link">HTML</a>`
	for name, c := range map[string]struct {
		paths   map[string]http.HandlerFunc
		address string
		final   string
		depth   plumb.ContentDepth
	}{
		"html where it is offered": {map[string]http.HandlerFunc{"/abs/2301.01234": page("text/html", abstractHead+abstractBody+offer), "/html/2301.01234v2": page("text/html", article(2000)), "/pdf/2301.01234": page("application/pdf", full)},
			"https://arxiv.org/abs/2301.01234", "https://arxiv.org/html/2301.01234v2", plumb.FullScrape},
		"pdf where it is not": {map[string]http.HandlerFunc{"/abs/2301.01234v1": page("text/html", abstractHead+abstractBody), "/pdf/2301.01234v1": page("application/pdf", full)},
			"https://arxiv.org/abs/2301.01234v1", "https://arxiv.org/pdf/2301.01234v1", plumb.FullScrape},
		"pdf where the html is broken": {map[string]http.HandlerFunc{"/abs/2301.01234": page("text/html", abstractHead+abstractBody+offer), "/pdf/2301.01234": page("application/pdf", full)},
			"arXiv:2301.01234", "https://arxiv.org/pdf/2301.01234", plumb.FullScrape},
		"by its doi": {map[string]http.HandlerFunc{"/abs/2301.01234": page("text/html", abstractHead+abstractBody), "/pdf/2301.01234": page("application/pdf", full)},
			"https://doi.org/10.48550/arXiv.2301.01234", "https://arxiv.org/pdf/2301.01234", plumb.FullScrape},
		"the abstract alone": {map[string]http.HandlerFunc{"/abs/2301.01234": page("text/html", abstractHead+abstractBody)},
			"https://arxiv.org/abs/2301.01234", "https://arxiv.org/abs/2301.01234", plumb.PartialScrape},
	} {
		l := newLab(t, map[string]http.Handler{"arxiv.org": routes(c.paths)})
		p, err := l.reader().Read(context.Background(), c.address)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		s := p.Source
		want := plumb.Source{
			Hash: hashOf(p.Text), URL: fetchable(c.address), FinalURL: c.final, Status: 200, Title: "Halls and frost", Authors: []string{"Ada Lund", "Bo Berg"}, Date: "2023-01-03",
			DOI: "10.48550/arxiv.2301.01234", RetrievedAt: readAt, Key: "arxiv:2301.01234", Language: "en", Format: s.Format, Chars: s.Chars,
		}
		want.Authors = s.Authors
		if len(s.Authors) != 2 || !strings.Contains(s.Authors[0], "Lund") {
			t.Errorf("%s: authors %q", name, s.Authors)
		}
		if d := cmp.Diff(want, s); d != "" || p.Depth != c.depth || (p.Note != "") != (name == "the abstract alone") {
			t.Errorf("%s: %s %s %q", name, d, p.Depth, p.Note)
		}
	}
}

func TestMissingPaperIsGone(t *testing.T) {
	l := newLab(t, map[string]http.Handler{"arxiv.org": routes(nil)})
	_, err := l.reader().Read(context.Background(), "https://arxiv.org/abs/2301.99999")
	wantKind(t, err, Gone)
}

const atom = `<?xml version="1.0" encoding="UTF-8"?><feed xmlns="http://www.w3.org/2005/Atom"><title>Release notes</title>` +
	`<entry><title>v2.0</title><updated>2025-06-01T10:00:00Z</updated><content type="html">&lt;p&gt;Halls are &lt;b&gt;faster&lt;/b&gt; now.&lt;/p&gt;</content></entry>` +
	`<entry><title>v1.9</title><updated>2025-01-01T10:00:00Z</updated><content type="html"></content></entry>` +
	`<entry><title>v1.8</title><updated>2024-01-01T10:00:00Z</updated></entry><entry><title>v1.7</title><updated>2023-01-01T10:00:00Z</updated></entry></feed>`

func TestRepositoriesAreReadByTheirREADME(t *testing.T) {
	readme := "# Hallkit\n\n" + strings.Repeat(sentence, 8) + "\n"
	l := newLab(t, map[string]http.Handler{
		"github.com": routes(map[string]http.HandlerFunc{
			"/acme/hallkit": page("text/html", article(900)), "/acme/hallkit/releases.atom": page("application/atom+xml", atom), "/acme/bare": page("text/html", article(900)),
			"/features/actions": page("text/html", article(900)), "/acme/quiet/releases.atom": page("application/atom+xml", "<feed/>"),
			"/acme/hallkit/issues/7": page("text/html", article(900)),
		}),
		"raw.githubusercontent.com": routes(map[string]http.HandlerFunc{
			"/acme/hallkit/HEAD/README.md": page("text/plain; charset=utf-8", readme), "/acme/quiet/HEAD/README.md": page("text/plain", readme),
			"/acme/hallkit/main/docs/a.md": page("text/plain", readme),
		}),
	})
	r := l.reader()
	p, err := r.Read(context.Background(), "https://github.com/acme/hallkit")
	if err != nil {
		t.Fatal(err)
	}
	wantText := strings.TrimRight(readme, "\n") + "\n\n## Releases\n\n### v2.0 (2025-06-01)\n\nHalls are faster now.\n\n### v1.9 (2025-01-01)\n\n### v1.8 (2024-01-01)\n"
	if d := cmp.Diff(wantText, p.Text); d != "" {
		t.Error(d)
	}
	s := p.Source
	if s.URL != "https://github.com/acme/hallkit" || s.FinalURL != "https://raw.githubusercontent.com/acme/hallkit/HEAD/README.md" || s.Key != "github.com" || s.Title != "acme/hallkit: Hallkit" ||
		s.Hash != hashOf(p.Text) || s.Chars != len([]rune(p.Text)) || s.Format != "markdown" || p.Depth != plumb.FullScrape {
		t.Errorf("%+v", s)
	}
	for address, final := range map[string]string{
		"https://github.com/acme/bare":                        "https://github.com/acme/bare",
		"https://github.com/acme/quiet/":                      "https://raw.githubusercontent.com/acme/quiet/HEAD/README.md",
		"https://github.com/features/actions":                 "https://github.com/features/actions",
		"https://github.com/acme/hallkit/issues/7":            "https://github.com/acme/hallkit/issues/7",
		"https://github.com/acme/hallkit/blob/main/docs/a.md": "https://raw.githubusercontent.com/acme/hallkit/main/docs/a.md",
	} {
		p, err := r.Read(context.Background(), address)
		if err != nil || p.Source.FinalURL != final || p.Source.URL != address || p.Source.Key != "github.com" {
			t.Errorf("%s: %+v, %v", address, p.Source, err)
		}
	}
	_, err = r.Read(context.Background(), "https://github.com/acme/nothing")
	wantKind(t, err, Gone)
}

func FuzzReleases(f *testing.F) {
	f.Add([]byte(atom))
	f.Add([]byte("<feed xmlns='http://www.w3.org/2005/Atom'><entry/>"))
	f.Fuzz(func(t *testing.T, body []byte) {
		task := &task{r: &Reader{}}
		if out := task.releases(context.Background(), &document{body: body}); out != "" && !strings.HasPrefix(out, "### ") {
			t.Fatalf("%q", out)
		}
	})
}
