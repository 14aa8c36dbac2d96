package verify

import (
	"strings"
	"testing"

	"github.com/plumbresearch/plumb"
)

const council = `Minutes of the council of Halvern, 6 October 2020.
Councillor Maud Pellerin objected that water was dripping through the joint at Pier 4. City Engineer Tomas Ereby answered that a repair of the joint would cost too much.
Mr Ereby recommended the firm Thessaly & Orme. The National Bridge Fund (NBF) had turned the application down because the design was not complete.
The Aldra Dam was finished late because of a flood. The dam lies above the town of Brackwell. The NBF paid for the ferry between Saltmarket and Northbank.
Pier 5 was inspected in the same month.`

// TestExchangedNames: a claim that says of one name what the source says of another is not supported, and the reason
// names both.
func TestExchangedNames(t *testing.T) {
	for claim, reason := range map[string]string{
		"Councillor Tomas Ereby objected that water was dripping through the joint at Pier 4.":            "has Councillor Maud Pellerin where the claim has Councillor Tomas Ereby",
		"Councillor Maud Pellerin objected that water was dripping through the joint at Pier 5.":          "has Pier 4 where the claim has Pier 5",
		"Mr Ereby recommended the firm Northbank.":                                                        "has Thessaly",
		"The Brackwell Dam was finished late because of a flood.":                                         "where the claim has Brackwell Dam",
		"The town of Northbank lies below the dam, and the Aldra Dam was finished late because of flood.": "",
		"The Saltmarket turned the application down because the design was not complete.":                 "has National Bridge Fund where the claim has Saltmarket",
	} {
		v := check(t, claim, council)
		if reason != "" && (v.Status != plumb.Partial || !strings.Contains(v.Reason, reason)) {
			t.Errorf("%q: %s, %s", claim, v.Status, v.Reason)
		}
		if v.Status == plumb.Contradicted {
			t.Errorf("%q: %s, %s", claim, v.Status, v.Reason)
		}
	}
}

// TestOtherNamesForTheSame are no exchange.
func TestOtherNamesForTheSame(t *testing.T) {
	for _, claim := range []string{
		"Tomas Ereby answered that a repair of the joint would cost too much.",
		"Maud Pellerin objected that water was dripping through the joint at Pier 4.",
		"City Engineer Ereby recommended the firm Thessaly & Orme.",
		"The NBF had turned the application down because the design was not complete.",
		"The National Bridge Fund paid for the ferry between Saltmarket and Northbank.",
		"The ferry between Northbank and Saltmarket was paid for by the NBF.",
		"The Aldra Dam lies above the town of Brackwell.",
		"According to the minutes, Mr Ereby recommended the firm Thessaly & Orme.",
	} {
		if v := check(t, claim, council); v.Status != plumb.Supported {
			t.Errorf("%q: %s, %s", claim, v.Status, v.Reason)
		}
	}
}

func TestNamesAreNotSoughtInGerman(t *testing.T) {
	const source = "Der Rat der Stadt hat den Antrag der Werft abgelehnt, weil die Pläne nicht vollständig waren. Die Brücke wurde im Herbst geschlossen und die Fähre fährt wieder."
	if v := check(t, "Der Rat der Stadt hat den Antrag der Fähre abgelehnt, weil die Pläne nicht vollständig waren.", source); strings.Contains(v.Reason, "where the claim has") {
		t.Error(v.Reason)
	}
}

func FuzzExchangedNames(f *testing.F) {
	f.Add("Mr Ereby recommended the firm Thessaly & Orme.", council)
	f.Add("A B C D", "A. B. C. D.")
	f.Add("Pier 4 of the", "Pier 5 of the The Of 7")
	f.Add("\xff\xfeÉ東京", "É É\n\nÉ of")
	f.Fuzz(func(t *testing.T, claim, source string) {
		p := newPage(plumb.Source{}, source)
		s := statement{text: claim}
		p.misnamed(s, p.windows(s, p.query(claim)))
	})
}
