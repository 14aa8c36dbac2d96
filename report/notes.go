package report

// What the check found: the counts, every claim by its verdict, and what each source bears.

import (
	"fmt"
	"slices"
	"strings"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/link"
)

// tally counts the claims of a report. High, review and unverified add up to all claims.
type tally struct {
	of                       map[plumb.Status]int
	claims, disputed         int
	high, review, unverified int
	unsure                   int // of review: supported, but low or uncertain
}

func tallyOf(r Report) tally {
	t := tally{of: map[plumb.Status]int{}, claims: len(r.Claims)}
	for i, v := range r.Verdicts {
		t.of[known(v.Status)]++
		if v.Disputed {
			t.disputed++
		}
		switch known(v.Status) {
		case plumb.Partial, plumb.Contradicted:
			t.review++
		case plumb.Supported:
			switch {
			case v.Disputed:
				t.review++
			case unsure(r.Claims[i], v):
				t.review++
				t.unsure++
			default:
				t.high++
			}
		default:
			t.unverified++
		}
	}
	return t
}

// known reads a status that is none of the six as not found.
func known(s plumb.Status) plumb.Status {
	if slices.Contains(plumb.Statuses, s) {
		return s
	}
	return plumb.NotFound
}

func (t tally) assessment() string {
	disputed := t.review - t.of[plumb.Partial] - t.of[plumb.Contradicted] - t.unsure
	review := counted([]portion{{t.of[plumb.Partial], "partly supported"}, {t.of[plumb.Contradicted], "contradicted"}, {disputed, "disputed"},
		{t.unsure, "supported, but hedged, or in other words and without a figure, date or attribution to hold it to"}})
	unverified := counted([]portion{{t.of[plumb.NotFound], "not found in the cited source"}, {t.of[plumb.Inaccessible], "with an inaccessible source"},
		{t.of[plumb.Paywall], "behind a paywall"}})
	return fmt.Sprintf(`**Confidence Assessment:**

- High confidence claims: %d (supported by a cited source and undisputed)
- Claims requiring review: %d%s
- Unverified claims: %d%s`, t.high, t.review, review, t.unverified, unverified)
}

// portion is how many claims are of a sort.
type portion struct {
	n  int
	of string
}

// counted lists the sorts that there are any of, in brackets.
func counted(of []portion) string {
	var out []string
	for _, c := range of {
		if c.n > 0 {
			out = append(out, fmt.Sprintf("%d %s", c.n, c.of))
		}
	}
	if len(out) == 0 {
		return ""
	}
	return " (" + strings.Join(out, ", ") + ")"
}

// noteSections are the lists of the verification notes, what needs attention first.
var noteSections = []struct {
	title  string
	status plumb.Status
}{
	{"Contradicted Claims", plumb.Contradicted},
	{"Claims Requiring Review", plumb.Partial},
	{"Claims Not Found in Their Sources", plumb.NotFound},
	{"Inaccessible Sources", plumb.Inaccessible},
	{"Paywalled Sources", plumb.Paywall},
	{"Supported Claims", plumb.Supported},
}

// notes lists every claim under its verdict; disputed ones first, under a heading of their own.
func (c *compiler) notes() []string {
	if !c.r.checked() {
		return []string{note("Nothing was checked: checking was turned off.")}
	}
	var out []string
	if t := c.noteList(func(v plumb.Verdict) bool { return v.Disputed }); t != "" {
		out = append(out, "### Disputed Claims", t)
	}
	for _, s := range noteSections {
		out = append(out, "### "+s.title)
		list := c.noteList(func(v plumb.Verdict) bool { return !v.Disputed && known(v.Status) == s.status })
		switch {
		case len(c.gone) > 0 && s.status != plumb.Supported:
			list = "None is listed: this report drops what is not supported."
		case list == "":
			list = "None."
		}
		out = append(out, list)
		if ids := c.unsure(); s.status == plumb.Partial && len(ids) > 0 {
			out = append(out, "Supported, but hedged, or in other words and without a figure, date or attribution to hold them to: "+strings.Join(ids, ", ")+".")
		}
	}
	if len(c.r.Claims) > 0 && len(c.r.Citations) > 0 {
		out = append(out, "### What Each Source Bears", c.sourceTable())
	}
	if len(c.dangles) > 0 {
		marks := make([]string, len(c.dangles))
		for i, n := range c.dangles {
			marks[i] = fmt.Sprintf("[%d?]", n)
		}
		out = append(out, "### Markers Without a Source", "The draft's own source list has no entry for "+strings.Join(marks, ", ")+".")
	}
	return out
}

