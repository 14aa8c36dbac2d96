package verify

import (
	"strings"
	"testing"
)

func TestTurned(t *testing.T) {
	for _, c := range []struct {
		claim, passage string
		want           string // in the reason; "" for none
	}{
		{"Prices rose in spring.", "Prices rose in spring.", ""},
		{"Prices increased in spring.", "In spring prices decreased.", `it has "decreased", the claim "increased"`},
		{"Prices increased in spring.", "In spring prices decreased, in autumn they increased.", ""},
		{"The drug reduces pain.", "The drug increases pain.", "opposite"},
		{"The drug promotes growth.", "The drug inhibits growth of cells.", "opposite"},
		{"The bridge was opened.", "The bridge was not opened that year.", "negated"},
		{"The bridge was not opened.", "The bridge was opened that year.", "negated"},
		{"The bridge was not opened.", "The bridge was never opened.", ""},
		{"The bridge was opened by the king.", "The bridge was opened by the king, who did not speak.", ""},
		{"The bridge has no toll.", "The bridge has no toll and no lights.", ""},
		{"Without a licence boats are banned.", "Boats are banned without a licence.", ""},
	} {
		got := turned(c.claim, c.passage)
		if (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%q / %q: %q, want %q", c.claim, c.passage, got, c.want)
		}
	}
}

func TestOppositesAreMutual(t *testing.T) {
	for a, list := range opposites {
		for _, b := range list {
			back := false
			for _, c := range opposites[b] {
				back = back || c == a
			}
			if !back || a == b {
				t.Errorf("%s and %s", a, b)
			}
		}
	}
}
