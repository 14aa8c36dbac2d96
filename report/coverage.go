package report

// Coverage: what a model's draft lacks, counted. A draft is complete when it ends like a text, every area has its section
// and each section the length and citations that its notes allow.

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

const (
	wantCitations = 6 // different sources of a comprehensive report, where there are that many
	wantConcise   = 3 // the same of a concise one
)

// gaps are what a draft lacks.
type gaps struct {
	open    string   // why it seems to break off; "" when it ends like a text
	areas   []string // what areas lack, told to the model
	missing int      // areas with notes that have no section or no citation
	cited   int      // different sources that it cites
	want    int
}

func (g gaps) complete() bool { return g.open == "" && len(g.areas) == 0 }

// wanting says whether a draft is worth a second version: it cites less than it must, or says nothing on an area.
func (g gaps) wanting() bool { return g.cited < g.want || g.missing > 0 }

func (g gaps) lacks() []string {
	out := slices.Clone(g.areas)
	if g.cited < g.want {
		out = append(out, fmt.Sprintf("It cites %s; cite at least %d different ones of the notes, each behind the sentence that rests on it.", count(g.cited, "source"), g.want))
	}
	return out
}

// wanted is how many different sources a report must cite of those that it can.
func wanted(m Material, available int) int {
	if m.style() == plumb.Concise {
		return min(wantConcise, available)
	}
	return min(wantCitations, available)
}

// gapsOf looks at a clean draft that was written from jots.
func gapsOf(m Material, draft string, jots []jot) gaps {
	d := markdown.Parse(draft)
	shown := numbersOf(jots)
	markers := d.Markers(nil)
	g := gaps{open: breaksOff(d, m.Brief.Language), want: wanted(m, len(shown)), cited: len(citedBetween(markers, shown, 0, len(draft)))}
	for i, a := range m.Brief.Areas {
		g.area(m, a, d, markers, slices.DeleteFunc(slices.Clone(jots), func(j jot) bool { return j.area != i }))
	}
	return g
}

func (g *gaps) area(m Material, a plumb.Area, d markdown.Doc, markers []markdown.Marker, of []jot) {
	at := sectionOf(d, a, m.Brief.Language)
	name := markdown.OneLine(a.Name)
	if at < 0 {
		g.areas = append(g.areas, fmt.Sprintf("The section %q is missing.", "### "+name))
		if len(of) > 0 {
			g.missing++
		}
		return
	}
	if len(of) == 0 {
		return
	}
	from, to := d.Sections[at].BodyStart, wholeSection(d, at)
	have, can := len(citedBetween(markers, numbersOf(of), from, to)), len(numbersOf(of))
	if have == 0 {
		g.missing++
	}
	if need := needCites(m, of); have < need {
		g.areas = append(g.areas, fmt.Sprintf("The section %q cites %s of the %d that speak to it.", name, count(have, "source"), can))
	}
	if n, need := utf8.RuneCountInString(strings.TrimSpace(d.Source[from:to])), needChars(m, of); n < need {
		g.areas = append(g.areas, fmt.Sprintf("The section %q has %d characters; its notes give more than %d.", name, n, need))
	}
}

// needCites is how many sources the section of an area must cite: 2 where it has two findings of two sources.
func needCites(m Material, of []jot) int {
	if m.style() == plumb.Concise {
		return min(1, len(of))
	}
	return min(minCitations, len(of), len(numbersOf(of)))
}

// needChars is how long the section of an area must be: nothing is asked of one finding, nor more than the notes say.
func needChars(m Material, of []jot) int {
	if m.style() == plumb.Concise || len(of) < 2 {
		return 0
	}
	all, least := 0, minSection
	for _, j := range of {
		all += utf8.RuneCountInString(j.text)
	}
	if dense(m.Brief.Language) {
		all, least = all/3, minSectionDense
	}
	return min(least, all/50*50)
}

