package gather

// Excerpts: the parts of a source that are nearest to a question, as much as a prompt has room for.

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/llm"
	"github.com/plumbresearch/plumb/rank"
	"github.com/plumbresearch/plumb/text"
)

const (
	pieceSize = 700       // bytes of a piece of text that is ranked as a whole
	gap       = "\n[…]\n" // between pieces that are not neighbours
)

// excerpt gives the whole text when it has at most n characters, else its beginning and the pieces nearest to the
// question, in the order of the text. aside is a stretch that is never shown.
func excerpt(body, question string, n int, aside *plumb.Passage) (out string, part bool) {
	if utf8.RuneCountInString(body) <= n && aside == nil {
		return body, false
	}
	all := pieces(body, aside)
	lang := language(question)
	docs := make([][]string, len(all))
	for i, p := range all {
		docs[i] = text.Terms(p.Of(body), lang)
	}
	order := []int{0}
	for _, s := range rank.NewBM25(docs).Search(text.Terms(question, lang), 0) {
		order = append(order, s.Index)
	}
	for i := range all { // what shares no word with the question, as it comes
		order = append(order, i)
	}
	taken := map[int]bool{}
	left := n
	for _, i := range order {
		if i >= len(all) || taken[i] {
			continue
		}
		size := utf8.RuneCountInString(all[i].Of(body))
		if size > left && len(taken) > 0 {
			continue
		}
		taken[i] = true
		left -= size + len(gap)
	}
	return joinPieces(body, all, taken, n), true
}

// joinPieces puts pieces together in the order of the text.
func joinPieces(body string, all []text.Span, taken map[int]bool, n int) string {
	var s strings.Builder
	last := -1
	for i, p := range all {
		if !taken[i] {
			continue
		}
		switch {
		case last >= 0 && last == i-1:
			s.WriteString(body[all[last].End:p.Start])
		case last >= 0 || i > 0:
			s.WriteString(gap)
		}
		s.WriteString(p.Of(body))
		last = i
	}
	if r := []rune(s.String()); len(r) > n+len(gap)*len(taken) { // a single piece may be longer than everything that is allowed
		return string(r[:n])
	}
	return s.String()
}

// pieces cuts a text at headings and at the ends of paragraphs, lines or sentences into pieces of about pieceSize bytes.
func pieces(body string, aside *plumb.Passage) []text.Span {
	var out []text.Span
	at := 0
	for _, l := range strings.SplitAfter(body, "\n") {
		t := strings.TrimSpace(l)
		from := at + strings.Index(l, t)
		at += len(l)
		if t == "" || aside != nil && from < aside.End && aside.Start < from+len(t) {
			continue
		}
		spans := []text.Span{{Start: from, End: from + len(t)}}
		if len(t) > 2*pieceSize {
			spans = shifted(text.Sentences(t, ""), from)
		}
		for _, p := range spans {
			n := len(out)
			if n > 0 && p.End-out[n-1].Start <= pieceSize && !strings.HasPrefix(t, "#") && (aside == nil || p.Start < aside.Start || out[n-1].Start >= aside.End) {
				out[n-1].End = p.End
				continue
			}
			out = append(out, p)
		}
	}
	return out
}

func shifted(spans []text.Span, by int) []text.Span {
	for i := range spans {
		spans[i].Start, spans[i].End = spans[i].Start+by, spans[i].End+by
	}
	return spans
}

// excerptWithin is an excerpt of at most n characters that has at most room tokens.
func excerptWithin(body, question string, n, room int, aside *plumb.Passage) (string, bool) {
	out, part := excerpt(body, question, n, aside)
	for range 4 {
		have := llm.Tokens(out)
		if have <= room || n < 200 {
			break
		}
		n = n * room / have * 9 / 10
		out, part = excerpt(body, question, max(n, 200), aside)
	}
	return out, part
}

// hitsOf makes passages of a source's pieces, each with the heading it stands under, so that sentences can be picked from
// it as from the library.
func hitsOf(s plumb.Source, body string) []plumb.Hit {
	var out []plumb.Hit
	heading := ""
	for _, p := range pieces(body, s.References) {
		if first, _, _ := strings.Cut(p.Of(body), "\n"); strings.HasPrefix(first, "#") {
			heading = strings.TrimSpace(strings.TrimLeft(first, "# "))
		}
		out = append(out, plumb.Hit{Source: s, Passage: plumb.Passage{Source: s.Hash, Start: p.Start, End: p.End}, Text: p.Of(body), Heading: heading})
	}
	return slices.Clip(out)
}
