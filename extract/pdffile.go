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
// every page. A tree that is deeper than 50 is a circle.
func pageTree(root pdf.Value) []pdfPage {
	var pages []pdfPage
	var walk func(v, resources pdf.Value, depth int)
	walk = func(v, resources pdf.Value, depth int) {
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
		for i := 0; i < kids.Len() && depth < 50 && len(pages) < maxPages; i++ {
			walk(kids.Index(i), resources, depth+1)
		}
	}
	walk(root, pdf.Value{}, 0)
	return pages
}

// readPages reads all pages. One that cannot be parsed is left empty; the
// others stand.
func readPages(r *pdf.Reader, maxText int) pdfAnswer {
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
		lines := readPage(page, fonts)
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

func readPage(page pdfPage, fonts fontCache) (lines []pdfLine) {
	defer func() {
		if recover() != nil { // the library panics on malformed objects
			lines = nil
		}
	}()
	p := painter{fonts: fonts}
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

// largestLines is the first run of lines in the largest size of the page,
// provided it is larger than most of the text and not a whole paragraph.
func largestLines(lines []pdfLine) string {
	largest, total, letters := 0.0, 0.0, 0
	for _, l := range lines {
		if len(strings.TrimSpace(l.text)) >= 4 {
			largest = max(largest, l.size)
		}
		total += l.size * float64(len(l.text))
		letters += len(l.text)
	}
	if letters == 0 || largest < 1.1*total/float64(letters) && len(lines) > 3 {
		return ""
	}
	var title []string
	for _, l := range lines {
		if math.Abs(l.size-largest) < 0.05*largest {
			title = append(title, l.text)
		} else if len(title) > 0 {
			break
		}
	}
	if s := strings.Join(title, " "); len(s) >= 4 && len(s) <= maxTitle {
		return s
	}
	return ""
}
