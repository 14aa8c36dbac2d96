package search

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/plumbresearch/plumb"
)

func TestPlainText(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"The <b>bridge</b> re<em>opened</em>&nbsp;today", "The bridge reopened today"},
		{"one<br>two<p>three</p>", "one two three"},
		{"&lt;i&gt;in vivo&lt;/i&gt; &amp;amp; more", "in vivo & more"},
		{"p<0.05 and n>3, a < b > c", "p<0.05 and n>3, a < b > c"},
		{"for n<k and m>3 too", "for n<k and m>3 too"},
		{"x<script>alert('<b>1</b>')</script>y<style>p{}</style>z<!-- hidden -->!", "x y z !"},
		{"open<script>never closed", "open"},
		{"<jats:title>Abstract</jats:title><jats:p>CO<jats:sub>2</jats:sub></jats:p>", "Abstract CO2"},
		{`<img src=x onerror="steal()">picture`, "picture"},
		{"bell\x07 tab\tline\r\nzero\u200bwidth \u202eover\u202c \xff\xfeend", "bell tab line zerowidth over end"},
		{"نیم\u200cفاصله", "نیم\u200cفاصله"},
		{"   ", ""},
	} {
		if got := plain(c.in); got != c.want {
			t.Errorf("%q: %q, want %q", c.in, got, c.want)
		}
	}
}

func TestShorten(t *testing.T) {
	for _, c := range []struct {
		in   string
		n    int
		want string
	}{
		{"short", 10, "short"},
		{"a bridge too far away", 16, "a bridge too…"},
		{"unbrokenunbroken", 8, "unbroke…"},
		{"äöüäöüäöü", 5, "äöüä…"},
	} {
		if got := shorten(c.in, c.n); got != c.want || utf8.RuneCountInString(got) > c.n {
			t.Errorf("%q: %q", c.in, got)
		}
	}
}

func TestLeadsAreNormalisedOrDropped(t *testing.T) {
	for _, bad := range []string{"", "about:blank", "javascript:alert(1)", "ftp://a.example/x", "file:///etc/passwd", "doc:notes.md", "https://", "//a.example/x",
		"https://me:secret@a.example/", "https://a.example/\x00", "https://a.example/" + strings.Repeat("x", maxURL)} {
		if l, ok := normal(plumb.Lead{URL: bad}); ok {
			t.Errorf("%q became %q", bad, l.URL)
		}
	}
	l, ok := normal(plumb.Lead{URL: " HTTPS://WWW.A.example:443/x/?utm_source=y&b=2&a=1#top ", Title: "<b></b>", Snippet: strings.Repeat("word ", 1000),
		Authors: append(make([]string, 3), strings.Split(strings.Repeat("A. <i>Pell</i>,", 60), ",")...)})
	if !ok || l.URL != "https://www.a.example/x?a=1&b=2" || l.Title != "www.a.example" || utf8.RuneCountInString(l.Snippet) > maxSnippet || len(l.Authors) != maxAuthors || l.Authors[0] != "A. Pell" {
		t.Errorf("%v %+v", ok, l)
	}
	for _, c := range []struct{ url, doi, want string }{
		{"https://a.example/x", "https://doi.org/10.5555/ABC", "10.5555/abc"},
		{"https://a.example/x", "not a DOI", ""},
		{"https://doi.org/10.5555/abc", "", "10.5555/abc"},
		{"https://a.example/x", "10.1002/1097(1999)85:10<2199::aid>3.0", ""},
	} {
		if l, _ := normal(plumb.Lead{URL: c.url, DOI: c.doi}); l.DOI != c.want {
			t.Errorf("%+v: %q", c, l.DOI)
		}
	}
}

func TestLooseText(t *testing.T) {
	for in, want := range map[string]string{`"a"`: "a", `2024`: "2024", `null`: "", `true`: "", `{"a":1}`: "", `["a"]`: ""} {
		var l loose
		if err := json.Unmarshal([]byte(in), &l); err != nil || string(l) != want {
			t.Errorf("%s: %q %v", in, l, err)
		}
	}
}

