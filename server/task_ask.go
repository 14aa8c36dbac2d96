package server

// A question as clients of the tasks API put it, and what it means here.

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/front"
)

// taskAsk is the body of POST /api/v1/tasks. Enumerations are not checked by the framework: case does not count.
type taskAsk struct {
	Query     string      `json:"query" required:"true" minLength:"1" maxLength:"10000" doc:"The question"`
	SessionID string      `json:"session_id,omitempty" pattern:"^[A-Za-z0-9:_.-]{1,128}$" doc:"An earlier session, or a name for a new one"`
	Mode      string      `json:"mode,omitempty" maxLength:"64" doc:"Told again with the task"`
	Context   taskContext `json:"context,omitzero"`
	Knobs
}

// Knobs stand beside the question or in its context; the former count first.
type Knobs struct {
	ResearchStrategy    string `json:"research_strategy,omitempty" enum:"quick,standard,deep,academic" doc:"Preset of all numbers"`
	ModelTier           string `json:"model_tier,omitempty" enum:"small,medium,large" doc:"Picks among the configured models"`
	ModelOverride       string `json:"model_override,omitempty" doc:"In place of the orchestrator: provider:model, or the model alone beside provider_override"`
	ProviderOverride    string `json:"provider_override,omitempty"`
	MaxIterations       *int   `json:"max_iterations,omitempty" minimum:"1" maximum:"50" doc:"Waves of researchers, at most"`
	MaxConcurrentAgents *int   `json:"max_concurrent_agents,omitempty" minimum:"1" maximum:"20" doc:"Researchers at once, at most"`
	EnableVerification  *bool  `json:"enable_verification,omitempty" doc:"Claims are checked before the report is published"`
	ReportMode          *bool  `json:"report_mode,omitempty" doc:"false: the concise style"`
}

// taskContext is the context of a question. Whatever else a client puts into it is told again with the task.
type taskContext struct {
	askContext
	raw json.RawMessage
}

type askContext struct {
	ForceResearch   bool    `json:"force_research,omitempty" doc:"Every task is research, with or without it"`
	ReviewPlan      string  `json:"review_plan,omitempty" enum:"manual,auto" doc:"manual: the plan waits for a person"`
	RequireReview   bool    `json:"require_review,omitempty" doc:"The same as review_plan manual"`
	ReviewTimeout   float64 `json:"review_timeout,omitempty" minimum:"0" maximum:"2592000" doc:"Seconds that the plan waits; 0: as long as it takes"`
	BudgetAgentMax  int64   `json:"budget_agent_max,omitempty" minimum:"0" doc:"Tokens of one researcher, at most"`
	SynthesisStyle  string  `json:"synthesis_style,omitempty" enum:"comprehensive,concise"`
	EnableCitations bool    `json:"enable_citations,omitempty" doc:"Reports always cite"`

	Search         string   `json:"search,omitempty" doc:"auto, none, or web search engines with commas between them"`
	Papers         string   `json:"papers,omitempty" doc:"auto, none, or paper indexes with commas between them"`
	IncludeDomains []string `json:"include_domains,omitempty" doc:"Only these sites"`
	ExcludeDomains []string `json:"exclude_domains,omitempty" doc:"Never these sites"`
	Since          string   `json:"since,omitempty" doc:"Nothing older: 2024, 2024-05 or 2024-05-31"`
	Language       string   `json:"language,omitempty" doc:"Of the report; default: the question's"`
	Scheduling     string   `json:"scheduling,omitempty" enum:"react,parallel,sequential,hybrid"`
	UseLibrary     *bool    `json:"use_library,omitempty" doc:"Your documents; default: if there are any"`
	Strict         bool     `json:"strict,omitempty" doc:"The report drops what no source supports"`
	Reuse          bool     `json:"reuse,omitempty" doc:"Findings of earlier tasks may be used"`
	BudgetUSD      *float64 `json:"budget_usd,omitempty" minimum:"0" doc:"Dollars, at most"`
	MaxTokens      int64    `json:"max_tokens,omitempty" minimum:"0" doc:"Tokens of the whole task, at most"`
	Knobs
}

func (c *taskContext) UnmarshalJSON(data []byte) error {
	c.raw = slices.Clone(data)
	return json.Unmarshal(data, &c.askContext)
}

// remark is what a client is told again with its task.
type remark struct {
	Mode    string          `json:"mode,omitempty"`
	Context json.RawMessage `json:"context,omitempty"`
}

// over fills what a knob leaves open from another.
func (k Knobs) over(o Knobs) Knobs {
	return Knobs{
		ResearchStrategy: cmp.Or(k.ResearchStrategy, o.ResearchStrategy), ModelTier: cmp.Or(k.ModelTier, o.ModelTier),
		ModelOverride: cmp.Or(k.ModelOverride, o.ModelOverride), ProviderOverride: cmp.Or(k.ProviderOverride, o.ProviderOverride),
		MaxIterations: cmp.Or(k.MaxIterations, o.MaxIterations), MaxConcurrentAgents: cmp.Or(k.MaxConcurrentAgents, o.MaxConcurrentAgents),
		EnableVerification: cmp.Or(k.EnableVerification, o.EnableVerification), ReportMode: cmp.Or(k.ReportMode, o.ReportMode),
	}
}

