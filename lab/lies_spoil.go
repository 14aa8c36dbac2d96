package lab

// How a true sentence is reworded without harm, and how it is made a lie.

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/plumbresearch/plumb/text"
)

// rewordings leave a statement true.
var rewordings = []struct {
	from *regexp.Regexp
	to   string
}{
	{regexp.MustCompile(`\bbecause of\b`), "due to"},
	{regexp.MustCompile(` percent\b`), " %"},
	{regexp.MustCompile(`\babout (\d)`), "approximately $1"},
	{regexp.MustCompile(`\bbegan\b`), "started"},
	{regexp.MustCompile(`\b(said|reported|answered|noted) that\b`), "stated that"},
	{regexp.MustCompile(`(\d) (?:metres)\b`), "$1 m"},
	{regexp.MustCompile(`(\d) kilometres\b`), "$1 km"},
	{regexp.MustCompile(`(\d) millimetres\b`), "$1 mm"},
	{regexp.MustCompile(`\bEUR (\d)`), "€$1"},
	{regexp.MustCompile(`\b(\d{1,2}) (January|February|March|April|May|June|July|August|September|October|November|December) (\d{4})\b`), "$2 $1, $3"},
	{regexp.MustCompile(`\bmore than\b`), "over"},
	{regexp.MustCompile(`\bfinished\b`), "completed"},
	{regexp.MustCompile(`\bwill be\b`), "is going to be"},
	{regexp.MustCompile(`\b[Nn]obody was\b`), "no one was"},
	{regexp.MustCompile(`\basked (?:that|for)\b`), "requested"},
	{regexp.MustCompile(`\bhad to leave\b`), "were forced to leave"},
	{regexp.MustCompile(`\b(?:also|already) `), ""},
	{regexp.MustCompile(`^((?:On|In) [^,]{4,24}), ([^,]+)\.$`), "$2, $1."},
	{regexp.MustCompile(`^(The [^,]+) (in \d{4})\.$`), "In $2 $1."},
	{regexp.MustCompile(`, (?:because|after|which|who|although|so that) [^,]+\.$`), "."},
}

// reworded is a sentence as it stands, or told in slightly other words, or together with the one behind it.
func (p *planter) reworded(s saying) string {
	out := s.text
	switch p.rng.IntN(6) {
	case 0, 1:
		return out
	case 2:
		if s.next != "" && !startsOpen.MatchString(s.next) {
			return strings.TrimSuffix(out, ".") + ", and " + lowerArticle(s.next)
		}
	case 3:
		out = pick(p.rng, []string{"According to the source, ", "It is reported that ", "As documented, ", "The records show that "}) + lowerArticle(out)
	}
	for _, i := range p.rng.Perm(len(rewordings))[:len(rewordings)*2/3] {
		next := rewordings[i].from.ReplaceAllString(out, rewordings[i].to)
		if len(strings.Fields(next)) >= fewestWords-2 {
			out = strings.Replace(capital(next), "In in ", "In ", 1)
		}
	}
	for _, w := range []string{" In ", " On "} {
		out = strings.Replace(out, ","+w, strings.ToLower(w), 1)
	}
	return out
}

// lowerArticle lets a sentence stand behind other words.
func lowerArticle(s string) string {
	first, _, _ := strings.Cut(s, " ")
	if text.Stopword(strings.ToLower(first), "en") {
		return strings.ToLower(s[:1]) + s[1:]
	}
	return s
}

var numerals = regexp.MustCompile(`\d+(?:,\d{3})*(?:\.\d+)?`)

// otherNumber changes one number to one that the source does not have.
func (p *planter) otherNumber(s saying, claim string) string {
	all := numerals.FindAllStringIndex(claim, -1)
	p.rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	for _, at := range all {
		was := claim[at[0]:at[1]]
		v, err := strconv.ParseFloat(strings.ReplaceAll(was, ",", ""), 64)
		if err != nil || at[0] > 0 && claim[at[0]-1] != ' ' && !strings.HasSuffix(claim[:at[0]], "€") {
			continue // part of a name, such as H7
		}
		is := p.numberLike(was, v)
		if slices.Contains(numerals.FindAllString(p.texts[s.url], -1), is) || is == was {
			continue
		}
		return claim[:at[0]] + is + claim[at[0]+len(was):]
	}
	return ""
}

