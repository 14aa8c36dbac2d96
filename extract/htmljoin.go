// HTML: an article as readability found it, put back into the text of its page.
package extract

import (
	"slices"
	"strings"
)

const (
	// proseLine is the least bytes of a line that is taken for running text.
	// (From 40 to 80 the marked pages give the same.)
	proseLine = 60
	// foundShare is how much of an article must be found again in the page's
	// text, line by line. Else readability made other lines of it.
	foundShare = 0.7
)

// joinArticle takes the lines of body, the text of a page, that are in article,
// and those between the page's heading and the article's last line that are
// running text, rows or items: readability leaves out leads and parts of lists.
func joinArticle(body, article string) string {
	in := map[string]bool{}
	for line := range strings.Lines(article) {
		in[unmarked(line)] = true
	}
	lines := strings.Split(body, "\n")
	first, last, found := -1, -1, 0
	for i, line := range lines {
		if line == "" || !in[unmarked(line)] {
			continue
		}
		if first < 0 {
			first = i
		}
		last = i
		found += len(line)
	}
	if float64(found) < foundShare*float64(len(article)) {
		return article
	}
	var out []string
	for _, line := range lines[articleStart(lines, first) : last+1] {
		if in[unmarked(line)] || line == "" || isContent(line) {
			out = append(out, line)
		}
	}
	return withoutEmptySections(strings.Join(out, "\n"))
}

// articleStart is the line at which an article begins whose first known line is
// given: the nearest heading of the first level above it.
func articleStart(lines []string, first int) int {
	for i := first - 1; i >= 0; i-- {
		if strings.HasPrefix(lines[i], "# ") {
			return i
		}
	}
	return first
}

func isContent(line string) bool {
	return len(line) >= proseLine && strings.ContainsAny(line, ".!?。！？") || strings.Contains(line, " | ") || strings.HasPrefix(line, "- ")
}

// unmarked is a line without the marks of headings and lists.
func unmarked(line string) string {
	return strings.TrimSpace(strings.TrimLeft(line, "#- \t"))
}

// withoutEmptySections drops headings that nothing stands under, at the end or
// before another of their level: what they announced was links. Titles stay.
func withoutEmptySections(text string) string {
	lines := strings.Split(text, "\n")
	kept := make([]string, 0, len(lines)) // backwards
	below := 0                            // level of the heading that follows with nothing between, 7 for text
	for i, line := range slices.Backward(lines) {
		level := 0
		if apart := (i == 0 || lines[i-1] == "") && (i+1 == len(lines) || lines[i+1] == ""); apart { // else a comment in code
			level = headingLevel(line)
		}
		switch {
		case line == "":
			if len(kept) > 0 && kept[len(kept)-1] == "" {
				continue
			}
		case level == 0:
			below = 7
		case level == 1 || below > level:
			below = level
		default:
			continue
		}
		kept = append(kept, line)
	}
	slices.Reverse(kept)
	return strings.Trim(strings.Join(kept, "\n"), "\n") + "\n"
}
