package server

// What a question would mean before it is asked, and the presets that it can be asked with.

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/front"
)

func (s *Server) outlookRoutes() {
	huma.Register(s.api, route(http.MethodGet, "/api/v1/outlook", "get-outlook", "Who would think, where would be searched, what it may cost", http.StatusOK, 400, 401), s.outlook)
	huma.Register(s.api, route(http.MethodGet, "/api/v1/presets", "list-presets", "The research strategies with their numbers", http.StatusOK, 401), s.presets)
}

type outlookAsk struct {
	Query            string `query:"query" maxLength:"10000" doc:"The question; the estimate needs none"`
	ResearchStrategy string `query:"research_strategy" enum:"quick,standard,deep,academic"`
	ModelTier        string `query:"model_tier" enum:"small,medium,large"`
	ModelOverride    string `query:"model_override"`
	ProviderOverride string `query:"provider_override"`
	Search           string `query:"search"`
	Papers           string `query:"papers"`
	Domains          string `query:"include_domains" doc:"With commas between them"`
	UseLibrary       string `query:"use_library" enum:"true,false" doc:"Default: if there are documents"`
}

type outlookAnswer struct{ Body outlook }

type outlook struct {
	Models     plumb.Models   `json:"models" doc:"provider:model of each role; all empty: extractive thinking"`
	Extractive bool           `json:"extractive" doc:"No language model is asked: the report quotes its sources"`
	Search     []string       `json:"search" doc:"Web search engines"`
	Papers     []string       `json:"papers" doc:"Paper indexes"`
	Hosts      []plumb.Host   `json:"hosts" doc:"That would be talked to, and what goes there; none: nothing leaves the machine"`
	Estimate   plumb.Estimate `json:"estimate"`
	Limits     plumb.Limits   `json:"limits"`
	Documents  int            `json:"documents" doc:"Of yours that would be searched"`
}

func newOutlook(o front.Outlook) outlook {
	return outlook{Models: o.Models, Extractive: o.Models.Orchestrator == "", Search: list(o.Search), Papers: list(o.Papers), Hosts: list(o.Hosts),
		Estimate: o.Estimate, Limits: o.Limits, Documents: o.Own}
}

func (s *Server) outlook(ctx context.Context, in *outlookAsk) (*outlookAnswer, error) {
	ask := front.Ask{Text: in.Query, Preset: in.ResearchStrategy, Tier: in.ModelTier, Search: in.Search, Papers: in.Papers}
	var err error
	if ask.Model, err = (Knobs{ModelOverride: in.ModelOverride, ProviderOverride: in.ProviderOverride}).model(); err != nil {
		return nil, s.explain(ctx, err)
	}
	for d := range strings.SplitSeq(in.Domains, ",") {
		if d = strings.TrimSpace(d); d != "" {
			ask.Include = append(ask.Include, d)
		}
	}
	if in.UseLibrary != "" {
		yes := in.UseLibrary == "true"
		ask.Library = &yes
	}
	o, err := s.foresee(ctx, ask)
	if err != nil {
		return nil, s.explain(ctx, err)
	}
	return &outlookAnswer{newOutlook(o)}, nil
}

// foresee asks for the outlook of a question, which need not be there yet.
func (s *Server) foresee(ctx context.Context, ask front.Ask) (front.Outlook, error) {
	if strings.TrimSpace(ask.Text) == "" {
		ask.Text = "What is known about it?"
	}
	return tenant(ctx).Outlook(ctx, ask)
}

type presetsAnswer struct {
	Body struct {
		Presets []preset `json:"presets"`
		Default string   `json:"default"`
	}
}

// preset is a research strategy.
type preset struct {
	Name       string          `json:"name"`
	Limits     plumb.Limits    `json:"limits"`
	Style      plumb.Style     `json:"style"`
	MaxUSD     float64         `json:"max_usd" doc:"Ends the gathering"`
	MaxSeconds float64         `json:"max_seconds" doc:"Of gathering"`
	Estimate   *plumb.Estimate `json:"estimate,omitempty" doc:"With the configured models; absent while there is nothing to search"`
}

func (s *Server) presets(ctx context.Context, _ *struct{}) (*presetsAnswer, error) {
	out := &presetsAnswer{}
	out.Body.Presets = []preset{}
	for _, name := range plumb.Presets {
		l, err := plumb.Preset(name)
		if err != nil {
			return nil, s.explain(ctx, err)
		}
		p := preset{Name: name}
		o, err := s.foresee(ctx, front.Ask{Preset: name})
		var field *front.FieldError
		switch {
		case err == nil:
			l, p.Estimate = o.Limits, &o.Estimate
		case !errors.As(err, &field):
			return nil, s.explain(ctx, err)
		}
		p.Limits, p.Style, p.MaxUSD, p.MaxSeconds = l, l.Style(), l.Caps.USD, l.Caps.Time.Seconds()
		out.Body.Presets = append(out.Body.Presets, p)
	}
	if o, err := s.foresee(ctx, front.Ask{}); err == nil {
		out.Body.Default = o.Limits.Preset
	}
	return out, nil
}
