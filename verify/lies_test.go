package verify

import (
	"strings"
	"testing"

	"github.com/plumbresearch/plumb"
)

// dam is a page as a reader stores it, with what pages have around their text.
const dam = `Home News Contact
The Kestrel Dam
Published on 3 March 2021

The Kestrel Dam is a concrete arch dam on the Vellin River in northern Arden. Construction began in 1931 and was completed in
1936 under the engineer Marta Holm. The dam is 128 metres high and its reservoir holds 640 million cubic metres of water.

The power station produced 1.9 terawatt hours of electricity in 2019, about 7 percent of the country's demand. Four of its six
turbines were replaced between 2008 and 2012 at a cost of 85 million euros. The operator, Vellin Energy, employs 210 people at the site.

In 1987 a landslide damaged the spillway, and eleven workers were injured. Nobody died. Since then the water level is lowered every
autumn. A survey by the University of Lorn found that the number of trout in the river below the dam decreased by 40 percent after 1936.

References
Holm, M. (1938). The dam was blown up by saboteurs in the last winter of the war.
`

// TestPlantedLies takes true paraphrases and plants a lie into each. True claims
// are supported or at worst partial; no lie is ever supported, and one about a
// number is mostly shown to be one.
func TestPlantedLies(t *testing.T) {
	trueClaims := []string{
		"The Kestrel Dam stands on the Vellin River in northern Arden and is a concrete arch dam.",
		"Construction of the dam began in 1931 and it was completed in 1936.",
		"The dam is 128 m high.",
		"The reservoir of the dam holds 640 million cubic metres of water.",
		"In 2019 the power station produced 1.9 terawatt hours of electricity.",
		"Four of the six turbines were replaced between 2008 and 2012, at a cost of €85 million.",
		"A landslide damaged the spillway in 1987 and injured eleven workers.",
		"The operator employs 210 people at the site.",
	}
	for _, c := range trueClaims {
		if v := check(t, c, dam); v.Status != plumb.Supported {
			t.Errorf("true: %q: %s, %s", c, v.Status, v.Reason)
		}
	}
	shown := 0
	numbers := []string{
		"Construction of the dam began in 1921 and it was completed in 1936.",
		"The dam is 182 metres high and its reservoir holds 640 million cubic metres of water.",
		"The reservoir of the dam holds 460 million cubic metres of water.",
		"In 2019 the power station produced 9.1 terawatt hours of electricity.",
		"Four of the six turbines were replaced between 2008 and 2012, at a cost of 58 million euros.",
		"A landslide damaged the spillway in 1987 and injured seventeen workers.",
		"The operator, Vellin Energy, employs 2,100 people at the site.",
		"The number of trout in the river below the dam decreased by 14 percent after 1936.",
	}
	for _, c := range numbers {
		v := check(t, c, dam)
		if v.Status == plumb.Supported {
			t.Errorf("number changed: %q: %s", c, v.Reason)
		}
		if v.Status == plumb.Contradicted {
			shown++
		}
	}
	t.Logf("numbers: %d of %d lies shown as contradictions", shown, len(numbers))
	if shown*2 < len(numbers) {
		t.Errorf("%d of %d", shown, len(numbers))
	}
	for kind, claims := range map[string][]string{
		"name swapped": {
			"The Kestrel Dam stands on the Rhine River in northern Arden and is a concrete arch dam.",
			"Construction was completed in 1936 under the engineer Paul Brandt.",
			"A survey by the University of Halberg found that the number of trout in the river decreased by 40 percent.",
		},
		"turned around": {
			"The number of trout in the river below the dam increased by 40 percent after 1936.",
			"The landslide of 1987 did not damage the spillway.",
			"The power station never produced 1.9 terawatt hours of electricity in 2019.",
		},
		"invented": {
			"The dam was designed to withstand a magnitude 8 earthquake.",
			"Tourists pay an entrance fee that finances the local museum.",
			"The dam was blown up by saboteurs in the last winter of the war.",
		},
		"invented quotation": {
			`Holm called it "the proudest day that the whole valley has ever seen" when the dam was completed in 1936.`,
		},
	} {
		for _, c := range claims {
			if v := check(t, c, dam); v.Status == plumb.Supported {
				t.Errorf("%s: %q: %s", kind, c, v.Reason)
			}
		}
	}
}

func TestWrongSourceSupportsNothing(t *testing.T) {
	bakery := strings.Repeat("The bakery on the market square sells rye bread from six in the morning. ", 20)
	for _, c := range []string{
		"Construction of the dam began in 1931 and it was completed in 1936.", "The dam is 128 m high.", "Nobody died in the landslide.",
	} {
		if v := check(t, c, bakery); v.Status != plumb.NotFound || v.Evidence != "" {
			t.Errorf("%q: %+v", c, v)
		}
	}
}
