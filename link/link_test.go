package link

import "testing"

func TestSame(t *testing.T) {
	cases := []struct {
		a, b string
		want bool
	}{
		{"http://example.org/a", "https://www.example.org/a/?utm_source=x#top", true},
		{"https://example.org", "http://www.example.org/", true},
		{"https://example.org/a", "https://example.org/b", false},
		{"https://example.org/a?id=1", "https://example.org/a?id=2", false},
		{"https://example.org/a?x=1&y=2", "https://example.org/a?y=2&x=1", true},
		{"https://de.example.org/a", "https://example.org/a", false},
		{"https://example.org/a%2Fb", "https://example.org/a/b", false},
		{"doi:10.1000/ABC", "https://dx.doi.org/10.1000/abc", true},
		{"https://journals.example.org/doi/full/10.1000/abc", "10.1000/ABC", true},
		{"https://arxiv.org/abs/2301.01234v1", "https://arxiv.org/pdf/2301.01234v3.pdf", true},
		{"arXiv:2301.01234", "https://doi.org/10.48550/arXiv.2301.01234", true},
		{"doc:a b.md", "doc:a b.md", true},
		{"doc:a.md", "doc:A.md", false},
		{"doc:a.md", "https://a.md/", false},
	}
	for _, c := range cases {
		if got := Same(c.a, c.b); got != c.want {
			t.Errorf("Same(%q, %q) = %v: %q, %q", c.a, c.b, got, Identity(c.a), Identity(c.b))
		}
		if Same(c.a, c.b) != Same(c.b, c.a) {
			t.Errorf("Same(%q, %q) depends on the order", c.a, c.b)
		}
	}
}

func TestKeyDomainHost(t *testing.T) {
	cases := []struct{ url, key, domain, host string }{
		{"https://news.bbc.co.uk/a", "bbc.co.uk", "bbc.co.uk", "news.bbc.co.uk"},
		{"http://www.Example.org:8080/", "example.org", "example.org", "www.example.org"},
		{"https://someone.github.io/x", "someone.github.io", "someone.github.io", "someone.github.io"},
		{"https://www.stats.gov.cn/a", "stats.gov.cn", "stats.gov.cn", "www.stats.gov.cn"},
		{"http://127.0.0.1:80/x", "127.0.0.1", "127.0.0.1", "127.0.0.1"},
		{"http://[::1]/x", "[::1]", "[::1]", "[::1]"},
		{"http://localhost/x", "localhost", "localhost", "localhost"},
		{"https://doi.org/10.1000/ABC", "doi:10.1000/abc", "doi.org", "doi.org"},
		{"https://arxiv.org/pdf/2301.01234v2", "arxiv:2301.01234", "arxiv.org", "arxiv.org"},
		{"https://journals.example.org/doi/abs/10.1000/abc?x=1", "doi:10.1000/abc", "example.org", "journals.example.org"},
		{"doc:reports/a b.md", "doc:reports/a b.md", "", ""},
		{"nothing", "nothing", "", ""},
	}
	for _, c := range cases {
		if got := Key(c.url); got != c.key {
			t.Errorf("Key(%q) = %q, want %q", c.url, got, c.key)
		}
		if got := Domain(c.url); got != c.domain {
			t.Errorf("Domain(%q) = %q, want %q", c.url, got, c.domain)
		}
		if got := Host(c.url); got != c.host {
			t.Errorf("Host(%q) = %q, want %q", c.url, got, c.host)
		}
	}
}
