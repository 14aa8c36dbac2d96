package link

import (
	"strings"
	"testing"
)

func TestNormalize(t *testing.T) {
	cases := []struct{ in, want string }{
		{"HTTPS://Example.ORG/Path", "https://example.org/Path"},
		{"http://example.org:80/a", "http://example.org/a"},
		{"https://example.org:443", "https://example.org/"},
		{"https://example.org:8443/a", "https://example.org:8443/a"},
		{"https://example.org:/a", "https://example.org/a"},
		{"https://example.org./a", "https://example.org/a"},
		{"https://example.org", "https://example.org/"},
		{"https://example.org/a/", "https://example.org/a"},
		{"https://example.org/a//", "https://example.org/a"},
		{"https://example.org/a/./b/../c", "https://example.org/a/c"},
		{"https://example.org/../../a", "https://example.org/a"},
		{"https://example.org/a#section", "https://example.org/a"},
		{"https://example.org/a#:~:text=foo", "https://example.org/a"},
		{"https://example.org/#!/route", "https://example.org/#!/route"},
		{"https://example.org/#/route", "https://example.org/#/route"},
		{"https://www.example.org/", "https://www.example.org/"},
		{"www.example.org/a", "https://www.example.org/a"},
		{"https://example.org/?utm_source=x&id=3&UTM_Medium=y&gclid=1&fbclid=2", "https://example.org/?id=3"},
		{"https://example.org/a?utm_source=chatgpt.com", "https://example.org/a"},
		{"https://example.org/a?b=2&a=1", "https://example.org/a?a=1&b=2"},
		{"https://example.org/a?b=2&amp;a=1", "https://example.org/a?a=1&b=2"},
		{"https://example.org/a?", "https://example.org/a"},
		{"https://example.org/a?&&b", "https://example.org/a?b"},
		{"https://example.org/a?ref=b&source=c", "https://example.org/a?ref=b&source=c"},
		{"https://example.org/%7euser/%c3%a9%2F", "https://example.org/~user/%C3%A9%2F"},
		{"https://example.org/é b", "https://example.org/%C3%A9%20b"},
		{"https://example.org/100%.html", "https://example.org/100%25.html"},
		{"https://example.org/a+b?q=a+b", "https://example.org/a+b?q=a+b"},
		{"https://en.wikipedia.org/wiki/Go_(game)", "https://en.wikipedia.org/wiki/Go_(game)"},
		{"https://user:pw@example.org/a", "https://user:pw@example.org/a"},
		{"http://münchen.de/a", "http://xn--mnchen-3ya.de/a"},
		{"http://中国.中国/", "http://xn--fiqs8s.xn--fiqs8s/"},
		{"http://[::1]:80/a", "http://[::1]/a"},
		{"https://web.archive.org/web/2020/http://a.org/b/", "https://web.archive.org/web/2020/http://a.org/b"},
		{" https://example.org/a ", "https://example.org/a"},
		{"doc:reports/a b.md", "doc:reports/a b.md"},
		{"doc:A/../B.MD#x", "doc:A/../B.MD#x"},
		{"mailto:A@b.org", "mailto:A@b.org"},
		{"", ""},
		{"not an address", "not an address"},
		{"https://", "https://"},
		{"http://dx.doi.org/10.1000/ABC", "https://doi.org/10.1000/abc"},
		{"doi:10.1000/ABC", "https://doi.org/10.1000/abc"},
		{"10.1002/(SICI)1097-4571(199806)49:8", "https://doi.org/10.1002/(sici)1097-4571(199806)49:8"},
		{"arXiv:2301.01234v2", "https://arxiv.org/abs/2301.01234"},
		{"https://arxiv.org/pdf/2301.01234v2", "https://arxiv.org/pdf/2301.01234v2"},
	}
	for _, c := range cases {
		got := Normalize(c.in)
		if got != c.want {
			t.Errorf("Normalize(%q) = %q, want %q", c.in, got, c.want)
		}
		if again := Normalize(got); again != got {
			t.Errorf("Normalize(%q) = %q, then %q", c.in, got, again)
		}
	}
}

func TestTrackersKeepOtherParameters(t *testing.T) {
	for name := range trackers {
		if got := Normalize("https://a.org/x?" + strings.ToUpper(name) + "=1&keep=2"); got != "https://a.org/x?keep=2" {
			t.Errorf("%s: %s", name, got)
		}
	}
}

func FuzzNormalize(f *testing.F) {
	for _, s := range []string{"https://a.org/x?b=1&utm_source=c#d", "http://a.org:80/../%2e%2E/%zz", "doc:a b.md", "www.a.org",
		"https://ÄÖ.de/", "http://a_b.\u00ad.org", "https://u@h:1:2/", "doi:10.1000/x", "arXiv:2301.01234", "http://[::1]/", "http://%41.org/",
		"http://a.org\\b", "http://dx.doi.org/10.1000/%2525", "http://ⓐ.org/", "http://xn--a.org/", "https://doi.org/10.1000/a%00b", "10.1000/a\xff\x7f ", "http://a/10.1000/http:\"htt", "http://..ttp:.", "10.1000/\xd6/", "10.1000/a/../b", "http://|.oorg:80.", "http://a:80%2e", "http://a.org%2e%2E", "http://a::.", "http://a:.:./"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		once := Normalize(s)
		if twice := Normalize(once); twice != once {
			t.Fatalf("%q → %q → %q", s, once, twice)
		}
		if !Same(s, once) {
			t.Fatalf("%q is not the same as its normal form %q: %q, %q", s, once, Identity(s), Identity(once))
		}
		Key(s)
		Domain(s)
		if d, ok := DOI(s); ok {
			if again, ok := DOI(d); !ok || again != d {
				t.Fatalf("DOI(%q) = %q, then %q", s, d, again)
			}
		}
	})
}

func BenchmarkNormalize(b *testing.B) {
	const u = "HTTPS://www.Example.org:443/a/./b/../report%20(2023).html?utm_source=x&id=3#top"
	b.SetBytes(int64(len(u)))
	for b.Loop() {
		Normalize(u)
	}
}
