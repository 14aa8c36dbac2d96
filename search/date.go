package search

// Dates as providers write them, and as far back as a search goes.

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// dateForms are the layouts in use, with the ISO form that keeps what they know.
var dateForms = []struct{ layout, iso string }{
	{"2006-01-02", time.DateOnly}, {"2006/01/02", time.DateOnly}, {"2006/1/2", time.DateOnly}, {"20060102", time.DateOnly},
	{"Jan 2, 2006", time.DateOnly}, {"January 2, 2006", time.DateOnly}, {"2 Jan 2006", time.DateOnly}, {"2 January 2006", time.DateOnly},
	{"2006 Jan 2", time.DateOnly}, {"Mon, 02 Jan 2006", time.DateOnly}, {"Mon, 2 Jan 2006", time.DateOnly},
	{"2006-01", "2006-01"}, {"2006/01", "2006-01"}, {"2006 Jan", "2006-01"}, {"Jan 2006", "2006-01"}, {"January 2006", "2006-01"},
	{"2006", "2006"},
}

var (
	ago        = regexp.MustCompile(`^(\d{1,4}|an?) (second|minute|hour|day|week|month|year)s? ago$`)
	dateSuffix = regexp.MustCompile(`[T ]\d{1,2}:\d{2}.*$`)                    // a time of day
	yearSpan   = regexp.MustCompile(`^(\d{4}(?: [A-Z][a-z]{2})?)(?:[ -].*)?$`) // "2020 Mar-Apr", "2023 Winter"
)

// isoDate is a date in ISO 8601, as exact as it is known; empty when it is not understood.
func isoDate(s string, now time.Time) string {
	s = strings.TrimSpace(s)
	if len(s) > 64 {
		return ""
	}
	if m := ago.FindStringSubmatch(strings.ToLower(s)); m != nil {
		return agoDate(m[1], m[2], now)
	}
	s = dateSuffix.ReplaceAllString(s, "")
	if d := formed(s); d != "" {
		return d
	}
	if m := yearSpan.FindStringSubmatch(s); m != nil {
		if d := formed(m[1]); d != "" {
			return d
		}
		return formed(m[1][:4])
	}
	return ""
}

func formed(s string) string {
	for _, f := range dateForms {
		if t, err := time.Parse(f.layout, s); err == nil && t.Year() >= 1000 {
			return t.Format(f.iso)
		}
	}
	return ""
}

// agoDate keeps a month or a year where only so many of them are known.
func agoDate(count, unit string, now time.Time) string {
	n, err := strconv.Atoi(count)
	if err != nil {
		n = 1 // "a day ago"
	}
	now = now.UTC()
	switch unit {
	case "day":
		now = now.AddDate(0, 0, -n)
	case "week":
		now = now.AddDate(0, 0, -7*n)
	case "hour":
		now = now.Add(-time.Duration(n) * time.Hour)
	case "month":
		first := time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, time.UTC) // the 31st has no counterpart in some months
		return first.AddDate(0, -n, 0).Format("2006-01")
	case "year":
		return now.AddDate(-n, 0, 0).Format("2006")
	}
	return now.Format(time.DateOnly)
}

// partsDate is a date given as year, month and day, of which some may be missing.
func partsDate(parts []int) string {
	if len(parts) == 0 || parts[0] < 1000 || parts[0] > 9999 {
		return ""
	}
	iso := strconv.Itoa(parts[0])
	if len(parts) > 1 && parts[1] >= 1 && parts[1] <= 12 {
		iso += fmt.Sprintf("-%02d", parts[1])
		if len(parts) > 2 && formed(fmt.Sprintf("%s-%02d", iso, parts[2])) != "" {
			iso += fmt.Sprintf("-%02d", parts[2])
		}
	}
	return iso
}

var isoForm = regexp.MustCompile(`^\d{4}(-\d{2}(-\d{2})?)?$`)

// sinceDate checks how far back a search goes: empty, or a date that exists.
func sinceDate(s string) (string, error) {
	s = strings.TrimSpace(s)
	if s == "" {
		return "", nil
	}
	if len(s) > len(time.DateOnly) {
		s = dateSuffix.ReplaceAllString(s, "")
	}
	if !isoForm.MatchString(s) || formed(s) == "" {
		return "", fmt.Errorf("since %s is not a date: write it as 2024, 2024-05 or 2024-05-31", quoted(s))
	}
	return s, nil
}

// firstDay is the first day that a checked date stands for.
func firstDay(since string) time.Time {
	t, err := time.Parse(time.DateOnly, since+"-01-01"[:len(time.DateOnly)-len(since)])
	if err != nil {
		return time.Time{}
	}
	return t
}

// older reports whether a date is surely before since: "2024" is not before "2024-05".
func older(date, since string) bool {
	n := min(len(date), len(since))
	return n > 0 && date[:n] < since[:n]
}
