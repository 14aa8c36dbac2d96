// Which sentences a mention covers besides its own.

package verify

import (
	"regexp"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/plumbresearch/plumb/markdown"
)

// pointerLabel is what a line says that only names sources.
var pointerLabel = regexp.MustCompile(`(?i)^(?:data\s+|image\s+)?(?:sources?|references?|see|via|来源|资料来源|数据来源|参考|出处|quellen?|source\(s\)|fuentes?)\s*[:：]?[\s,;，；、*_|]*$`)

// maxCovered is how many sentences of a paragraph a mention covers that stands
// inside its sentence. One behind the full stop covers the sentences before it up
// to the last that has a mention of its own.
const maxCovered = 3

// cover finds for each sentence without mentions those of others that cover it:
//
//   - in the same block, those of the next sentence that has any (see maxCovered;
//     of a list item and of a sentence that was cut at a semicolon always);
//   - for the items and rows behind "… are the following: [1]", those of that lead-in;
//   - for what stands above a line "Source: …" and has no mentions at all, those of
//     that line.
func (r *report) cover() {
	for i := 0; i < len(r.sentences); {
		j := r.blockEnd(i)
		r.coverBlock(i, j)
		i = j
	}
	r.coverLists()
	r.coverAbove()
	for k := range r.sentences {
		s := &r.sentences[k]
		for _, i := range append(append([]int{}, s.mentions...), s.covered...) {
			m := &r.mentions[i]
			if m.covers[1] == 0 {
				m.covers = [2]int{s.start, s.end}
			}
			m.covers = [2]int{min(m.covers[0], s.start), max(m.covers[1], s.end)}
		}
	}
}

// blockEnd returns the index behind the last sentence of the block that sentence
// i stands in.
func (r *report) blockEnd(i int) int {
	j := i
	for j < len(r.sentences) && r.sentences[j].block == r.sentences[i].block {
		j++
	}
	return j
}

func (r *report) coverBlock(from, to int) {
	item := r.doc.Blocks[r.sentences[from].block].Kind == markdown.Item
	next := -1
	for k := to - 1; k >= from; k-- {
		s := &r.sentences[k]
		if len(s.mentions) > 0 {
			next = k
			continue
		}
		if next < 0 {
			continue
		}
		behind := r.behindStop(r.sentences[next].mentions[0])
		if item || behind || to-from <= maxCovered || r.sameSentence(k, next) {
			s.covered = r.sentences[next].mentions
		}
	}
}

// sameSentence says whether k to next are parts of one sentence.
func (r *report) sameSentence(k, next int) bool {
	for ; k < next; k++ {
		if c, _ := utf8.DecodeLastRuneInString(r.sentences[k].text); c != ';' && c != '；' {
			return false
		}
	}
	return true
}

// behindStop says whether a mention stands behind the full stop.
func (r *report) behindStop(mention int) bool {
	m := r.mentions[mention]
	return !m.inSentence() && endsBefore([]byte(r.doc.Source[max(0, m.start-64):m.start]))
}

// coverLists lets the mentions of a lead-in cover the list or table behind it.
func (r *report) coverLists() {
	for i := 0; i < len(r.sentences); {
		j := r.blockEnd(i)
		lead := r.sentences[j-1]
		i = j
		if len(lead.mentions) == 0 || !strings.HasSuffix(strings.TrimRight(lead.text, " *_"), ":") && !strings.HasSuffix(lead.text, "：") {
			continue
		}
		for i < len(r.sentences) && r.listed(i) && r.follows(i) && r.bare(i, r.blockEnd(i)) {
			j = r.blockEnd(i)
			r.coverAll(i, j, lead.mentions)
			i = j
		}
	}
}

func (r *report) listed(i int) bool {
	k := r.doc.Blocks[r.sentences[i].block].Kind
	return k == markdown.Item || k == markdown.Row
}

// follows says whether sentence i stands in the block, or the section, right
// behind that of the sentence before it.
func (r *report) follows(i int) bool {
	a, b := r.sentences[i-1].block, r.sentences[i].block
	for k := a + 1; k < b; k++ {
		if kind := r.doc.Blocks[k].Kind; kind != markdown.Row && kind != markdown.Item {
			return false
		}
	}
	return r.doc.Blocks[a].Section == r.doc.Blocks[b].Section
}

// bare says whether sentences from to to have no mentions.
func (r *report) bare(from, to int) bool {
	for _, s := range r.sentences[from:to] {
		if len(s.mentions)+len(s.covered) > 0 {
			return false
		}
	}
	return true
}

func (r *report) coverAll(from, to int, mentions []int) {
	for k := from; k < to; k++ {
		r.sentences[k].covered = mentions
	}
}

// coverAbove lets a block that is nothing but "Source: …" cover the paragraph,
// list or table above it.
func (r *report) coverAbove() {
	for i := 0; i < len(r.mentions); {
		block := r.blockAt(r.mentions[i].start)
		var own []int
		for ; i < len(r.mentions) && block >= 0 && r.mentions[i].start < r.doc.Blocks[block].End; i++ {
			own = append(own, i)
		}
		if block < 0 {
			i++
			continue
		}
		if r.mentions[own[0]].sentence >= 0 || !r.pointer(block, own) {
			continue
		}
		k := len(r.sentences)
		for k > 0 && r.sentences[k-1].block > block {
			k--
		}
		if k == 0 || r.sentences[k-1].block != block-1 {
			continue
		}
		for k > 0 {
			from := k - 1
			for from > 0 && r.sentences[from-1].block == r.sentences[from].block {
				from--
			}
			if !r.bare(from, k) {
				break
			}
			r.coverAll(from, k, own)
			if from == 0 || !r.listed(from) || !r.listed(from-1) || !r.follows(from) {
				break
			}
			k = from
		}
	}
}

// pointer says whether all of a block points at sources.
func (r *report) pointer(block int, own []int) bool {
	b := r.doc.Blocks[block]
	masked := []byte(r.doc.Source[b.Start:b.End])
	for _, i := range own {
		blank(masked, r.mentions[i].start-b.Start, min(r.mentions[i].end, b.End)-b.Start)
	}
	rest := strings.Trim(string(masked), " \t\n*_()（）[]【】,;，；、.。|")
	return rest == "" && !r.mentions[own[0]].inSentence() || pointerLabel.MatchString(rest)
}

// blockAt returns the block that holds offset, -1 without one.
func (r *report) blockAt(offset int) int {
	i := sort.Search(len(r.doc.Blocks), func(i int) bool { return r.doc.Blocks[i].End > offset })
	if i < len(r.doc.Blocks) && r.doc.Blocks[i].Start <= offset {
		return i
	}
	return -1
}
