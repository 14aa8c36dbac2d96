package plumb

// Citation is a source as the report cites it.
type Citation struct {
	Number      int      `json:"number"` // from 1, in the order of the report's source list
	Source      string   `json:"source"`
	URL         string   `json:"url"` // normalised
	Title       string   `json:"title"`
	Authors     []string `json:"authors,omitempty"`
	DOI         string   `json:"doi,omitempty"`
	Date        string   `json:"date,omitempty"`
	Key         string   `json:"key"`
	Relevance   float64  `json:"relevance"`   // 0..1
	Recency     float64  `json:"recency"`     // halves every 2 years; 0.5 without a date
	Score       float64  `json:"score"`       // relevance×0.7 + recency×0.3
	Credibility float64  `json:"credibility"` // 0..1
	Findings    []string `json:"findings,omitempty"`
}

// Mention is one occurrence of a citation in a text.
type Mention struct {
	URL     string `json:"url"`
	Section string `json:"section"`     // nearest heading
	Context string `json:"context"`     // 50 characters on each side
	Line    int    `json:"line_number"` // from 1
	Claim   string `json:"claim_text"`  // the sentence it stands in
	Number  int    `json:"number"`      // of the citation; 0 when it has none
	Start   int    `json:"start"`
	End     int    `json:"end"`
	// CoverStart and CoverEnd bound the sentences it bears: its own, and those
	// without a citation that it stands for too. Both 0 when it bears none.
	CoverStart int `json:"cover_start"`
	CoverEnd   int `json:"cover_end"`
}

// Claim is one checkable statement of a draft. Start and End are byte offsets in the draft.
type Claim struct {
	ID         string     `json:"id"` // claim_001 …
	Text       string     `json:"text"`
	Section    string     `json:"section"`
	Citations  []string   `json:"citations"` // URLs
	Confidence Confidence `json:"confidence"`
	Type       ClaimType  `json:"claim_type"`
	Start      int        `json:"start"`
	End        int        `json:"end"`
}

// ClaimType says what kind of statement a claim is.
type ClaimType string

const (
	Factual    ClaimType = "factual"
	Opinion    ClaimType = "opinion"
	Prediction ClaimType = "prediction"
	Definition ClaimType = "definition"
)

// Verdict is what came of checking a claim against one citation, or, with Others, against all of them.
type Verdict struct {
	ClaimID   string    `json:"claim_id"`
	ClaimText string    `json:"claim_text"`
	URL       string    `json:"citation_url"`
	Status    Status    `json:"status"`
	Evidence  string    `json:"evidence"` // the passage, verbatim
	Notes     string    `json:"notes"`
	Source    string    `json:"source"`
	Start     int       `json:"evidence_start"`
	End       int       `json:"evidence_end"`
	Score     float64   `json:"score"`  // 0..1, how sure
	Reason    string    `json:"reason"` // one line that a person understands
	Disputed  bool      `json:"disputed"`
	Others    []Verdict `json:"others"`
}

// RulesAlone begins the notes of a verdict that a judge should have given and could not.
const RulesAlone = "Decided by rules alone"

// Status is one of the six verdicts.
type Status string

const (
	Supported    Status = "supported"
	Partial      Status = "partial"
	Contradicted Status = "contradicted"
	NotFound     Status = "not_found"
	Paywall      Status = "paywall"
	Inaccessible Status = "inaccessible"
)

// Statuses are the six verdicts, best first: the verdict of a claim is the best of its citations'.
var Statuses = []Status{Supported, Partial, Contradicted, NotFound, Paywall, Inaccessible}

// Rank orders verdicts, 0 best.
func (s Status) Rank() int {
	for i, t := range Statuses {
		if s == t {
			return i
		}
	}
	return len(Statuses)
}
