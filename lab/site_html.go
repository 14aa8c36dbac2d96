package lab

// Documents as browsers get them: HTML with navigation, sidebars and footers in three layouts, PDF and CSV.

import (
	"bytes"
	"encoding/csv"
	"html/template"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

var pageTemplates = sync.OnceValue(func() *template.Template {
	return template.Must(template.ParseFS(webFiles, "web/page.html"))
})

// sheet is what the templates are given.
type sheet struct {
	Site, Title, Author string
	Day, Written        string // ISO, and in words
	Charset             string
	Locked              bool // for subscribers, by schema.org's mark
	Paper               *sheetPaper
	Groups              []group
	Extra               template.HTML
	Links               []sheetLink
}

type sheetPaper struct {
	DOI, Journal, PDF string
	Authors           []string
}

type sheetLink struct{ URL, Title string }

// group is pieces of one kind that stand together.
type group struct {
	Kind  string
	Texts []string
}

// Rows are the cells of a table.
func (g group) Rows() [][]string {
	var out [][]string
	for _, t := range g.Texts {
		out = append(out, strings.Split(t, "\t"))
	}
	return out
}

func (w *world) sheet(d *doc) sheet {
	s := sheet{Site: d.site.name, Title: d.title, Author: d.author, Day: d.date.Format(time.DateOnly), Written: d.date.Format("2 January 2006"), Charset: "utf-8"}
	for _, p := range d.blocks {
		if n := len(s.Groups); n > 0 && s.Groups[n-1].Kind == p.kind {
			s.Groups[n-1].Texts = append(s.Groups[n-1].Texts, p.text)
			continue
		}
		s.Groups = append(s.Groups, group{p.kind, []string{p.text}})
	}
	if p := d.paper; p != nil {
		s.Paper = &sheetPaper{p.doi, p.journal, "http://" + d.site.host + pdfPath(d), p.authors}
	}
	for _, r := range w.related(d, 4) {
		s.Links = append(s.Links, sheetLink{r.path, r.title})
	}
	return s
}

// render makes HTML of a sheet.
func (s sheet) render(layout int) []byte {
	var b bytes.Buffer
	if err := pageTemplates().ExecuteTemplate(&b, strconv.Itoa(layout), s); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// content is a document as it is served, with its type.
func (w *world) content(d *doc) (contentType string, body []byte) {
	switch d.format {
	case formatPDF:
		return "application/pdf", pdfOf(d)
	case formatCSV:
		return "text/csv; charset=utf-8", csvOf(d)
	}
	return "text/html; charset=utf-8", w.sheet(d).render(d.site.layout)
}

func csvOf(d *doc) []byte {
	var b bytes.Buffer
	c := csv.NewWriter(&b)
	for _, p := range d.blocks {
		if err := c.Write(strings.Split(p.text, "\t")); err != nil {
			panic(err)
		}
	}
	c.Flush()
	return b.Bytes()
}

// home is the first page of a site: what stands on it.
func (w *world) home(s *site) []byte {
	list := sheet{Site: s.name, Title: s.name, Charset: "utf-8"}
	for _, d := range w.docs {
		if d.site == s {
			list.Links = append(list.Links, sheetLink{d.path, d.title})
		}
	}
	list.Groups = []group{{"p", []string{s.name + " publishes what there is to know about Velmark. All pages are listed here."}}}
	return list.render(2)
}

// robots lists what readers are asked to leave alone.
func (w *world) robots(s *site) string {
	b := "User-agent: *\nDisallow: /share/\n"
	for _, d := range w.docs {
		if d.site == s && d.bad == "robots" {
			b += "Disallow: " + d.path + "\n"
		}
	}
	return b
}

// send writes a body with a validator, so that a copy that still holds is not sent again.
func send(rw http.ResponseWriter, r *http.Request, contentType string, body []byte) {
	tag := `"` + strconv.FormatUint(hashOf(string(body)), 16) + `"`
	rw.Header().Set("ETag", tag)
	if r.Header.Get("If-None-Match") == tag {
		rw.WriteHeader(http.StatusNotModified)
		return
	}
	answerWith(rw, http.StatusOK, contentType, body)
}

// answerWith writes an answer. A client that has gone needs none.
func answerWith(rw http.ResponseWriter, status int, contentType string, body []byte) {
	rw.Header().Set("Content-Type", contentType)
	rw.WriteHeader(status)
	if _, err := rw.Write(body); err != nil {
		panic(http.ErrAbortHandler)
	}
}
