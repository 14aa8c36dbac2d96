package report

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plumbresearch/plumb"
)

// stating makes a statement as a finding of a document of its own would.
func stating(t *testing.T, document string, relevance float64, content string) *statement {
	t.Helper()
	s := newStatement(plumb.Finding{Content: content, Source: document, Relevance: relevance, Confidence: plumb.High}, plumb.Citation{Number: 1, Key: document}, "en")
	if s == nil {
		t.Fatalf("no statement: %s", content)
	}
	s.worth = s.quality
	return s
}

func TestCountsAndCausesThatDiffer(t *testing.T) {
	for _, c := range []struct {
		name, a, b string
		want       [2]string
		kind       string
	}{
		{"counts of the same", "Forty-three operations were postponed.", "The clinic had to postpone 60 operations after its computers broke down.", [2]string{"Forty-three", "60"}, "number"},
		{"counts of something else", "Forty-three nurses were sent home.", "The clinic had to postpone 60 operations after its computers broke down.", [2]string{}, ""},
		{"one of them says more besides", "Forty-three operations were postponed in the eye ward.", "The clinic had to postpone 60 operations yesterday.", [2]string{}, ""},
		{"about as many", "About 60 operations were postponed.", "The clinic had to postpone 62 operations yesterday.", [2]string{}, ""},
		{"a denial counts nothing", "No more than 43 operations were not postponed.", "The clinic had to postpone 60 operations, more or less.", [2]string{}, ""},
		{"causes", "The lift stood still for an hour. The stop was caused by a worn cable.", "The stop was caused by a power cut in the valley.", [2]string{"a worn cable", "a power cut in the valley"}, "cause"},
		{"causes in other words", "The stop was caused by a worn cable.", "The stop was caused by a cable that had worn thin.", [2]string{}, ""},
		{"causes of other things", "The stop was caused by a worn cable.", "The fire was caused by a power cut.", [2]string{}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			x, y, kind := clashOf(stating(t, "a", 1, c.a), stating(t, "b", 1, c.b))
			if d := cmp.Diff(c.want, [2]string{x, y}); d != "" || kind != c.kind {
				t.Errorf("kind %q, want %q; %s", kind, c.kind, d)
			}
		})
	}
	other := stating(t, "b", 1, "The stop was caused by a power cut.")
	other.area = 1
	if _, _, kind := clashOf(stating(t, "a", 1, "The stop was caused by a worn cable."), other); kind != "" {
		t.Error("statements on different parts of the question do not disagree on a cause")
	}
}

func TestTheSummaryHasTheOtherFigure(t *testing.T) {
	first := stating(t, "grid", 0.9, "About 118,000 customers lost power.")
	again := stating(t, "paper", 0.88, "Some 118,000 customers lost power, according to Northern Grid.")
	other := stating(t, "board", 0.45, "The outage affected 131,000 customers and lasted 3 hours.")
	weak := stating(t, "shop", 0.5, "Shopkeepers put their losses at USD 1.2 million.")
	l := layout{known: [][]*statement{{first, again, weak, other}}}
	l.summarise(map[*statement]bool{})
	if d := cmp.Diff([]string{first.text, other.text}, textsOf(l.summary)); d != "" {
		t.Error(d)
	}
}

func TestTheSummaryOfAComparisonNamesEachSide(t *testing.T) {
	a := stating(t, "x", 0.9, "Solaris offers a low floor.")
	b := stating(t, "y", 0.85, "Solaris was chosen by the town of Linn for its depot.")
	c := stating(t, "z", 0.5, "Variotram needs few spare parts.")
	l := layout{known: [][]*statement{{a, b, c}}, names: foldedNames(plumb.Entity{Queries: []string{"Variotram", "Solaris"}})}
	l.summarise(map[*statement]bool{})
	if got := strings.Join(textsOf(l.summary), " "); !strings.HasPrefix(got, a.text+" "+c.text) {
		t.Errorf("summary: %s", got)
	}
}

func TestStatementsBeginLikeSentences(t *testing.T) {
	for content, want := range map[string]string{
		"the regulator has fined the firm": "The regulator has fined the firm.",
		"a crack was found.":               "A crack was found.",
		"eBay was founded in 1995.":        "eBay was founded in 1995.",
		"élan was lost.":                   "Élan was lost.",
		"3 metres are enough.":             "3 metres are enough.",
		"pH values below 7 are acid":       "pH values below 7 are acid.",
	} {
		if got := stated(content); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestATitleThatHasItsDateIsNotDatedTwice(t *testing.T) {
	for _, c := range []struct {
		title, date string
		want        bool
	}{
		{"Nursing survey, October 2024", "2024-10", true}, {"Inspection, September 2025", "2025-09-12", true}, {"Minutes of 4 May 2023", "2023-05-04T10:00:00Z", true},
		{"Survey 2024", "2024-10", false}, {"Minutes of 4 May 2023", "2024-01-01", false}, {"Annual report", "2024", false},
	} {
		if got := dates(c.title, c.date); got != c.want {
			t.Errorf("%s, %s: %v", c.title, c.date, got)
		}
	}
}

func TestHedgedClaimsAreNamedForReview(t *testing.T) {
	claims := []plumb.Claim{{ID: "claim_sure", Text: "It rained.", Confidence: plumb.Low}, {ID: "claim_hedged", Text: "It may have rained.", Confidence: plumb.Uncertain}}
	verdicts := verdictsOf(claims, nil)
	verdicts[0].Score = 1
	got := strings.Join(newCompiler(Report{Limits: plumb.Limits{Check: true}, Claims: claims, Verdicts: verdicts}).notes(), "\n")
	if !strings.Contains(got, "to hold them to: claim_hedged.") {
		t.Error(got)
	}
}

func TestFiguresThatWereToldAreNotNews(t *testing.T) {
	chosen := []*statement{stating(t, "a", 1, "The repair cost EUR 48.2 million."), stating(t, "b", 1, "The council had approved EUR 43.6 million in June 2023.")}
	again := stating(t, "c", 0.9, "Renovation amounted to 48.2 million euros against the 43.6 million euros of the councillors.")
	fresh := stating(t, "d", 0.8, "The national fund paid EUR 26 million.")
	wordy := stating(t, "e", 0.1, "Nobody complained about noise.")
	if !told(again, chosen) || told(fresh, chosen) || told(wordy, chosen) {
		t.Error("told wrongly")
	}
	all := func(*statement) bool { return true }
	if got := mostNew([]*statement{again, fresh, wordy}, chosen, all); got != fresh {
		t.Errorf("most new is %q", got.text)
	}
}
