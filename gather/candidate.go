package gather

// Candidates: the sentences of the passages that were found, with their places in the source.

import (
	"regexp"
	"slices"
	"strings"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/text"
)

// candidate is a sentence of a passage.
type candidate struct {
	hit        *plumb.Hit
	start, end int    // in the source's text
	quote      string // what stands there
	terms      []string
	words      int
	quantities []text.Quantity
	fitness    float64 // as a quote: 1 for a sentence that stands on its own
}

func (c *candidate) passage() plumb.Passage {
	return plumb.Passage{Source: c.hit.Passage.Source, Start: c.start, End: c.end}
}

// candidates are the sentences of the hits, each place once, in the order of the hits.
func candidates(hits []plumb.Hit, lang string) []candidate {
	var out []candidate
	seen := map[plumb.Passage]bool{}
	for i := range hits {
		h := &hits[i]
		for _, c := range sentences(h, lang) {
			if p := c.passage(); !seen[p] && c.fitness > 0 && !inReferences(h.Source, p) {
				seen[p] = true
				out = append(out, c)
			}
		}
	}
	return out
}

func inReferences(s plumb.Source, p plumb.Passage) bool {
	return s.References != nil && p.Start < s.References.End && s.References.Start < p.End
}

// sentences cuts a passage; the rows of a table are its sentences.
func sentences(h *plumb.Hit, lang string) []candidate {
	if h.Source.Language != "" {
		lang, _, _ = strings.Cut(h.Source.Language, "-")
	}
	var spans []text.Span
	if h.Source.Format == "csv" {
		spans = lines(h.Text)
	} else {
		spans = tableRows(h.Text, text.Sentences(h.Text, lang))
	}
	out := make([]candidate, 0, len(spans))
	for i := range spans {
		s := trimMarks(h.Text, withItems(h.Text, spans, i))
		c := candidate{hit: h, fitness: fitness(s.Of(h.Text), h.Source.Format)}
		if i+1 < len(spans) && strings.Contains(s.Of(h.Text), " | ") && tableRule.MatchString(spans[i+1].Of(h.Text)) {
			c.fitness = 0 // the head of a table
		}
		if c.fitness > 0 && leans(s.Of(h.Text)) {
			c.fitness *= 0.7
			if i > 0 && attached(h.Text, spans[i-1], s) {
				s.Start = trimMarks(h.Text, spans[i-1]).Start
				c.fitness /= 0.75
			}
		}
		c.start, c.end, c.quote = h.Passage.Start+s.Start, h.Passage.Start+s.End, s.Of(h.Text)
		c.words = len(strings.Fields(c.quote))
		c.terms = text.Terms(c.quote, lang)
		c.quantities = quantities(c.quote, h.Source.Format)
		if amount(&c) {
			c.terms = append(c.terms, "eur") // stands for cost, price and the like; see synonymGroups
		}
		out = append(out, c)
	}
	return out
}

// monthOfRow is a month as tables write it. In running text "2021-12" may be a stretch of years.
var monthOfRow = regexp.MustCompile(`\b((?:19|20)\d\d)-(0[1-9]|1[0-2])\b`)

// quantities are those of a sentence; in a row of a table 2024-03 is a month.
func quantities(s, format string) []text.Quantity {
	all := text.Quantities(s)
	if format != "csv" {
		return all
	}
	for _, m := range monthOfRow.FindAllStringSubmatchIndex(s, -1) {
		span := text.Span{Start: m[0], End: m[1]}
		if strings.HasPrefix(s[span.End:], "-") {
			continue // a day follows
		}
		all = slices.DeleteFunc(all, func(q text.Quantity) bool { return q.Span.Start >= span.Start && q.Span.End <= span.End })
		date := 100 * digits(s[m[2]:m[3]]+s[m[4]:m[5]]) // yyyymm00
		all = append(all, text.Quantity{Span: span, Kind: text.KindDate, Value: date, High: date})
	}
	return all
}

func digits(s string) float64 {
	n := 0.0
	for _, r := range s {
		n = 10*n + float64(r-'0')
	}
	return n
}

// amount says whether a sentence states money, or is a row of a table with a figure of three digits or more, whose
// currency stands in the head of the table.
func amount(c *candidate) bool {
	return slices.ContainsFunc(c.quantities, func(q text.Quantity) bool {
		return q.Kind == text.KindMoney || q.Kind == text.KindNumber && q.Value >= 100 && c.hit.Source.Format == "csv"
	})
}

// mostItems is the most words of a sentence quoted with the list it announces.
const mostItems = 90

