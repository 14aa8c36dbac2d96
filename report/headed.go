package report

// Headings of a model's draft brought into the order that Compile reads: one title, the summary and what stands beside it
// at level 2, the areas at level 3 below the analysis.

import (
	"fmt"
	"slices"
	"strings"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/markdown"
	"github.com/plumbresearch/plumb/rank"
	"github.com/plumbresearch/plumb/text"
)

// sectionOf finds the section of an area: by its name, or the one whose title has most of its words. -1: none.
func sectionOf(d markdown.Doc, a plumb.Area, lang string) int {
	name := markdown.OneLine(a.Name)
	terms := text.Terms(name, lang)
	best, most := -1, 0.5
	for i, s := range d.Sections {
		if s.Level < 2 {
			continue
		}
		title := sectionNumber.ReplaceAllString(strings.TrimSpace(s.Title), "")
		if strings.EqualFold(title, name) || strings.EqualFold(s.Title, name) {
			return i
		}
		if l := rank.Jaccard(terms, text.Terms(title, lang)); l > most {
			best, most = i, l
		}
	}
	return best
}

// head normalises the headings of a clean text. title is used when the model gave none.
func head(s string, areas []plumb.Area, lang, title string) string {
	d := markdown.Parse(s)
	h := headingsOf(lang)
	of := map[int]int{} // section → area
	for i, a := range areas {
		if at := sectionOf(d, a, lang); at > 0 && roleOf(d.Sections[at].Title) == roleOther {
			if _, taken := of[at]; !taken {
				of[at] = i
			}
		}
	}
	var es []edit
	titled, analysis, areaLevel := false, false, 0
	for i, sec := range d.Sections {
		if sec.Level == 0 {
			continue
		}
		area, isArea := of[i]
		name := markdown.OneLine(sec.Title)
		level := levelOf(sec, areaLevel)
		switch {
		case isArea:
			name, level = markdown.OneLine(areas[area].Name), 3
			areaLevel = sec.Level
		case sec.Level == 1 && !titled && i == 1:
			level, titled = 1, true
		case roleOf(name) != roleOther:
			level, areaLevel = 2, 0
		case level == 2:
			areaLevel = 0
		}
		line := strings.Repeat("#", level) + " " + inert(name) + "\n"
		if isArea && !analysis {
			line, analysis = "## "+inert(h.Analysis)+"\n\n"+line, true
		}
		if roleOf(name) == roleAnalysis {
			analysis = true
		}
		es = append(es, edit{sec.Start, sec.BodyStart, line})
	}
	out := apply(s, 0, len(s), es)
	if !titled {
		out = "# " + inert(title) + "\n\n" + out
	}
	return strings.TrimSpace(out) + "\n"
}

// levelOf is the level of a section that is no area: beside the areas, below the one before it, or above all.
func levelOf(s markdown.Section, areaLevel int) int {
	switch {
	case areaLevel > 0 && s.Level > areaLevel:
		return min(3+s.Level-areaLevel, 6)
	case areaLevel > 0 && s.Level == areaLevel && areaLevel > 2:
		return 3
	case areaLevel > 0:
		return 2
	}
	return max(2, min(s.Level, 6))
}

// emptyAreas sees to it that an area without notes says so in one sentence that is no claim.
func emptyAreas(s string, areas []plumb.Area, lang string, noted func(area int) bool) string {
	for i, a := range areas {
		if noted(i) {
			continue
		}
		d := markdown.Parse(s)
		at := sectionOf(d, a, lang)
		if at < 0 {
			s = strings.TrimRight(s, "\n") + fmt.Sprintf("\n\n### %s\n\n%s\n", inert(markdown.OneLine(a.Name)), note(phrasesOf(lang).noPartHere))
			continue
		}
		from, to := d.Sections[at].BodyStart, wholeSection(d, at)
		if body := s[from:to]; len(markdown.Markers(body)) == 0 {
			s = s[:from] + "\n" + note(emptySentence(body, lang)) + "\n\n" + strings.TrimLeft(s[to:], "\n")
		}
	}
	return strings.TrimSpace(s) + "\n"
}

// emptySentence is what a model said of an area without notes, if that is one sentence, else our own.
func emptySentence(body, lang string) string {
	plain, _ := markdown.Plain(body)
	plain = markdown.OneLine(plain)
	if n := len(text.Sentences(plain, lang)); plain == "" || n > 1 {
		return phrasesOf(lang).noPartHere
	}
	return strings.ReplaceAll(inert(plain), "*", "")
}

// onlyShown takes the numbers out that a model was not shown, though they name a source: it can't know what that says.
func onlyShown(s string, shown []int, cs []plumb.Citation) (out string, removed int) {
	var es []edit
	for _, m := range markdown.Markers(s) {
		var keep []string
		gone := 0
		for _, n := range m.Numbers {
			known := slices.ContainsFunc(cs, func(c plumb.Citation) bool { return c.Number == n })
			if known && !slices.Contains(shown, n) {
				gone++
				continue
			}
			keep = append(keep, fmt.Sprintf("[%d]", n))
		}
		if gone > 0 {
			removed += gone
			es = append(es, edit{m.Start, m.End, strings.Join(keep, "")})
		}
	}
	return apply(s, 0, len(s), es), removed
}