// unsure are the claims that are supported and yet counted for review.
func (c *compiler) unsure() []string {
	var out []string
	for i, v := range c.r.Verdicts {
		if unsure(c.r.Claims[i], v) {
			out = append(out, inert(c.r.Claims[i].ID))
		}
	}
	return out
}

// verbatim is the score of a claim that its source makes in these words: nobody need review its wording.
const verbatim = 0.99

func unsure(claim plumb.Claim, v plumb.Verdict) bool {
	vague := claim.Confidence == plumb.Uncertain || claim.Confidence == plumb.Low && v.Score < verbatim
	return v.Status == plumb.Supported && !v.Disputed && vague
}

func (c *compiler) noteList(pick func(plumb.Verdict) bool) string {
	var lines []string
	for i, v := range c.r.Verdicts {
		if !pick(v) || len(c.gone) > 0 && v.Status != plumb.Supported {
			continue
		}
		line := fmt.Sprintf("- **%s** %s%s", inert(c.r.Claims[i].ID), inert(c.r.Claims[i].Text), c.marks(c.r.Claims[i].Citations))
		if reason := strings.TrimRight(inert(v.Reason), "."); reason != "" {
			line += " — " + reason + "."
		}
		lines = append(lines, line)
		lines = append(lines, c.evidence(v)...)
	}
	return strings.Join(lines, "\n")
}

const maxEvidence = 300 // characters of a passage in the notes

// evidence quotes the passages that a reader needs to see for herself: those against a claim, and both sides of a dispute.
func (c *compiler) evidence(v plumb.Verdict) []string {
	var out []string
	for _, one := range append([]plumb.Verdict{v}, v.Others...) {
		against := one.Status == plumb.Contradicted || one.Status == plumb.Partial
		if one.Evidence == "" || !against && !v.Disputed {
			continue
		}
		out = append(out, fmt.Sprintf("  - %s: “%s”%s", one.Status, inert(clip(one.Evidence, maxEvidence)), c.marks([]string{one.URL})))
	}
	return out
}

// marks are the citation numbers of addresses.
func (c *compiler) marks(urls []string) string {
	out := ""
	for _, u := range urls {
		if n := c.byURL[link.Identity(u)]; n > 0 {
			out += fmt.Sprintf("[%d]", n)
		}
	}
	if out != "" {
		out = " " + out
	}
	return out
}

// sources is the numbered list with what each source bears.
func (c *compiler) sources() []string {
	if len(c.r.Citations) == 0 {
		return []string{note("This report cites nothing.")}
	}
	cites, supports := c.borne()
	lines := make([]string, len(c.r.Citations))
	for i, x := range c.r.Citations {
		bears := fmt.Sprintf("cited by %s", count(cites[x.Number], "claim"))
		if c.r.checked() {
			bears += fmt.Sprintf(", supports %d", supports[x.Number])
		}
		lines[i] = fmt.Sprintf("%d. %s (%s)", x.Number, sourceEntry(x), bears)
	}
	return []string{strings.Join(lines, "\n")}
}