// numberLike is another number that is written as v is: a year near it, or something from half to twice as much.
func (p *planter) numberLike(was string, v float64) string {
	if len(was) == 4 && v > 1800 && v < 2100 {
		return strconv.Itoa(int(v) + []int{-7, -4, -2, -1, 1, 2, 3, 6}[p.rng.IntN(8)])
	}
	factor := []float64{0.5, 0.7, 0.8, 1.2, 1.3, 1.5, 2}[p.rng.IntN(7)]
	if dot := strings.IndexByte(was, '.'); dot >= 0 {
		return strconv.FormatFloat(v*factor, 'f', len(was)-dot-1, 64)
	}
	n := int(v*factor + 0.5)
	if n == int(v) {
		n++
	}
	if strings.Contains(was, ",") && n >= 1000 {
		return fmt.Sprintf("%d,%03d", n/1000, n%1000)
	}
	return strconv.Itoa(n)
}

// swapped puts one of others in the place of a name of the claim: rather one of as many words.
func (p *planter) swapped(s saying, claim string, others []string) string {
	names := slices.DeleteFunc(slices.Clone(s.names), func(n string) bool { return !strings.Contains(claim, n) })
	if len(names) == 0 {
		return ""
	}
	was := pick(p.rng, names)
	shared := func(o string) bool {
		return slices.ContainsFunc(strings.Fields(o), func(w string) bool { return strings.Contains(claim, w) })
	}
	others = slices.DeleteFunc(slices.Clone(others), shared)
	if len(others) == 0 {
		return ""
	}
	is := pick(p.rng, others)
	for range 4 {
		if len(strings.Fields(is)) == len(strings.Fields(was)) {
			break
		}
		is = pick(p.rng, others)
	}
	return strings.ReplaceAll(claim, was, is)
}

var (
	auxiliary = regexp.MustCompile(`\b(is|are|was|were|will|would|had|has|have|can|could|may|must)\b `)
	pastVerb  = regexp.MustCompile(` ([a-z]{3,}(?:ed|ew|old|ook|ell|ost)) (?:the|a|an|to|in|on|by|from|that|with|for|at)\b`)
	noWord    = regexp.MustCompile(`\bnot |\bnever `)
)

// negated says the opposite.
func negated(claim string) string {
	if noWord.MatchString(claim) {
		return noWord.ReplaceAllString(claim, "")
	}
	if at := auxiliary.FindStringIndex(claim); at != nil {
		return claim[:at[1]] + "not " + claim[at[1]:]
	}
	if at := pastVerb.FindStringSubmatchIndex(claim); at != nil {
		return claim[:at[2]] + "never " + claim[at[2]:]
	}
	return ""
}

// otherSource is a text that lacks a name or a number of the sentence.
func (p *planter) otherSource(s saying) string {
	telling := append(numerals.FindAllString(s.text, -1), s.names...)
	for range 10 {
		url := pick(p.rng, p.urls)
		if url != s.url && slices.ContainsFunc(telling, func(t string) bool { return !strings.Contains(p.texts[url], t) }) {
			return url
		}
	}
	return ""
}

// noSource is an address like another at which there is nothing.
func (p *planter) noSource(url string) string {
	for {
		if made := fmt.Sprintf("%s-%d", strings.TrimSuffix(url, "/"), 10+p.rng.IntN(9000)); p.texts[made] == "" {
			return made
		}
	}
}

var inventions = []string{
	"%s plans to open a visitor centre with a café in the coming spring.",
	"%s was honoured with the national prize for public works that year.",
	"An insurance company has since sued %s for damages.",
	"%s hired additional staff from abroad to make up for the shortage.",
	"A survey of residents showed broad approval of %s.",
	"%s is considered a model for similar undertakings in neighbouring countries.",
	"Lawyers for %s have filed an appeal with the supreme court.",
	"Critics accuse %s of having ignored early warnings from two employees.",
	"A documentary film about %s was shown at the regional festival.",
	"The share of women in the management of %s rose considerably.",
	"%s has switched entirely to electricity from renewable sources.",
	"Experts expect that %s will have to be rebuilt within a decade.",
	"A foundation donated a large sum so that %s could continue.",
	"The opening of %s had to be repeated because of heavy snowfall.",
	"Students from three universities write their theses about %s.",
	"%s received a complaint from the neighbouring municipality over noise.",
}

// invented says something of a name of the source that it does not say: out of the air, or what another text says of
// another name.
func (p *planter) invented(s saying) string {
	if len(s.names) == 0 {
		return ""
	}
	name := pick(p.rng, s.names)
	if p.rng.IntN(2) == 0 {
		return capital(fmt.Sprintf(pick(p.rng, inventions), "the "+name))
	}
	o := p.sayings[p.rng.IntN(len(p.sayings))]
	if len(o.names) == 0 || p.otherSource(o) == "" || strings.Contains(p.texts[s.url], o.names[0]) {
		return ""
	}
	return strings.ReplaceAll(o.text, o.names[0], name)
}
