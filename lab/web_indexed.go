package lab

// The places that identifiers of papers lead to: the resolver of DOIs, the preprint server, and the index of medicine.

import (
	"fmt"
	"net/http"
	"strings"
)

// serveIndexed finds a paper by the identifier in the path.
func (w *Web) serveIndexed(host string, rw http.ResponseWriter, r *http.Request) {
	switch kind, id, _ := strings.Cut(strings.Trim(r.URL.Path, "/"), "/"); {
	case strings.HasSuffix(host, doiHost):
		if d := w.paper(kind + "/" + id); d != nil {
			redirect(rw, d.url())
			return
		}
	case host == pubmedHost:
		if d := w.paper(kind); d != nil {
			w.serveAbstract(d, "PubMed of the lab", "", rw, r)
			return
		}
	default:
		if d := w.paper(strings.TrimSuffix(strings.TrimSuffix(id, ".pdf"), "v1")); d != nil {
			w.servePreprint(kind, d, rw, r)
			return
		}
	}
	fails(http.StatusNotFound, "Not Found")(w, nil, rw, r)
}

func (w *Web) paper(id string) *doc {
	if id == "" {
		return nil
	}
	return w.made.byPaper[strings.ToLower(id)]
}

// servePreprint has every paper as PDF, and half of them as HTML.
func (w *Web) servePreprint(kind string, d *doc, rw http.ResponseWriter, r *http.Request) {
	asHTML := hashOf(d.paper.arxiv)%2 == 0
	switch {
	case kind == "abs":
		full := `<p><a href="/pdf/` + d.paper.arxiv + `">View PDF</a></p>`
		if asHTML {
			full += `<p><a href="https://` + arxivHost + `/html/` + d.paper.arxiv + `v1">HTML (experimental)</a></p>`
		}
		w.serveAbstract(d, "arXiv of the lab", full, rw, r)
	case kind == "pdf":
		send(rw, r, "application/pdf", pdfOf(d))
	case kind == "html" && asHTML:
		send(rw, r, "text/html; charset=utf-8", w.made.sheet(d).render(1))
	default:
		fails(http.StatusNotFound, "Not Found")(w, d, rw, r)
	}
}

// serveAbstract is the page about a paper.
func (w *Web) serveAbstract(d *doc, name, full string, rw http.ResponseWriter, r *http.Request) {
	var metas strings.Builder
	for _, a := range d.paper.authors {
		fmt.Fprintf(&metas, "<meta name=\"citation_author\" content=\"%s\">\n", a)
	}
	send(rw, r, "text/html; charset=utf-8", fmt.Appendf(nil, `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>%s</title>
<meta name="citation_title" content="%s"><meta name="citation_doi" content="%s"><meta name="citation_date" content="%s">
%s</head><body><header><a href="/">%s</a></header><main><h1 class="title">%s</h1><p class="authors">%s</p>
<h2>Abstract</h2><blockquote class="abstract"><p>%s</p></blockquote>%s</main><footer>%s</footer></body></html>`,
		d.title, d.title, d.paper.doi, d.date.Format("2006/01/02"), metas.String(), name, d.title, strings.Join(d.paper.authors, ", "), d.paper.abstract, full, name))
}
