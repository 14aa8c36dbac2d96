package verify

import (
	"math"
	"strings"
	"testing"

	"github.com/plumbresearch/plumb"
)

// checkWith checks one claim against one source.
func checkWith(t *testing.T, c Checker, claim, source string) plumb.Verdict {
	t.Helper()
	c.Sources = stored{"doc:a": source}
	vs, err := c.Check(t.Context(), []plumb.Claim{{ID: "claim_001", Text: claim, Citations: []string{"doc:a"}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return vs[0]
}

func TestEmbeddedVerdicts(t *testing.T) {
	for _, c := range []struct {
		claim  string
		want   plumb.Status
		reason string
	}{
		{"Freight through the harbour rose by 12 % in 2023.", plumb.Supported, "in these words"},
		{"In 2023 the harbour's freight rose 12 percent.", plumb.Supported, "same numbers"},
		{"In 2023 the harbour's freight rose 12 percent [3].", plumb.Supported, "same numbers"},
		{"Freight through the harbour rose by 15 % in 2023.", plumb.Contradicted, "source says 12 %, claim says 15 %"},
		{"The harbour of Ostmark is 14 metres deep, handles grain and has 30 berths.", plumb.Partial, "30"},
		{`Jana Vogel, the harbour master, said "We have never seen such a quiet summer at the quay".`, plumb.Partial, "quotation is not in the source"},
		{"The harbour of Nordheim is 14 metres deep and handles grain and ore.", plumb.Partial, "Nordheim"},
		{"When new filters were installed, the ferries had increased emissions.", plumb.Partial, "opposite"},
		{"Several accidents were recorded in the western basin.", plumb.Partial, "negated"},
		{"Dredging of the Ostmark basin doubled the number of large ships calling every year.", plumb.NotFound, "no passage"},
		{"Penguins breed on the southern coast of Chile.", plumb.NotFound, "no passage"},
		{"Der Hafen wurde nach dem Krieg von der Stadt wieder aufgebaut und erweitert.", plumb.NotFound, "another language"},
	} {
		v := checkWith(t, Checker{Embedded: Embedded{}}, c.claim, harbour)
		if v.Status != c.want || !strings.Contains(v.Reason, c.reason) || v.Score < 0 || v.Score > 1 || v.Evidence != harbour[v.Start:v.End] {
			t.Errorf("%q: %+v", c.claim, v)
		}
	}
}

// TestEmbeddedMissesNoPlantedLie: the true claims and lies of TestPlantedLies.
func TestEmbeddedMissesNoPlantedLie(t *testing.T) {
	for claim, want := range map[string]bool{
		"The Kestrel Dam stands on the Vellin River in northern Arden and is a concrete arch dam.": true,
		"Construction of the dam began in 1931 and it was completed in 1936.":                      true,
		"The dam is 128 m high.": true,
		"Four of the six turbines were replaced between 2008 and 2012, at a cost of €85 million.":                    true,
		"The operator, Vellin Energy, employs 2,100 people at the site.":                                             false,
		"The Kestrel Dam stands on the Rhine River in northern Arden and is a concrete arch dam.":                    false,
		"A survey by the University of Halberg found that the number of trout in the river decreased by 40 percent.": false,
		"The number of trout in the river below the dam increased by 40 percent after 1936.":                         false,
		"The power station never produced 1.9 terawatt hours of electricity in 2019.":                                false,
		"The dam was designed to withstand a magnitude 8 earthquake.":                                                false,
		"The dam was blown up by saboteurs in the last winter of the war.":                                           false,
	} {
		if v := checkWith(t, Checker{Embedded: Embedded{}}, claim, dam); (v.Status == plumb.Supported) != want {
			t.Errorf("%q: %+v", claim, v)
		}
	}
}

// TestEmbeddedHelpsWithParaphrase: rules alone leave it partial.
func TestEmbeddedSeesMoreThanRules(t *testing.T) {
	const source = "The council approved the plan for a tram line to the airport on Monday after two years of debate. Building will start next spring."
	const claim = "A tram line to the airport was approved by the council, and building starts next spring."
	j, err := Embedded{}.Judge(t.Context(), claim, []string{source})
	if err != nil || j.Supported < decisive || j.Contradicted != 0 || math.Abs(j.Supported+j.Neither-1) > 1e-9 {
		t.Errorf("%+v, %v", j, err)
	}
	far, err := Embedded{}.Judge(t.Context(), claim, []string{"Penguins breed on the coast.", "Bread is baked at night."})
	if err != nil || far.Supported >= 0.2 {
		t.Errorf("%+v, %v", far, err)
	}
	none, err := Embedded{}.Judge(t.Context(), claim, nil)
	if err != nil || none.Supported != 0 || none.Neither != 1 {
		t.Errorf("%+v, %v", none, err)
	}
}

// TestJudgesInTurn: what rules show is not asked about again; all else the last judge decides.
func TestJudgesInTurn(t *testing.T) {
	no := fixed{answer: Judgement{Contradicted: 0.9, Neither: 0.1}}
	yes := fixed{answer: Judgement{Supported: 1}}
	sure, unsure := fixed{answer: Judgement{Supported: 0.99, Neither: 0.01}}, fixed{answer: Judgement{Supported: 0.6, Neither: 0.4}}
	const vague = "Ships with filters pollute less in Ostmark."
	for _, c := range []struct {
		claim           string
		embedded, judge Judge
		want            plumb.Status
	}{
		{"Freight through the harbour rose by 15 % in 2023.", yes, yes, plumb.Contradicted},
		{"The new crane cost 4 million euros.", no, no, plumb.Supported},
		{vague, sure, no, plumb.Contradicted},
		{vague, unsure, no, plumb.Contradicted},
		{vague, unsure, nil, plumb.Supported},
		{vague, no, nil, plumb.NotFound},
		{vague, fixed{err: ErrPaywall}, yes, plumb.Supported},
	} {
		if v := checkWith(t, Checker{Embedded: c.embedded, Judge: c.judge}, c.claim, harbour); v.Status != c.want {
			t.Errorf("%q: %+v", c.claim, v)
		}
	}
}

// TestLines: where the lines are decides what is supported; a doubt bars it, and the score is what the verdict's chance is.
func TestLines(t *testing.T) {
	for _, c := range []struct {
		rules   plumb.Status
		doubt   string
		support float64
		want    plumb.Status
		score   float64
		reason  string
	}{
		{plumb.Supported, "", 0.60, plumb.Supported, 0.60, "rules"},
		{plumb.Supported, "", 0.40, plumb.Partial, 0.60, "may not say this"},
		{plumb.Supported, "a number", 0.90, plumb.Partial, 0.10, "a number"},
		{plumb.Partial, "", 0.80, plumb.Supported, 0.80, "in other words"},
		{plumb.Partial, "", 0.65, plumb.Partial, 0.35, "rules"},
		{plumb.NotFound, "", 0.60, plumb.Partial, 0.40, "may say this"},
		{plumb.NotFound, "a name", 0.90, plumb.Partial, 0.10, "a name"},
		{plumb.NotFound, "", 0.30, plumb.NotFound, 0.70, "rules"},
	} {
		f := finding{status: c.rules, reason: "rules", doubt: c.doubt, passages: []string{"a passage"}, open: true}
		got := f.weighed(Judgement{Supported: c.support, Neither: 1 - c.support}, 0.5, 0.7)
		if got.status != c.want || math.Abs(got.score-c.score) > 1e-9 || !strings.Contains(got.reason, c.reason) || !got.open {
			t.Errorf("%+v: %+v", c, got)
		}
	}
}

func TestUnreadSourceIsNotJudged(t *testing.T) {
	vs, err := Checker{Sources: stored{}, Embedded: Embedded{}}.Check(t.Context(), []plumb.Claim{claim("The tower is 90 metres high.", "doc:gone")}, nil)
	if err != nil || vs[0].Status != plumb.Inaccessible {
		t.Errorf("%+v, %v", vs, err)
	}
}

func TestShippedWeights(t *testing.T) {
	w := standard()
	about := strings.Join(w.About, "\n")
	for _, s := range []string{"seed 1", "Trained on WiCE (ODC-BY", "cross-validated, WiCE", "set left out, FM2"} {
		if !strings.Contains(about, s) {
			t.Errorf("the file does not say %q:\n%s", s, about)
		}
	}
	if strings.Contains(about, "Trained on HealthVer") || len(shipped) > 300<<10 {
		t.Errorf("%d bytes\n%s", len(shipped), about)
	}
}

func TestWeightsOfAnotherProgramAreRefused(t *testing.T) {
	for name, spoil := range map[string]func(*Weights){
		"feature":  func(w *Weights) { w.Features[3] = "length of the author's name" },
		"fewer":    func(w *Weights) { w.Features = w.Features[1:] },
		"lexicon":  func(w *Weights) { w.Lexicon = w.Lexicon[:10] },
		"no trees": func(w *Weights) { w.Trees = nil },
		"node":     func(w *Weights) { w.Trees[0] = Tree{Feature: []int{2}, Value: []float64{0.5}} },
		"values":   func(w *Weights) { w.Trees[0].Value = w.Trees[0].Value[:1] },
		"linear":   func(w *Weights) { w.Linear = nil },
		"lines":    func(w *Weights) { w.Keep, w.Lift = 0.8, 0.2 },
		"no line":  func(w *Weights) { w.Lift = math.NaN() },
		"unknown":  func(w *Weights) { w.Trees[0].Feature[0] = len(features) },
	} {
		w, err := ReadWeights(shipped)
		if err != nil {
			t.Fatal(err)
		}
		if spoil(w); w.check() == nil {
			t.Errorf("%s: taken", name)
		}
	}
	for _, file := range []string{"{", `{"features":["length"]}`} {
		if _, err := ReadWeights([]byte(file)); err == nil {
			t.Errorf("%s: read", file)
		}
	}
}

func TestRarity(t *testing.T) {
	l := newLexicon(map[string]int{"water": 90, "harbour": 9, "kestrel": 1}, 100)
	if a, b, c, d := l.rarity("water"), l.rarity("harbour"), l.rarity("kestrel"), l.rarity("zyx"); a >= b || b >= c || c != d || d != 1 || a < 0.1 {
		t.Error(a, b, c, d)
	}
}

// TestFeatures looks at single features of a claim beside a page.
func TestFeatures(t *testing.T) {
	at := map[string]int{}
	for i, f := range Features() {
		if _, twice := at[f.Name]; twice {
			t.Errorf("two features %q", f.Name)
		}
		at[f.Name] = i
	}
	for _, c := range []struct {
		feature, lower, higher string // claims beside the harbour
	}{
		{"window", "The crane sank a yacht.", "The new crane cost millions."},
		{"page", "Penguins like the crane.", "Ferries near the crane."},
		{"pairs", "The basin master and the harbour filters.", "The harbour master Jana Vogel."},
		{"order", "Ore and grain handles deep metres.", "Metres deep handles grain and ore."},
		{"worst clause", "The harbour was opened in 1962, and penguins swim around ferries.", "The harbour was opened in 1962, and the city opened it."},
		{"numbers lost", "Freight rose by 12 % in 2023.", "Freight rose by 13 % in 2023."},
		{"same noun, other number", "The harbour is 14 metres deep.", "The harbour is 19 metres deep."},
		{"names lost in page", "The master is Jana Vogel.", "The master is Petra Kranz."},
		{"negations differ", "No accident was recorded in the western basin.", "An accident was recorded in the western basin."},
		{"opposite", "Emissions of the ferries decreased.", "Emissions of the ferries increased."},
		{"exchanged", "In the western basin an accident was recorded.", "In the eastern basin an accident was recorded."},
		{"extremes lost", "Freight through the harbour rose.", "Only freight through the harbour rose."},
		{"soft window", "The yachts of the harbour.", "The harboured freight."},
	} {
		i, known := at[c.feature]
		if !known {
			t.Errorf("no feature %q", c.feature)
			continue
		}
		low, high := Measure(c.lower, harbour, standard().Lexicon), Measure(c.higher, harbour, standard().Lexicon)
		if low == nil || high == nil || low[i] >= high[i] {
			t.Errorf("%s: %q and %q: %v, %v", c.feature, c.lower, c.higher, low, high)
		}
	}
}

func FuzzEmbedded(f *testing.F) {
	f.Add("Freight rose by 12 %.", harbour)
	f.Add("", "")
	f.Add("1 2 3 4-5 % €", "1,2.3 — [4]")
	f.Add(strings.Repeat("word"+strings.Repeat("x", 9)+" a b1 ", 90), strings.Repeat("b1 a. ", 90))
	f.Add("\xff\x00東京は首都です。", "東京 \xf0\x28 首都")
	f.Fuzz(func(t *testing.T, claim, source string) {
		j, err := Embedded{}.Judge(t.Context(), claim, []string{source})
		if err != nil || !(j.Supported >= 0 && j.Supported <= 1) || math.Abs(j.Supported+j.Neither-1) > 1e-9 {
			t.Errorf("%+v, %v", j, err)
		}
	})
}
