// PDF: the file as a whole: pages in order, and what the document says of
// itself.
package extract

import (
	"math"
	"regexp"
	"strings"

	"github.com/ledongthuc/pdf"
)

// maxPages bounds the page tree.
const maxPages = 20_000

// pdfPage is a page with what it inherits from the page tree.
type pdfPage struct {
	contents, resources pdf.Value
}

// pageTree walks the tree once; asking the library for page n walks it for
// every page. Depth and nodes are bounded: the tree may be a circle.
func pageTree(root pdf.Value) []pdfPage {
	var pages []pdfPage
	nodes := 0
	var walk func(v, resources pdf.Value, depth int)
	walk = func(v, resources pdf.Value, depth int) {
		nodes++
		if own := v.Key("Resources"); own.Kind() == pdf.Dict {
			resources = own
		}
		kids := v.Key("Kids")
		if kids.Kind() != pdf.Array {
			if v.Kind() == pdf.Dict {
				pages = append(pages, pdfPage{v.Key("Contents"), resources})
			}
			return
		}
		for i := 0; i < kids.Len() && depth < 50 && nodes < 2*maxPages && len(pages) < maxPages; i++ {
			walk(kids.Index(i), resources, depth+1)
		}
	}
	walk(root, pdf.Value{}, 0)
	return pages
}

// readPages reads all pages. One that cannot be parsed is left empty; the
// others stand.
func readPages(r *pdf.Reader, streams pdfStreams, maxText int) pdfAnswer {
	var a pdfAnswer
	var b strings.Builder
	var title string
	root := r.Trailer().Key("Root")
	fonts := fontCache{}
	for _, page := range pageTree(root.Key("Pages")) {
		if b.Len() > maxText {
			a.Truncated = true
			break
		}
		a.Pages = append(a.Pages, b.Len())
		lines := readPage(page, fonts, streams)
		if len(lines) == 0 {
			continue
		}
		if title == "" {
			title = largestLines(lines)
		}
		writeLines(&b, lines)
	}
	a.Text = clean(b.String())
	a.readInfo(r.Trailer().Key("Info"))
	a.Language = language(root.Key("Lang").Text())
	if a.Title == "" {
		a.Title = title
	}
	return a
}

func readPage(page pdfPage, fonts fontCache, streams pdfStreams) (lines []pdfLine) {
	defer func() {
		if recover() != nil { // the library panics on malformed objects
			lines = nil
		}
	}()
	p := painter{fonts: fonts, streams: streams}
	p.page(page.contents, page.resources)
	return layout(p.glyphs)
}

var (
	fileTitle = regexp.MustCompile(`(?i)\.(?:dvi|docx?|tex|indd|pdf|pptx?|qxd|ps|eps|fm|rtf|odt)$|^untitled|^document\d*$|^slide \d+$|^doi:|^arxiv:|^\S*[_\\/]\S*$|^[\d\W]*$`)
	wordTitle = regexp.MustCompile(`^(?:Microsoft (?:Word|PowerPoint) - )`)
)

// readInfo takes title, authors and date from the Info dictionary where they
// are sane: programs write file names into the title.
func (a *pdfAnswer) readInfo(info pdf.Value) {
	title := wordTitle.ReplaceAllString(infoText(info, "Title"), "")
	if len(title) >= 4 && !fileTitle.MatchString(title) {
		a.Title = title
	}
	if author := infoText(info, "Author"); !fileTitle.MatchString(author) {
		a.Authors = splitNames(author)
	}
	for _, key := range []string{"CreationDate", "ModDate"} {
		if a.Date == "" {
			a.Date = isoDate(infoText(info, key))
		}
	}
}

func infoText(info pdf.Value, key string) (s string) {
	defer func() {
		if recover() != nil {
			s = ""
		}
	}()
	raw := info.Key(key)
	if rest, ok := strings.CutPrefix(raw.RawString(), "\xef\xbb\xbf"); ok {
		return oneLine(clean(rest), maxTitle)
	}
	return oneLine(clean(raw.Text()), maxTitle)
}

// largestLines is the title that a page shows: the first run of lines in about
// the page's largest size that has three words (logos and labels in figures
// have fewer) or, failing that, the first in the very largest. Where all text
// has one size there is none.
func largestLines(lines []pdfLine) string {
	largest, total, letters := 0.0, 0.0, 0
	for _, l := range lines {
		if len(l.text) >= 4 && !l.turned {
			largest = max(largest, l.size)
		}
		total += l.size * float64(len(l.text))
		letters += len(l.text)
	}
	if letters == 0 {
		return ""
	}
	mean := total / float64(letters)
	if largest < 1.1*mean && len(lines) > 3 {
		return ""
	}
	for _, c := range []struct {
		share float64
		words int
	}{{0.8, 3}, {0.6, 4}, {0.95, 1}} {
		if s := firstRun(lines, max(c.share*largest, min(1.2*mean, largest)), c.words); s != "" {
			return s
		}
	}
	return ""
}

// firstRun is the first run of lines of one size of at least size.
func firstRun(lines []pdfLine, size float64, words int) string {
	for i := 0; i < len(lines); i++ {
		if lines[i].size < size || lines[i].turned {
			continue
		}
		first := i
		title := lines[i].text
		for i+1 < len(lines) && math.Abs(lines[i+1].size-lines[first].size) < 0.05*size {
			i++
			title += " " + lines[i].text
		}
		if len(strings.Fields(title)) >= words && len(title) >= 4 && len(title) <= maxTitle {
			return title
		}
	}
	return ""
}