// ask makes of a request what front knows, or says which field is wrong.
func (a taskAsk) ask() (front.Ask, error) {
	if err := a.check(); err != nil {
		return front.Ask{}, err
	}
	c, k := a.Context, a.over(a.Context.Knobs)
	out := front.Ask{Text: a.Query, Thread: a.SessionID, Preset: plain(k.ResearchStrategy), Language: c.Language, Style: plain(c.SynthesisStyle),
		Mode: plain(c.Scheduling), Since: c.Since, Search: c.Search, Papers: c.Papers, Include: c.IncludeDomains, Exclude: c.ExcludeDomains,
		Library: c.UseLibrary, Tier: plain(k.ModelTier), USD: c.BudgetUSD, Tokens: c.MaxTokens, UnitMax: c.BudgetAgentMax,
		Approve: c.RequireReview || plain(c.ReviewPlan) == "manual", Patience: time.Duration(c.ReviewTimeout * float64(time.Second)),
		Unchecked: k.EnableVerification != nil && !*k.EnableVerification, Strict: c.Strict, Reuse: c.Reuse}
	if out.Style == "" && k.ReportMode != nil && !*k.ReportMode {
		out.Style = string(plumb.Concise)
	}
	if k.MaxIterations != nil {
		out.Waves = *k.MaxIterations
	}
	if k.MaxConcurrentAgents != nil {
		out.AtOnce = *k.MaxConcurrentAgents
	}
	var err error
	if out.Model, err = k.model(); err != nil {
		return out, err
	}
	if a.Mode != "" || len(c.raw) > 0 {
		out.Remark, err = json.Marshal(remark{a.Mode, c.raw})
	}
	return out, err
}

// plain is how an enumeration is compared.
func plain(s string) string { return strings.ToLower(strings.TrimSpace(s)) }

// model names the model that was asked for as provider:model.
func (k Knobs) model() (string, error) {
	model, provider := strings.TrimSpace(k.ModelOverride), plain(k.ProviderOverride)
	switch {
	case provider == "":
		return model, nil
	case model == "":
		return "", &front.FieldError{Field: "provider_override", Value: provider, Allowed: "name a model of it in model_override too"}
	case strings.HasPrefix(model, provider+":"):
		return model, nil
	}
	return provider + ":" + model, nil
}

// wrong says which field has a value that is not allowed.
func wrong(field, value, allowed string) error {
	return &front.FieldError{Field: field, Value: shorten(value), Allowed: allowed}
}

// shorten keeps what a client sent out of its own error beyond 60 characters.
func shorten(s string) string {
	if utf8.RuneCountInString(s) <= 60 {
		return s
	}
	return string([]rune(s)[:60]) + "…"
}

// check looks at what the program's configuration has no say in.
func (a taskAsk) check() error {
	if strings.TrimSpace(a.Query) == "" {
		return wrong("query", "", "the question is required")
	}
	if n := utf8.RuneCountInString(a.Query); n > plumb.MaxQuestion {
		return wrong("query", "", fmt.Sprintf("the question has %d characters, at most %d are allowed", n, plumb.MaxQuestion))
	}
	if a.SessionID != "" && !validID.MatchString(a.SessionID) {
		return wrong("session_id", a.SessionID, "use 1 to 128 letters, digits and : _ . -")
	}
	if utf8.RuneCountInString(a.Mode) > 64 {
		return wrong("mode", a.Mode, "use at most 64 characters")
	}
	if err := a.Knobs.check(""); err != nil {
		return err
	}
	return a.Context.check()
}

func (k Knobs) check(in string) error {
	if err := oneOf(in+"research_strategy", k.ResearchStrategy, plumb.Presets...); err != nil {
		return err
	}
	if err := oneOf(in+"model_tier", k.ModelTier, "small", "medium", "large"); err != nil {
		return err
	}
	if err := within(in+"max_iterations", k.MaxIterations, 1, 50); err != nil {
		return err
	}
	return within(in+"max_concurrent_agents", k.MaxConcurrentAgents, 1, 20)
}

func (c taskContext) check() error {
	for _, e := range []struct {
		field, value string
		allowed      []string
	}{
		{"review_plan", c.ReviewPlan, []string{"manual", "auto"}},
		{"synthesis_style", c.SynthesisStyle, []string{"comprehensive", "concise"}},
		{"scheduling", c.Scheduling, []string{"react", "parallel", "sequential", "hybrid"}},
	} {
		if err := oneOf("context."+e.field, e.value, e.allowed...); err != nil {
			return err
		}
	}
	usd := 0.0
	if c.BudgetUSD != nil {
		usd = *c.BudgetUSD
	}
	for _, n := range []struct {
		field string
		value float64
		most  float64
	}{
		{"review_timeout", c.ReviewTimeout, 30 * 24 * 3600}, {"budget_agent_max", float64(c.BudgetAgentMax), 1e12},
		{"max_tokens", float64(c.MaxTokens), 1e12}, {"budget_usd", usd, 1e6},
	} {
		if n.value < 0 || n.value > n.most {
			return wrong("context."+n.field, strconv.FormatFloat(n.value, 'f', -1, 64), fmt.Sprintf("use 0 to %.0f", n.most))
		}
	}
	return c.Knobs.check("context.")
}

// oneOf refuses a value that is none of those allowed. An empty one leaves the choice to the configuration.
func oneOf(field, value string, allowed ...string) error {
	if value == "" || slices.Contains(allowed, plain(value)) {
		return nil
	}
	return wrong(field, value, "use "+strings.Join(allowed, ", "))
}

// within refuses a number that is out of range.
func within(field string, n *int, least, most int) error {
	if n == nil || *n >= least && *n <= most {
		return nil
	}
	return wrong(field, strconv.Itoa(*n), fmt.Sprintf("use %d to %d", least, most))
}
