package lab

// How the world of the lab is made: its topics, and the small things that pages are put together with.

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/plumbresearch/plumb/text"
)

func TestTopicsAreComplete(t *testing.T) {
	all := topics()
	if len(all) < 6 {
		t.Fatalf("%d topics", len(all))
	}
	for _, topic := range all {
		if len(topic.names) < 8 || len(topic.facts) < 7 || len(topic.quotes) != 3 || len(topic.fills) < 8 || len(topic.rows) != 6 || len(topic.questions) != 3 || len(topic.papers) != 1 {
			t.Errorf("%s lacks something: %+v", topic.kind, topic)
		}
		keys := map[string]bool{}
		for _, f := range topic.facts {
			keys[f.key] = true
			if len(f.says) < 2 || !strings.HasSuffix(f.ask, "?") {
				t.Errorf("%s: fact %s: %+v", topic.kind, f.key, f)
			}
		}
		for _, c := range append(slices.Clone(topic.questions), topic.papers...) {
			for _, k := range c.keys {
				if !keys[k] {
					t.Errorf("%s: %q asks for %s, which is no fact", topic.kind, c.text, k)
				}
			}
		}
	}
}

// TestSubjectsAreFilledIn looks for braces, figures that agree by accident, and people with two roles.
func TestSubjectsAreFilledIn(t *testing.T) {
	for i := range topics() {
		topic := &topics()[i]
		for n := range 24 {
			s := newSubject(topic, uint64(n%3), n)
			if len(s.disputed()) == 0 {
				t.Errorf("nobody disputes anything of the %s", s.name)
			}
			for _, f := range s.facts {
				for _, sentence := range append(slices.Clone(f.says), f.ask, f.err) {
					if strings.ContainsAny(sentence, "{}|") || strings.Contains(sentence, "%!") {
						t.Errorf("%q", sentence)
					}
				}
				if f.err != "" && slices.Equal(figures(f.err), figures(f.says[0])) {
					t.Errorf("%q does not disagree with %q", f.err, f.says[0])
				}
			}
			if s.end.Year() < 2020 || len(s.people) < 3 || s.people["chief"] == s.people["critic"] {
				t.Errorf("%s: %v %v", s.name, s.end, s.people)
			}
		}
	}
}

// figures are the numbers of a sentence.
func figures(s string) []float64 {
	var out []float64
	for _, q := range text.Quantities(s) {
		out = append(out, q.Value)
	}
	return out
}

func TestNamesDoNotRunOut(t *testing.T) {
	seen := map[string]bool{}
	for n := range 200 {
		s := newSubject(&topics()[0], 1, n)
		if seen[s.slug] {
			t.Fatalf("%s is there twice", s.slug)
		}
		seen[s.slug] = true
	}
}

func TestWrongTopicsAreRefused(t *testing.T) {
	for in, want := range map[string]string{"say too early": "line 1: say before any fact", "fact a\nfoo bar": `line 2: unknown word "foo"`} {
		if _, err := parseTopic(in); err == nil || err.Error() != want {
			t.Errorf("%q: %v", in, err)
		}
	}
}

func TestValuesAreThrown(t *testing.T) {
	for value, pattern := range map[string]string{
		"person": `^[A-Z][a-z]+ [A-Z][a-z]+$`, "day 2020..2020": `^\d{1,2} [A-Z][a-z]+ 2020$`, "year 1966..1967": `^196[67]$`, "this | that": `^th(is|at)$`,
		"10..12": `^1[012]$`, "100..300 by 100": `^[123]00$`, "ten + 5": `^15$`, "ten - 3": `^7$`, "ten less 30": `^7$`, "12000..12000": `^12,000$`,
	} {
		s := &subject{rng: rand.New(rand.NewPCG(1, 2)), people: map[string]string{}}
		for range 20 {
			s.people = map[string]string{}
			if got := s.throw(slot{"x", value}, map[string]int{"ten": 10}); !regexp.MustCompile(pattern).MatchString(got) {
				t.Errorf("%s gave %q", value, got)
			}
		}
	}
}

func TestDomainsInQueriesAreOperators(t *testing.T) {
	var q lookup
	operators("dam cost (site:a.test OR site:b.test) -site:c.test", &q)
	if q.text != "dam cost" || !slices.Equal(q.include, []string{"a.test", "b.test"}) || !slices.Equal(q.exclude, []string{"c.test"}) {
		t.Errorf("%+v", q)
	}
}

func TestPDFsAreWrappedAndEscaped(t *testing.T) {
	for in, want := range map[string][]string{"": {""}, "a b": {"a b"}, "aaaa bbbb cccc": {"aaaa bbbb", "cccc"}, strings.Repeat("x", 30) + " y": {strings.Repeat("x", 30), "y"}} {
		if got := wrap(in, 10); !slices.Equal(got, want) {
			t.Errorf("%q: %q", in, got)
		}
	}
	if got := pdfEscape(`(a\b) é 日`); got != "\\(a\\\\b\\) \xe9 ?" {
		t.Errorf("%q", got)
	}
	b := pdfFile([]string{"BT ET"}, "/Title (x)")
	at := bytes.Index(b, []byte("2 0 obj"))
	if !bytes.Contains(b, []byte("00000 n \n")) || at < 0 || !bytes.HasPrefix(b, []byte("%PDF-1.4")) || !bytes.HasSuffix(b, []byte("%%EOF\n")) {
		t.Errorf("%q", b)
	}
}

// TestBombsAreCheapToServe: what they weigh on the wire.
func TestBombsAreCheapToServe(t *testing.T) {
	rec := httptest.NewRecorder()
	bomb(nil, nil, rec, nil)
	if n := rec.Body.Len(); n > 512<<10 || rec.Header().Get("Content-Encoding") != "gzip" {
		t.Errorf("%d bytes on the wire", n)
	}
	if hugeBody <= 10<<20 || bombBody <= 10<<20 {
		t.Error("they fit into what readers take")
	}
}

func FuzzSitesAreNotUpsetByRequests(f *testing.F) {
	w := &Web{Pages: 32, Bad: 0.5, Slow: 1}
	h := w.Handler()
	for _, host := range w.made.hosts() {
		f.Add(host, "/")
	}
	for _, p := range []string{"/web/20200101000000id_/http://a/b", "/wayback/available?url=%zz", "/w/api.php?action=query&list=search&srsearch=x", "/abs/2101.90001", "/10.5555/lab.2020.1", "/moved?hop=-9", "/loop?hop=9999999999999999999"} {
		for _, host := range []string{archiveHost, wikiHost, arxivHost, doiHost, trapsHost} {
			f.Add(host, p)
		}
	}
	f.Fuzz(func(t *testing.T, host, path string) {
		r, err := http.NewRequest(http.MethodGet, "http://x/", nil)
		if err != nil {
			t.Fatal(err)
		}
		if r.URL, err = r.URL.Parse("/" + strings.TrimLeft(path, "/")); err != nil {
			return
		}
		r.Host, r.URL.Scheme, r.URL.Host = host, "", ""
		defer func() {
			v := recover()
			if err, ok := v.(error); v != nil && (!ok || !errors.Is(err, http.ErrAbortHandler)) {
				panic(v)
			}
		}()
		rec := httptest.NewRecorder()
		h.ServeHTTP(rec, r)
		if rec.Code < 200 || rec.Code > 599 {
			t.Errorf("%d", rec.Code)
		}
	})
}
