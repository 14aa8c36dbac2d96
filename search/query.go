package search

// What is asked: checked, bounded, and in the forms that providers want.

import (
	"errors"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/link"
	"github.com/plumbresearch/plumb/text"
)

var languageForm = regexp.MustCompile(`^[a-z]{2,3}$`)

// checked is the query as every engine sees it.
func (q Query) checked() (Query, error) {
	var err error
	words := strings.Fields(plainQuery(q.Text))
	q.Text = strings.Join(words[:min(len(words), maxQueryWords)], " ")
	if !strings.ContainsFunc(q.Text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }) {
		return q, errors.New("the query is empty")
	}
	q.Text = strings.TrimSuffix(shorten(q.Text, maxQueryChars), "…")
	if q.Since, err = sinceDate(q.Since); err != nil {
		return q, err
	}
	if q.Limit <= 0 {
		q.Limit = defaultLimit
	}
	q.Limit = min(q.Limit, maxLimit)
	q.Language, _, _ = strings.Cut(strings.ToLower(strings.TrimSpace(q.Language)), "-")
	if !languageForm.MatchString(q.Language) {
		q.Language = ""
	}
	q.Include, q.Exclude = domains(q.Include), domains(q.Exclude)
	return q, nil
}

func plainQuery(s string) string { return strings.Map(visible, strings.ToValidUTF8(s, " ")) }

// language is that of the query's own words, which need not be the one that is searched in.
func (q Query) language() string {
	if l := text.Language(q.Text); l != "" {
		return l
	}
	return q.Language
}

// allWords is how many words an engine is asked to find all of; of more a result may lack some.
const allWords = 4

// words are the content words of the query without the marks that are operators somewhere, for engines that want all
// of the words they are given.
func (q Query) words() []string {
	lang := q.language()
	var all, content []string
	for _, w := range strings.FieldsFunc(q.Text, func(r rune) bool { return !spelling(r) }) {
		if w = strings.TrimRight(strings.TrimLeft(w, "-.'’+#"), "-.'’"); w == "" {
			continue
		}
		if w == "AND" || w == "OR" || w == "NOT" || w == "ANDNOT" {
			w = strings.ToLower(w)
		}
		all = append(all, w)
		if !text.Stopword(w, lang) {
			content = append(content, w)
		}
	}
	if len(content) == 0 {
		return all
	}
	return content
}

// spelling are the characters that words are made of.
func spelling(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r) || strings.ContainsRune("-.'’+#\u200c\u200d", r)
}

// either is the query for an engine that wants all words unless told otherwise.
func (q Query) either() string {
	words := q.words()
	if len(words) > allWords {
		return strings.Join(words, " OR ")
	}
	return strings.Join(words, " ")
}

// domains are names without scheme, "www." and path, sorted, each once.
func domains(list []string) []string {
	var out []string
	for _, d := range list {
		d = strings.TrimSpace(d)
		if _, rest, ok := strings.Cut(d, "://"); ok {
			d = rest
		}
		d = strings.TrimLeft(d, "*.")
		if d = strings.TrimPrefix(link.Host(link.Normalize("https://"+d)), "www."); d != "" {
			out = append(out, d)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// under reports whether a host is one of the domains or belongs to one.
func under(host string, domains []string) bool {
	return slices.ContainsFunc(domains, func(d string) bool { return host == d || strings.HasSuffix(host, "."+d) })
}

// admits holds a lead against the query's domains and date.
func (q Query) admits(l plumb.Lead) bool {
	host := link.Host(l.URL)
	if under(host, q.Exclude) || len(q.Include) > 0 && !under(host, q.Include) {
		return false
	}
	return q.Since == "" || !older(l.Date, q.Since)
}

// withSites is the query with the domains as operators that most web engines understand, as many as fit into what the
// strictest of them accepts. Domains that are left out are missed only in the asking: what comes back is held against all.
func (q Query) withSites() string {
	var only []string
	for _, d := range q.Include {
		only = append(only, "site:"+d)
	}
	tail := strings.Join(only, " OR ")
	if len(only) > 1 {
		tail = "(" + tail + ")"
	}
	if utf8.RuneCountInString(tail) > maxQueryChars/2 {
		tail = ""
	}
	s := q.Text
	if tail != "" {
		s = strings.TrimSuffix(shorten(s, maxQueryChars-utf8.RuneCountInString(tail)-1), "…") + " " + tail
	}
	for _, d := range q.Exclude {
		if add := " -site:" + d; utf8.RuneCountInString(s+add) <= maxQueryChars {
			s += add
		}
	}
	return s
}

// since is the first day asked for, in a layout; empty when any will do.
func (q Query) since(layout string) string {
	if q.Since == "" {
		return ""
	}
	return firstDay(q.Since).Format(layout)
}

// age names the smallest of the usual time ranges that reaches back to since; empty when none does.
func (q Query) age(now time.Time, ranges ...string) string {
	if q.Since == "" {
		return ""
	}
	days := now.Sub(firstDay(q.Since)).Hours() / 24
	for _, r := range ranges {
		if days <= map[string]float64{"day": 1, "week": 7, "month": 30, "year": 365}[r] {
			return r
		}
	}
	return ""
}
