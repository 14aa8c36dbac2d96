package verify

import (
	"slices"
	"testing"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/text"
)

func TestIrregularFormsAreOneWord(t *testing.T) {
	for _, forms := range [][2]string{{"wrote", "write"}, {"written", "writes"}, {"won", "win"}, {"children", "child"}, {"mice", "mouse"}, {"tumour", "tumor"}, {"hypotheses", "hypothesis"}} {
		if a, b := canon(text.Stem(forms[0], "en")), canon(text.Stem(forms[1], "en")); a != b {
			t.Errorf("%v: %s, %s", forms, a, b)
		}
	}
	for _, forms := range [][2]string{{"founded", "find"}, {"left", "leave"}, {"saw", "sew"}, {"better", "best"}} {
		if canon(text.Stem(forms[0], "en")) == canon(text.Stem(forms[1], "en")) {
			t.Errorf("%v are one word", forms)
		}
	}
	for form, of := range canonical {
		if next, again := canonical[of]; again && next != of {
			t.Errorf("%s stands for %s, which stands for %s", form, of, next)
		}
	}
}

func TestSynonyms(t *testing.T) {
	stem := func(w string) string { return canon(text.Stem(w, "en")) }
	for _, pair := range [][2]string{{"film", "movies"}, {"bought", "acquired"}, {"died", "death"}, {"carcinoma", "cancers"}} {
		if !slices.Contains(kin[stem(pair[0])], stem(pair[1])) || !slices.Contains(kin[stem(pair[1])], stem(pair[0])) {
			t.Errorf("%v", pair)
		}
	}
	for s, others := range kin {
		if slices.Contains(others, s) {
			t.Errorf("%s is its own synonym", s)
		}
	}
}

// TestIrregularFormsSupport: rules alone find a claim that only changes the forms of words.
func TestIrregularFormsSupport(t *testing.T) {
	const source = "The writer bought an old mill near the coast and wrote three novels there. His children sold the mill later."
	if v := check(t, "The writer buys an old mill near the coast, where three novels were written.", source); v.Status != plumb.Supported {
		t.Errorf("%s, %s", v.Status, v.Reason)
	}
}
