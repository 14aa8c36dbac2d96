package lab

// The formats of paper indexes.

import (
	"encoding/xml"
	"errors"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

var arXivSince = regexp.MustCompile(`submittedDate:\[(\d{8})\d{4} TO \d{12}\]`)

func readArXiv(r *http.Request) (lookup, error) {
	v := r.URL.Query()
	expression := v.Get("search_query")
	q := lookup{limit: wantedLimit(v.Get("max_results"))}
	if m := arXivSince.FindStringSubmatch(expression); m != nil {
		q.since = dated("20060102", m[1])
		expression = strings.Replace(expression, m[0], "", 1)
	}
	var words []string
	for _, w := range strings.Fields(strings.NewReplacer("(", " ", ")", " ", `"`, "").Replace(expression)) {
		if w != "AND" && w != "OR" && w != "ANDNOT" {
			words = append(words, strings.TrimPrefix(w, "all:"))
		}
	}
	q.text = strings.Join(words, " ")
	return q, needs(q.text)
}

type arXivAnswer struct {
	XMLName xml.Name     `xml:"http://www.w3.org/2005/Atom feed"`
	Title   string       `xml:"title"`
	Total   int          `xml:"http://a9.com/-/spec/opensearch/1.1/ totalResults"`
	Entries []arXivEntry `xml:"entry"`
}

type arXivEntry struct {
	ID        string        `xml:"id"`
	Title     string        `xml:"title"`
	Updated   string        `xml:"updated"`
	Published string        `xml:"published"`
	Summary   string        `xml:"summary"`
	Authors   []arXivAuthor `xml:"author"`
	DOI       string        `xml:"http://arxiv.org/schemas/atom doi"`
	Links     []arXivLink   `xml:"link"`
}

type arXivAuthor struct {
	Name string `xml:"name"`
}

type arXivLink struct {
	Title string `xml:"title,attr,omitempty"`
	Href  string `xml:"href,attr"`
	Rel   string `xml:"rel,attr"`
	Type  string `xml:"type,attr,omitempty"`
}

func writeArXiv(rw http.ResponseWriter, _ *http.Request, q lookup, hits []hit) {
	a := arXivAnswer{Title: "ArXiv Query: " + q.text, Total: len(hits)}
	for _, h := range hits {
		at := h.date.AddDate(0, -3, 0).Format(time.RFC3339)
		base := "http://" + arxivHost
		e := arXivEntry{ID: base + "/abs/" + h.paper.arxiv + "v1", Title: h.title, Updated: at, Published: at, Summary: h.paper.abstract, DOI: h.paper.doi,
			Links: []arXivLink{{Href: base + "/abs/" + h.paper.arxiv + "v1", Rel: "alternate", Type: "text/html"},
				{Title: "pdf", Href: base + "/pdf/" + h.paper.arxiv + "v1", Rel: "related", Type: "application/pdf"}}}
		for _, name := range h.paper.authors {
			e.Authors = append(e.Authors, arXivAuthor{name})
		}
		a.Entries = append(a.Entries, e)
	}
	b, err := xml.MarshalIndent(a, "", "  ")
	if err != nil {
		panic(err)
	}
	answerWith(rw, http.StatusOK, "application/atom+xml; charset=utf-8", append([]byte(xml.Header), b...))
}

func readOpenAlex(r *http.Request) (lookup, error) {
	v := r.URL.Query()
	q := lookup{text: v.Get("search"), limit: wantedLimit(v.Get("per_page"))}
	if from, ok := strings.CutPrefix(v.Get("filter"), "from_publication_date:"); ok {
		q.since = dated(time.DateOnly, from)
	}
	return q, needs(q.text)
}

type openAlexWork struct {
	ID          string               `json:"id"`
	DOI         string               `json:"doi"`
	Title       string               `json:"display_name"`
	Date        string               `json:"publication_date"`
	Abstract    map[string][]int     `json:"abstract_inverted_index"`
	Primary     openAlexLocation     `json:"primary_location"`
	Best        *openAlexLocation    `json:"best_oa_location"`
	Authorships []openAlexAuthorship `json:"authorships"`
}

type openAlexLocation struct {
	Landing string  `json:"landing_page_url"`
	PDF     *string `json:"pdf_url"`
	Open    bool    `json:"is_oa"`
}

type openAlexAuthorship struct {
	Author struct {
		Name string `json:"display_name"`
	} `json:"author"`
	Position string `json:"author_position"`
}

func writeOpenAlex(rw http.ResponseWriter, _ *http.Request, _ lookup, hits []hit) {
	works := []openAlexWork{}
	for _, h := range hits {
		w := openAlexWork{ID: "https://openalex.org/W9" + h.paper.doi[strings.LastIndexByte(h.paper.doi, '.')+1:], DOI: "https://doi.org/" + h.paper.doi,
			Title: h.title, Date: h.date.Format(time.DateOnly), Abstract: map[string][]int{}}
		for i, word := range strings.Fields(h.paper.abstract) {
			w.Abstract[word] = append(w.Abstract[word], i)
		}
		w.Primary = openAlexLocation{Landing: w.DOI, Open: true}
		w.Best = &openAlexLocation{Landing: h.url(), Open: true}
		if asPDF(h.doc) {
			pdf := "http://" + h.site.host + pdfPath(h.doc)
			w.Best.PDF = &pdf
		}
		for _, name := range h.paper.authors {
			a := openAlexAuthorship{Position: "middle"}
			a.Author.Name = name
			w.Authorships = append(w.Authorships, a)
		}
		works = append(works, w)
	}
	type meta struct {
		Count   int `json:"count"`
		PerPage int `json:"per_page"`
	}
	sendJSON(rw, struct {
		Meta    meta           `json:"meta"`
		Results []openAlexWork `json:"results"`
	}{meta{len(works), len(works)}, works})
}

// asPDF reports whether indexes know the PDF of a paper, too.
func asPDF(d *doc) bool { return hashOf(d.paper.doi)%2 == 0 }

func readCrossref(r *http.Request) (lookup, error) {
	v := r.URL.Query()
	q := lookup{text: v.Get("query.bibliographic") + v.Get("query"), limit: wantedLimit(v.Get("rows"))}
	if from, ok := strings.CutPrefix(v.Get("filter"), "from-pub-date:"); ok {
		q.since = dated(time.DateOnly, from)
	}
	return q, needs(q.text)
}

type crossrefWork struct {
	DOI       string           `json:"DOI"`
	Title     []string         `json:"title"`
	Abstract  string           `json:"abstract"`
	Issued    crossrefDate     `json:"issued"`
	Authors   []crossrefAuthor `json:"author"`
	Container []string         `json:"container-title"`
	URL       string           `json:"URL"`
	Type      string           `json:"type"`
}

type crossrefDate struct {
	Parts [][]int `json:"date-parts"`
}

type crossrefAuthor struct {
	Given    string `json:"given"`
	Family   string `json:"family"`
	Sequence string `json:"sequence"`
}

func writeCrossref(rw http.ResponseWriter, _ *http.Request, _ lookup, hits []hit) {
	type message struct {
		Total int            `json:"total-results"`
		Items []crossrefWork `json:"items"`
	}
	items := []crossrefWork{}
	for _, h := range hits {
		w := crossrefWork{DOI: h.paper.doi, Title: []string{h.title}, Abstract: "<jats:title>Abstract</jats:title><jats:p>" + h.paper.abstract + "</jats:p>",
			Container: []string{h.paper.journal}, URL: "https://doi.org/" + h.paper.doi, Type: "journal-article",
			Issued: crossrefDate{[][]int{{h.date.Year(), int(h.date.Month()), h.date.Day()}}}}
		for i, name := range h.paper.authors {
			first, last, _ := strings.Cut(name, " ")
			w.Authors = append(w.Authors, crossrefAuthor{first, last, map[bool]string{true: "first", false: "additional"}[i == 0]})
		}
		items = append(items, w)
	}
	sendJSON(rw, struct {
		Status  string  `json:"status"`
		Type    string  `json:"message-type"`
		Message message `json:"message"`
	}{"ok", "work-list", message{len(items), items}})
}

func readPubMed(r *http.Request) (lookup, error) {
	v := r.URL.Query()
	if strings.HasSuffix(r.URL.Path, "/esummary.fcgi") {
		q := lookup{ids: strings.Split(v.Get("id"), ",")}
		return q, needs(v.Get("id"))
	}
	q := lookup{text: v.Get("term"), limit: wantedLimit(v.Get("retmax")), since: dated("2006/01/02", v.Get("mindate"))}
	if v.Get("db") != "pubmed" || v.Get("retmode") != "json" {
		return q, errors.New("only pubmed as JSON is served")
	}
	return q, needs(q.text)
}

// pubMedSummary is a record; the answer has it under its id.
type pubMedSummary struct {
	UID      string         `json:"uid"`
	PubDate  string         `json:"pubdate"`
	SortDate string         `json:"sortpubdate"`
	Source   string         `json:"source"`
	Journal  string         `json:"fulljournalname"`
	Title    string         `json:"title"`
	Authors  []pubMedAuthor `json:"authors"`
	IDs      []pubMedID     `json:"articleids"`
}

type pubMedAuthor struct {
	Name string `json:"name"`
	Type string `json:"authtype"`
}

type pubMedID struct {
	Type  string `json:"idtype"`
	Value string `json:"value"`
}

// writePubMed answers with ids, as PubMed does; who asks about ids gets their records.
func writePubMed(rw http.ResponseWriter, _ *http.Request, q lookup, hits []hit) {
	type result struct {
		Count string   `json:"count"`
		IDs   []string `json:"idlist"`
	}
	ids := []string{}
	for _, h := range hits {
		ids = append(ids, h.paper.pmid)
	}
	if len(q.ids) == 0 {
		sendJSON(rw, struct {
			Result result `json:"esearchresult"`
		}{result{strconv.Itoa(len(ids)), ids}})
		return
	}
	records := map[string]any{"uids": ids} // the API mixes a list and records in one object
	for _, h := range hits {
		records[h.paper.pmid] = summaryOf(h.doc)
	}
	sendJSON(rw, struct {
		Result map[string]any `json:"result"`
	}{records})
}

func summaryOf(d *doc) pubMedSummary {
	s := pubMedSummary{UID: d.paper.pmid, PubDate: d.date.Format("2006 Jan 2"), SortDate: d.date.Format("2006/01/02 15:04"), Source: "Velmark J Appl Res",
		Journal: d.paper.journal, Title: d.title + ".", IDs: []pubMedID{{"pubmed", d.paper.pmid}, {"doi", d.paper.doi}}}
	for _, name := range d.paper.authors {
		first, last, _ := strings.Cut(name, " ")
		s.Authors = append(s.Authors, pubMedAuthor{last + " " + first[:1], "Author"})
	}
	return s
}

// among are the documents with these PubMed ids.
func among(docs []entry, ids []string) []hit {
	var out []hit
	for _, e := range docs {
		if e.doc.paper != nil && e.doc.paper.pmid != "" && slices.Contains(ids, e.doc.paper.pmid) {
			out = append(out, hit{doc: e.doc})
		}
	}
	return out
}

func readSemantic(r *http.Request) (lookup, error) {
	v := r.URL.Query()
	from, _, _ := strings.Cut(v.Get("publicationDateOrYear"), ":")
	q := lookup{text: v.Get("query"), limit: wantedLimit(v.Get("limit")), since: dated(time.DateOnly, from)}
	return q, needs(q.text)
}

type semanticPaper struct {
	ID       string            `json:"paperId"`
	Title    string            `json:"title"`
	Abstract string            `json:"abstract"`
	Year     int               `json:"year"`
	Date     string            `json:"publicationDate"`
	IDs      map[string]string `json:"externalIds"`
	Open     *semanticOpen     `json:"openAccessPdf"`
	Authors  []semanticAuthor  `json:"authors"`
}

type semanticOpen struct {
	URL    string `json:"url"`
	Status string `json:"status"`
}

type semanticAuthor struct {
	ID   string `json:"authorId"`
	Name string `json:"name"`
}

func writeSemantic(rw http.ResponseWriter, _ *http.Request, _ lookup, hits []hit) {
	papers := []semanticPaper{}
	for _, h := range hits {
		p := semanticPaper{ID: strings.ReplaceAll(h.paper.doi, "/", ""), Title: h.title, Abstract: h.paper.abstract, Year: h.date.Year(),
			Date: h.date.Format(time.DateOnly), IDs: map[string]string{"DOI": h.paper.doi}}
		if h.paper.arxiv != "" {
			p.IDs["ArXiv"] = h.paper.arxiv
		}
		if asPDF(h.doc) {
			p.Open = &semanticOpen{"http://" + h.site.host + pdfPath(h.doc), "GOLD"}
		}
		for _, name := range h.paper.authors {
			p.Authors = append(p.Authors, semanticAuthor{slug(name), name})
		}
		papers = append(papers, p)
	}
	sendJSON(rw, struct {
		Total  int             `json:"total"`
		Offset int             `json:"offset"`
		Data   []semanticPaper `json:"data"`
	}{len(papers), 0, papers})
}
