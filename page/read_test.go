package page

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/plumbresearch/plumb"
)

// pdfOf is a PDF with one page for each text, whose lines are set apart by "\n".
func pdfOf(pages ...string) string {
	objects := []string{"<< /Type /Catalog /Pages 2 0 R >>", "", "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"}
	var kids []string
	for _, p := range pages {
		content := "BT /F1 11 Tf 14 TL 72 720 Td\n"
		for line := range strings.Lines(p) {
			content += "(" + strings.TrimSpace(line) + ") Tj T*\n"
		}
		content += "ET"
		objects = append(objects, fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", len(content), content))
		objects = append(objects, fmt.Sprintf("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents %d 0 R /Resources << /Font << /F1 3 0 R >> >> >>", len(objects)))
		kids = append(kids, fmt.Sprintf("%d 0 R", len(objects)))
	}
	objects[1] = fmt.Sprintf("<< /Type /Pages /Count %d /Kids [%s] >>", len(kids), strings.Join(kids, " "))
	out, offsets := "%PDF-1.4\n", []int{}
	for i, o := range objects {
		offsets = append(offsets, len(out))
		out += fmt.Sprintf("%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	xref := len(out)
	out += fmt.Sprintf("xref\n0 %d\n0000000000 65535 f \n", len(offsets)+1)
	for _, o := range offsets {
		out += fmt.Sprintf("%010d 00000 n \n", o)
	}
	return out + fmt.Sprintf("trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(offsets)+1, xref)
}

func hashOf(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}

func TestSourceIsComplete(t *testing.T) {
	body := strings.Replace(article(900), "</article>", "<h2>References</h2><ol><li>Lund, A. (2020). Halls of power. Energy Press, 12-19.</li>"+
		"<li>Berg, B. (2021). Turbines. Journal of Halls 4, 33-40.</li><li>Chen, C. (2022). Frost. Cold Letters 7, 1-9.</li></ol></article>", 1)
	l := newLab(t, map[string]http.Handler{"news.example.co.uk": routes(map[string]http.HandlerFunc{"/old": redirect("/new"), "/new": page("text/html", body)})})
	p, err := l.reader().Read(context.Background(), " https://news.example.co.uk/old ")
	if err != nil {
		t.Fatal(err)
	}
	want := plumb.Source{
		Hash: hashOf(p.Text), URL: "https://news.example.co.uk/old", FinalURL: "https://news.example.co.uk/new", Status: 200, Title: "Turbine hall reopened",
		Authors: []string{"Ada Lund"}, Date: "2025-11-02", RetrievedAt: readAt, Key: "example.co.uk", Language: "en", Format: "html", Chars: len(p.Text),
		References: p.Source.References,
	}
	if d := cmp.Diff(want, p.Source); d != "" {
		t.Error(d)
	}
	refs := p.Source.References
	if refs == nil || refs.Source != p.Source.Hash || !strings.Contains(p.Text[refs.Start:refs.End], "Halls of power") || strings.Contains(p.Text[refs.Start:refs.End], "frost of that year") {
		t.Errorf("%+v in %q", refs, p.Text)
	}
	if p.Depth != plumb.FullScrape || p.Note != "" || p.Archived || p.Paywall || p.Rendered || p.Cached {
		t.Errorf("%+v", p)
	}
}

func TestDepthIsALengthInCharacters(t *testing.T) {
	exactly := func(n int, unit string) string { return strings.Repeat(unit, n) }
	l := newLab(t, map[string]http.Handler{"d.test": routes(map[string]http.HandlerFunc{
		"/501": page("text/plain; charset=utf-8", exactly(501, "é")), "/500": page("text/plain; charset=utf-8", exactly(500, "é")),
		"/101": page("text/plain; charset=utf-8", exactly(101, "é")), "/100": page("text/plain; charset=utf-8", exactly(100, "é")), "/0": page("text/plain", ""),
	})})
	r := l.reader()
	for path, want := range map[string]plumb.ContentDepth{"/501": plumb.FullScrape, "/500": plumb.PartialScrape, "/101": plumb.PartialScrape, "/100": plumb.Snippet, "/0": plumb.Snippet} {
		p, err := r.Read(context.Background(), "http://d.test"+path)
		if err != nil || p.Depth != want || fmt.Sprintf("/%d", p.Source.Chars) != path || (p.Note == "") == (want == plumb.Snippet) {
			t.Errorf("%s: %s, %q, %d, %v", path, p.Depth, p.Note, p.Source.Chars, err)
		}
		if (p.Source.Hash == "") != (p.Text == "") {
			t.Errorf("%s: hash %q", path, p.Source.Hash)
		}
	}
}

func TestFormats(t *testing.T) {
	long := strings.Repeat(sentence, 8)
	l := newLab(t, map[string]http.Handler{"f.test": routes(map[string]http.HandlerFunc{
		"/html": page("text/html", article(900)), "/xhtml": page("application/xhtml+xml", article(900)), "/untyped": page("", article(900)),
		"/text": page("text/plain", long), "/readme.md": page("text/plain", "# Halls\n\n"+long), "/md": page("text/markdown", "# Halls\n\n"+long),
		"/csv": page("text/csv", "year,hall\n"+strings.Repeat("2021,north\n", 60)), "/json": page("application/json", `{"text":"`+long+`"}`),
		"/pdf": page("application/pdf", pdfOf(strings.ReplaceAll(long, ". ", ".\n"), "And a second page.")), "/download": page("application/octet-stream", pdfOf(strings.ReplaceAll(long, ". ", ".\n"))),
		"/feed": page("application/atom+xml", "<?xml version='1.0'?><feed><title>"+long+"</title></feed>"),
	})})
	r := l.reader()
	for path, want := range map[string]string{
		"/html": "html", "/xhtml": "html", "/untyped": "html", "/text": "text", "/readme.md": "markdown", "/md": "markdown", "/csv": "csv", "/json": "text", "/pdf": "pdf", "/download": "pdf", "/feed": "text",
	} {
		p, err := r.Read(context.Background(), "http://f.test"+path)
		if err != nil || p.Source.Format != want || p.Depth != plumb.FullScrape {
			t.Errorf("%s: %s, %s, %v", path, p.Source.Format, p.Depth, err)
		}
		if path == "/pdf" && (len(p.Pages) != 2 || !strings.HasPrefix(strings.TrimSpace(p.Text[p.Pages[1]:]), "And a second page")) {
			t.Errorf("pages %v of %q", p.Pages, p.Text)
		}
	}
}

func TestCharsets(t *testing.T) {
	for name, c := range map[string]struct{ contentType, meta, bytes, want string }{
		"latin-1 by header":      {"text/html; charset=iso-8859-1", "", "Der Gr\xf6\xdfenwahn", "Der Größenwahn"},
		"cp1251 by meta":         {"text/html", `<meta charset="windows-1251">`, "\xcf\xf0\xe8\xe2\xe5\xf2 \xec\xe8\xf0", "Привет мир"},
		"shift-jis by header":    {"text/html; charset=Shift_JIS", "", "\x93\xfa\x96\x7b\x8c\xea", "日本語"},
		"gbk by meta":            {"text/html", `<meta http-equiv="Content-Type" content="text/html; charset=gbk">`, "\xd6\xd0\xce\xc4", "中文"},
		"utf-8 declared latin-1": {"text/html; charset=iso-8859-1", "", "Größenwahn", "Größenwahn"},
	} {
		body := "<!doctype html><html><head>" + c.meta + "<title>" + c.bytes + "</title></head><body><article>" + strings.Repeat("<p>"+sentence+c.bytes+"</p>", 6) + "</article></body></html>"
		l := newLab(t, map[string]http.Handler{"c.test": page(c.contentType, body)})
		p, err := l.reader().Read(context.Background(), "http://c.test/")
		if err != nil || strings.Count(p.Text, c.want) < 6 || p.Source.Title != c.want {
			t.Errorf("%s: %q, %q, %v", name, p.Source.Title, p.Text, err)
		}
	}
}

func TestKeysAndDOIs(t *testing.T) {
	paper := strings.Replace(article(900), "</head>", `<meta name="citation_doi" content="doi:10.1234/Halls.77"></head>`, 1)
	l := newLab(t, map[string]http.Handler{
		"doi.org":               routes(map[string]http.HandlerFunc{"/10.5555/abc": redirect("https://publisher.test/article/1"), "/10.5555/ABC": redirect("https://publisher.test/article/1")}),
		"publisher.test":        page("text/html", article(900)),
		"journal.test":          page("text/html", paper),
		"www.someone.github.io": page("text/html", article(900)),
	})
	r := l.reader()
	for address, want := range map[string][3]string{
		"https://doi.org/10.5555/ABC":                 {"https://publisher.test/article/1", "10.5555/abc", "doi:10.5555/abc"},
		"10.5555/abc":                                 {"https://publisher.test/article/1", "10.5555/abc", "doi:10.5555/abc"},
		"https://journal.test/x":                      {"https://journal.test/x", "10.1234/halls.77", "doi:10.1234/halls.77"},
		"https://publisher.test/doi/full/10.9999/zzz": {"https://publisher.test/doi/full/10.9999/zzz", "10.9999/zzz", "doi:10.9999/zzz"},
		"https://www.someone.github.io/":              {"https://www.someone.github.io/", "", "someone.github.io"},
	} {
		p, err := r.Read(context.Background(), address)
		if got := [3]string{p.Source.FinalURL, p.Source.DOI, p.Source.Key}; err != nil || got != want {
			t.Errorf("%s: %v, %v", address, got, err)
		}
	}
}

func TestMetaRefreshIsARedirect(t *testing.T) {
	refresh := func(to string) http.HandlerFunc {
		return page("text/html", `<html><head><meta http-equiv="Refresh" content="`+to+`"></head><body>Moved.</body></html>`)
	}
	l := newLab(t, map[string]http.Handler{"m.test": routes(map[string]http.HandlerFunc{
		"/go": refresh("0; URL='/new'"), "/new": page("text/html", article(900)), "/loop": refresh("0;url=/loop2"), "/loop2": refresh("0;url=/loop"),
		"/inner": refresh("0;url=http://169.254.169.254/"), "/later": refresh("600;url=/new"), "/self": refresh("1;url=/self"),
	})})
	r := l.reader()
	if p, err := r.Read(context.Background(), "http://m.test/go"); err != nil || p.Source.FinalURL != "http://m.test/new" {
		t.Errorf("%+v, %v", p.Source, err)
	}
	for _, path := range []string{"/later", "/self", "/loop"} {
		if p, err := r.Read(context.Background(), "http://m.test"+path); err != nil || p.Depth != plumb.Snippet {
			t.Errorf("%s: %+v, %v", path, p, err)
		}
	}
	_, err := r.Read(context.Background(), "http://m.test/inner")
	wantKind(t, err, Address)
}

// The table of failures that a reader must get over, each row with what is to become of it.
func TestFailureTable(t *testing.T) {
	l := newLab(t, map[string]http.Handler{
		"x.test": routes(map[string]http.HandlerFunc{
			"/404": answer(404, "text/html", "gone").ServeHTTP, "/410": answer(410, "text/html", "gone").ServeHTTP, "/403": answer(403, "text/html", "Forbidden").ServeHTTP,
			"/500": answer(500, "text/html", "oops").ServeHTTP, "/once": statuses(nil, 502, 200), "/hang": func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
			"/empty": page("text/html", "<!doctype html><html><body></body></html>"), "/little": page("text/html", article(300)),
			"/script": page("text/html", `<!doctype html><title>App</title><body><div id="root"></div><noscript>Please enable JavaScript.</noscript><script src="/app.js"></script></body>`),
			"/pdf":    page("application/pdf", pdfOf(strings.ReplaceAll(strings.Repeat(sentence, 8), ". ", ".\n"))), "/broken.pdf": page("application/pdf", "%PDF-1.4\nnothing"),
			"/hangup": func(w http.ResponseWriter, _ *http.Request) { panic(http.ErrAbortHandler) },
		}),
		"bad.test": page("text/html", article(900)),
	})
	r := l.reader()
	r.Limits.Total = time.Second
	for _, row := range []struct {
		url, says string
		kind      Kind
		depth     plumb.ContentDepth
	}{
		{"http://x.test/404", "remote server returned HTTP 404", Gone, ""},
		{"http://x.test/410", "remote server returned HTTP 410", Gone, ""},
		{"http://x.test/403", "remote server returned HTTP 403 (access refused, likely a paywall)", Forbidden, ""},
		{"http://x.test/500", "remote server returned HTTP 500", Status, ""},
		{"http://x.test/once", "", "", plumb.FullScrape},
		{"http://x.test/hang", "request timed out", Timeout, ""},
		{"https://bad.test/", "secure connection could not be made: the server's certificate is not valid", TLS, ""},
		{"http://x.test/hangup", "network error while fetching URL", Network, ""},
		{"http://nowhere.test/", "network error while fetching URL", Network, ""},
		{"http://x.test/empty", "no text on the page", "", plumb.Snippet},
		{"http://x.test/little", "", "", plumb.PartialScrape},
		{"http://x.test/script", "page needs JavaScript, and there is no browser to run it", "", plumb.Snippet},
		{"http://x.test/pdf", "", "", plumb.FullScrape},
		{"http://x.test/broken.pdf", "document could not be read", Unreadable, ""},
	} {
		p, err := r.Read(context.Background(), row.url)
		says := p.Note
		if err != nil {
			says = err.Error()
			wantKind(t, err, row.kind)
		}
		if says != row.says || p.Depth != row.depth {
			t.Errorf("%s: %q, %q", row.url, says, p.Depth)
		}
	}
}

func TestCancelledReadingReturnsAtOnce(t *testing.T) {
	asked := make(chan struct{})
	l := newLab(t, map[string]http.Handler{"slow.test": routes(map[string]http.HandlerFunc{"/": func(_ http.ResponseWriter, r *http.Request) {
		close(asked)
		<-r.Context().Done()
	}})})
	ctx, cancel := context.WithCancel(context.Background())
	go func() { <-asked; cancel() }()
	if _, err := l.reader().Read(ctx, "http://slow.test/"); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestOneReadingForAllWhoAskAtTheSameTime(t *testing.T) {
	const n = 8
	waiting := make(chan struct{})
	l := newLab(t, map[string]http.Handler{"once.test": routes(map[string]http.HandlerFunc{"/": func(w http.ResponseWriter, r *http.Request) {
		<-waiting
		page("text/html", article(900))(w, r)
	}})})
	r := l.reader()
	type result struct {
		p   Page
		err error
	}
	results := make(chan result, n)
	first, leave := context.WithCancel(context.Background())
	for i := range n {
		ctx := context.Background()
		if i == 0 {
			ctx = first
		}
		go func() {
			p, err := r.Read(ctx, "http://once.test/"+[]string{"", "#part", "?utm_source=x"}[i%3])
			results <- result{p, err}
		}()
	}
	joined := func() int {
		r.flights.mu.Lock()
		defer r.flights.mu.Unlock()
		if f := r.flights.under["http://once.test/"]; f != nil {
			return f.waiting
		}
		return 0
	}
	for deadline := time.Now().Add(10 * time.Second); joined() < n && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond)
	}
	leave() // the one that left does not take the others along
	if got := <-results; !errors.Is(got.err, context.Canceled) {
		t.Error(got.err)
	}
	close(waiting)
	for range n - 1 {
		if got := <-results; got.err != nil || got.p.Depth != plumb.FullScrape {
			t.Errorf("%+v, %v", got.p, got.err)
		}
	}
	if got := l.requests(); len(got) != 1 {
		t.Errorf("%v", got)
	}
}

func TestCheckIsLight(t *testing.T) {
	l := newLab(t, map[string]http.Handler{"c.test": routes(map[string]http.HandlerFunc{
		"/": redirect("/page"), "/page": page("text/html; charset=utf-8", article(900)), "/404": answer(404, "text/html", "<title>Not here</title>").ServeHTTP,
		"/403": answer(403, "text/html", "<p>Subscribe to continue reading").ServeHTTP, "/png": page("image/png", "\x89PNG"), "/loop": redirect("/loop"),
		"/big": func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprint(w, "<!doctype html><title>Endless &amp; dull</title>")
			for r.Context().Err() == nil {
				if _, err := fmt.Fprint(w, sentence); err != nil {
					return
				}
			}
		},
	})})
	r := l.reader()
	for path, want := range map[string]Check{
		"/":     {200, "Turbine hall reopened", "http://c.test/page", "text/html", ""},
		"/404":  {404, "Not here", "http://c.test/404", "text/html", Gone},
		"/403":  {403, "", "http://c.test/403", "text/html", Paywall},
		"/png":  {Status: 200, Problem: Unsupported},
		"/loop": {Status: 302, Problem: Redirects},
		"/big":  {200, "Endless & dull", "http://c.test/big", "text/html", ""},
	} {
		got, err := r.Check(context.Background(), "http://c.test"+path)
		if err != nil || got != want {
			t.Errorf("%s: %+v, %v", path, got, err)
		}
	}
	_, err := r.Check(context.Background(), "http://127.0.0.1/")
	wantKind(t, err, Address)
}
