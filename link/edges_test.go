package link

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWhereAddressesEnd(t *testing.T) {
	entity := "&CounterClockwiseContourIntegral;"
	cases := []struct {
		name, text string
		want       []string
	}{
		{"autolink keeps its punctuation", "<https://a.org/x.>", []string{"https://a.org/x."}},
		{"autolink that is not closed", "<https://a.org/x. Next", []string{"https://a.org/x"}},
		{"autolink with a space is none", "<https://a.org/x. y>", []string{"https://a.org/x"}},
		{"autolink with a no-break space is none", "<https://a.org/x.\u00a0y>", []string{"https://a.org/x"}},
		{"autolink with a quote is none", `<https://a.org/x."y>`, []string{"https://a.org/x"}},
		{"autolink with a bracket is none", "<https://a.org/x.<y>", []string{"https://a.org/x"}},
		{"autolink without an address", "<http://>", nil},
		{"angle bracket elsewhere", "a < https://a.org/x. b > c", []string{"https://a.org/x"}},
		{"struck out", "~~https://a.org/x~~", []string{"https://a.org/x"}},
		{"struck out twice", "~~~~https://a.org/x~~~~", []string{"https://a.org/x"}},
		{"a tilde belongs to it", "https://a.org/~", []string{"https://a.org/~"}},
		{"three tildes", "https://a.org/x~~~", []string{"https://a.org/x~"}},
		{"bracket closed by another", "(https://a.org/x] y)", []string{"https://a.org/x"}},
		{"brackets crossed", "https://a.org/(x]y)", []string{"https://a.org/(x"}},
		{"square brackets inside", "[https://a.org/x[1]]", []string{"https://a.org/x[1]"}},
		{"braces inside", "{https://a.org/{id}}", []string{"https://a.org/{id}"}},
		{"braces around", "{https://a.org/x}", []string{"https://a.org/x"}},
		{"open bracket at the end", "https://a.org/x( and", []string{"https://a.org/x"}},
		{"entity at the end", "https://a.org/x&nbsp;", []string{"https://a.org/x"}},
		{"entity in the middle", "https://a.org/x&quot;y", []string{"https://a.org/x"}},
		{"less-than", "https://a.org/x&lt;y", []string{"https://a.org/x"}},
		{"entity of another kind at the end", "https://a.org/x&copy;.", []string{"https://a.org/x"}},
		{"the longest entity at the end", "https://a.org/x" + entity, []string{"https://a.org/x"}},
		{"no entity is that long", "https://a.org/x&" + entity[1:33] + "s;", []string{"https://a.org/x&" + entity[1:33] + "s"}},
		{"ampersand and semicolon", "https://a.org/x&;", []string{"https://a.org/x&"}},
		{"parameter that looks like an entity", "https://a.org/?a=1&b=2;", []string{"https://a.org/?a=1&b=2"}},
		{"semicolons", "https://a.org/x;;;", []string{"https://a.org/x"}},
		{"backslash", `https://a.org/x\n`, []string{"https://a.org/x"}},
		{"backslash at the end", `https://a.org/x\`, []string{"https://a.org/x"}},
		{"delete character", "https://a.org/x\x7fy", []string{"https://a.org/x"}},
		{"control character", "https://a.org/x\x01y", []string{"https://a.org/x"}},
		{"no-break space", "https://a.org/x\u00a0y", []string{"https://a.org/x"}},
		{"line separator", "https://a.org/x\u2028y", []string{"https://a.org/x"}},
		{"broken character", "https://a.org/x\xffy", []string{"https://a.org/x"}},
		{"iteration mark", "https://a.org/人々/〇", []string{"https://a.org/人々/〇"}},
		{"full-width letters", "https://a.org/ｘ１", []string{"https://a.org/ｘ１"}},
		{"full-width exclamation", "https://a.org/x！", []string{"https://a.org/x"}},
		{"emoji", "https://a.org/x😀", []string{"https://a.org/x😀"}},
		{"Chinese after a query", "https://a.org?q=x的数据", []string{"https://a.org?q=x"}},
		{"Chinese after a fragment", "https://a.org#x的数据", []string{"https://a.org#x"}},
		{"Chinese after a slash", "https://a.org/x/的数据", []string{"https://a.org/x/的数据"}},
		{"no host but a space", "https://\u00a0a.org", nil},
		{"no host but a quote", "https://“a.org”", nil},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, urls(Find(c.text))); diff != "" {
				t.Errorf("Find(%q) (-want +got):\n%s", c.text, diff)
			}
		})
	}
}

func TestWhereAddressesBegin(t *testing.T) {
	cases := []struct {
		name, text string
		want       []string
	}{
		{"IPv6 of full length", "http://[fe80:0000:0000:0000:0000:0000:0000:0001%25eth0]/x", []string{"http://[fe80:0000:0000:0000:0000:0000:0000:0001%25eth0]/x"}},
		{"IPv6 that is not closed", "http://[::1 and http://[" + strings.Repeat(":", 100) + "]", nil},
		{"www with one label", "www.x/y.z", nil},
		{"www and nothing", "www.", nil},
		{"www after Chinese", "见www.a.org", []string{"https://www.a.org"}},
		{"www in a word", "xwww.a.org äwww.a.org ٣www.a.org", nil},
		{"www before an address without host", "www.-a.org", nil},
		{"DOI with two spaces", "doi:  10.1000/abc", []string{"https://doi.org/10.1000/abc"}},
		{"DOI three spaces away is a bare one", "doi:   10.1000/abc", []string{"https://doi.org/10.1000/abc"}},
		{"DOI in a word", "redoi:x10.1000/abc", nil},
		{"dx.doi.org without a scheme", "dx.doi.org/10.1000/abc", []string{"https://doi.org/10.1000/abc"}},
		{"doi and the end", "doi:", nil},
		{"DOI that is only brackets", "10.1000/() 10.1000/...", []string{"https://doi.org/10.1000/()"}},
		{"DOI after a slash", "x/10.1000/abc", nil},
		{"DOI after an equals sign", "id=10.1000/abc", nil},
		{"arXiv in a word", "myarxiv:2301.01234", nil},
		{"arXiv and two spaces", "arXiv:  2301.01234", []string{"https://arxiv.org/abs/2301.01234"}},
		{"arXiv and four signs", "arXiv::::2301.01234", nil},
		{"arXiv and the end", "arXiv:", nil},
		{"arXiv with rest", "arXiv:2301.01234abc", nil},
		{"arXiv before points", "arXiv:2301.01234...", []string{"https://arxiv.org/abs/2301.01234"}},
		{"arxiv.org and nothing", "arxiv.org/ is a site", nil},
		{"a word on a", "a, and any 1", nil},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, urls(Find(c.text))); diff != "" {
				t.Errorf("Find(%q) (-want +got):\n%s", c.text, diff)
			}
		})
	}
}

func TestFindOffsetsOfNamedPapers(t *testing.T) {
	text := "see doi:  10.1000/abc. And arXiv: 2301.01234v2, arxiv.org/abs/2301.01234."
	for i, want := range []string{"doi:  10.1000/abc", "arXiv: 2301.01234v2", "arxiv.org/abs/2301.01234"} {
		f := Find(text)[i]
		if got := text[f.Start:f.End]; got != want {
			t.Errorf("found %q, want %q", got, want)
		}
	}
}

func TestFindInHostileTextEnds(t *testing.T) {
	cases := []struct {
		name, text string
		want       int
	}{
		{"semicolons", "https://" + strings.Repeat("a", 200_000) + strings.Repeat(";", 200_000), 1},
		{"hosts in brackets that are not closed", strings.Repeat("http://[ ", 40_000), 0},
		{"DOIs of nothing", strings.Repeat("10.1234/|", 20_000), 0},
		{"nested brackets", "http://a" + strings.Repeat("(", 100_000) + strings.Repeat(")", 100_000), 1},
		{"entities", "http://a" + strings.Repeat("&a;", 100_000), 1},
		{"autolinks that are not closed", strings.Repeat("<http://a", 40_000), 40_000},
	}
	for _, c := range cases {
		if got := len(Find(c.text)); got != c.want {
			t.Errorf("%s: %d addresses, want %d", c.name, got, c.want)
		}
	}
}

func TestNormalizeOddAddresses(t *testing.T) {
	cases := []struct{ in, want string }{
		{"http://example.org:443/", "http://example.org:443/"},
		{"https://example.org:80/", "https://example.org:80/"},
		{"https://example.org:8x/", "https://example.org:8x/"},
		{"http://example.org:./a", "http://example.org/a"},
		{"http://example.org%2e/a", "http://example.org/a"},
		{"http://fe80::1/", "http://fe80::1/"},
		{"http://fe80::80/", "http://fe80::80/"},
		{`https://example.org\a`, "https://example.org/%5Ca"},
		{"https://example.org/a%2", "https://example.org/a%252"},
		{"https://example.org/a%2g", "https://example.org/a%252g"},
		{"https://example.org/a%g2", "https://example.org/a%25g2"},
		{"https://example.org/%41%5a%61%30%2d", "https://example.org/AZa0-"},
		{"https://example.org/a%2fb%ab", "https://example.org/a%2Fb%AB"},
		{"https://a_b.example.org/", "https://a_b.example.org/"},
		{"https://a@b@example.org/", "https://a%40b@example.org/"},
		{"https://🦊.example/", "https://xn--9s9h.example/"},
		{"https://example.org/?pk_campaign=1&PIWIK_x=2&mtm_y=3&hsa_z=4&q=5", "https://example.org/?q=5"},
		{"https://example.org/?utm=1&pk=2", "https://example.org/?pk=2&utm=1"},
		{"www.", "www."},
		{"10.48550/arXiv.2301.01234", "https://arxiv.org/abs/2301.01234"},
		{"10.1234/50%", "https://doi.org/10.1234/50%25"},
	}
	for _, c := range cases {
		if got := Normalize(c.in); got != c.want {
			t.Errorf("Normalize(%q) = %q, want %q", c.in, got, c.want)
		}
	}
}

func TestDOIsInPercentEncoding(t *testing.T) {
	cases := []struct{ in, want string }{
		{"https://doi.org/10.1000%2Fa%28b%29", "10.1000/a(b)"},
		{"https://doi.org/10.1000/a%3cb%3e", "10.1000/a"},
		{"https://doi.org/10.1000/a%20b", "10.1000/a%20b"},
		{"https://doi.org/10.1000/a%7fb", "10.1000/a%7fb"},
		{"https://doi.org/10.1000/a%ffb", "10.1000/a%ffb"},
		{"https://doi.org/10.1000/a%c3%a9", "10.1000/aé"},
		{"https://doi.org/10.1000/a%2", "10.1000/a%2"},
		{"https://doi.org/10.1000/a%zzb", "10.1000/a%zzb"},
		{"https://doi.org/10.1000/a%2zb", "10.1000/a%2zb"},
		{`https://example.org/doi/10.1000/ab:%22cd`, "10.1000/ab"},
		{"10.1000/a/", "10.1000/a"},
		{"10.1000/a./", "10.1000/a"},
		{"10.1000/a/../b", "10.1000/b"},
		{"10.1000/..", ""},
		{"10.1000/a\x7fb", "10.1000/a"},
		{"10.1000/a\x01b", "10.1000/a"},
		{"doc:doi:10.1000/abc", ""},
		{"doi.doi:10.1000/abc", ""},
		{"doidoi:10.1000/abc", ""},
	}
	for _, c := range cases {
		if got, ok := DOI(c.in); got != c.want || ok != (c.want != "") {
			t.Errorf("DOI(%q) = %q, %v, want %q", c.in, got, ok, c.want)
		}
	}
}

func TestKeysOfWhatIsNoPage(t *testing.T) {
	cases := []struct{ url, key string }{
		{" doc:10.1000/abc ", "doc:10.1000/abc"},
		{"doc:a", "doc:a"},
		{"mailto:a@b.org", "mailto:a@b.org"},
		{"https://co.uk/x", "co.uk"},
		{"", ""},
	}
	for _, c := range cases {
		if got := Key(c.url); got != c.key {
			t.Errorf("Key(%q) = %q, want %q", c.url, got, c.key)
		}
	}
	if Domain("doc:a") != "" || Host("mailto:a@b.org") != "" {
		t.Errorf("a document has the domain %q, a mail address the host %q", Domain("doc:a"), Host("mailto:a@b.org"))
	}
}
