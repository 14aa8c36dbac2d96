package report

// Statements: the sentences that findings state, each once, with every source that bears it.

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/link"
	"github.com/plumbresearch/plumb/rank"
	"github.com/plumbresearch/plumb/text"
)

// statement is what one finding, or several in the same words, say.
type statement struct {
	text    string // one line, as the source has it, with a sentence end
	area    int    // index into the brief's areas
	cites   []int  // numbers of its citations, its own first
	source  string // hash of the source whose words these are
	key     string // the document, site or work that says it
	title   string
	start   int // of the quote in the source
	date    string
	quality float64 // relevance, weighted, 0..1
	worth   float64 // quality, and how new, trusted and agreed upon; orders equals
	low     bool    // confidence is low
	sure    plumb.Confidence
	partial bool   // of its source only a part was read
	quote   string // the source's own words, where text is a reader's
	lang    string
	folded  string
	numbers []text.Quantity
	order   []string // stems of its words, in order; numbers are compared as quantities
	terms   []string // the same, sorted, each once
}

const (
	mediumWeight = 0.95 // of a finding's relevance, when its confidence is medium
	lowWeight    = 0.7
	// A sentence that does not name what the question is about may be about something else in the same document.
	unnamedWeight = 0.85
	// What being new, trusted and agreed upon adds to a quality of at most 1.
	recencyWorth     = 0.2
	credibilityWorth = 0.05
	agreementWorth   = 0.05 // for each further source, up to 3
	// Tables and the like that were read as a sentence, which nobody wants to read in a summary.
	unwieldyWorth   = -0.3
	unwieldyChars   = 260
	unwieldyNumbers = 5
	// Nearly all words of the longer one, in order, and all numbers make the same statement in another form.
	sameWords = 0.9
)

// statements makes the statements of a material, best first, without repetitions. Findings that no citation stands for
// are not stated.
func statements(m Material) []*statement {
	cites := newResolver(m.Citations)
	langs := sourceLanguages(m)
	names := entityNames(m.Brief.Entity)
	var all []*statement
	for _, f := range m.Findings {
		c, ok := cites.of(f)
		if !ok || !f.Citable() {
			continue
		}
		s := newStatement(f, c, langs[f.Source])
		if s == nil {
			continue
		}
		s.area = areaOf(f, m.Brief.Areas, m.Brief.Language)
		if len(names) > 0 && !mentionsAny(f.Content, names) {
			s.quality *= unnamedWeight
		}
		s.worth = s.quality + recencyWorth*c.Recency + credibilityWorth*c.Credibility
		if len(s.numbers) >= unwieldyNumbers || utf8.RuneCountInString(s.text) > unwieldyChars {
			s.worth += unwieldyWorth
		}
		all = append(all, s)
	}
	slices.SortStableFunc(all, func(a, b *statement) int {
		return cmp.Or(cmp.Compare(b.worth, a.worth), cmp.Compare(a.cites[0], b.cites[0]), cmp.Compare(a.start, b.start), cmp.Compare(a.text, b.text))
	})
	all = merge(all)
	agree(all)
	slices.SortStableFunc(all, func(a, b *statement) int { return cmp.Compare(b.worth, a.worth) })
	return all
}

func newStatement(f plumb.Finding, c plumb.Citation, lang string) *statement {
	said := stated(f.Content)
	if said == "" {
		return nil
	}
	s := &statement{text: said, cites: []int{c.Number}, source: f.Source, key: cmp.Or(c.Key, c.URL), title: plainTitle(c),
		start: f.QuoteStart, date: cmp.Or(c.Date, f.Date), quality: f.Relevance, lang: lang,
		sure: cmp.Or(f.Confidence, plumb.Medium), partial: f.Verification == "partial", quote: f.Quote}
	switch f.Confidence {
	case plumb.Low:
		s.quality *= lowWeight
		s.low = true
	case plumb.Medium:
		s.quality *= mediumWeight
	}
	if len(link.Find(said)) > 0 { // an address in a quotation reads like a source of ours
		s.quality *= lowWeight
		s.low = true
	}
	s.folded = text.Fold(said)
	s.numbers = text.Quantities(said)
	s.order = text.Terms(withoutQuantities(said, s.numbers), lang)
	s.terms = slices.Compact(slices.Sorted(slices.Values(s.order)))
	if len(s.terms) == 0 {
		return nil
	}
	return s
}