// withItems takes the list behind a sentence that ends in a colon into its span, as far as there is room.
func withItems(s string, spans []text.Span, i int) text.Span {
	span := spans[i]
	if !strings.HasSuffix(span.Of(s), ":") || len(strings.Fields(span.Of(s))) < 5 {
		return span
	}
	for _, next := range spans[i+1:] {
		if strings.Count(s[span.End:next.Start], "\n") > 1 && span.End != spans[i].End || len(strings.Fields(s[span.Start:next.End])) > mostItems {
			break
		}
		span.End = next.End
	}
	return span
}

func lines(s string) []text.Span {
	var out []text.Span
	at := 0
	for _, l := range strings.SplitAfter(s, "\n") {
		if t := strings.TrimSpace(l); t != "" {
			from := at + strings.Index(l, t)
			out = append(out, text.Span{Start: from, End: from + len(t)})
		}
		at += len(l)
	}
	return out
}

// tableRows cuts the sentences that run over the rows of a table.
func tableRows(s string, spans []text.Span) []text.Span {
	out := make([]text.Span, 0, len(spans))
	for _, span := range spans {
		if t := span.Of(s); !strings.Contains(t, " | ") || !strings.Contains(t, "\n") {
			out = append(out, span)
			continue
		}
		for _, row := range lines(span.Of(s)) {
			out = append(out, text.Span{Start: span.Start + row.Start, End: span.Start + row.End})
		}
	}
	return out
}

var (
	pronouns   = wordSet("it they this these those he she that such its their his her both neither here there")
	connectors = wordSet("however therefore but and so yet still also moreover furthermore instead nevertheless otherwise then thus hence meanwhile consequently")
	headerLine = regexp.MustCompile(`(?i)^(?:from|to|cc|bcc|date|subject|our reference|your reference|contact|tel|phone|fax|notes|present|question|chair|author|published|updated|last updated|reference|re|fw)\s*:`)
	boilerWord = regexp.MustCompile(`(?i)\b(?:cookies?|all rights reserved|imprint|privacy policy|terms of use|skip to (?:main )?content|subscribe|newsletter|sign in|log in|click here|share this|copyright ©|data protection)\b|©`)
	field      = regexp.MustCompile(`(?:^|\s)\**[A-Z][a-z]+:\**\s`)
	tableRule  = regexp.MustCompile(`^[\s|:+-]+$`)
)

// leans says whether a sentence needs the one before it to be understood.
func leans(s string) bool {
	ws := strings.Fields(s)
	if len(ws) < 2 {
		return false
	}
	first := bare(ws[0])
	if connectors[first] && len(ws) > 2 {
		return pronouns[bare(ws[1])] || first == "but" || first == "and" || first == "so" || first == "otherwise"
	}
	if first == "that" || first == "this" || first == "these" || first == "those" || first == "such" || first == "here" {
		return true
	}
	return pronouns[first] && first != "there"
}

// attached says whether two sentences stand in one paragraph and are short enough to be quoted together.
func attached(s string, before, span text.Span) bool {
	gap := s[before.End:max(span.Start, before.End)]
	n := len(strings.Fields(s[before.Start:span.End]))
	return strings.Count(gap, "\n") < 2 && n <= 70 && fitness(before.Of(s), "") >= 0.5
}

// fitness grades a stretch of text as a quote, before looking at what it says. 0: not a statement.
func fitness(s, format string) float64 {
	t := strings.TrimSpace(s)
	n := len(strings.Fields(t))
	if !spaced(t) {
		n = len([]rune(t)) / 2
	}
	switch {
	case t == "" || tableRule.MatchString(t) || format != "csv" && headerLine.MatchString(t): // a row may begin with its date
		return 0
	case strings.HasSuffix(t, "?") || strings.HasSuffix(t, "？") || strings.HasSuffix(t, ":"):
		return 0
	}
	f := 1.0
	if boilerWord.MatchString(t) && n < 25 {
		f *= 0.3
	}
	if format == "csv" || strings.Contains(t, " | ") {
		return f
	}
	ended := endsLikeASentence(t)
	if !ended && len(field.FindAllString(t, 2)) > 1 {
		f *= 0.3 // the fields at the head of a letter
	}
	switch {
	case n < 5 && !ended || n < 3:
		return 0
	case n < 5:
		f *= 0.8
	case !ended && n < 12:
		f *= 0.4 // a heading, a caption, a menu
	case !ended:
		f *= 0.75
	}
	switch {
	case n > 60:
		f *= 0.5
	case n > 45:
		f *= 0.8
	}
	if strings.ToUpper(t) == t && n > 2 && spaced(t) {
		f *= 0.3
	}
	return f
}

func endsLikeASentence(t string) bool {
	t = strings.TrimRight(t, "\"'”’»)]* ")
	return slices.ContainsFunc([]string{".", "!", "。", "！", "…", ";"}, func(e string) bool { return strings.HasSuffix(t, e) })
}
