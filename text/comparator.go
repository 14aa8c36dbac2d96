package text

// Comparators: the words that say on which side of a number the truth lies.

// comparatorPhrases stand before the number, the longer before the shorter.
var comparatorPhrases = []struct {
	words []string
	means string
}{
	{[]string{"no", "less", "than"}, "at least"}, {[]string{"no", "fewer", "than"}, "at least"}, {[]string{"not", "less", "than"}, "at least"},
	{[]string{"no", "more", "than"}, "at most"}, {[]string{"not", "more", "than"}, "at most"},
	{[]string{"a", "minimum", "of"}, "at least"}, {[]string{"a", "maximum", "of"}, "at most"},
	{[]string{"more", "than"}, "over"}, {[]string{"greater", "than"}, "over"}, {[]string{"higher", "than"}, "over"}, {[]string{"longer", "than"}, "over"},
	{[]string{"less", "than"}, "under"}, {[]string{"fewer", "than"}, "under"}, {[]string{"lower", "than"}, "under"},
	{[]string{"at", "least"}, "at least"}, {[]string{"at", "most"}, "at most"}, {[]string{"up", "to"}, "at most"},
	{[]string{"as", "many", "as"}, "at most"}, {[]string{"as", "much", "as"}, "at most"},
	{[]string{"an", "estimated"}, "about"}, {[]string{"close", "to"}, "about"}, {[]string{"in", "the", "region", "of"}, "about"},
	{[]string{"mehr", "als"}, "over"}, {[]string{"weniger", "als"}, "under"}, {[]string{"plus", "de"}, "over"}, {[]string{"moins", "de"}, "under"},
	{[]string{"mas", "de"}, "over"}, {[]string{"menos", "de"}, "under"}, {[]string{"au", "moins"}, "at least"}, {[]string{"al", "menos"}, "at least"},
	{[]string{"over"}, "over"}, {[]string{"above"}, "over"}, {[]string{"exceeding"}, "over"}, {[]string{"exceeds"}, "over"}, {[]string{"exceeded"}, "over"},
	{[]string{">"}, "over"}, {[]string{"uber"}, "over"},
	{[]string{"under"}, "under"}, {[]string{"below"}, "under"}, {[]string{"<"}, "under"}, {[]string{"unter"}, "under"},
	{[]string{"≥"}, "at least"}, {[]string{"mindestens"}, "at least"},
	{[]string{"≤"}, "at most"}, {[]string{"maximal"}, "at most"}, {[]string{"hochstens"}, "at most"},
	{[]string{"about"}, "about"}, {[]string{"around"}, "about"}, {[]string{"approximately"}, "about"}, {[]string{"roughly"}, "about"},
	{[]string{"some"}, "about"}, {[]string{"circa"}, "about"}, {[]string{"ca"}, "about"}, {[]string{"~"}, "about"},
	{[]string{"estimated"}, "about"}, {[]string{"nearly"}, "about"}, {[]string{"almost"}, "about"}, {[]string{"approx"}, "about"},
	{[]string{"etwa"}, "about"}, {[]string{"rund"}, "about"}, {[]string{"environ"}, "about"}, {[]string{"unos"}, "about"},
	{[]string{"около"}, "about"}, {[]string{"约"}, "about"},
}

// comparator reads the words before lexeme i, where q begins, and those from end on.
func (r *reader) comparator(q Quantity, i, end int) string {
	after := r.at(end)
	switch {
	case after.is("+") && after.glued, after.is("or") && r.at(end+1).is("more", "above", "over", "higher"), after.is("and") && r.at(end+1).is("over", "above", "more"):
		return "at least"
	case after.is("or") && r.at(end+1).is("less", "fewer", "below", "under"):
		return "at most"
	}
	if r.at(i-1).is(".") && r.at(i-2).is("c", "ca", "approx") {
		return "about"
	}
	if q.Kind == KindDate {
		switch {
		case r.at(i - 1).is("after"):
			return "over"
		case r.at(i - 1).is("before"):
			return "under"
		}
	}
	for _, p := range comparatorPhrases {
		if r.precedes(i, p.words) {
			return p.means
		}
	}
	return ""
}

func (r *reader) precedes(i int, words []string) bool {
	if i < len(words) {
		return false
	}
	for k, w := range words {
		if r.lex[i-len(words)+k].text != w {
			return false
		}
	}
	return true
}
