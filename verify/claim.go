// Claims: which sentences of a draft are checkable statements, and what each cites.

package verify

import (
	"fmt"
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
// A claim cites what its own sentence mentions; what covers a sentence that
// mentions nothing, cover says. Statements joined by a semicolon are claims of
// their own. Claim.Text is the statement as it can be read alone (see
// selfContained); Start and End are where the draft makes it.
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

// claimsOf gives the claims among sentences from to to, which make up one block.
func (r *report) claimsOf(from, to int) []plumb.Claim {
	block := r.doc.Blocks[r.sentences[from].block]
	if r.linkOnly(block, r.sentences[from:to]) || to-from == 1 && labelOnly(r.doc.Text(block), r.sentences[from]) {
		return nil
	}
	var out []plumb.Claim
	for k := from; k < to; k++ {
		s := r.sentences[k]
		if !checkable(s, block.Kind) {
			continue
		}
		c := plumb.Claim{Text: r.selfContained(k, from), Section: r.sectionTitle(s.start), Citations: r.urls(append(s.mentions, s.covered...)),
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
