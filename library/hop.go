package library

// The second hop: a passage that answers half of a question often names the
// document that answers the other half.

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/plumbresearch/plumb/rank"
	"github.com/plumbresearch/plumb/text"
)

const (
	// hopFrom is how many of the best passages are read for names, hopTerms how
	// many words of names are looked up, and hopPool how many passages whose
	// titles have such words are looked at; twice as many where they are equal.
	hopFrom  = 2
	hopTerms = 30
	hopPool  = 100
	// hopWeight is the share of its score that a passage gives to a document it
	// names. Chosen on one half of 100 two-hop questions over 7,113 documents: from
	// 0.3 to 0.5 it finds 44 to 45 of 50, without the hop 40; on the other half 47
	// to 48, without 37.
	hopWeight = 0.4
)

// origin is a passage whose names are followed.
type origin struct {
	found
	terms []string // of the whole passage
	names []string // of its names only
}

// hop adds to passages, which are sorted, the best one of each document whose
// title the first of them name, or lifts it if it is there already.
func (s *search) hop(ctx context.Context, fs []found) ([]found, error) {
	var from []origin
	var terms []string
	for _, f := range fs[:min(hopFrom, len(fs))] {
		passage, err := s.passage(ctx, f)
		if err != nil {
			return nil, err
		}
		lang := stemLanguage(f.Source.Language)
		o := origin{f, text.Terms(passage, lang), text.Terms(names(passage), lang)}
		from = append(from, o)
		terms = append(terms, o.names...)
	}
	places, err := s.titled(ctx, distinct(terms, hopTerms))
	if err != nil {
		return nil, err
	}
	for _, l := range s.follow(from, fs, places) {
		if i := index(fs, l.ID); i >= 0 {
			fs[i].score += l.gift
			continue
		}
		passage, err := s.passage(ctx, l.found)
		if err != nil {
			return nil, err
		}
		l.score += s.pairs(passage, l.found) + l.gift
		fs = append(fs, l.found)
	}
	return s.sorted(fs), nil
}

// titled locates the passages with most of the terms in their titles and
// headings, rare terms counting more.
func (s *search) titled(ctx context.Context, terms []string) ([]Located, error) {
	if len(terms) == 0 {
		return nil, nil
	}
	lists, err := s.l.Index.Postings(ctx, s.folders, terms)
	if err != nil {
		return nil, err
	}
	var heads scores
	for _, list := range lists {
		idf := rank.IDF(min(len(list), s.stats.Passages), s.stats.Passages)
		for _, p := range list {
			if p.Head {
				heads.add(p.Passage, idf)
			}
		}
	}
	top, _ := heads.top(hopPool)
	if len(top) > 2*hopPool { // those equal to the last are many: a common word's
		least := slices.Min(slices.Collect(maps.Values(top)))
		for id, v := range top {
			if v == least {
				delete(top, id)
			}
		}
	}
	return s.located(ctx, top)
}

// linked is the best passage of a document that was named, and what it gets for that.
type linked struct {
	found
	gift float64
}

// follow picks of the places, for each document that one of the origins names, the one with the highest score so far. (To
// look for pairs in all of them takes as long as the whole search.)
func (s *search) follow(from []origin, fs []found, places []Located) map[string]linked {
	out := map[string]linked{} // by URL
	namer := map[string]int{}  // the origin that names a document, by URL; -1 for none
	for _, p := range places {
		i, known := namer[p.Source.URL]
		if !known {
			title, _, _ := strings.Cut(p.Source.Title, " (") // "Mercury (planet)" is called Mercury
			terms := text.Terms(title, stemLanguage(p.Source.Language))
			i = slices.IndexFunc(from, func(o origin) bool { return o.Source.Hash != p.Source.Hash && o.mentions(terms) })
			if slices.Contains(s.q.Exclude, p.Source.URL) {
				i = -1
			}
			namer[p.Source.URL] = i
		}
		if i < 0 {
			continue
		}
		l := linked{found{p, s.scores.get(p.ID)}, hopWeight * from[i].score}
		if at := index(fs, p.ID); at >= 0 {
			l.score = fs[at].score
		}
		b, again := out[p.Source.URL]
		if !again || cmp.Or(cmp.Compare(l.score, b.score), cmp.Compare(b.Start, l.Start)) > 0 {
			out[p.Source.URL] = l
		}
	}
	return out
}

// mentions reports whether a title stands in the passage. One of a single word
// must be part of a name there.
func (o origin) mentions(title []string) bool {
	if len(title) == 1 {
		return slices.Contains(o.names, title[0])
	}
	for i := 0; len(title) > 0 && i+len(title) <= len(o.terms); i++ {
		if slices.Equal(o.terms[i:i+len(title)], title) {
			return true
		}
	}
	return false
}

// names are the capitalised words of a text and the numbers behind them, but
// for single words at the beginning of a sentence.
func names(s string) string {
	var out strings.Builder
	run, end, opens := 0, 0, true // words in the run, where the word before ended, whether the run opens a sentence
	var first string
	for _, t := range text.Tokens(s) {
		word := s[t.Span.Start:t.Span.End]
		gap := s[min(end, t.Span.Start):t.Span.Start] // characters written without spaces come in overlapping pairs
		breaks := strings.ContainsAny(gap, ".!?:\n")
		if breaks || strings.ContainsAny(gap, ",;()") {
			run = 0
		}
		r, _ := utf8.DecodeRuneInString(word)
		switch {
		case !unicode.IsUpper(r) && !(run > 0 && unicode.IsDigit(r)):
			run = 0
		case run == 0 && (breaks || end == 0):
			run, opens, first = 1, true, word
		default:
			if run == 1 && opens {
				out.WriteString(first + " ")
			}
			run, opens = run+1, run > 0 && opens
			out.WriteString(word + " ")
		}
		end = t.Span.End
	}
	return out.String()
}

func index(fs []found, id int64) int {
	return slices.IndexFunc(fs, func(f found) bool { return f.ID == id })
}

// distinct keeps the first n different terms.
func distinct(terms []string, n int) []string {
	var out []string
	for _, t := range terms {
		if len(out) < n && !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	return out
}
