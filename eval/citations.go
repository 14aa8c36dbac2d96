package eval

// What reports cite and how much of it can be followed.

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/verify"
)

// Citations names a file of reports: rows with `report`, and `system` where it is known.
type Citations struct {
	Data string
}

// CitationCounts count the citations of some reports.
type CitationCounts struct {
	Reports int `json:"reports"`
	// URLs are the addresses that the reports give, each once a report: in the text and in the source lists.
	URLs int `json:"urls"`
	// Markers are what cites by number, name, author or footnote. A marker of several numbers counts for each.
	Markers int `json:"markers"`
	// Resolved are the markers that lead to an address; the others name nothing that the report lists, or a source without one.
	Resolved   int `json:"resolved"`
	Unresolved int `json:"unresolved"`
	Links      int `json:"links"`   // mentions that carry their address themselves
	Sources    int `json:"sources"` // entries of source lists
	Claims     int `json:"claims"`
	Cited      int `json:"cited"` // claims that a mention covers
}

// CitationScores are the counts of all reports and of those of each system.
type CitationScores struct {
	CitationCounts
	Systems map[string]CitationCounts `json:"systems"`
}

// Names are the systems in order.
func (s CitationScores) Names() []string { return slices.Sorted(maps.Keys(s.Systems)) }

// Score reads every report the way an audit does.
func (c Citations) Score(ctx context.Context) (CitationScores, error) {
	out := CitationScores{Systems: map[string]CitationCounts{}}
	err := eachRow(c.Data, func(n int, b []byte) error {
		var row struct {
			Report *string `json:"report"`
			System string  `json:"system"`
		}
		if err := json.Unmarshal(b, &row); err != nil {
			return wrong("%s: row %d: %v", c.Data, n, err)
		}
		if row.Report == nil {
			return wrong("%s: row %d has no report: each row needs its text there", c.Data, n)
		}
		one := countCitations(*row.Report)
		out.add(one)
		if row.System != "" {
			s := out.Systems[row.System]
			s.add(one)
			out.Systems[row.System] = s
		}
		return ctx.Err()
	})
	if err != nil {
		return CitationScores{}, err
	}
	if out.Reports == 0 {
		return CitationScores{}, wrong("%s has no rows: each needs report", c.Data)
	}
	return out, nil
}

func countCitations(report string) CitationCounts {
	c := CitationCounts{Reports: 1}
	urls := map[string]bool{}
	for _, m := range verify.Mentions(report) {
		if m.URL != "" {
			urls[m.URL] = true
		}
		switch {
		case carries(report, m):
			c.Links++
		case m.URL == "":
			c.Markers++
			c.Unresolved++
		default:
			c.Markers++
			c.Resolved++
		}
	}
	for _, e := range verify.Listed(report) {
		c.Sources++
		if e.URL != "" {
			urls[e.URL] = true
		}
	}
	c.URLs = len(urls)
	for _, claim := range verify.Split(report) {
		c.Claims++
		if len(claim.Citations) > 0 {
			c.Cited++
		}
	}
	return c
}

// carries says whether a mention is an address or a link with words of its own: [1](https://…) is a marker.
func carries(report string, m plumb.Mention) bool {
	return m.Number == 0 && m.URL != "" && strings.ContainsAny(report[m.Start:m.End], ":/.") && !strings.HasPrefix(report[m.Start:m.End], "[^")
}

func (c *CitationCounts) add(o CitationCounts) {
	c.Reports += o.Reports
	c.URLs += o.URLs
	c.Markers += o.Markers
	c.Resolved += o.Resolved
	c.Unresolved += o.Unresolved
	c.Links += o.Links
	c.Sources += o.Sources
	c.Claims += o.Claims
	c.Cited += o.Cited
}
