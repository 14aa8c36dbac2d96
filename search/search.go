// Package search asks web search engines and paper indexes, all at once, and makes one list of leads of what they
// answer: normalised, deduplicated, fused, weighed and cut, without any model.
//
// Each provider is a file of its own with one shape, [Engine]. [Engines] holds those that are configured, with their rate
// limits; a [Search] is a choice of them. Nothing but the configured base URLs is contacted, and what comes back is data
// from strangers: bounded, cleaned, and never more than a lead.
package search

import (
	"context"

	"github.com/plumbresearch/plumb"
)

// Engine is one provider. Its leads stand in the provider's order; its errors may be shown to anyone.
type Engine interface {
	Name() string
	Search(ctx context.Context, q Query) ([]plumb.Lead, error)
}

// Query asks for leads.
type Query struct {
	Text     string
	Language string   // ISO 639-1; empty: unknown
	Limit    int      // leads asked of each engine; 0: 10, at most 50
	Since    string   // ISO 8601 date, as exact as is known: nothing older
	Include  []string // only these domains and their subdomains
	Exclude  []string // never these domains nor their subdomains
}

// Kind says what a provider searches.
type Kind string

const (
	Web    Kind = "web"
	Papers Kind = "papers"
)

const (
	defaultLimit = 10
	maxLimit     = 50
	// What the strictest providers accept as a query.
	maxQueryChars = 400
	maxQueryWords = 50
)
