package page

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/plumbresearch/plumb"
)

// wayback is an archive in the wire format of the public one: it knows one page.
func wayback(host, known string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		const at = "20190203040506"
		switch {
		case r.URL.Path == "/wayback/available" && r.FormValue("url") == known && len(r.FormValue("timestamp")) == 14:
			fmt.Fprintf(w, `{"url": %q, "archived_snapshots": {"closest": {"status": "200", "available": true, "url": "http://%s/web/%s/%s", "timestamp": %q}}}`, known, host, at, known, at)
		case r.URL.Path == "/wayback/available":
			fmt.Fprint(w, `{"archived_snapshots": {}}`)
		case r.URL.RequestURI() == "/web/"+at+"id_/"+known:
			page("text/html", article(900))(w, r)
		default:
			http.NotFound(w, r)
		}
	})
}

func TestDeadLinksAreReadFromTheArchive(t *testing.T) {
	l := newLab(t, map[string]http.Handler{
		"dead.example.org": answer(404, "text/html", "not found"), "gone.example.org": answer(410, "text/html", "gone"), "lost.example.org": answer(404, "text/html", "not found"),
		"archive.test": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			known := "https://dead.example.org/a?b=1"
			for _, u := range []string{"https://gone.example.org/", "http://vanished.example.org/x"} {
				if strings.Contains(r.URL.String(), strings.Split(u, "/")[2]) {
					known = u
				}
			}
			wayback("archive.test", known).ServeHTTP(w, r)
		}),
	})
	r := l.reader()
	r.Archive = "https://archive.test/"
	for _, address := range []string{"https://dead.example.org/a?b=1", "https://gone.example.org/", "http://vanished.example.org/x"} {
		p, err := r.Read(context.Background(), address)
		if err != nil {
			t.Errorf("%s: %v", address, err)
			continue
		}
		s := p.Source
		if !p.Archived || p.Depth != plumb.FullScrape || s.URL != address || s.FinalURL != "https://archive.test/web/20190203040506/"+address || s.Key != "example.org" || s.Title != "Turbine hall reopened" ||
			p.Note != "archived copy of 2019-02-03, the page itself is gone" {
			t.Errorf("%+v", p)
		}
	}
	_, err := r.Read(context.Background(), "https://lost.example.org/")
	wantKind(t, err, Gone)
}

func TestArchiveWithoutOriginals(t *testing.T) {
	l := newLab(t, map[string]http.Handler{"dead.example.org": answer(404, "text/html", "x"), "archive.test": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.Contains(r.URL.Path, "id_/"):
			http.NotFound(w, r)
		case strings.HasPrefix(r.URL.Path, "/web/20190203040506/"):
			page("text/html", article(900))(w, r)
		default:
			wayback("archive.test", "http://dead.example.org/").ServeHTTP(w, r)
		}
	})})
	r := l.reader()
	r.Archive = "http://archive.test"
	if p, err := r.Read(context.Background(), "http://dead.example.org/"); err != nil || !p.Archived {
		t.Errorf("%+v, %v", p, err)
	}
}

// A configured archive may be anywhere, also on this machine; that opens the machine to nobody else.
func TestArchiveIsTrustedWhereItIs(t *testing.T) {
	var local *httptest.Server
	local = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		wayback(strings.TrimPrefix(local.URL, "http://"), "http://dead.example.org/").ServeHTTP(w, r)
	}))
	defer local.Close()
	l := newLab(t, map[string]http.Handler{"dead.example.org": answer(404, "text/html", "x"), "evil.example.org": redirect(local.URL)})
	r := l.reader()
	dial := r.Outside.Dial
	r.Archive = local.URL
	r.Outside.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
		if "http://"+address == local.URL {
			var d net.Dialer
			return d.DialContext(ctx, network, address)
		}
		return dial(ctx, network, address)
	}
	p, err := r.Read(context.Background(), "http://dead.example.org/")
	if err != nil || !p.Archived {
		t.Fatalf("%+v, %v", p, err)
	}
	for _, address := range []string{local.URL, "http://evil.example.org/"} {
		_, err := r.Read(context.Background(), address)
		wantKind(t, err, Address)
	}
}

// Names of the user's own network are not told to an archive.
func TestArchiveIsNotAskedForInnerNames(t *testing.T) {
	l := newLab(t, map[string]http.Handler{"archive.test": wayback("archive.test", "x"), "wiki.corp": answer(404, "text/html", "x"), "open.example.org": answer(404, "text/html", "x")})
	l.name("wiki.corp", "93.184.216.34")
	r := l.reader()
	r.Archive, r.Allow = "http://archive.test", []string{"wiki.corp", "open.example.org"}
	for _, address := range []string{"http://wiki.corp/secret", "http://open.example.org/secret", "http://intranet-of-ours/secret", "http://wiki.unknowntld/secret"} {
		if _, err := r.Read(context.Background(), address); err == nil {
			t.Error(address)
		}
	}
	for _, asked := range l.requests() {
		if strings.HasPrefix(asked, "archive.test") {
			t.Error(asked)
		}
	}
}

func TestAvailabilityAnswers(t *testing.T) {
	good := `{"archived_snapshots":{"closest":{"available":true,"url":"http://web/1","timestamp":"20130919044612","status":"200"}}}`
	if s, ok := parseAvailability([]byte(good)); !ok || s.url != "http://web/1" || s.at.Year() != 2013 {
		t.Error(s, ok)
	}
	for _, bad := range []string{
		"", "null", "[]", `{"archived_snapshots":{}}`, strings.Replace(good, "true", "false", 1), strings.Replace(good, "200", "404", 1), strings.Replace(good, "20130919044612", "soon", 1),
		strings.Replace(good, "http://web/1", "", 1), strings.Replace(good, `"200"`, "200", 1),
	} {
		if s, ok := parseAvailability([]byte(bad)); ok {
			t.Errorf("%s: %v", bad, s)
		}
	}
}

func FuzzParseAvailability(f *testing.F) {
	f.Add([]byte(`{"archived_snapshots":{"closest":{"available":true,"url":"http://web/1","timestamp":"20130919044612","status":"200"}}}`))
	f.Add([]byte(`{"archived_snapshots":[]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		if s, ok := parseAvailability(body); ok && (s.url == "" || s.at.IsZero() && s.at.Year() != 1) {
			t.Fatal(s)
		}
	})
}
