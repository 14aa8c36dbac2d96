package report

// Cleaning: what a model wrote becomes a draft. Remarks, source lists of its own, HTML, pictures, links and addresses go:
// a report may point only at sources that were read, by their numbers.

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/link"
	"github.com/plumbresearch/plumb/llm"
	"github.com/plumbresearch/plumb/markdown"
)

// cleaner knows what a draft may cite.
type cleaner struct {
	numbers map[string]int // of citations, by the identity of their address
	areas   []plumb.Area
	lang    string
}

func newCleaner(m Material) cleaner {
	c := cleaner{numbers: map[string]int{}, areas: m.Brief.Areas, lang: m.Brief.Language}
	for _, x := range slices.Backward(m.Citations) {
		c.numbers[link.Identity(x.URL)] = x.Number
	}
	return c
}

// clean is what a model wrote, without what is no part of a report.
func (c cleaner) clean(s string) string {
	s = withoutRemarks(llm.Strip(strings.ToValidUTF8(s, "\uFFFD")))
	s = c.withoutLists(s)
	s = plainText(s)
	s = c.unlink(s)
	return strings.TrimSpace(squeeze(s))
}

var (
	// Lines of a prompt that a model may repeat. Names of tools are llm.Strip's.
	machinery = regexp.MustCompile(`(?m)^[ \t>*-]*(?:</?data\b[^>\n]*>|===[ \t]*(?:system|user|assistant)[ \t]*|</?(?:system|assistant|user|tool_call|function_call)>|<\|[^|\n]*\|>)[ \t]*(?:\n|$)`)
	// What a model says of its own text at the end.
	farewell = regexp.MustCompile(`(?i)^(?:[*_(\[]*)(?:to be continued|continued\b|end of (?:the )?report|word count|this report (?:was|is) (?:generated|written) by|note: (?:this report|the report|i )|as an ai)`)
	chatter  = regexp.MustCompile(`(?i)^(?:sure|certainly|of course|okay|ok|here(?:'s| is| are)|continuing|\(?continued|going on|below is)\b[^\n]*(?:\n+|$)`)
)

// withoutRemarks drops what stands before the first heading and cites nothing, what is said to whoever asked at the end,
// and lines of the machinery.
func withoutRemarks(s string) string {
	s = machinery.ReplaceAllString(s, "")
	d := markdown.Parse(s)
	if len(d.Sections) > 1 {
		if lead := s[:d.Sections[1].Start]; len(markdown.Markers(lead)) == 0 {
			s = s[d.Sections[1].Start:]
		}
	}
	for {
		s = strings.TrimRight(s, " \t\r\n-*_")
		if s = s + closers(s); s == "" {
			return s
		}
		i := strings.LastIndex(s, "\n\n")
		if i < 0 || !farewell.MatchString(strings.TrimSpace(s[i:])) {
			return s
		}
		s = s[:i]
	}
}

// closers are the asterisks or underlines that a last block opens and that trimming a rule took from its end.
func closers(s string) string {
	last := strings.TrimSpace(s[strings.LastIndexByte(s, '\n')+1:])
	for _, m := range []string{"***", "**", "*", "_"} {
		if strings.HasPrefix(last, m) && !strings.HasPrefix(last, "* ") && strings.Count(last, m)%2 == 1 {
			return m
		}
	}
	if strings.Count(last, "**")%2 == 1 {
		return "**"
	}
	return ""
}

// listTitle heads a list of sources.
var listTitle = regexp.MustCompile(`(?i)^(?:(?:key|main|primary|selected|list of|cited|full)\s+)?(?:sources?|references?|bibliography|works cited|citations?|sources? (?:cited|used|list)|reference list|` +
	`footnotes|endnotes|quellen|quellenverzeichnis|quellenangaben|literatur|literaturverzeichnis|einzelnachweise|références|bibliographie|fuentes|referencias|bibliografía|fonti|riferimenti|fontes|referências|` +
	`bronnen|źródła|источники|список литературы|参考文献|参考资料|参考来源|来源|资料来源|引用来源|引用|出典|参考|참고문헌|출처)(?:\s*(?:and|&|und|et|y|/)\s*(?:references|sources|quellen|notes|literatur))?$`)

// withoutLists drops the model's own lists of sources: ours has what was read.
func (c cleaner) withoutLists(s string) string {
	d := markdown.Parse(s)
	var es []edit
	for i, sec := range d.Sections {
		title := strings.TrimRight(strings.TrimSpace(sectionNumber.ReplaceAllString(sec.Title, "")), ":： ")
		if sec.Level > 0 && listTitle.MatchString(title) && !c.isArea(title) {
			es = append(es, edit{sec.Start, wholeSection(d, i), ""})
		}
	}
	entries, _, _ := markdown.SourceList(d)
	for i, e := range entries {
		from, to := wholeLines(s, e.Start, e.End)
		if i == 0 {
			from = labelBefore(s, from)
		}
		es = append(es, edit{from, to, ""})
	}
	return apply(s, 0, len(s), es)
}

func (c cleaner) isArea(title string) bool {
	return slices.ContainsFunc(c.areas, func(a plumb.Area) bool { return strings.EqualFold(markdown.OneLine(a.Name), title) })
}

// labelBefore moves to the beginning of a line in bold type or with a colon that only announces the list below it.
func labelBefore(s string, at int) int {
	before := strings.TrimRight(s[:at], " \t\r\n")
	from := lineStart(before, len(before))
	line := strings.Trim(before[from:], "*_ \t:：")
	if listTitle.MatchString(line) {
		return from
	}
	return at
}

