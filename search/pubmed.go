package search

// PubMed. Format: NCBI's "Entrez Programming Utilities Help" (esearch for ids, esummary for records). It works without
// a key, three requests a second. Summaries have no abstract: the snippet is the journal. Not used: history server,
// efetch, MeSH terms.

import (
	"context"
	"encoding/json"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"github.com/plumbresearch/plumb"
)

// PubMed is the index of that name.
type PubMed struct{ *service }

type pubMedIDs struct {
	Result *struct {
		IDs   []string `json:"idlist"`
		Error string   `json:"ERROR"`
	} `json:"esearchresult"`
}

type pubMedRecords struct {
	Result map[string]json.RawMessage `json:"result"` // by id, and "uids", the order of them
}

type pubMedRecord struct {
	Error    string `json:"error"`
	Title    loose  `json:"title"`
	Journal  loose  `json:"fulljournalname"`
	PubDate  loose  `json:"pubdate"`
	SortDate loose  `json:"sortpubdate"` // always a day, if an invented one
	Authors  []struct {
		Name loose `json:"name"`
		Type loose `json:"authtype"`
	} `json:"authors"`
	IDs []struct {
		Type  loose `json:"idtype"`
		Value loose `json:"value"`
	} `json:"articleids"`
}

var pubMedID = regexp.MustCompile(`^[0-9]{1,9}$`)

// Search gets /esearch.fcgi and, for what that finds, /esummary.fcgi.
func (p PubMed) Search(ctx context.Context, q Query) ([]plumb.Lead, error) {
	ask := p.common()
	ask.Set("term", q.either())
	ask.Set("retmax", strconv.Itoa(q.Limit))
	ask.Set("sort", "relevance")
	if q.Since != "" {
		ask.Set("datetype", "pdat")
		ask.Set("mindate", q.since("2006/01/02"))
		ask.Set("maxdate", strconv.Itoa(p.now().Year()+1)) // both are needed; journals are dated ahead
	}
	body, _, err := p.get(ctx, "/esearch.fcgi", ask, nil)
	if err != nil {
		return nil, err
	}
	ids, err := p.parseIDs(body)
	if err != nil || len(ids) == 0 {
		return nil, err
	}
	ask = p.common()
	ask.Set("id", strings.Join(ids, ","))
	if body, _, err = p.get(ctx, "/esummary.fcgi", ask, nil); err != nil {
		return nil, err
	}
	return p.parse(body, ids)
}

func (p PubMed) common() url.Values {
	v := url.Values{"db": {"pubmed"}, "retmode": {"json"}, "tool": {"plumb"}}
	if p.key != "" {
		v.Set("api_key", p.key)
	}
	if p.contact != "" {
		v.Set("email", p.contact)
	}
	return v
}

func (p PubMed) parseIDs(body []byte) ([]string, error) {
	answer, err := read[pubMedIDs](p.service, body)
	if err != nil {
		return nil, err
	}
	switch {
	case answer.Result == nil:
		return nil, p.garbled(nil)
	case answer.Result.Error != "":
		return nil, p.fault("does not accept the request", nil)
	}
	var ids []string
	for _, id := range answer.Result.IDs[:min(len(answer.Result.IDs), maxLimit)] {
		if pubMedID.MatchString(id) {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

// parse reads the records in the order of ids.
func (p PubMed) parse(body []byte, ids []string) ([]plumb.Lead, error) {
	answer, err := read[pubMedRecords](p.service, body)
	if err != nil {
		return nil, err
	}
	if answer.Result == nil {
		return nil, p.garbled(nil)
	}
	var leads []plumb.Lead
	for _, id := range ids {
		var r pubMedRecord
		if raw, ok := answer.Result[id]; !ok || json.Unmarshal(raw, &r) != nil || r.Error != "" {
			continue // one record may be missing or odd without harm to the others
		}
		leads = append(leads, p.lead(id, r))
	}
	return leads, nil
}

func (p PubMed) lead(id string, r pubMedRecord) plumb.Lead {
	l := plumb.Lead{URL: "https://pubmed.ncbi.nlm.nih.gov/" + id + "/", Title: strings.TrimSuffix(string(r.Title), "."),
		Snippet: string(r.Journal), Date: isoDate(string(r.PubDate), p.now()), Engine: p.name}
	if l.Date == "" {
		l.Date = isoDate(string(r.SortDate), p.now())
	}
	for _, a := range r.Authors {
		l.Authors = append(l.Authors, string(a.Name))
	}
	for _, i := range r.IDs {
		switch i.Type {
		case "doi":
			l.DOI = string(i.Value)
		case "pmc": // the full text, free of charge
			if pmc := strings.TrimPrefix(string(i.Value), "PMC"); pubMedID.MatchString(pmc) {
				l.URL = "https://pmc.ncbi.nlm.nih.gov/articles/PMC" + pmc + "/"
			}
		}
	}
	return l
}