// citedBetween are those of the numbers that markers between two offsets have.
func citedBetween(markers []markdown.Marker, among []int, from, to int) []int {
	var out []int
	for _, m := range markers {
		for _, n := range m.Numbers {
			if m.Start >= from && m.Start < to && slices.Contains(among, n) && !slices.Contains(out, n) {
				out = append(out, n)
			}
		}
	}
	return out
}

// Words that never end a sentence, by themselves or before a full stop.
var dangling = func() map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(`and or but nor because although though while whereas since unless that which who whose the a an of to with from by for in on at as than if when where
		including namely versus via its their his her is are was were has have had not
		und oder aber weil dass obwohl während denn sowie sondern wenn der die das ein eine einen einem einer des dem den mit von zu im am für bei ist sind war wird
		et ou mais car donc puisque que qui dont le la les un une des du de avec pour par dans sur est sont
		y o pero porque aunque mientras cuando el los las una del con para por en es son`) {
		m[w] = true
	}
	return m
}()

var danglingDense = []string{"和", "与", "與", "或", "但", "但是", "因为", "由于", "以及", "并且", "而且", "其中", "包括", "的", "が", "は", "と", "の", "を"}

// markersAtEnd is a citation at the end of a text, with the full stop that may follow it.
var markersAtEnd = regexp.MustCompile(`\s*(?:\[\s*\^?[0-9]{1,3}(?:\s*[-,;–]\s*[0-9]{1,3})*\s*\]|【[^】]{1,40}】)[.。]?\s*$`)

// breaksOff says why a text seems not to end where it does.
func breaksOff(d markdown.Doc, lang string) string {
	if len(d.Blocks) == 0 {
		return "it is empty"
	}
	if strings.Count("\n"+d.Source, "\n```")%2 == 1 {
		return "a block of code is open"
	}
	last := d.Blocks[len(d.Blocks)-1]
	switch last.Kind {
	case markdown.Heading:
		return "a heading has no text"
	case markdown.Row, markdown.Code, markdown.Rule:
		return ""
	}
	said := strings.TrimRight(d.Text(last), " \t\r\n*_`~\"'”’»」』)）")
	bare := said
	for m := markersAtEnd.FindStringIndex(bare); m != nil; m = markersAtEnd.FindStringIndex(bare) {
		bare = bare[:m[0]]
	}
	cited := len(bare) < len(said)
	bare = strings.TrimRight(bare, "*_\"'”’»」』)） ")
	end, _ := utf8.DecodeLastRuneInString(bare)
	stops := strings.ContainsRune(".!?。！？…।۔؟", end) || strings.HasSuffix(said, ".") || strings.HasSuffix(said, "。")
	if bare == "" {
		return ""
	}
	if !stops && !cited && baseLanguage(lang) != "th" {
		return "its last sentence has no end"
	}
	bare = strings.TrimRight(bare, ".!?。！？… ")
	word := strings.ToLower(bare[strings.LastIndexFunc(bare, func(r rune) bool { return !unicode.IsLetter(r) })+1:])
	if dangling[word] && len(word) < len(bare) && !finalWord(word, stops) {
		return fmt.Sprintf("it ends with %q", word)
	}
	if !stops && slices.ContainsFunc(danglingDense, func(w string) bool { return strings.HasSuffix(bare, w) }) {
		return "it ends in the middle of a sentence"
	}
	return ""
}

// finalWord says whether a word that mostly goes on can end a sentence that has its full stop: "what the pool is for."
func finalWord(word string, stops bool) bool {
	return stops && slices.Contains([]string{"in", "on", "at", "by", "for", "to", "with", "from", "of", "is", "are", "was", "were", "not", "had", "has", "have", "that", "his", "her", "since", "though", "when", "where", "while",
		"ist", "sind", "war", "wird", "ein", "an", "zu", "das", "bei", "en", "es", "son", "est", "sont", "sur", "dans", "pour"}, word)
}
