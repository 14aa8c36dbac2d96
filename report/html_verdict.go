package report

// Verdicts as the page shows them: a word and a mark each, so that colour is never the only signal.

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/plumbresearch/plumb"
)

// look is how one kind of verdict appears. Disputed and unchecked are kinds of their own here.
type look struct {
	Key   string `json:"key"`
	Label string `json:"label"`
	Short string `json:"-"` // beside the mark
	Mark  string `json:"mark"`
	Means string `json:"means"`
}

// looks in the order of the bar; the last is for what was never checked.
var looks = []look{
	{"supported", "Supported", "supported", "✓", "A source it cites says so."},
	{"partial", "Partly supported", "partly", "≈", "A source it cites says part of it, or says it with a qualification."},
	{"disputed", "Disputed", "disputed", "⇄", "One source it cites says so, another says otherwise."},
	{"contradicted", "Contradicted", "contradicted", "✕", "A source it cites says otherwise."},
	{"not_found", "Not found", "not found", "?", "Nothing that it cites was found to say this."},
	{"paywall", "Behind a paywall", "paywall", "–", "It could not be checked: the source is behind a paywall."},
	{"inaccessible", "Not accessible", "no access", "–", "It could not be checked: the source could not be read."},
	{"unchecked", "Not checked", "not checked", "–", "Checking was turned off."},
}

func lookOf(key string) look {
	for _, l := range looks {
		if l.Key == key {
			return l
		}
	}
	return looks[len(looks)-1]
}

// claimView is a claim that the page shows, with its verdict.
type claimView struct {
	look
	ID      string // of its element
	Number  int    // from 1, among those shown
	Claim   plumb.Claim
	Verdict plumb.Verdict
}

var claimID = regexp.MustCompile(`^claim_[0-9]{1,9}$`)

// shownClaims are the claims of the page: all, or with supported those that are.
func shownClaims(r Report, supported bool) []claimView {
	var out []claimView
	seen := map[string]bool{}
	for i, c := range r.Claims {
		v := claimView{look: lookOf("unchecked"), ID: c.ID, Number: len(out) + 1, Claim: c}
		if i < len(r.Verdicts) {
			v.Verdict = r.Verdicts[i]
			v.look = lookOf(string(known(v.Verdict.Status)))
			if v.Verdict.Disputed {
				v.look = lookOf("disputed")
			}
		}
		if supported && v.Verdict.Status != plumb.Supported {
			continue
		}
		if !claimID.MatchString(v.ID) || seen[v.ID] { // names of elements are ours to give
			v.ID = fmt.Sprintf("claim-%d", i+1)
		}
		seen[v.ID] = true
		out = append(out, v)
	}
	return out
}

// Why is the reason that a reader should see first: of a dispute, that of the source which disagrees.
func (v claimView) Why() string { return spoken(whyAgainst(v.Verdict)) }

// whyAgainst is the reason of a verdict; of a dispute, that of the source which disagrees.
func whyAgainst(v plumb.Verdict) string {
	for _, o := range v.Others {
		if v.Disputed && o.Status == plumb.Contradicted && o.Reason != "" {
			return o.Reason
		}
	}
	return v.Reason
}

// spoken writes a reason with a capital and a full stop.
func spoken(s string) string {
	s = strings.TrimSpace(s)
	first, size := utf8.DecodeRuneInString(s)
	if s == "" || first == utf8.RuneError {
		return s
	}
	if last, _ := utf8.DecodeLastRuneInString(s); !unicode.IsPunct(last) || last == ')' || last == '%' || last == ']' {
		s += "."
	}
	return string(unicode.ToUpper(first)) + s[size:]
}

// against are the claims that a reader must not believe without looking: disputed ones first.
func against(shown []claimView) []claimView {
	var out []claimView
	for _, key := range []string{"disputed", "contradicted"} {
		for _, v := range shown {
			if v.Key == key {
				out = append(out, v)
			}
		}
	}
	return out
}

// segment is one kind of verdict in the bar. X and Width are in thousandths of it.
type segment struct {
	look
	Count    int
	X, Width float64
	Percent  string
}

func verdictBar(shown []claimView) []segment {
	var out []segment
	x := 0
	for _, l := range looks {
		n := 0
		for _, v := range shown {
			if v.Key == l.Key {
				n++
			}
		}
		if n == 0 {
			continue
		}
		from, to := float64(x)*1000/float64(len(shown)), float64(x+n)*1000/float64(len(shown))
		out = append(out, segment{look: l, Count: n, X: from, Width: to - from,
			Percent: fmt.Sprintf("%.0f%%", 100*float64(n)/float64(len(shown)))})
		x += n
	}
	return out
}

// headline says in one sentence how much of the report is supported. A disputed claim is one that a source supports.
func headline(r Report, shown []claimView) string {
	switch {
	case !r.checked():
		return "No claim was compared with its source."
	case len(shown) == 0:
		return "There is no claim to check."
	}
	supported, disputed := 0, 0
	for _, v := range shown {
		if known(v.Verdict.Status) == plumb.Supported {
			supported++
			if v.Verdict.Disputed {
				disputed++
			}
		}
	}
	s := fmt.Sprintf("%d of %s supported by a source that it cites", supported, count(len(shown), "claim"))
	if disputed > 0 {
		s += fmt.Sprintf(", %d of them disputed by another", disputed)
	}
	return s + "."
}

// others are the verdicts of a claim, that of its best citation first.
func others(v claimView) []plumb.Verdict {
	if v.Key == "unchecked" {
		return nil
	}
	return append([]plumb.Verdict{v.Verdict}, slices.Clone(v.Verdict.Others)...)
}
