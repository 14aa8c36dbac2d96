// The three documents a check leaves behind: citations.json, claims.json and
// verification.json. The same mentions, claims, verdicts and time give the same bytes.

package verify

import (
	"bytes"
	"encoding/json"
	"math"
	"time"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/link"
)

// CitationsFile is citations.json. Citations are mentions; Sources are the
// numbered citations as the report lists them.
type CitationsFile struct {
	ExtractedAt   time.Time        `json:"extracted_at"`
	SourceFile    string           `json:"source_file"` // relative to the file's own folder
	Total         int              `json:"total_citations"`
	UniqueDomains int              `json:"unique_domains"`
	Unresolved    int              `json:"unresolved"` // mentions that name no source
	Citations     []plumb.Mention  `json:"citations"`
	Sources       []plumb.Citation `json:"sources"`
	BySection     map[string]int   `json:"by_section"`
	ByDomain      map[string]int   `json:"by_domain"`
}

// ClaimsFile is claims.json.
type ClaimsFile struct {
	ExtractedAt  time.Time     `json:"extracted_at"`
	SourceFile   string        `json:"source_file"`
	Total        int           `json:"total_claims"`
	Claims       []plumb.Claim `json:"claims"`
	ByConfidence ByConfidence  `json:"by_confidence"`
	ByType       ByType        `json:"by_type"`
}

// ByConfidence counts claims by their confidence.
type ByConfidence struct {
	High      int `json:"high"`
	Medium    int `json:"medium"`
	Low       int `json:"low"`
	Uncertain int `json:"uncertain"`
}

// ByType counts claims by their type.
type ByType struct {
	Factual    int `json:"factual"`
	Prediction int `json:"prediction"`
	Opinion    int `json:"opinion"`
	Definition int `json:"definition"`
}

// VerificationFile is verification.json: one row per claim.
type VerificationFile struct {
	VerifiedAt time.Time       `json:"verified_at"`
	ClaimsFile string          `json:"claims_file"`
	Total      int             `json:"total_verified"` // claims that have a verdict, whatever it is
	Rate       float64         `json:"verification_rate"`
	Disputed   int             `json:"disputed"`
	Results    []plumb.Verdict `json:"results"`
	Summary    Summary         `json:"summary"`
}

// Summary counts verdicts; the six add up to the number of claims.
type Summary struct {
	Supported    int `json:"supported"`
	Partial      int `json:"partial"`
	NotFound     int `json:"not_found"`
	Contradicted int `json:"contradicted"`
	Inaccessible int `json:"inaccessible"`
	Paywall      int `json:"paywall"`
}

// NewCitationsFile builds citations.json. file is the name of the draft as the
// document shall give it, "" for report.md.
func NewCitationsFile(file string, ms []plumb.Mention, cs []plumb.Citation, at time.Time) CitationsFile {
	if file == "" {
		file = "report.md"
	}
	f := CitationsFile{
		ExtractedAt: seconds(at), SourceFile: file, Total: len(ms),
		Citations: append([]plumb.Mention{}, ms...), Sources: append([]plumb.Citation{}, cs...),
		BySection: map[string]int{}, ByDomain: map[string]int{},
	}
	for _, m := range ms {
		f.BySection[m.Section]++
		if m.URL == "" {
			f.Unresolved++
			continue
		}
		f.ByDomain[domainOf(m.URL)]++
	}
	f.UniqueDomains = len(f.ByDomain)
	return f
}

// domainOf is the registrable domain, and for one of the user's own documents the document.
func domainOf(url string) string {
	if d := link.Domain(url); d != "" {
		return d
	}
	return link.Key(url)
}

// NewClaimsFile builds claims.json for report.md.
func NewClaimsFile(claims []plumb.Claim, at time.Time) ClaimsFile {
	f := ClaimsFile{
		ExtractedAt: seconds(at), SourceFile: "report.md", Total: len(claims),
		Claims: append([]plumb.Claim{}, claims...),
	}
	for i := range f.Claims {
		c := &f.Claims[i]
		if c.Citations == nil {
			c.Citations = []string{}
		}
		f.ByConfidence.add(c.Confidence)
		f.ByType.add(c.Type)
	}
	return f
}

func (b *ByConfidence) add(c plumb.Confidence) {
	switch c {
	case plumb.High:
		b.High++
	case plumb.Medium:
		b.Medium++
	case plumb.Uncertain:
		b.Uncertain++
	default:
		b.Low++
	}
}

func (b *ByType) add(t plumb.ClaimType) {
	switch t {
	case plumb.Prediction:
		b.Prediction++
	case plumb.Opinion:
		b.Opinion++
	case plumb.Definition:
		b.Definition++
	default:
		b.Factual++
	}
}

// NewVerificationFile builds verification.json for claims.json. The rate is
// supported / claims, 0 without claims.
func NewVerificationFile(verdicts []plumb.Verdict, at time.Time) VerificationFile {
	f := VerificationFile{
		VerifiedAt: seconds(at), ClaimsFile: "claims.json", Total: len(verdicts),
		Results: append([]plumb.Verdict{}, verdicts...), Summary: Summarise(verdicts),
	}
	for i := range f.Results {
		f.Results[i].Others = withOthers(f.Results[i].Others)
		if f.Results[i].Disputed {
			f.Disputed++
		}
	}
	if len(verdicts) > 0 {
		f.Rate = math.Round(float64(f.Summary.Supported)/float64(len(verdicts))*1e4) / 1e4
	}
	return f
}

// withOthers makes missing lists empty ones, so that they are [] in JSON.
func withOthers(vs []plumb.Verdict) []plumb.Verdict {
	out := make([]plumb.Verdict, len(vs))
	for i, v := range vs {
		v.Others = withOthers(v.Others)
		out[i] = v
	}
	return out
}

// Summarise counts verdicts. What has no known status counts as not found.
func Summarise(verdicts []plumb.Verdict) Summary {
	var s Summary
	for _, v := range verdicts {
		switch v.Status {
		case plumb.Supported:
			s.Supported++
		case plumb.Partial:
			s.Partial++
		case plumb.Contradicted:
			s.Contradicted++
		case plumb.Paywall:
			s.Paywall++
		case plumb.Inaccessible:
			s.Inaccessible++
		default:
			s.NotFound++
		}
	}
	return s
}

// Marshal writes one of the documents, indented by 2, keys in a fixed order,
// with a line break at the end.
func Marshal[F CitationsFile | ClaimsFile | VerificationFile](file F) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(file); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// seconds is the precision of times in the documents.
func seconds(t time.Time) time.Time { return t.UTC().Truncate(time.Second) }