// withoutQuantities blanks the numbers, amounts and dates of a sentence with their units.
func withoutQuantities(s string, qs []text.Quantity) string {
	b := []byte(s)
	for _, q := range qs {
		for i := q.Span.Start; i < q.Span.End; i++ {
			b[i] = ' '
		}
	}
	return string(b)
}

// stated folds a content to one line and sees to its end. Questions state nothing.
func stated(content string) string {
	s := opened(strings.Join(strings.Fields(foreignMarker.ReplaceAllString(content, "")), " "))
	bare := strings.TrimRight(s, ")]\"'”’»“ ")
	last, _ := utf8.DecodeLastRuneInString(bare)
	switch {
	case bare == "" || last == '?' || last == '？':
		return ""
	case strings.ContainsRune(".!…。！", last):
		return s
	}
	s = strings.TrimRight(s, " ,;:-–—|")
	if s == "" {
		return ""
	}
	if r, _ := utf8.DecodeLastRuneInString(s); unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) {
		return s + "。"
	}
	return s + "."
}

// opened gives a sentence that goes on from a salutation its capital: among others nobody could tell where it begins. Words
// like eBay stay.
func opened(s string) string {
	first, n := utf8.DecodeRuneInString(s)
	second, _ := utf8.DecodeRuneInString(s[n:])
	if unicode.IsLower(first) && (unicode.IsLower(second) || second == ' ') {
		return string(unicode.ToUpper(first)) + s[n:]
	}
	return s
}

// resolver finds the citation that stands for a finding.
type resolver struct {
	cs               []plumb.Citation
	hash, url, found map[string]int
}

func newResolver(cs []plumb.Citation) resolver {
	r := resolver{cs: cs, hash: map[string]int{}, url: map[string]int{}, found: map[string]int{}}
	for i, c := range cs {
		r.hash[c.Source] = i
		r.url[link.Identity(c.URL)] = i
		for _, id := range c.Findings {
			r.found[id] = i
		}
	}
	return r
}

func (r resolver) of(f plumb.Finding) (plumb.Citation, bool) {
	i, ok := r.hash[f.Source]
	if !ok {
		i, ok = r.url[link.Identity(f.SourceURL)]
	}
	if !ok {
		i, ok = r.found[f.ID]
	}
	if !ok {
		return plumb.Citation{}, false
	}
	return r.cs[i], true
}

// sourceLanguages guesses the language of each source from all that was found in it; short texts alone mislead.
func sourceLanguages(m Material) map[string]string {
	said := map[string]*strings.Builder{}
	for _, f := range m.Findings {
		if said[f.Source] == nil {
			said[f.Source] = &strings.Builder{}
		}
		said[f.Source].WriteString(f.Content + "\n")
	}
	out := map[string]string{}
	for hash, b := range said {
		out[hash] = cmp.Or(text.Language(b.String()), m.Brief.Language, "en")
	}
	return out
}

// areaOf is the area that a finding serves: the one it names, else the one whose words it has most of.
func areaOf(f plumb.Finding, areas []plumb.Area, lang string) int {
	for i, a := range areas {
		if a.Name == f.Area {
			return i
		}
	}
	best, most := 0, 0.0
	terms := text.Terms(f.Area+" "+f.Content, lang)
	for i, a := range areas {
		if l := rank.Jaccard(terms, text.Terms(a.Name+" "+a.Question, lang)); l > most {
			best, most = i, l
		}
	}
	return best
}

// merge joins statements that say the same. The first, which is the best, keeps its words; of reprints the oldest
// stands first.
func merge(all []*statement) []*statement {
	var out []*statement
	for _, s := range all {
		i := slices.IndexFunc(out, func(o *statement) bool { return same(o, s) })
		if i < 0 {
			out = append(out, s)
			continue
		}
		if original(s, out[i]) {
			s.area, s.quality, s.worth, s.low = out[i].area, out[i].quality, out[i].worth, out[i].low && s.low
			s.sure, s.partial = out[i].sure, out[i].partial
			out[i], s = s, out[i]
		}
		out[i].cite(s.cites)
		if s.quality > out[i].quality {
			out[i].quality, out[i].area = s.quality, s.area
		}
		out[i].low = out[i].low && s.low
	}
	return out
}

