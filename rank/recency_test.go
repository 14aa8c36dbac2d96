package rank

import (
	"math"
	"testing"
	"time"
)

func TestRecency(t *testing.T) {
	at := time.Date(2025, 7, 2, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		date string
		want float64
	}{
		{"2025-07-02", 1},
		{"2023-07-02", 0.5},
		{"2021-07-02", 0.25},
		{"2026-01-01", 1},
		{"2023", 0.5},
		{"2023-07", 0.505},
		{"2023-07-02T12:00:00Z", 0.5},
		{"2023-07-02 and more", 0.5},
		{"", 0.5},
		{"last year", 0.5},
		{"2025-13-40", 0.5},
		{"1815-06-18", 0},
	} {
		if got := Recency(c.date, at); math.Abs(got-c.want) > 0.002 {
			t.Errorf("%q: got %.4f, want %.4f", c.date, got, c.want)
		}
	}
}

func TestRecencyOfPartialDatesLiesBetweenTheirEnds(t *testing.T) {
	at := time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)
	for partial, ends := range map[string][2]string{
		"2021":    {"2021-01-01", "2021-12-31"},
		"2021-05": {"2021-05-01", "2021-05-31"},
	} {
		lo, got, hi := Recency(ends[0], at), Recency(partial, at), Recency(ends[1], at)
		if !(lo < got && got < hi) {
			t.Errorf("%s: %v is not between %v and %v", partial, got, lo, hi)
		}
	}
}
