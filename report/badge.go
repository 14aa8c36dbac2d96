package report

// Verdicts in the text: badges behind claims, and in a strict report the claims that are not supported taken out.

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/markdown"
)

// badges are the first seed's, by status.
var badges = map[plumb.Status]string{
	plumb.Supported:    "[VERIFIED]",
	plumb.Partial:      "[PARTIAL]",
	plumb.Contradicted: "[DISPUTED]",
	plumb.NotFound:     "[UNVERIFIED]",
	plumb.Inaccessible: "[SOURCE N/A]",
	plumb.Paywall:      "[PAYWALL]",
}

// Badge is how a verdict is shown in the text.
func Badge(v plumb.Verdict) string {
	b := badges[v.Status]
	if b == "" {
		b = badges[plumb.NotFound]
	}
	if v.Disputed && v.Status != plumb.Contradicted {
		b += " " + badges[plumb.Contradicted]
	}
	return b
}

// badgeEdits puts a badge behind each claim. A claim without a verdict has none.
func badgeEdits(draft string, claims []plumb.Claim, verdicts []plumb.Verdict) []edit {
	var out []edit
	for i, c := range claims {
		if i >= len(verdicts) {
			break
		}
		at := boundary(draft, c.End)
		with := " " + Badge(verdicts[i])
		if at < len(draft) && strings.IndexByte("([:", draft[at]) >= 0 { // else the badge would become a link
			with += " "
		}
		out = append(out, edit{at, at, with})
	}
	return out
}

// dropped says which claims a strict report leaves out.
func dropped(r Report) []plumb.Claim {
	var out []plumb.Claim
	if !r.Question.Strict || !r.Limits.Check {
		return nil
	}
	for i, c := range r.Claims {
		if i >= len(r.Verdicts) || r.Verdicts[i].Status != plumb.Supported {
			out = append(out, c)
		}
	}
	return out
}

// strictEdits takes claims out: their sentence, or the whole block when nothing else is in it, and the emphasised line
// that leads up to blocks which are all gone. Each section says at its end how many it lost.
func strictEdits(d markdown.Doc, gone []plumb.Claim) []edit {
	var out []edit
	lost := map[int]int{}
	for _, c := range gone {
		start, end := boundary(d.Source, c.Start), boundary(d.Source, c.End)
		for end < len(d.Source) && d.Source[end] == ' ' {
			end++
		}
		out = append(out, edit{start, max(end, start), ""})
		lost[sectionIndex(d, start)]++
	}
	empty := emptied(d, out)
	for i, b := range d.Blocks {
		if empty[i] {
			from, to := wholeLines(d.Source, b.Start, b.End)
			out = append(out, edit{from, to, ""})
		}
	}
	for i, s := range d.Sections {
		if n := lost[i]; n > 0 {
			out = append(out, edit{s.End, s.End, "\n\n" + note(fmt.Sprintf("Dropped here because no source was found to support it: %s.", count(n, "claim")))})
		}
	}
	return out
}

func sectionIndex(d markdown.Doc, at int) int {
	i, _ := slices.BinarySearchFunc(d.Sections, at, func(s markdown.Section, at int) int { return cmp.Compare(s.End, at+1) })
	return min(i, len(d.Sections)-1)
}

// emptied says which blocks have no words left once the edits are made.
func emptied(d markdown.Doc, cuts []edit) []bool {
	out := make([]bool, len(d.Blocks))
	cuts = sortEdits(d.Source, cuts)
	for i, b := range d.Blocks {
		touching := clipEdits(cuts, b.Start, b.End)
		if len(touching) == 0 || b.Kind == markdown.Heading {
			continue
		}
		rest := apply(d.Source, b.Start, b.End, touching)
		out[i] = strings.IndexFunc(foreignMarker.ReplaceAllString(rest, ""), func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) < 0
	}
	for i := 0; i < len(d.Blocks); i++ {
		if !isNote(d, i) {
			continue
		}
		j := i + 1
		for j < len(d.Blocks) && d.Blocks[j].Section == d.Blocks[i].Section && d.Blocks[j].Kind != markdown.Heading && !isNote(d, j) && out[j] {
			j++
		}
		whole := j == len(d.Blocks) || d.Blocks[j].Section != d.Blocks[i].Section || isNote(d, j)
		out[i] = whole && j > i+1
	}
	return out
}

// clipEdits cuts the sorted edits that touch a span to it. Claims do not overlap, so only the one before can reach in.
func clipEdits(es []edit, from, to int) []edit {
	i, _ := slices.BinarySearchFunc(es, from, func(e edit, at int) int { return cmp.Compare(e.start, at) })
	var out []edit
	for _, e := range es[max(i-1, 0):] {
		if e.start >= to {
			break
		}
		e.start, e.end = max(e.start, from), min(e.end, to)
		if e.start < e.end {
			out = append(out, e)
		}
	}
	return out
}

// isNote says whether a block is emphasised as a whole.
func isNote(d markdown.Doc, i int) bool {
	b := d.Blocks[i]
	t := d.Text(b)
	return b.Kind == markdown.Paragraph && len(t) > 2 && t[0] == '*' && t[1] != '*' && t[len(t)-1] == '*' && t[len(t)-2] != '*'
}

// wholeLines widens a span to its lines, with the line break behind.
func wholeLines(src string, start, end int) (int, int) {
	start = lineStart(src, start)
	if n := strings.IndexByte(src[end:], '\n'); n >= 0 {
		return start, end + n + 1
	}
	return start, len(src)
}

// count is a number with its noun.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