// original says whether a has the words of b from an older source: b is a reprint.
func original(a, b *statement) bool {
	x, okA := parseDate(a.date)
	y, okB := parseDate(b.date)
	return okA && okB && x.Before(y) && a.folded == b.folded
}

func (s *statement) cite(numbers []int) {
	for _, n := range numbers {
		if !slices.Contains(s.cites, n) {
			s.cites = append(s.cites, n)
		}
	}
}

// same says whether two statements are one: the same words, or nearly the same in the same order with the same numbers.
func same(a, b *statement) bool {
	if a.folded == b.folded {
		return true
	}
	short, long := a.order, b.order
	if len(short) > len(long) {
		short, long = long, short
	}
	return a.lang == b.lang && float64(len(short)) >= sameWords*float64(len(long)) && inOrder(short, long) &&
		hasNumbers(a, b) && hasNumbers(b, a) && negations(a.text) == negations(b.text)
}

// hasNumbers says whether every number of b stands in a.
func hasNumbers(a, b *statement) bool {
	return !slices.ContainsFunc(b.numbers, func(q text.Quantity) bool { return !slices.ContainsFunc(a.numbers, q.Equal) })
}

// inOrder says whether all of a stand in b in the same order.
func inOrder(a, b []string) bool {
	at := 0
	for _, t := range b {
		if at < len(a) && t == a[at] {
			at++
		}
	}
	return at == len(a)
}

// agree lets a statement cite further sources that say it with more besides, and raises its worth by them.
func agree(all []*statement) {
	extra := make([][]int, len(all))
	for i, a := range all {
		for _, b := range all {
			if a.key != b.key && bears(b, a) {
				extra[i] = append(extra[i], b.cites[0])
			}
		}
	}
	for i, s := range all {
		before := len(s.cites)
		for _, n := range extra[i] {
			if len(s.cites) < maxCites {
				s.cite([]int{n})
			}
		}
		s.worth += agreementWorth * float64(min(len(s.cites)-1, 3))
		slices.Sort(s.cites[before:])
	}
}

const (
	maxCites = 4 // markers of one sentence; more are no help
	minBorne = 2 // words of a sentence below which finding them in another means nothing
)

// bears says whether the words of b alone bear all that a says: every stem of a stands in b in the same order, as do its
// numbers, and neither denies.
func bears(b, a *statement) bool {
	if a == b || a.lang != b.lang || len(a.order) < minBorne || len(b.order) <= len(a.order) || !inOrder(a.order, b.order) || !hasNumbers(b, a) {
		return false
	}
	return negations(a.text)+negations(b.text) == 0 && text.Compare(a.text, b.text, a.lang, nil).Clash == nil
}

// shared counts the terms that two sorted lists have in common.
func shared(a, b []string) float64 {
	n, j := 0, 0
	for _, t := range a {
		for j < len(b) && b[j] < t {
			j++
		}
		if j < len(b) && b[j] == t {
			n++
		}
	}
	return float64(n)
}

// Words that deny, in the languages of phrases.
var denials = map[string]bool{
	"not": true, "no": true, "never": true, "none": true, "without": true, "neither": true, "nor": true, "cannot": true,
	"nicht": true, "kein": true, "keine": true, "keinen": true, "keiner": true, "nie": true, "ohne": true,
	"ne": true, "pas": true, "jamais": true, "aucun": true, "aucune": true, "sans": true, "nunca": true, "sin": true, "ningun": true, "ninguna": true,
}

func negations(s string) int {
	n := 0
	for _, t := range text.Tokens(s) {
		if denials[t.Text] || strings.HasSuffix(t.Text, "nt") && strings.ContainsAny(t.Span.Of(s), "'’") {
			n++
		}
	}
	return n
}
