// Confidence and type of a claim, by words that mark them.

package verify

import (
	"regexp"

	"github.com/plumbresearch/plumb"
)

// Modal "may" is lower-case and followed by a word: "May 2024", "in may 2024"
// and a sentence's first "May" are none. Modal "might" and "will" follow no word
// that makes them nouns.
var (
	uncertainMarks = []*regexp.Regexp{
		regexp.MustCompile(`\bmay\s+[a-z]`),
		regexp.MustCompile(`(?i)\b(?:possibly|perhaps|maybe|reportedly|allegedly|supposedly|purportedly|presumably|probably|apparently)\b`),
		regexp.MustCompile(`(?i)\b(?:some\s+sources|it\s+(?:appears|seems)|(?:appears?|seems?|appeared|seemed)\s+to\b|could\s+(?:be|have)\b|(?:is|are|remains?)\s+(?:unclear|uncertain|unconfirmed)|unconfirmed\s+reports?)`),
		regexp.MustCompile(`可能|或许|也许|大概|据报道|据称|似乎|疑似|不确定|尚不清楚|尚未证实|おそらく|かもしれ`),
		regexp.MustCompile(`(?i)\b(?:möglicherweise|vielleicht|angeblich|vermutlich|mutmaßlich|peut-être|probablement|apparemment|posiblemente|quizás|supuestamente)(?:\P{L}|$)`),
	}
	might     = regexp.MustCompile(`(?:^|(\p{L}+)\s+)might\s+(of\b)?`)
	likely    = regexp.MustCompile(`(?i)(?:^|(\p{L}+)\s+)likely\b`)
	mightNoun = regexp.MustCompile(`(?i)^(?:the|military|economic|industrial|naval|its|their|his|her|our|financial|political)$`)
	compared  = regexp.MustCompile(`(?i)^(?:more|less|as|equally|times|most|least)$`)

	factualMarks = []*regexp.Regexp{
		regexp.MustCompile(`(?i)\d\s*(?:%|％|percent\b|per\s+cent\b|Prozent\b)|百分之`),
		regexp.MustCompile(`(?i)[$€£¥￥]\s?\d|\d\s*(?:[kmb]n?|million|billion|trillion)?\s*(?:dollars|euros?|pounds|yen|yuan|USD|EUR|GBP)\b|\d[\d,.]*\s*[万亿兆]*\s*(?:美元|欧元|英镑|日元|人民币|元)`),
		regexp.MustCompile(`(?i)\b(?:in|since|by|from|during|until|of|for)\s+(?:(?:early|late|mid|fiscal|january|february|march|april|may|june|july|august|september|october|november|december|q[1-4])[\s-]+)?(?:1[5-9]|20)\d\d\b|(?:1[5-9]|20)\d\d年`),
		regexp.MustCompile(`(?i)\baccording\s+to\b|根据|據|据.{1,20}(?:数据|报告|统计)|\blaut\b|\bselon\b|\bsegún\b`),
		regexp.MustCompile(`(?i)\b(?:stud(?:y|ies)|surveys?|research|trials?|analys[ei]s|reviews?)\s+(?:has\s+|have\s+|also\s+)?(?:found|finds?|shows?|showed|shown|reported|reports?|concluded)\b|研究(?:发现|表明|显示)`),
		regexp.MustCompile(`(?i)\b(?:data|figures|statistics|results|records)\s+(?:from\s+\S+(?:\s+\S+)?\s+)?(?:shows?|showed|indicates?|indicated|suggests?|reveals?|revealed)\b|(?:数据|统计)(?:显示|表明)`),
	}

	willWord   = regexp.MustCompile(`(?:^|(\S+)\s+)will(?:\s+(?:also|not|then|soon|likely|probably|continue|still|only|never|be|have|[a-z]+))`)
	willNoun   = regexp.MustCompile(`(?i)^(?:a|an|the|his|her|their|its|my|your|our|free|political|last|living|at|good|ill|of|popular|iron|sheer|people's|public|god's)$`)
	predictive = []*regexp.Regexp{
		regexp.MustCompile(`(?i)\b(?:forecast(?:s|ed)?|predict(?:s|ed|ion|ions)?|projected\s+to|is\s+set\s+to|are\s+set\s+to|(?:is|are)\s+going\s+to|anticipated\s+to)\b`),
		regexp.MustCompile(`预计|预测|预期将|将会|有望|将于|将在|will\s+be\s+able|予測|見込み`),
		regexp.MustCompile(`(?i)\bwird\s+voraussichtlich\b|\bse\s+espera\b|\bdevrait\b`),
	}
	expects  = regexp.MustCompile(`(?i)(?:^|(\p{L}+)\s+)expect(?:s|ed|ing|ation|ations)?\b`)
	noFuture = regexp.MustCompile(`(?i)^(?:than|as|life|if)$`)

	defining = []*regexp.Regexp{
		regexp.MustCompile(`(?i)\b(?:(?:is|are|was|were)\s+defined\s+as|refers?\s+to|stands\s+for|the\s+term\s+.{1,60}\s+(?:means|denotes|describes))\b`),
		regexp.MustCompile(`是指|定义为|指的是|被定义|とは.+(?:である|です)`),
	}
	meansThat   = regexp.MustCompile(`(?i)\bmeans\s+that\b`)
	consequence = regexp.MustCompile(`(?i)^(?:this|that|it|which|these|so)\b`)

	opinionMarks = []*regexp.Regexp{
		regexp.MustCompile(`(?i)\b(?:should|ought\s+to|arguably|in\s+my\s+(?:view|opinion)|i\s+(?:think|believe)|we\s+(?:think|believe|recommend))\b`),
		regexp.MustCompile(`应该|应当|最好|更好|最佳|更差|最差|值得推荐|建议`),
	}
	// "best-selling", "better known as", "Best Buy" and "at best" judge nothing.
	judging = regexp.MustCompile(`(?:^|[^\p{L}-])((?:[Bb]etter|[Ww]orse|[Bb]est|[Ww]orst))($|[^\p{L}])\s?(\p{L}*)`)
)

