// A draft taken apart: its prose blocks, their sentences and the mentions in them.
// Mentions and Split are two views of it.

package verify

import (
	"regexp"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/plumbresearch/plumb/markdown"
	"github.com/plumbresearch/plumb/text"
)

type report struct {
	doc       markdown.Doc
	lang      string
	mentions  []mention
	sentences []sentence
	lines     []int // offsets of the line breaks
}

// sentence is a sentence, or a table row, of a prose block.
type sentence struct {
	text       string // plain, one line, without what only points at sources
	start, end int    // in the draft; end is behind the markers that follow it
	block      int
	uncertain  bool // it carried [UNCERTAIN]
	row        bool
	mentions   []int // indexes into report.mentions
	covered    []int // without mentions of its own, those that cover it
}

func readReport(draft string) *report {
	r := &report{doc: markdown.Parse(draft), lang: text.Language(draft)}
	for i := 0; i < len(draft); i++ {
		if draft[i] == '\n' {
			r.lines = append(r.lines, i)
		}
	}
	s := readSources(r.doc)
	apart, lists := r.apart(s)
	r.mentions = findMentions(r.doc, s, func(section int) bool { return lists[section] })
	masked := maskMentions(draft, r.mentions)
	var header []string
	for i, b := range r.doc.Blocks {
		if b.Kind == markdown.Row && b.Level == 0 {
			header = cells(masked[b.Start:b.End])
		}
		if !prose(b.Kind) || b.Kind == markdown.Row && b.Level == 0 || apart[b.Section] || s.holds(b.Start) {
			continue
		}
		r.doc.Blocks[i].End = s.cut(b)
		if b.Kind == markdown.Row {
			r.addRow(i, masked, header)
			continue
		}
		r.addBlock(i, masked)
	}
	r.assignMentions()
	r.cover()
	return r
}

// apart says which sections have no claims, and which of them no mentions
// either: those that list sources. One that is named so and only cites, [1], is
// read for its mentions.
func (r *report) apart(s sources) (apart, lists []bool) {
	apart = make([]bool, len(r.doc.Sections))
	lists = make([]bool, len(r.doc.Sections))
	for i, sec := range r.doc.Sections {
		apart[i], lists[i] = standsApart(sec)
	}
	cites := make([]bool, len(r.doc.Sections))
	for _, m := range r.doc.Markers(s.entries) {
		cites[sectionOf(r.doc, m.Start)] = true
	}
	for _, e := range s.entries {
		cites[sectionOf(r.doc, e.Start)] = false
	}
	for i := range lists {
		lists[i] = lists[i] && !cites[i]
	}
	return apart, lists
}

func prose(k markdown.BlockKind) bool {
	return k == markdown.Paragraph || k == markdown.Item || k == markdown.Quote || k == markdown.Row
}

func (r *report) line(offset int) int { return sort.SearchInts(r.lines, offset) + 1 }

// lineAround returns the bounds of the lines that a span is on, without the last line break.
func (r *report) lineAround(start, end int) (from, to int) {
	to = len(r.doc.Source)
	if i := sort.SearchInts(r.lines, start); i > 0 {
		from = r.lines[i-1] + 1
	}
	if i := sort.SearchInts(r.lines, end); i < len(r.lines) {
		to = r.lines[i]
	}
	return from, to
}

// sectionTitle is the nearest heading above offset; the text before the first is the preamble.
func (r *report) sectionTitle(offset int) string {
	if s := r.doc.SectionAt(offset); s.Level > 0 {
		return s.Title
	}
	return "preamble"
}

var (
	titleNumber = regexp.MustCompile(`^(?:[0-9]+(?:\.[0-9]+)*[.)、:：]?|[IVXLC]+[.)]|[一二三四五六七八九十]+[、.．])\s*`)
	// Sections that list sources have no mentions and no claims.
	listTitle = regexp.MustCompile(`(?i)^(?:(?:key|main|primary|selected|list of|cited|additional|numbered)\s+)*` +
		`(?:(?:sources?|references?|bibliography|works cited|citations?|literature|endnotes|footnotes|further reading|` +
		`参考文献|参考资料|参考来源|参考链接|参考|引用|引用来源|引用文献|来源|资料来源|信息来源|数据来源|文献|出典|参照|脚注|參考文獻|參考資料|資料來源|참고문헌|출처|` +
		`quellen|quellenverzeichnis|literatur|literaturverzeichnis|einzelnachweise|références|bibliographie|fuentes|referencias|bibliografía|fonti|riferimenti|` +
		`fontes|referências|bronnen|источники|литература|список литературы)(?:\s*(?:and|&|und|et|y|e|与|和|及|/|,)\s*)?)+$`)
	// Sections about the report itself have mentions at most.
	ownTitle = regexp.MustCompile(`(?i)^(?:methodology|methods?|research methodology|about this report|verification notes|verification|confidence assessment|` +
		`(?:table of )?contents|navigation|disclaimers?|方法论|研究方法|目录|目次|免责声明|inhalt|inhaltsverzeichnis|methodik|table des matières|méthodologie|índice|metodología)$`)
)

// standsApart says whether a section has no claims, because it or a section
// around it lists sources or speaks of the report itself; list is the former.
func standsApart(s markdown.Section) (apart, list bool) {
	for _, title := range s.Path {
		title = strings.TrimSpace(strings.TrimRight(titleNumber.ReplaceAllString(title, ""), ":： "))
		list = list || listTitle.MatchString(title)
		apart = apart || ownTitle.MatchString(title)
	}
	return apart || list, list
}

