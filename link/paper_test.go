package link

import "testing"

func TestDOI(t *testing.T) {
	cases := []struct{ in, want string }{
		{"10.1000/ABC", "10.1000/abc"},
		{"doi:10.1000/abc", "10.1000/abc"},
		{"DOI: 10.1000/abc.", "10.1000/abc"},
		{"doi 10.1000/abc", "10.1000/abc"},
		{"doi.org/10.1000/abc", "10.1000/abc"},
		{"https://doi.org/10.1000/abc?x=1", "10.1000/abc"},
		{"http://dx.doi.org/10.1000%2Fabc", "10.1000/abc"},
		{"https://www.doi.org/doi:10.1000/abc", "10.1000/abc"},
		{"10.1016/S0140-6736(20)30183-5", "10.1016/s0140-6736(20)30183-5"},
		{"10.1000.10/123", "10.1000.10/123"},
		{"https://journals.example.org/doi/pdf/10.1177/09544097231215519", "10.1177/09544097231215519"},
		{"https://link.example.com/article/10.1007/s40593-021-00281-z", "10.1007/s40593-021-00281-z"},
		{"https://www.example.org/articles/10.3389/fcell.2025.1577081/full", "10.3389/fcell.2025.1577081"},
		{"https://www.example.org/content/10.1101/2020.01.02.345678v2.full.pdf", "10.1101/2020.01.02.345678"},
		{"https://link.example.com/content/pdf/10.1007/abc.pdf", "10.1007/abc"},
		{"https://example.org/version-10.1/x", ""},
		{"10.12/abc", ""},
		{"10.1000/", ""},
		{"see 10.1000/abc", ""},
		{"doc:10.1000/abc", ""},
		{"", ""},
	}
	for _, c := range cases {
		got, ok := DOI(c.in)
		if got != c.want || ok != (c.want != "") {
			t.Errorf("DOI(%q) = %q, %v, want %q", c.in, got, ok, c.want)
		}
	}
}

func TestArXiv(t *testing.T) {
	cases := []struct{ in, want string }{
		{"arXiv:2301.01234", "2301.01234"},
		{"arXiv:2301.01234v12", "2301.01234"},
		{"ARXIV 0704.0001", "0704.0001"},
		{"2301.01234v2", "2301.01234"},
		{"https://arxiv.org/abs/2301.01234v2", "2301.01234"},
		{"http://www.arxiv.org/pdf/2301.01234.pdf", "2301.01234"},
		{"https://arxiv.org/html/2301.01234v1/", "2301.01234"},
		{"https://ar5iv.org/abs/2301.01234", "2301.01234"},
		{"arxiv.org/abs/2301.01234", "2301.01234"},
		{"https://arxiv.org/abs/hep-th/9901001v3", "hep-th/9901001"},
		{"arXiv:math.GT/0309136", "math.gt/0309136"},
		{"https://doi.org/10.48550/arXiv.2301.01234", "2301.01234"},
		{"doi:10.48550/arXiv.2301.01234", "2301.01234"},
		{"https://arxiv.org/list/cs.CL/recent", ""},
		{"https://example.org/abs/2301.01234", ""},
		{"2313.01234", ""},
		{"2301.012", ""},
		{"", ""},
	}
	for _, c := range cases {
		got, ok := ArXiv(c.in)
		if got != c.want || ok != (c.want != "") {
			t.Errorf("ArXiv(%q) = %q, %v, want %q", c.in, got, ok, c.want)
		}
	}
}
