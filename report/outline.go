package report

// The outline of a draft: which of its sections the template has a place for.

import (
	"regexp"
	"strings"

	"github.com/plumbresearch/plumb/markdown"
)

// role is the place of a section in the template.
type role int

const (
	roleOther role = iota
	roleSummary
	roleKey
	roleAnalysis
)

// part is a section of the draft's upper level with those below it: sections from to to of the document.
type part struct {
	role     role
	from, to int
}

// outline is a draft taken apart. Every section is in a part, but for the title and the text before the first heading.
type outline struct {
	doc     markdown.Doc
	title   string
	lead    []int // sections whose body stands before the first part: no heading, and the title's
	parts   []part
	base    int // level of the parts' headings
	entries []markdown.Entry
	list    int // section of the source list, -1 without one
}

var (
	sectionNumber = regexp.MustCompile(`^(?:[0-9]+(?:\.[0-9]+)*[.):]?|[IVXLC]+[.)])\s+`)
	roleTitles    = []struct {
		role  role
		title *regexp.Regexp
	}{
		{roleSummary, regexp.MustCompile(`(?i)^(?:executive summary|summary|abstract|tl;?dr|zusammenfassung|kurzfassung|überblick|résumé(?: exécutif)?|synthèse|resumen(?: ejecutivo)?|sumario|摘要|执行摘要|要約|概要|요약|sintesi|riepilogo|resumo|samenvatting|podsumowanie|краткие выводы|резюме)$`)},
		{roleKey, regexp.MustCompile(`(?i)^(?:(?:key|main) (?:findings|takeaways|points|results)|wichtigste (?:ergebnisse|erkenntnisse)|kernaussagen|principaux (?:constats|résultats)|hallazgos (?:principales|clave)|principales hallazgos|主要发现|关键发现|主な発見|주요 결과|risultati principali|principais resultados|belangrijkste bevindingen|najważniejsze ustalenia|основные выводы)$`)},
		{roleAnalysis, regexp.MustCompile(`(?i)^(?:detailed analysis|analysis|ausführliche analyse|detaillierte analyse|analyse détaillée|análisis detallado|详细分析|詳細分析|상세 분석|analisi dettagliata|análise detalhada|gedetailleerde analyse|szczegółowa analiza|подробный анализ)$`)},
	}
)

// roleOf tells the place of a section by its title.
func roleOf(title string) role {
	t := strings.TrimRight(strings.TrimSpace(sectionNumber.ReplaceAllString(strings.TrimSpace(title), "")), ":： ")
	for _, r := range roleTitles {
		if r.title.MatchString(t) {
			return r.role
		}
	}
	return roleOther
}

// outlineOf reads a draft. A heading of level 1 is its title when it is the first heading and the only one of its level.
func outlineOf(draft string) outline {
	o := outline{doc: markdown.Parse(draft), lead: []int{0}, list: -1}
	if entries, section, ok := markdown.SourceList(o.doc); ok {
		o.entries, o.list = entries, section
	}
	secs := o.doc.Sections
	first := 1
	if len(secs) > 1 && secs[1].Level == 1 && countLevel(secs, 1) == 1 {
		o.title, o.lead, first = secs[1].Title, []int{0, 1}, 2
	}
	for _, s := range secs[min(first, len(secs)):] {
		if o.base == 0 || s.Level < o.base {
			o.base = s.Level
		}
	}
	used := map[role]bool{roleOther: true}
	for i := first; i < len(secs); i++ {
		if n := len(o.parts); n > 0 && secs[i].Level > o.base {
			o.parts[n-1].to = i + 1
			continue
		}
		p := part{from: i, to: i + 1}
		if r := roleOf(secs[i].Title); !used[r] {
			p.role, used[r] = r, true
		}
		o.parts = append(o.parts, p)
	}
	return o
}

func countLevel(secs []markdown.Section, level int) int {
	n := 0
	for _, s := range secs {
		if s.Level == level {
			n++
		}
	}
	return n
}

// find gives the part with a role.
func (o outline) find(r role) (part, bool) {
	for _, p := range o.parts {
		if p.role == r {
			return p, true
		}
	}
	return part{}, false
}

// heading is the text of a section's heading in the draft.
func (o outline) heading(section int) (start, end int) {
	s := o.doc.Sections[section]
	for _, b := range o.doc.Blocks {
		if b.Kind == markdown.Heading && b.Start >= s.Start && b.End <= s.BodyStart {
			return b.Start, b.End
		}
	}
	return s.Start, s.Start
}