// addBlock adds the sentences of a paragraph, item or quotation.
func (r *report) addBlock(block int, masked string) {
	b := r.doc.Blocks[block]
	if emphasised(r.doc.Text(b)) {
		return
	}
	part := masked[b.Start:b.End]
	if b.Kind == markdown.Quote {
		part = unquote(part)
	}
	plain, at := markdown.Plain(part)
	for _, s := range text.Sentences(plain, r.lang) {
		for _, c := range clauses(s.Of(plain)) {
			from, to := s.Start+c[0], s.Start+c[1]
			r.add(sentence{text: plain[from:to], start: b.Start + at(from), end: b.Start + at(to), block: block})
		}
	}
}

// unquote blanks the > at the beginning of lines.
func unquote(s string) string {
	b := []byte(s)
	begins := true
	for i, c := range b {
		switch {
		case c == '\n':
			begins = true
		case begins && c == '>':
			b[i] = ' '
		case c != ' ':
			begins = false
		}
	}
	return string(b)
}

// addRow adds a table row as one sentence: its cells, those after the first with
// the column's heading before them.
func (r *report) addRow(block int, masked string, header []string) {
	b := r.doc.Blocks[block]
	var parts []string
	for i, c := range cells(masked[b.Start:b.End]) {
		switch {
		case c == "" || strings.Trim(c, "-–—") == "":
		case i > 0 && i < len(header) && header[i] != "":
			parts = append(parts, header[i]+": "+c)
		default:
			parts = append(parts, c)
		}
	}
	if len(parts) < 2 {
		return
	}
	r.add(sentence{text: strings.Join(parts, "; "), start: b.Start, end: b.End, block: block, row: true})
}

// cells returns the plain texts of a row's cells.
func cells(row string) []string {
	var out []string
	from := 0
	for i := 0; i <= len(row); i++ {
		if i < len(row) && (row[i] != '|' || i > 0 && row[i-1] == '\\') {
			continue
		}
		plain, _ := markdown.Plain(strings.TrimSpace(row[from:i]))
		out = append(out, strings.TrimRight(markdown.OneLine(plain), ".。; "))
		from = i + 1
	}
	return out
}

// emphasised says whether a block is emphasised as a whole, *…* or _…_: that is
// how a report speaks of itself, and no claim.
func emphasised(s string) bool {
	if len(s) < 3 || s[0] != '*' && s[0] != '_' || s[len(s)-1] != s[0] {
		return false
	}
	inner := s[1 : len(s)-1]
	if inner[0] == s[0] || inner[len(inner)-1] == s[0] || inner[0] == ' ' {
		return false
	}
	return strings.IndexByte(strings.ReplaceAll(inner, `\`+s[:1], ""), s[0]) < 0
}

var uncertainTag = regexp.MustCompile(`(?i)\[UNCERTAIN\]`)

func (r *report) add(s sentence) {
	s.uncertain = uncertainTag.MatchString(s.text)
	if s.uncertain {
		s.text = uncertainTag.ReplaceAllString(s.text, "")
	}
	s.text = tidy(s.text)
	b := r.doc.Blocks[s.block]
	for s.start > b.Start && strings.IndexByte("*_`~", r.doc.Source[s.start-1]) >= 0 {
		s.start-- // mark-up that opens with the sentence
	}
	s.end = r.extend(s.end, b.End)
	if n := len(r.sentences); n > 0 {
		s.start = max(s.start, r.sentences[n-1].end)
	}
	if s.start < s.end && s.text != "" {
		r.sentences = append(r.sentences, s)
	}
}

var beforeSign = regexp.MustCompile(`\s+([.,;:!?)\]。，；：！？）、])`)

// tidy closes the gaps that taking out mentions left.
func tidy(s string) string {
	s = beforeSign.ReplaceAllString(markdown.OneLine(s), "$1")
	s = tail.ReplaceAllString(s, "")
	return strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(s), "**"), "**"))
}

// extend moves the end of a sentence behind the markers that follow it and the
// punctuation and closing mark-up around them.
func (r *report) extend(end, limit int) int {
	src := r.doc.Source
	i := sort.Search(len(r.mentions), func(i int) bool { return r.mentions[i].end > end })
	if i < len(r.mentions) && r.mentions[i].start < end { // the sentence ends within a link
		end = min(r.mentions[i].end, limit)
	}
	end = closing(src, end, limit)
	for ; i < len(r.mentions); i++ {
		m := r.mentions[i]
		if m.end <= end {
			continue
		}
		if m.end > limit || m.inSentence() || strings.Trim(src[end:m.start], " \t([（【,;，；、<") != "" {
			break
		}
		end = closing(src, m.end, limit)
	}
	return end
}

// closing skips closing mark-up, brackets and a full stop behind offset.
func closing(src string, end, limit int) int {
	for end < limit {
		c, n := utf8.DecodeRuneInString(src[end:limit])
		if !strings.ContainsRune("*_`~)）]】>.。!！?？;；\"”’", c) {
			break
		}
		end += n
	}
	return end
}

// assignMentions ties each mention to the sentence it stands in.
func (r *report) assignMentions() {
	k := 0
	for i := range r.mentions {
		m := &r.mentions[i]
		m.sentence = -1
		for k < len(r.sentences) && r.sentences[k].end <= m.start {
			k++
		}
		if k < len(r.sentences) && r.sentences[k].start <= m.start {
			m.sentence = k
			r.sentences[k].mentions = append(r.sentences[k].mentions, i)
		}
	}
}
