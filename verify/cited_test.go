package verify

import (
	"slices"
	"strings"
	"testing"
)

func TestCitedKeepsTheNumbersOfADraft(t *testing.T) {
	cases := []struct {
		name, draft string
		want        []string // number, address
	}{
		{"its own list", "It rained for three whole days [2].\n\n## Sources\n\n1. A: https://a.example/\n2. B: https://b.example/x\n", []string{"1 https://a.example/", "2 https://b.example/x"}},
		{"links get numbers that are free", "It rained [here](https://l.example/1) for days [2], and once [more](https://l.example/2) it did.\n\n## Sources\n\n[2] B: https://b.example/x\n",
			[]string{"1 https://l.example/1", "2 https://b.example/x", "3 https://l.example/2"}},
		{"a number that names nothing stays unused", "It rained for days and days [1]. It [snowed](https://l.example/1) for days.\n", []string{"2 https://l.example/1"}},
		{"one address, one number", "It [rained](https://l.example/1) for days. It [snowed](https://l.example/1#more) for days.\n", []string{"1 https://l.example/1"}},
		{"nothing", "It rained for three whole days.\n", nil},
	}
	for _, c := range cases {
		var got []string
		for _, x := range Cited(c.draft) {
			got = append(got, string(rune('0'+x.Number))+" "+x.URL)
			if x.Source != "" {
				t.Errorf("%s: %s was read by nobody", c.name, x.URL)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %s, want %s", c.name, strings.Join(got, "; "), strings.Join(c.want, "; "))
		}
	}
}
