package plumb

import "time"

// Source is a document as it was when it was read. Its text is stored once, by hash, and never changes.
type Source struct {
	Hash        string    `json:"source"` // SHA-256 of the text, in hex
	URL         string    `json:"url"`    // doc:<path> for the user's own documents
	FinalURL    string    `json:"final_url"`
	Status      int       `json:"status"` // of HTTP; 0 for own documents
	Title       string    `json:"title"`
	Authors     []string  `json:"authors"`
	DOI         string    `json:"doi"`
	Date        string    `json:"date"` // ISO 8601, as exact as is known, or empty
	RetrievedAt time.Time `json:"retrieved_at"`
	Key         string    `json:"key"` // what diversity counts: registrable domain, document or work
	Language    string    `json:"language,omitempty"`
	Format      string    `json:"format,omitempty"`
	Chars       int       `json:"chars,omitempty"`
	References  *Passage  `json:"references,omitempty"` // its list of references, which never supports a claim
	Paywall     bool      `json:"paywall,omitempty"`    // only the part that is free was read
}

// Passage is a span of a source, in bytes of its text.
type Passage struct {
	Source string `json:"source"`
	Start  int    `json:"start"`
	End    int    `json:"end"`
}

// Lead is a search result: worth reading, not yet read, never evidence.
type Lead struct {
	URL     string  `json:"url"`
	Title   string  `json:"title"`
	Snippet string  `json:"snippet"`
	Date    string  `json:"date,omitempty"` // ISO 8601, as exact as is known
	Engine  string  `json:"engine"`         // those that named it, with commas
	Score   float64 `json:"score"`          // 0..1; comparable within one search only

	Authors []string `json:"authors,omitempty"` // of a paper; its Snippet is the abstract
	DOI     string   `json:"doi,omitempty"`
	Agree   int      `json:"agree,omitempty"` // how many engines named it
}

// Finding is one thing learned, with the passage that says it. The field names are those of findings.jsonl.
type Finding struct {
	ID           string       `json:"id"`
	Content      string       `json:"content"`
	SourceURL    string       `json:"source_url"`
	SourceTitle  string       `json:"source_title"`
	Subtask      int          `json:"subtask_id"` // number of the unit in the run, from 1
	Worker       string       `json:"worker_id"`
	At           time.Time    `json:"timestamp"`
	Verified     bool         `json:"verified"`
	SearchType   string       `json:"search_type"`         // internal, web or paper
	Verification string       `json:"verification_status"` // verified, partial or failed
	Status       int          `json:"http_status"`
	Depth        ContentDepth `json:"content_depth"`
	Quote        string       `json:"source_quote"`
	Confidence   Confidence   `json:"confidence"`
	Chars        int          `json:"scraped_chars"`
	Source       string       `json:"source"`
	QuoteStart   int          `json:"quote_start"`
	QuoteEnd     int          `json:"quote_end"`
	Unit         string       `json:"unit"`
	Area         string       `json:"area"`
	Key          string       `json:"key"`
	Date         string       `json:"date,omitempty"` // of the source
	Relevance    float64      `json:"relevance"`      // to the unit's question, 0..1
	Reused       string       `json:"reused,omitempty"`
}

// ContentDepth says how much of a source was read.
type ContentDepth string

const (
	FullScrape    ContentDepth = "full_scrape"
	PartialScrape ContentDepth = "partial_scrape"
	Snippet       ContentDepth = "snippet" // never counted, never cited
)

// Confidence grades a finding or a claim. Findings are never uncertain.
type Confidence string

const (
	High      Confidence = "high"
	Medium    Confidence = "medium"
	Low       Confidence = "low"
	Uncertain Confidence = "uncertain"
)

// Passage is where the finding's quote stands.
func (f Finding) Passage() Passage {
	return Passage{Source: f.Source, Start: f.QuoteStart, End: f.QuoteEnd}
}

// Citable reports whether the finding may be counted and cited: it was read, not only seen in a search result.
func (f Finding) Citable() bool { return f.Verified && f.Depth != Snippet && f.Source != "" }

// Hit is a passage of the user's own documents that a search found.
type Hit struct {
	Source  Source  `json:"source"`
	Passage Passage `json:"passage"`
	Text    string  `json:"text"`
	Heading string  `json:"heading,omitempty"` // nearest heading above it
	Score   float64 `json:"score"`             // higher is better; comparable within one search only
}
