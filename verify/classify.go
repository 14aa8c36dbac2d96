// Confidence and type of a claim, by words that mark them.

package verify

import (
	"regexp"
	"strings"

	"github.com/plumbresearch/plumb"
)

// mark is a form that marks a claim, with strings of which a sentence in lower
// case must have one: most sentences have none, and a regular expression is slow.
type mark struct {
	hints []string
	form  *regexp.Regexp
}

func newMark(hints, form string) mark {
	return mark{strings.Split(hints, "|"), regexp.MustCompile(form)}
}

func (m mark) hinted(low string) bool {
	for _, h := range m.hints {
		if strings.Contains(low, h) {
			return true
		}
	}
	return false
}

// in says whether s, which is low in lower case, has the mark.
func (m mark) in(s, low string) bool { return m.hinted(low) && m.form.MatchString(s) }

// inUnless says whether s has the mark with a first group, the word before it,
// that not does not match.
func (m mark) inUnless(not *regexp.Regexp, s, low string) bool {
	if !m.hinted(low) {
		return false
	}
	for _, g := range m.form.FindAllStringSubmatch(s, -1) {
		if !not.MatchString(g[1]) {
			return true
		}
	}
	return false
}

func anyIn(marks []mark, s, low string) bool {
	for _, m := range marks {
		if m.in(s, low) {
			return true
		}
	}
	return false
}

