package report

import (
	"encoding/json"
	"strings"
	"testing"
)

// What is harmless on the page of a report is harmless in its parts: they are the same bytes.
func TestPartsOfAReportAreThoseOfItsPage(t *testing.T) {
	for _, attack := range attacks {
		r := hostile(t, attack)
		page, err := HTML(r)
		if err != nil {
			t.Fatal(err)
		}
		b, err := NewBody(r)
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range append([]string{b.HTML, b.Method, b.Evidence}, b.Unplaced...) {
			if part == "" || !strings.Contains(string(page), part) {
				t.Errorf("%q: the page has no %.60q", attack, part)
			}
		}
		if !json.Valid([]byte(b.Evidence)) || b.Headline == "" || b.Notices == nil || b.Unplaced == nil {
			t.Errorf("%q: %+v", attack, b)
		}
	}
}

func TestPartsOfAReportThatIsNotCheckedAreRefused(t *testing.T) {
	r := hostile(t, "x")
	r.Verdicts = r.Verdicts[:1]
	if _, err := NewBody(r); err == nil || !strings.Contains(err.Error(), "verdicts") {
		t.Error(err)
	}
}
