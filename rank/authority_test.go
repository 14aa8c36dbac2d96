package rank

import "testing"

func TestAuthority(t *testing.T) {
	for url, want := range map[string]float64{
		"doc:reports/2021.md":                       authorityOwn,
		"https://doi.org/10.1038/s41586-020-2649-2": authorityWork,
		"https://arxiv.org/abs/1706.03762v5":        authorityWork,
		"https://www.nasa.gov/mission":              authorityOfficial,
		"https://cs.stanford.edu/people/x":          authorityOfficial,
		"https://www.legislation.gov.uk/ukpga":      authorityOfficial,
		"https://www.ox.ac.uk/":                     authorityOfficial,
		"https://www.health.gov.au/topics":          authorityOfficial,
		"https://ec.europa.eu/eurostat":             authorityOfficial,
		"https://en.wikipedia.org/wiki/Bridge":      authorityEdited,
		"https://www.reuters.com/world/":            authorityEdited,
		"https://old.reddit.com/r/bridges":          authorityAnybody,
		"https://forum.example.com/t/1":             authorityAnybody,
		"https://example.com/blog":                  authorityUnknown,
		"https://notgov.example.com/":               authorityUnknown,
		"https://mygov/":                            authorityUnknown,
		"https://edu.example.org/":                  authorityUnknown,
		"":                                          authorityUnknown,
		"not an address":                            authorityUnknown,
		"https://fakenasa.gov.example.com/?x=.edu":  authorityUnknown,
	} {
		if got := Authority(url); got != want {
			t.Errorf("%s: got %v, want %v", url, got, want)
		}
	}
}

func TestAuthorityStaysInItsRange(t *testing.T) {
	grades := []float64{authorityAnybody, authorityUnknown, authorityEdited, authorityOfficial, authorityWork, authorityOwn}
	for i, g := range grades {
		if g < 0 || g > 1 || i > 0 && g < grades[i-1] {
			t.Errorf("grade %d is %v", i, g)
		}
	}
}
