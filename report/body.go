package report

import "fmt"

// Body is a published report for a page that has a frame of its own: the parts that final.html puts into its frame.
type Body struct {
	Title     string   `json:"title"`
	Language  string   `json:"language"`  // of the text, as BCP 47 has it
	Direction string   `json:"direction"` // of the text: ltr or rtl
	Headline  string   `json:"headline"`  // how much of it is supported, in one sentence
	Notices   []string `json:"notices"`   // what a reader must know before she reads
	HTML      string   `json:"html"`      // the text; it is safe to put into a page as it is
	Unplaced  []string `json:"unplaced"`  // claims of which the text shows nothing, as HTML
	Method    string   `json:"method"`    // how it came about, as HTML
	Evidence  string   `json:"-"`         // what the script of final.html is given, as JSON
}

// NewBody renders the parts. It refuses what HTML refuses.
func NewBody(r Report) (Body, error) {
	if err := r.check(); err != nil {
		return Body{}, err
	}
	p, err := newPage(r)
	if err != nil {
		return Body{}, fmt.Errorf("report %s: body: %w", r.Run, err)
	}
	b := Body{Title: p.Title, Language: p.Lang, Direction: p.Dir, Headline: p.Headline, Notices: p.Notices,
		HTML: string(p.Article), Unplaced: []string{}, Method: string(p.Method), Evidence: string(p.Data)}
	if b.Notices == nil {
		b.Notices = []string{}
	}
	for _, u := range p.Unplaced {
		b.Unplaced = append(b.Unplaced, string(u))
	}
	return b, nil
}
