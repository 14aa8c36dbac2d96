// Claims: which sentences of a draft are checkable statements, and what each cites.

package verify

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/markdown"
)

// Split gives the claims of a draft in order: the sentences of its paragraphs,
// list items and quotations, and the rows of its tables. Left out are headings,
// code, source lists, sections about the report itself, blocks that are
// emphasised as a whole, lines that are only a link, questions, lead-ins that
// end in a colon and fragments (under 4 words, or 6 characters in a script
// without spaces).
//
// Claim.Text has no markers in it. Claim.End is behind the markers and the full
// stop that end the sentence, so that a badge can be put there.
//
// A claim cites what its own sentence mentions. A sentence that mentions nothing
// is covered by the mentions of the last sentence of its block if the block is a
// list item or has at most 3 sentences.
func Split(draft string) []plumb.Claim {
	r := readReport(draft)
	var out []plumb.Claim
	for i := 0; i < len(r.sentences); {
		j := i
		for j < len(r.sentences) && r.sentences[j].block == r.sentences[i].block {
			j++
		}
		out = append(out, r.claimsOf(i, j)...)
		i = j
	}
	for i := range out {
		out[i].ID = fmt.Sprintf("claim_%03d", i+1)
	}
	return out
}

// maxCovered is how many sentences of a paragraph the mentions at its end cover.
const maxCovered = 3

// claimsOf gives the claims among sentences from to to, which make up one block.
func (r *report) claimsOf(from, to int) []plumb.Claim {
	block := r.doc.Blocks[r.sentences[from].block]
	if r.linkOnly(block, r.sentences[from:to]) || to-from == 1 && labelOnly(r.doc.Text(block), r.sentences[from]) {
		return nil
	}
	var covering []int
	if block.Kind == markdown.Item || to-from <= maxCovered {
		covering = r.sentences[to-1].mentions
	}
	var out []plumb.Claim
	for _, s := range r.sentences[from:to] {
		if !checkable(s) {
			continue
		}
		ms := s.mentions
		if len(ms) == 0 {
			ms = covering
		}
		c := plumb.Claim{Text: s.text, Section: r.sectionTitle(s.start), Citations: r.urls(ms),
			Confidence: confidenceOf(s.text), Type: typeOf(s.text), Start: s.start, End: s.end}
		if s.uncertain {
			c.Confidence = plumb.Uncertain
		}
		out = append(out, c)
	}
	return out
}

// urls are the addresses of mentions, each once. A marker that names nothing
// gives none.
func (r *report) urls(ms []int) []string {
	out := []string{}
	for _, i := range ms {
		if u := r.mentions[i].url; u != "" && !slices.Contains(out, u) {
			out = append(out, u)
		}
	}
	return out
}

// linkOnly says whether a block is nothing but a link: an entry of some list, or
// the report's own navigation.
func (r *report) linkOnly(b markdown.Block, ss []sentence) bool {
	src := strings.Trim(r.doc.Text(b), "*_ \t")
	if loc := inlineLink.FindStringIndex(src); loc != nil && loc[0] == 0 && strings.Trim(src[loc[1]:], "*_.;:,|- \t") == "" {
		return true
	}
	for _, s := range ss {
		if hasLetter(s.text) {
			return false
		}
	}
	return true
}

// labelOnly says whether a block is a heading in bold type: no full stop, no mention.
func labelOnly(src string, s sentence) bool {
	bold := strings.HasPrefix(src, "**") && strings.HasSuffix(strings.TrimRight(src, ":： "), "**") && strings.Count(src, "**") == 2
	return bold && len(s.mentions) == 0 && !endsSentence(s.text)
}

func endsSentence(s string) bool {
	r, _ := utf8.DecodeLastRuneInString(strings.TrimRight(s, ")）]】\"”’'"))
	return strings.ContainsRune(".!?。！？…", r)
}

func hasLetter(s string) bool { return strings.IndexFunc(s, unicode.IsLetter) >= 0 }

const (
	minWords      = 4
	minDenseChars = 6
	minLeadWords  = 10 // a lead-in with that many words and a number says something itself
)

var (
	// Lines by which a report describes itself.
	metaLine = regexp.MustCompile(`(?i)^(?:generated|verification status|verification performed|high confidence claims|claims requiring review|unverified claims|` +
		`confidence assessment|word count|date|authors?|prepared (?:by|for)|published|last updated|report date|language|run|作者|日期|生成时间|更新时间|字数)\s*[:：]`)
	// What a system says about its own work.
	process = regexp.MustCompile(`^(?:Let me |Let's |Now,? (?:let me|I)\b|Next, I\b|I(?:'ll|’ll| will| need to| am going to|'m going to|’m going to)\s|Based on my research, I\b|` +
		`(?:现在|接下来|首先|最后)?[，,]?(?:让我|我(?:将|需要|会|来|要)))`)
)

// checkable says whether a sentence states something that a source could bear out.
func checkable(s sentence) bool {
	words, dense := count(s.text)
	if words < minWords && dense < minDenseChars {
		return false
	}
	if metaLine.MatchString(s.text) || process.MatchString(s.text) {
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