// wholeSection is where a section ends with all sections below it.
func wholeSection(d markdown.Doc, i int) int {
	end := d.Sections[i].End
	for _, s := range d.Sections[i+1:] {
		if s.Level <= d.Sections[i].Level {
			break
		}
		end = s.End
	}
	return end
}

var (
	hidden  = regexp.MustCompile(`(?is)<!--.*?(?:-->|$)|<(script|style|iframe|object|svg)\b[^>]*>.*?(?:</(?:script|style|iframe|object|svg)\s*>|$)`)
	tag     = regexp.MustCompile(`(?s)</?[a-zA-Z][^<>]*>|<[!?][^<>]*>`)
	rowEnd  = regexp.MustCompile(`(?i)<br\s*/?>`)
	tagOpen = regexp.MustCompile(`<([a-zA-Z/!?])`)
)

// plainText takes HTML out, but for code, which shows it as it is. What is left of a tag becomes text.
func plainText(s string) string {
	s = angles.ReplaceAllString(s, "$1")
	out := ""
	at := 0
	for _, b := range markdown.Parse(s).Blocks {
		if b.Kind == markdown.Code && b.Start >= at {
			out += untagged(s[at:b.Start]) + s[b.Start:b.End]
			at = b.End
		}
	}
	return out + untagged(s[at:])
}

func untagged(s string) string {
	s = hidden.ReplaceAllString(s, "")
	s = rowEnd.ReplaceAllString(s, " ")
	s = tag.ReplaceAllString(s, "")
	return tagOpen.ReplaceAllString(s, `\<$1`)
}

var (
	inlineLink = regexp.MustCompile(`(!?)\[((?:[^\[\]]|\[[^\[\]]*\]|\\[\[\]])*)\]\(\s*<?((?:[^()\s<>]|\([^()\s]*\))*)>?(?:\s+(?:"[^"]*"|'[^']*'|\([^()]*\)))?\s*\)`)
	definition = regexp.MustCompile(`(?m)^[ \t>]*\[[^\]\n]+\]:[ \t]*\S[^\n]*$`)
	ownAddress = regexp.MustCompile(`\bdoc:[^\s)\]>]+`)
	angles     = regexp.MustCompile(`<((?:https?|ftp|mailto|doc):[^<>\n]*)>`)
	// What an address leaves behind.
	hollow = regexp.MustCompile(`(?i)[ \t]?[(（](?:\s*(?:sources?|see|via|url|link|quelle|来源)?\s*[:：]?\s*)[)）]|[ \t]?\[\s*\]|[ \t]?\\?<\s*\\?>`)
)

// unlink turns links into their text and addresses into the number of the source that was read there, or nothing.
func (c cleaner) unlink(s string) string {
	s = definition.ReplaceAllString(s, "")
	for range maxPasses {
		next := inlineLink.ReplaceAllStringFunc(s, c.unlinked)
		if next == s {
			break
		}
		s = next
	}
	s = c.withoutAddresses(s)
	s = hollow.ReplaceAllString(s, "")
	return c.blunt(s)
}

// unlinked is a link as text. A picture is its description.
func (c cleaner) unlinked(s string) string {
	m := inlineLink.FindStringSubmatch(s)
	n := c.numbers[link.Identity(m[3])]
	marker := markdown.Markers("[" + strings.Trim(m[2], `[]\ `) + "]")
	switch {
	case m[1] == "!":
		return m[2]
	case len(marker) == 1 && n > 0 || n > 0 && len(link.Find(m[2])) > 0:
		return fmt.Sprintf("[%d]", n)
	case len(marker) == 1:
		return "[" + strings.Trim(m[2], `[]\ `) + "]"
	case n > 0:
		return fmt.Sprintf("%s [%d]", m[2], n)
	}
	return m[2]
}

// withoutAddresses takes addresses out that stand in the text as they are.
func (c cleaner) withoutAddresses(s string) string {
	var es []edit
	for _, f := range link.Find(s) {
		es = append(es, c.address(s, f.Start, f.End, f.URL))
	}
	s = apply(s, 0, len(s), es)
	es = nil
	for _, m := range ownAddress.FindAllStringIndex(s, -1) {
		url := strings.TrimRight(s[m[0]:m[1]], ".,;:")
		es = append(es, c.address(s, m[0], m[0]+len(url), url))
	}
	return apply(s, 0, len(s), es)
}

// address puts a marker in the place of an address that may be cited; any other goes with the space before it.
func (c cleaner) address(s string, start, end int, url string) edit {
	if n := c.numbers[link.Identity(url)]; n > 0 {
		return edit{start, end, fmt.Sprintf("[%d]", n)}
	}
	if start > 0 && s[start-1] == ' ' {
		start--
	}
	return edit{start, end, ""}
}

// blunt breaks what would still be rendered as a link: mark-up nested in ways that unlink does not read.
func (c cleaner) blunt(s string) string {
	page, err := markdown.HTML(s)
	if err == nil && !strings.Contains(page, "<a ") && !strings.Contains(page, "<img") && len(link.Find(s)) == 0 {
		return s
	}
	s = strings.NewReplacer("](", "] (", "][", "] [", "]:", "] :", "<", `\<`).Replace(s)
	for range maxPasses {
		found := link.Find(s)
		if len(found) == 0 {
			break
		}
		var es []edit
		for _, f := range found {
			es = append(es, edit{f.Start, f.End, " "})
		}
		s = apply(s, 0, len(s), es)
	}
	return s
}
