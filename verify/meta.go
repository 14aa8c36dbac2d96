// Which sentences of a draft state something: not those that are too short, ask,
// lead in, or speak of the report and how it came about.

package verify

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/plumbresearch/plumb/markdown"
)

const (
	minWords      = 4
	minDenseChars = 6
	minItemChars  = 14 // a shorter item without a sign or a number in it is a label
	minLeadWords  = 10 // a lead-in with that many words and a number says something itself
)

var (
	// Lines by which a report describes itself.
	metaLine = regexp.MustCompile(`(?i)^(?:generated|verification status|verification performed|high confidence claims|claims requiring review|unverified claims|` +
		`confidence assessment|word count|date|authors?|prepared (?:by|for)|published|last updated|report date|language|run|作者|日期|生成时间|更新时间|字数)\s*[:：]`)
	// What a report says about itself.
	aboutItself = regexp.MustCompile(`(?i)^(?:in\s+)?(?:this|the\s+(?:present|following))\s+(?:(?:research|comprehensive|detailed|final|in-depth|brief)\s+)*(?:report|analysis|article|document|review|overview|section|chapter|guide|paper)\s+(?:\S+ly\s+)?` +
		`(?:will\s+)?(?:examin|analy[sz]|provid|present|explor|review|summari[sz]|compar|cover|aim|outlin|discuss|describ|investigat|evaluat|synthesi[sz]|focus|seek|offer|detail|address|look|highlight)\w*\b|` +
		`^(?:本(?:研究)?报告|本文|本调研|本章|本节|以下(?:内容|报告|章节|分析))(?:将|旨在|主要|系统|按照|从|基于|围绕|对|通过|深入|全面|为|拟|首先|以下)|^(?:以下|下文|下表|上表|详见|具体见|完整).{0,24}(?:如下|附表|附录|全文|原始文档|见上|见下)`)
	// A remark in brackets around a whole sentence speaks to the reader.
	aside = regexp.MustCompile(`^[（(](?:注|说明|如需|以下|详见|备注|note|see)[^（）()]*[)）]$`)
	// What a system says about its own work.
	process = regexp.MustCompile(`^(?:为了?(?:给您|更好地|全面).{0,60}我(?:需要|将|会)|我(?:还|已)(?:需要|将|会|为您|查)|Let me |Let's |Now,? (?:let me|I)\b|Next, I\b|I(?:'ll|’ll| will| need to| am going to|'m going to|’m going to)\s|Based on my research, I\b|` +
		`(?:现在|接下来|首先|最后)?[，,]?(?:让我|我(?:将|需要|会|来|要)))`)
)

// checkable says whether a sentence states something that a source could bear out.
func checkable(s sentence, kind markdown.BlockKind) bool {
	words, dense := count(s.text)
	if words < minWords && dense < minDenseChars {
		return false
	}
	if metaLine.MatchString(s.text) || process.MatchString(s.text) || aboutItself.MatchString(s.text) || aside.MatchString(s.text) {
		return false
	}
	if kind == markdown.Item && len(s.mentions) == 0 && words < minWords && dense < minItemChars && bareLabel(s.text) {
		return false
	}
	last, _ := utf8.DecodeLastRuneInString(strings.TrimRight(s.text, ")）\"”’' "))
	switch last {
	case '?', '？':
		return false
	case ':', '：':
		return len(s.mentions) > 0 || (words >= minLeadWords || dense >= 2*minLeadWords) && strings.ContainsAny(s.text, "0123456789")
	}
	return true
}

// bareLabel says whether a text has neither a sign nor a number: "环境结构".
func bareLabel(s string) bool {
	return !strings.ContainsAny(s, "，。；：、,.;:%") && strings.IndexFunc(s, unicode.IsDigit) < 0
}

// count returns the words of s and its characters of scripts without spaces.
func count(s string) (words, dense int) {
	inWord := false
	for _, r := range s {
		switch {
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai):
			dense++
			inWord = false
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			if !inWord {
				words++
			}
			inWord = true
		case r == '\'' || r == '’' || r == '.' || r == ',' || r == '-' || unicode.IsMark(r):
		default:
			inWord = false
		}
	}
	return words, dense
}