// Modal "may" is lower-case and followed by a word: "May 2024", "in may 2024"
// and a sentence's first "May" are none. Modal "might" and "will" follow no word
// that makes them nouns.
var (
	uncertainMarks = []mark{
		newMark("may ", `\bmay\s+[a-z]`),
		newMark("possibly|perhaps|maybe|reportedly|allegedly|supposedly|purportedly|presumably|probably|apparently",
			`(?i)\b(?:possibly|perhaps|maybe|reportedly|allegedly|supposedly|purportedly|presumably|probably|apparently)\b`),
		newMark("some sources|appear|seem|could |unclear|uncertain|unconfirmed",
			`(?i)\b(?:some\s+sources|it\s+(?:appears|seems)|(?:appears?|seems?|appeared|seemed)\s+to\b|could\s+(?:also\s+|potentially\s+|then\s+)?(?:[a-mo-z]|n[a-np-z])[a-z]+\b|(?:is|are|remains?)\s+(?:unclear|uncertain|unconfirmed)|unconfirmed\s+reports?)`),
		newMark("可能|或许|也许|大概|据报道|据称|似乎|疑似|不确定|尚不清楚|尚未证实|おそらく|かもしれ", `(?:^|[^不功性才尽])可能(?:[^性]|$)|或许|也许|大概|据报道|据称|似乎|疑似|不确定|尚不清楚|尚未证实|おそらく|かもしれ`),
		newMark("möglicherweise|vielleicht|angeblich|vermutlich|mutmaßlich|peut-être|probablement|apparemment|posiblemente|quizás|supuestamente",
			`(?i)\b(?:möglicherweise|vielleicht|angeblich|vermutlich|mutmaßlich|peut-être|probablement|apparemment|posiblemente|quizás|supuestamente)(?:\P{L}|$)`),
	}
	might     = newMark("might ", `(?:^|(\p{L}+)\s+)might\s+(?:[^o]|o[^f])`)
	mightNoun = regexp.MustCompile(`(?i)^(?:the|military|economic|industrial|naval|its|their|his|her|our|financial|political)$`)
	likely    = newMark("likely", `(?i)(?:^|(\p{L}+)\s+)likely\b`)
	compared  = regexp.MustCompile(`(?i)^(?:more|less|as|equally|times|most|least)$`)

	factualMarks = []mark{
		newMark("%|％|percent|per cent|prozent|百分之", `(?i)\d\s*(?:%|％|percent\b|per\s+cent\b|Prozent\b)|百分之`),
		newMark("$|€|£|¥|￥|dollar|euro|pound|yen|yuan|usd|eur|gbp|rmb|元|美金|港币|英镑|人民币",
			`(?i)[$€£¥￥]\s?\d|\d\s*(?:[kmb]n?|million|billion|trillion)?\s*(?:dollars|euros?|pounds|yen|yuan|USD|EUR|GBP)\b|[\d万亿千百十][\d,.]*\s*[万亿兆]*\s*(?:美元|美金|欧元|英镑|日元|港元|港币|人民币|RMB|元(?:[^素件宇]|$))|\d\s*[MBK]?\+?\s*RMB\b|\bRMB\s*\d`),
		newMark("15|16|17|18|19|20", `(?i)\b(?:early|late|mid|the|throughout|towards?)[\s-]+(?:(?:early|late|mid)[\s-]+)?(?:1[5-9]|20)\d0s\b|\b(?:1[5-9]|20)\d\d\s?[–—-]\s?(?:1[5-9]|20)?\d\d\b|\(\s?(?:1[5-9]|20)\d\d\s?\)|`+
			`\b(?:January|February|March|April|May|June|July|August|September|October|November|December)\s+(?:\d{1,2},?\s+)?(?:1[5-9]|20)\d\d\b|(?:^|\D)(?:1[5-9]|20)\d\d(?:[/至]|\p{Han})|\b(?:in|since|by|from|during|until|of|for)\s+(?:(?:early|late|mid|fiscal|january|february|march|april|may|june|july|august|september|october|november|december|q[1-4])[\s-]+)?(?:1[5-9]|20)\d\d\b|(?:1[5-9]|20)\d\d年`),
		newMark("according|据|據|laut|selon|según", `(?i)\baccording\s+to\b|[根依][据據].{0,24}(?:数据|报告|统计|研究|调查|公告|年报|披露|资料|消息|文件|规定|显示|数據|報告)|[据據].{1,20}(?:数据|报告|统计|报道|介绍|披露|透露)|\blaut\b|\bselon\b|\bsegún\b`),
		newMark("stud|survey|research|trial|analys|review|simulation|experiment|研究|调查|实验|试验",
			`(?i)\b(?:stud(?:y|ies)|surveys?|research(?:ers)?|trials?|analys[ei]s|reviews?|simulations?|experiments?)\s+(?:(?:from|of|by|in|with|for)\s+(?:\S+\s+){1,12}?)?(?:has\s+|have\s+|also\s+)?(?:found|finds|show|shows|showed|shown|reported|reports\s+that|concluded|demonstrated|demonstrates?|confirm(?:s|ed)?)\b|(?:研究|调查|实验|试验)(?:结果)?(?:发现|表明|显示|证实)`),
		newMark("data|figures|statistics|results|records|measurements|数据|统计",
			`(?i)\b(?:data|figures|statistics|results|records|measurements)\s+(?:from\s+\S+(?:\s+\S+)?\s+)?(?:shows?|showed|indicates?|indicated|suggests?|reveals?|revealed|confirms?|confirmed)\b|(?:数据|统计)(?:显示|表明)`),
	}

	willWord   = newMark("will ", `(?:^|(\S+)\s+)will\s+[a-z]`)
	willNoun   = regexp.MustCompile(`(?i)^(?:a|an|the|his|her|their|its|my|your|our|free|political|last|living|at|good|ill|of|popular|iron|sheer|people's|public|god's)$`)
	predictive = []mark{
		newMark("forecast|predict|projected to|set to|going to|anticipated|poised to|likely to",
			`(?i)\b(?:(?:is|are|was|were|been)\s+(?:forecast(?:ed)?|predicted)|(?:analysts?|experts?|economists?|researchers?|forecasters?|agency|bank|fund|reports?|we|who|and|they|(?-i:[A-Z]{2,}))\s+(?:forecasts?|predicts?|predicted|forecasted)|`+
				`(?:forecasts|predicts|predicted)\s+(?:that|an?|growth|further|the)\b|(?:forecast|predict)\s+that\b|(?:forecasts|predictions?)\s+(?:for|of|by|from|suggest|indicate|put|see|call)|forecast(?:ed)?\s+to|predicted\s+to|poised\s+to|(?:is|are)\s+(?:un)?likely\s+to|projected\s+to|is\s+set\s+to|are\s+set\s+to|(?:is|are)\s+going\s+to|anticipated\s+(?:to|as|by|in))\b`),
		newMark("预计|预测|预期将|将会|有望|将于|将在|予測|見込み", `预计|(?:机构|专家|分析师|报告|公司|银行|IMF|我们|市场|高盛|协会|经济学家)(?:普遍|均|也)?预测|预测(?:到|至|未来|显示|20\d\d|[，,:：]|值)|[据據][^，。；]{0,12}预测|预期将|将会|有望|将于|将在|予測|見込み`),
		newMark("voraussichtlich|se espera|devrait", `(?i)\bwird\s+voraussichtlich\b|\bse\s+espera\b|\bdevrait\b`),
	}
	expects  = newMark("expect", `(?i)(?:^|(\p{L}+)\s+)expect(?:s|ed|ing|ation|ations)?\b`)
	noFuture = regexp.MustCompile(`(?i)^(?:than|as|life|if)$`)

	defining = []mark{
		newMark("defined|refer|stands for|the term", `(?i)\b(?:(?:(?:is|are|was|were)|(?:can|may)\s+be)\s+(?:\S+ly\s+)?defined\s+(?:\S+\s+)?as|refers?\s+to|stands\s+for|the\s+term\s+.{1,60}\s+(?:means|denotes|describes))\b`),
		newMark("是指|定义为|指的是|被定义|是一种|是由|とは", `是指|定义为|指的是|被定义|^[^，。；]{2,60}是(?:一种[^，。；]{2,80}的\p{Han}{2,12}|由[^，。；]{2,30}(?:组成|构成)的)|とは.+(?:である|です)`),
	}
	meansThat   = newMark("means that", `(?i)\bmeans\s+that\b`)
	consequence = regexp.MustCompile(`(?i)^(?:this|that|it|which|these|so)\b`)

	opinionMarks = []mark{
		newMark("keep|ensure|avoid|consider|monitor|make sure|prioriti|encourage|choose|check|always|never|do not|don't",
			`^(?:[^:]{1,60}:\s*)?(?:Keep|Ensure|Avoid|Consider|Monitor|Make\s+sure|Prioriti[sz]e|Encourage|Choose|Check|Always|Never|Do\s+not|Don't)\s+[a-z]`),
		newMark("具有重要意义|至关重要", `具有(?:重要|重大|深远)(?:的)?(?:\p{Han}{0,4})意义|至关重要`),
		newMark("recommended|for those|for users|for teams|ideal for|intuitive|user-friendly",
			`(?i)^(?:[^:]{1,60}:\s*)?(?:for\s+(?:those|users|teams|people|anyone)\s|recommended\s+(?:for|if)|ideal\s+for|intuitive\b|user-friendly\b)|\bis\s+(?:highly\s+)?recommended\b`),
		newMark("should|ought|arguably|in my |i think|i believe|we think|we believe|we recommend",
			`(?i)\b(?:should|ought\s+to|arguably|in\s+my\s+(?:view|opinion)|i\s+(?:think|believe)|we\s+(?:think|believe|recommend))\b`),
		newMark("应|要|须|宜|最好|更好|最佳|更差|最差|值得推荐|建议",
			`应该|应当|最好|更好|最佳|更差|最差|值得推荐|^(?:[^，。；]{0,24}(?:中|时|上|，))?(?:教师|家长|企业|政府|学校|机构|我们|用户|投资者)?[应宜](?:[^用对急力变激答聘验付届邀]|用于|对于)|(?:^|，)(?:同时，)?(?:要|须|需|必须|务必)(?:强调|建立|注意|注重|加强|重视|避免|确保|根据|把|将|在|与|关注|做好|保持|警惕)|^建议|建议(?:\p{Han}|优先|将)|^(?:注意|避免|优先|使用|采用|选择|确保|尽量)[^，。；]*[，。；]?例如`),
	}
	// "best-selling", "better known as", "Best Buy" and "at best" judge nothing.
	judging = newMark("better|worse|best|worst", `(?:^|[^\p{L}-])((?:[Bb]etter|[Ww]orse|[Bb]est|[Ww]orst))($|[^\p{L}])\s?(\p{L}*)`)
)

// confidenceOf grades a claim: any mark of uncertainty makes it uncertain, else
// two kinds of factual marks make it high, one medium, none low.
func confidenceOf(s string) plumb.Confidence {
	low := strings.ToLower(s)
	if anyIn(uncertainMarks, s, low) || might.inUnless(mightNoun, s, low) || likely.inUnless(compared, s, low) {
		return plumb.Uncertain
	}
	n := 0
	for _, m := range factualMarks {
		if m.in(s, low) {
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

// typeOf says what kind of statement a claim is. The first that fits counts:
// prediction, definition, opinion, factual.
func typeOf(s string) plumb.ClaimType {
	low := strings.ToLower(s)
	switch {
	case willWord.inUnless(willNoun, s, low) || anyIn(predictive, s, low) || expects.inUnless(noFuture, s, low):
		return plumb.Prediction
	case anyIn(defining, s, low) || meansThat.in(s, low) && !consequence.MatchString(s):
		return plumb.Definition
	case anyIn(opinionMarks, s, low) || judges(s, low):
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
func judges(s, low string) bool {
	if !judging.hinted(low) {
		return false
	}
	for _, m := range judging.form.FindAllStringSubmatchIndex(s, -1) {
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