// against lists what a reader must not believe without looking: disputed claims, then contradicted ones.
func (c *compiler) against() string {
	if len(c.gone) > 0 {
		return ""
	}
	var lines []string
	for _, disputed := range []bool{true, false} {
		for i, v := range c.r.Verdicts {
			if v.Disputed != disputed || !v.Disputed && v.Status != plumb.Contradicted {
				continue
			}
			claim := c.r.Claims[i]
			line := fmt.Sprintf("- **%s** %s%s", inert(claim.ID), inert(claim.Text), c.marks(claim.Citations))
			if why := strings.TrimRight(inert(whyAgainst(v)), "."); why != "" {
				line += " — " + why + "."
			}
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

// bornBy is what the claims that cite a source come to by it alone.
type bornBy struct {
	claims int
	of     map[plumb.Status]int
	why    string // it could not be read
}

// sourceTable says for each source how many claims cite it, what its text says of them, and why it could not be read.
func (c *compiler) sourceTable() string {
	rows := c.bornBySource()
	unread := slices.ContainsFunc(c.r.Citations, func(x plumb.Citation) bool { return rows[x.Number].why != "" })
	out := "| Source | Claims | Supported | Partly | Contradicted | Not found | Could not be checked |\n| --- | --: | --: | --: | --: | --: | --: |"
	if unread {
		out = "| Source | Claims | Supported | Partly | Contradicted | Not found | Could not be checked | Why not |\n| --- | --: | --: | --: | --: | --: | --: | --- |"
	}
	for _, x := range c.r.Citations {
		row := rows[x.Number]
		out += fmt.Sprintf("\n| [%d] | %d | %d | %d | %d | %d | %d |", x.Number, row.claims, row.of[plumb.Supported], row.of[plumb.Partial],
			row.of[plumb.Contradicted], row.of[plumb.NotFound], row.of[plumb.Inaccessible]+row.of[plumb.Paywall])
		if unread {
			out += " " + inert(strings.ReplaceAll(row.why, "|", "/")) + " |"
		}
	}
	return out
}

// bornBySource counts for each number what its source says of the claims that cite it.
func (c *compiler) bornBySource() map[int]bornBy {
	rows := map[int]bornBy{}
	for i, v := range c.r.Verdicts {
		if len(c.gone) > 0 && v.Status != plumb.Supported {
			continue
		}
		cited := map[int]int{}
		c.countOnce(cited, c.r.Claims[i].Citations)
		for n := range cited {
			row := rows[n]
			if row.of == nil {
				row.of = map[plumb.Status]int{}
			}
			row.claims++
			rows[n] = row
		}
		for _, one := range append([]plumb.Verdict{v}, v.Others...) {
			n := c.byURL[link.Identity(one.URL)]
			row := rows[n]
			if row.of == nil || one.URL == "" {
				continue
			}
			row.of[known(one.Status)]++
			if one.Status == plumb.Inaccessible || one.Status == plumb.Paywall {
				row.why = one.Reason
			}
			rows[n] = row
		}
	}
	return rows
}

// borne counts for each citation the claims that cite it, and those of them that its text supports.
func (c *compiler) borne() (cites, supports map[int]int) {
	cites, supports = map[int]int{}, map[int]int{}
	for i, claim := range c.r.Claims {
		if len(c.gone) > 0 && c.r.Verdicts[i].Status != plumb.Supported {
			continue
		}
		c.countOnce(cites, claim.Citations)
		if i < len(c.r.Verdicts) {
			c.countOnce(supports, supporting(c.r.Verdicts[i]))
		}
	}
	return cites, supports
}

// countOnce adds one for each citation that is among the addresses.
func (c *compiler) countOnce(counts map[int]int, urls []string) {
	seen := map[int]bool{}
	for _, u := range urls {
		if n := c.byURL[link.Identity(u)]; n > 0 && !seen[n] {
			seen[n] = true
			counts[n]++
		}
	}
}

// supporting are the addresses whose text supports a claim.
func supporting(v plumb.Verdict) []string {
	var out []string
	for _, one := range append([]plumb.Verdict{v}, v.Others...) {
		if one.Status == plumb.Supported {
			out = append(out, one.URL)
		}
	}
	return out
}
