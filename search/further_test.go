package search_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/search"
)

// shelf is an engine from elsewhere with one lead.
type shelf struct{}

func (shelf) Name() string { return "mcp:shelf" }
func (shelf) Host() string { return "shelf.example" }
func (shelf) Search(context.Context, search.Query) ([]plumb.Lead, error) {
	return []plumb.Lead{{URL: "https://shelf.example/a", Title: "A", Snippet: "About a lighthouse.", Engine: "mcp:shelf"}}, nil
}

func TestAnEngineFromElsewhereIsChosenLikeAnyOther(t *testing.T) {
	e, err := search.New(search.Options{Further: []search.Further{shelf{}}})
	if err != nil {
		t.Fatal(err)
	}
	s, err := e.Choose(search.Web, "mcp:shelf")
	if err != nil {
		t.Fatal(err)
	}
	leads, _, err := s.Find(t.Context(), search.Query{Text: "lighthouse"})
	if err != nil || len(leads) != 1 || leads[0].URL != "https://shelf.example/a" {
		t.Errorf("%+v, %v", leads, err)
	}
	if !slices.Equal(s.Hosts(), []string{"shelf.example"}) {
		t.Errorf("hosts %v", s.Hosts())
	}
	auto, err := e.Choose(search.Web, "auto")
	if err != nil || !slices.Contains(auto.Names(), "mcp:shelf") {
		t.Errorf("auto: %v, %v", auto.Names(), err)
	}
	if papers, err := e.Choose(search.Papers, "auto"); err != nil || slices.Contains(papers.Names(), "mcp:shelf") {
		t.Errorf("papers: %v", err)
	}
	if _, err := e.Choose(search.Web, "mcp:other"); err == nil || !strings.Contains(err.Error(), "mcp:shelf") {
		t.Errorf("an unknown name answers %v", err)
	}
}
