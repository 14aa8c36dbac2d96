// The bibliography of a document, found by its structure.
package extract

import (
	"regexp"
	"strings"
)

var (
	referencesHeading = regexp.MustCompile(`(?i)^[\s#*_>]*(?:(?:\d{1,2}|[IVX]{1,5}|[A-Z])\.?\s+)?(?:references(?: and notes| cited)?|r\s?e\s?f\s?e\s?r\s?e\s?n\s?c\s?e\s?s|bibliography|selected bibliography|works cited|literature(?: cited)?|cited literature|sources|literatur(?:verzeichnis)?|quellen(?:verzeichnis)?|références(?: bibliographiques)?|bibliographie|referencias(?: bibliográficas)?|bibliografía|riferimenti bibliografici|bibliografia|referências(?: bibliográficas)?|литература|список литературы|参考文献|参考资料|引用文献|參考文獻|참고문헌)[\s*_:：.]*$`)
	afterReferences   = regexp.MustCompile(`(?i)^[\s#*_]*(?:[A-Z]\.?\s+)?(?:appendix|appendices|supplementa(?:ry|l)|supporting information|anhang|annexe?s?|apéndice|appendice|附录|付録)\b.{0,80}$`)
	appendixHeading   = regexp.MustCompile(`^[A-Z]\s+[A-Z][\w ,:&-]{3,60}$`)
	markdownHeading   = regexp.MustCompile(`^#{1,6}\s+\S`)

	numberedEntry = regexp.MustCompile(`^\s*(?:[-*+]\s+)?(?:\[\s*[\w+\-.]{1,12}\s*\]|\(\d{1,3}\)|\d{1,3}[.)]\s|\^\d|\[\^[^\]]+\]:)`)
	authorEntry   = regexp.MustCompile(`^\s*(?:[-*+]\s+)?\p{Lu}[\pL'’\-]+(?:,|\s+\p{Lu}|\s+et al|\s+and\s|\s+\pL+)`)
	entryYear     = regexp.MustCompile(`(?:^|\D)(?:1[5-9]|20)\d{2}[a-z]?(?:\D|$)`)
	entryMark     = regexp.MustCompile(`(?i)https?://|doi\b|arxiv|\bpp?\.|\bvol\.|\beds?\.|press\b|journal|proc(?:eedings|\.)|in:\s`)
)

const (
	// entryWindow is how many non-empty lines after a heading are judged.
	entryWindow = 24
	// maxHeadings is how many headings are judged: a volume of proceedings has
	// hundreds.
	maxHeadings = 1000
)

// findReferences returns the longest section whose heading says References,
// alone on its line, and whose lines look like entries: numbered, bracketed,
// or author and year. It ends at an appendix, at the next Markdown heading of
// the same or a higher level, or with the text. The first quarter is left out:
// contents pages are there. (Papers with long appendices have their
// bibliography before the middle.)
func findReferences(text string) *Range {
	start := strings.LastIndexByte(text[:len(text)/4], '\n') + 1
	var found *Range
	judged := 0
	for pos := start; pos < len(text) && judged < maxHeadings; {
		end := lineEnd(text, pos)
		line := text[pos:end]
		isHeading := len(line) <= 80 && referencesHeading.MatchString(line)
		if isHeading {
			judged++
		}
		if isHeading && entriesFollow(text[end:]) {
			r := Range{Start: pos, End: referencesEnd(text, end, headingLevel(line))}
			if found == nil || r.End-r.Start > found.End-found.Start {
				found = &r
			}
			end = max(end, r.End-1)
		}
		pos = end + 1
	}
	return found
}

func lineEnd(text string, pos int) int {
	if i := strings.IndexByte(text[pos:], '\n'); i >= 0 {
		return pos + i
	}
	return len(text)
}

func headingLevel(line string) int {
	line = strings.TrimLeft(line, " ")
	return len(line) - len(strings.TrimLeft(line, "#"))
}

// entriesFollow judges the next lines. Numbered entries need one sign of a
// source; otherwise a quarter of the lines must begin like a name and, since
// an entry wraps over up to seven lines in narrow columns, one in seven must
// carry a sign, and one in twelve a year.
func entriesFollow(rest string) bool {
	var lines, numbered, named, years, marks int
	for rest != "" && lines < entryWindow {
		var line string
		line, rest, _ = strings.Cut(rest, "\n")
		if strings.TrimSpace(line) == "" {
			continue
		}
		if lines > 0 && (afterReferences.MatchString(line) || markdownHeading.MatchString(line)) {
			break
		}
		lines++
		line = cut(line, 600)
		if numberedEntry.MatchString(line) {
			numbered++
		}
		if authorEntry.MatchString(line) {
			named++
		}
		if entryYear.MatchString(line) {
			years++
		}
		if entryMark.MatchString(line) {
			marks++
		}
	}
	if lines == 0 {
		return false
	}
	signs := years + marks
	return numbered*8 >= lines && numbered > 0 && signs > 0 || named*4 >= lines && signs*7 >= lines && years*12 >= lines && years > 0
}

func referencesEnd(text string, pos, level int) int {
	for pos < len(text) {
		if text[pos] == '\n' {
			pos++
			continue
		}
		end := lineEnd(text, pos)
		line := text[pos:end]
		if len(line) <= 120 {
			if afterReferences.MatchString(line) {
				return pos
			}
			if level > 0 && markdownHeading.MatchString(line) && headingLevel(line) <= level {
				return pos
			}
			if level == 0 && appendixHeading.MatchString(line) && strings.HasPrefix(line, "A ") && !entryYear.MatchString(line) {
				return pos
			}
		}
		pos = end
	}
	return len(text)
}
