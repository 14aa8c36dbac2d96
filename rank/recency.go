package rank

// How much the date of a source speaks for it.

import (
	"math"
	"time"
)

// halfLife is the age at which a source counts half.
const halfLife = 2 * 365.25 * 24 * time.Hour

// undated is what a source without a date counts: as one of two years.
const undated = 0.5

// Recency is 1 for a source of the day at, halves every 2 years before it, and
// is 0.5 when the date is missing or not understood. A date in the future counts
// 1. "2021" and "2021-05" are taken at their middle.
func Recency(date string, at time.Time) float64 {
	t, ok := middle(date)
	if !ok {
		return undated
	}
	age := at.Sub(t)
	if age <= 0 {
		return 1
	}
	return math.Exp2(-float64(age) / float64(halfLife))
}

// middle is the moment that an ISO 8601 date stands for: the day at noon UTC,
// the 16th of a month, the 2nd of July of a year.
func middle(date string) (time.Time, bool) {
	if len(date) > 10 {
		if t, err := time.Parse(time.RFC3339, date); err == nil {
			return t, true
		}
		date = date[:10]
	}
	for _, f := range []struct {
		layout string
		half   time.Duration
	}{
		{"2006-01-02", 12 * time.Hour},
		{"2006-01", 15 * 24 * time.Hour},
		{"2006", 182 * 24 * time.Hour},
	} {
		if t, err := time.Parse(f.layout, date); err == nil {
			return t.Add(f.half), true
		}
	}
	return time.Time{}, false
}