// confidenceOf grades a claim: any mark of uncertainty makes it uncertain, else
// two kinds of factual marks make it high, one medium, none low.
func confidenceOf(s string) plumb.Confidence {
	if uncertain(s) {
		return plumb.Uncertain
	}
	n := 0
	for _, m := range factualMarks {
		if m.MatchString(s) {
			n++
		}
	}
	switch n {
	case 0:
		return plumb.Low
	case 1:
		return plumb.Medium
	}
	return plumb.High
}

func uncertain(s string) bool {
	if matchAny(uncertainMarks, s) {
		return true
	}
	for _, m := range might.FindAllStringSubmatch(s, -1) {
		if m[2] == "" && !mightNoun.MatchString(m[1]) {
			return true
		}
	}
	return hasUnless(likely, compared, s)
}

// hasUnless says whether mark occurs in s with a first group, the word before
// it, that not does not match.
func hasUnless(mark, not *regexp.Regexp, s string) bool {
	for _, m := range mark.FindAllStringSubmatch(s, -1) {
		if !not.MatchString(m[1]) {
			return true
		}
	}
	return false
}

func matchAny(marks []*regexp.Regexp, s string) bool {
	for _, m := range marks {
		if m.MatchString(s) {
			return true
		}
	}
	return false
}

// typeOf says what kind of statement a claim is. The first that fits counts:
// prediction, definition, opinion, factual.
func typeOf(s string) plumb.ClaimType {
	switch {
	case hasUnless(willWord, willNoun, s) || matchAny(predictive, s) || hasUnless(expects, noFuture, s):
		return plumb.Prediction
	case matchAny(defining, s) || meansThat.MatchString(s) && !consequence.MatchString(s):
		return plumb.Definition
	case matchAny(opinionMarks, s) || judges(s):
		return plumb.Opinion
	}
	return plumb.Factual
}

var (
	judgesNothing = regexp.MustCompile(`(?i)^(?:known|buy|western|seller|sellers|practice|practices|actor|actress|picture|case)$`)
	capital       = regexp.MustCompile(`^[BW]`)
)

// judges says whether a comparative or superlative of good or bad judges
// something. A capital inside a sentence makes it a name.
func judges(s string) bool {
	for _, m := range judging.FindAllStringSubmatchIndex(s, -1) {
		word, sep, next := s[m[2]:m[3]], s[m[4]:m[5]], s[m[6]:m[7]]
		if capital.MatchString(word) && m[2] > 0 || sep == "-" || judgesNothing.MatchString(next) {
			continue
		}
		if m[2] >= 3 && s[m[2]-3:m[2]] == "at " {
			continue
		}
		return true
	}
	return false
}
