package gather

// Notes: findings compressed to bullets, the most telling first and every area represented.

import (
	"cmp"
	"slices"
	"strings"

	"github.com/plumbresearch/plumb"
)

// What a supervisor is shown of the findings.
const (
	notesBullets = 40
	notesWords   = 1200
)

// bullets are findings as one line each, "- [key] (area; confidence; date) fact", at most n and together at most so many
// words. The best of each area comes first, then the best of all. What was not read is no evidence and is left out.
func bullets(fs []plumb.Finding, n, most int) []string {
	var out []string
	count := 0
	for _, f := range telling(fs) {
		s := bullet(f)
		w := wordCount(s)
		if len(out) == n {
			break
		}
		if count+w > most {
			continue // a shorter one may still fit
		}
		out, count = append(out, s), count+w
	}
	return out
}

// telling orders citable findings, each statement once.
func telling(fs []plumb.Finding) []plumb.Finding {
	var all []plumb.Finding
	seen := map[string]bool{}
	for _, f := range fs {
		key := strings.ToLower(f.Content)
		if !f.Citable() || seen[key] {
			continue
		}
		seen[key] = true
		all = append(all, f)
	}
	slices.SortStableFunc(all, func(a, b plumb.Finding) int {
		return cmp.Or(cmp.Compare(worth(b), worth(a)), cmp.Compare(a.Unit, b.Unit), cmp.Compare(a.ID, b.ID))
	})
	var first, rest []plumb.Finding
	shown := map[string]bool{}
	for _, f := range all {
		if shown[f.Area] {
			rest = append(rest, f)
			continue
		}
		shown[f.Area] = true
		first = append(first, f)
	}
	return append(first, rest...)
}

// worth grades a finding: how far it answers, how sure it is, and whether it was found for this run.
func worth(f plumb.Finding) float64 {
	w := f.Relevance
	switch f.Confidence {
	case plumb.High:
		w += 0.2
	case plumb.Medium:
		w += 0.1
	}
	if f.Depth == plumb.PartialScrape {
		w -= 0.1
	}
	if f.Reused != "" {
		w -= 0.3
	}
	return w
}

func bullet(f plumb.Finding) string {
	about := []string{f.Area, string(f.Confidence)}
	if f.Date != "" {
		about = append(about, f.Date)
	}
	if f.Reused != "" {
		about = append(about, "from an earlier run")
	}
	return "- [" + line(f.Key, maxHeading) + "] (" + strings.Join(about, "; ") + ") " + line(f.Content, 2*maxThought)
}

// wordCount counts words; of scripts without spaces two characters are one.
func wordCount(s string) int {
	if spaced(s) {
		return len(strings.Fields(s))
	}
	return len([]rune(s)) / 2
}