func TestDates(t *testing.T) {
	for in, want := range map[string]string{
		"2024-05-03": "2024-05-03", "2024-05-03T09:12:00Z": "2024-05-03", "2024-05-03T00:00:00.0000000": "2024-05-03", "2024-05-03 10:00:00": "2024-05-03",
		"2024-05": "2024-05", "2024": "2024", "2024/05/03 00:00": "2024-05-03", "2024/5/3": "2024-05-03", "20240503": "2024-05-03",
		"May 3, 2024": "2024-05-03", "3 May 2024": "2024-05-03", "December 31, 2019": "2019-12-31", "2024 May 3": "2024-05-03", "2024 May": "2024-05", "May 2024": "2024-05",
		"Fri, 03 May 2024 09:12:00 GMT": "2024-05-03", "2020 Mar-Apr": "2020-03", "2023 Winter": "2023", "2019 Dec 30-2020 Jan 5": "2019-12",
		"2 days ago": "2026-02-27", "1 day ago": "2026-02-28", "a week ago": "2026-02-22", "5 hours ago": "2026-03-01", "20 hours ago": "2026-02-28", "an hour ago": "2026-03-01",
		"1 month ago": "2026-02", "3 years ago": "2023",
		"": "", "yesterday": "", "soon": "", "2024-13-40": "2024", "0000": "", "99999": "", "Maybe 3, 2024": "", strings.Repeat("2", 100): "",
	} {
		if got := isoDate(in, today()); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	if got := isoDate("1 month ago", time.Date(2026, 3, 31, 0, 0, 0, 0, time.UTC)); got != "2026-02" {
		t.Error(got)
	}
	for _, c := range []struct {
		parts []int
		want  string
	}{{nil, ""}, {[]int{2024}, "2024"}, {[]int{2024, 9}, "2024-09"}, {[]int{2024, 2, 29}, "2024-02-29"}, {[]int{2023, 2, 29}, "2023-02"}, {[]int{2024, 13, 1}, "2024"}, {[]int{-5, 1}, ""}} {
		if got := partsDate(c.parts); got != c.want {
			t.Errorf("%v: %q", c.parts, got)
		}
	}
	for in, want := range map[string]string{"2024": "2024-01-01", "2024-05": "2024-05-01", "2024-05-31": "2024-05-31"} {
		if got := firstDay(in).Format(time.DateOnly); got != want {
			t.Errorf("%s: %s", in, got)
		}
	}
}

func TestQueryIsBounded(t *testing.T) {
	q, err := Query{Text: strings.Repeat("expansion ", 100) + "\x00", Limit: 1000, Language: "EN-us", Include: []string{"", "  ", "b.example", "http://www.b.example:81/x", "münchen.example"}}.checked()
	if err != nil || utf8.RuneCountInString(q.Text) > maxQueryChars || len(strings.Fields(q.Text)) > maxQueryWords || q.Limit != maxLimit || q.Language != "en" {
		t.Errorf("%+v %v", q, err)
	}
	if got := strings.Join(q.Include, " "); got != "b.example xn--mnchen-3ya.example" {
		t.Error(got)
	}
	for i := range 60 {
		if n := utf8.RuneCountInString(q.withSites()); n > maxQueryChars {
			t.Errorf("%d characters with %d domains", n, i)
		}
		q.Exclude = append(q.Exclude, strings.Repeat("x", i+1)+".example")
		q.Include = append(q.Include, strings.Repeat("y", i+1)+".example")
	}
}

func TestDomainsAsOperators(t *testing.T) {
	long := strings.Repeat("expansion ", 39) + "joints"
	for _, c := range []struct {
		text             string
		include, exclude []string
		want             string
	}{
		{"bridge", nil, nil, "bridge"},
		{"bridge", []string{"a.example"}, nil, "bridge site:a.example"},
		{"bridge", []string{"a.example", "b.example"}, []string{"c.example"}, "bridge (site:a.example OR site:b.example) -site:c.example"},
		{long, nil, []string{"c.example"}, long},
		{long, []string{"a.example"}, nil, strings.TrimSpace(strings.Repeat("expansion ", 38)) + " site:a.example"},
	} {
		if got := (Query{Text: c.text, Include: c.include, Exclude: c.exclude}).withSites(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

func TestLanguagesAreAskedForByTheProvidersNames(t *testing.T) {
	for lang, want := range map[string]string{"en": "en", "ja": "jp", "zh": "zh-hans", "no": "nb", "sw": "", "": ""} {
		got := "none"
		o := served(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			got = r.URL.Query().Get("search_lang")
			io.WriteString(w, "{}")
		}))
		if _, _, err := choose(t, o, Web, "brave").Find(context.Background(), Query{Text: "bridge", Language: lang}); err != nil || got != want {
			t.Errorf("%q: %q, %v", lang, got, err)
		}
	}
}

func TestContentWords(t *testing.T) {
	for _, c := range []struct{ in, lang, want string }{
		{"What is the cost of the bridge?", "en", "cost bridge"},
		{"What is the cost of the bridge?", "de", "cost bridge"}, // the language asked for is not that of the words
		{`intitle:"bridge" -ferry (2024) OR`, "en", "intitle bridge ferry 2024"},
		{"live-load rivet's C++ v1.2 NOT", "", "live-load rivet's C++ v1.2 not"},
		{"who is it", "en", "who is it"},
		{"橋の費用はいくらですか", "ja", "橋の費用はいくらですか"},
	} {
		q, err := Query{Text: c.in, Language: c.lang}.checked()
		if got := strings.Join(q.words(), " "); err != nil || got != c.want {
			t.Errorf("%q: %q, %v", c.in, got, err)
		}
	}
}

func TestArXivExpressions(t *testing.T) {
	a := ArXiv{&service{now: today}}
	for _, c := range []struct{ in, since, want string }{
		{"bridge fatigue", "", "all:bridge AND all:fatigue"},
		{`live-load ti:"x" ANDNOT fatigue`, "", `all:"live-load" OR all:ti OR all:x OR all:andnot OR all:fatigue`},
		{"one steel bridge, fatigue cracks growth salt", "2024", "(all:one OR all:steel OR all:bridge OR all:fatigue OR all:cracks OR all:growth OR all:salt) AND submittedDate:[202401010000 TO 202603012359]"},
	} {
		q, err := Query{Text: c.in, Since: c.since}.checked()
		if got := a.expression(q); err != nil || got != c.want {
			t.Errorf("%q: %s, %v", c.in, got, err)
		}
	}
}

func TestTimeRanges(t *testing.T) {
	for since, want := range map[string]string{"2026-03-01": "day", "2026-02-10": "month", "2026": "year", "2026-02-28": "month", "2025-03": "", "2025-03-02": "year", "2024": "", "": ""} {
		if got := (Query{Since: since}).age(today(), "day", "month", "year"); got != want {
			t.Errorf("%s: %q", since, got)
		}
	}
}
