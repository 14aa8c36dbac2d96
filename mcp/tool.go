package mcp

// How a search tool of a stranger is called: its arguments are found by the names that such tools use.

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Names of arguments, the best first.
var (
	queryNames = []string{"query", "q", "search_query", "searchQuery", "search_term", "queries", "search_queries", "question", "keywords", "term", "text", "input", "prompt", "objective"}
	limitNames = []string{"limit", "max_results", "maxResults", "num_results", "numResults", "count", "top_k", "topK", "k", "n", "size", "per_page", "rows"}
)

// searchTool is a tool that takes a query.
type searchTool struct {
	name  string
	query string
	many  bool   // the query is a list
	limit string // empty: it takes none
	most  int    // what limit may be at most; 0: not said
}

// schema is the part of a tool's input schema that matters here.
type schema struct {
	Properties map[string]property `json:"properties"`
	Required   []string            `json:"required"`
}

type property struct {
	Type    loose           `json:"type"`
	Maximum float64         `json:"maximum"`
	Default json.RawMessage `json:"default"`
}

// loose is a type of JSON schema, which may also be a list of them: the first that is not null counts.
type loose string

// UnmarshalJSON takes any value: what says nothing is empty.
func (l *loose) UnmarshalJSON(b []byte) error {
	var one string
	var many []string
	if json.Unmarshal(b, &one) == nil {
		*l = loose(one)
	} else if json.Unmarshal(b, &many) == nil {
		for _, s := range many {
			if s != "null" {
				*l = loose(s)
				break
			}
		}
	}
	return nil
}

// pickTool finds a tool by its name, or the one that is meant.
func pickTool(tools []*sdk.Tool, name string) (*sdk.Tool, error) {
	var names []string
	var searches []*sdk.Tool
	for _, t := range tools {
		if t.Name == name {
			return t, nil
		}
		names = append(names, clip(t.Name, 60))
		if strings.Contains(strings.ToLower(t.Name), "search") {
			searches = append(searches, t)
		}
	}
	all := clip(strings.Join(names, ", "), 300)
	switch {
	case len(tools) == 0:
		return nil, errors.New("has no tools")
	case name != "":
		return nil, fmt.Errorf("has no tool %.60q: use one of %s", name, all)
	case len(tools) == 1:
		return tools[0], nil
	case len(searches) == 1:
		return searches[0], nil
	}
	return nil, fmt.Errorf("has several tools: name the one that searches, of %s", all)
}

// newSearchTool finds out how a tool is called. One that needs what Plumb does not know can't be.
func newSearchTool(t *sdk.Tool) (searchTool, error) {
	var s schema
	b, err := json.Marshal(t.InputSchema)
	if err == nil {
		err = json.Unmarshal(b, &s)
	}
	if err != nil {
		return searchTool{}, fmt.Errorf("has a tool %.60q whose input is not described", t.Name)
	}
	out := searchTool{name: t.Name, query: s.queryArgument()}
	if out.query == "" {
		return out, fmt.Errorf("has a tool %.60q that takes no query", t.Name)
	}
	out.many = s.Properties[out.query].Type == "array"
	for _, n := range limitNames {
		if p, ok := s.Properties[n]; ok && (p.Type == "integer" || p.Type == "number") {
			out.limit, out.most = n, int(p.Maximum)
			break
		}
	}
	for _, n := range s.Required {
		if n != out.query && n != out.limit && len(s.Properties[n].Default) == 0 {
			return out, fmt.Errorf("has a tool %.60q that needs %.60q, which Plumb can't fill in", t.Name, n)
		}
	}
	return out, nil
}

// queryArgument is the argument with a usual name, or the only text that is required.
func (s schema) queryArgument() string {
	for _, n := range queryNames {
		if p, ok := s.Properties[n]; ok && (p.Type == "string" || p.Type == "array" || p.Type == "") {
			return n
		}
	}
	texts := slices.DeleteFunc(slices.Clone(s.Required), func(n string) bool { return s.Properties[n].Type != "string" })
	if len(texts) == 1 {
		return texts[0]
	}
	return ""
}

func (t searchTool) arguments(query string, limit int) any {
	args := map[string]any{t.query: query}
	if t.many {
		args[t.query] = []string{query}
	}
	if t.limit != "" {
		if t.most > 0 {
			limit = min(limit, t.most)
		}
		args[t.limit] = limit
	}
	return args
}
