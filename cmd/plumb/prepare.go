package main

// What a client asks over the network, with the configuration of this program applied: the same rules as for the flags of
// research and audit.

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/front"
	"github.com/plumbresearch/plumb/llm"
	"github.com/plumbresearch/plumb/markdown"
)

// prepare applies the configuration to what clients ask.
type prepare struct {
	r *root
	a *app
}

var _ front.Prepare = prepare{}

// Question makes a question and its limits of an Ask.
func (p prepare) Question(ask front.Ask, documents int) (plumb.Question, plumb.Limits, error) {
	if err := p.check(ask); err != nil {
		return plumb.Question{}, plumb.Limits{}, err
	}
	q := asked{preset: ask.Preset, mode: ask.Mode, since: ask.Since, language: ask.Language, style: ask.Style, search: ask.Search,
		papers: ask.Papers, include: ask.Include, exclude: ask.Exclude, model: ask.Model, tokens: ask.Tokens, strict: ask.Strict,
		noVerify: ask.Unchecked, reuse: ask.Reuse, home: documents > 0, approve: "auto"}
	if ask.Approve {
		q.approve = "ask"
	}
	if ask.USD != nil {
		q.budget = *ask.USD
	}
	question, limits, err := p.r.question(q, ask.Text, func(flag string) bool {
		return flag == "budget" && ask.USD != nil || flag == "max-tokens" && ask.Tokens > 0
	})
	if err != nil {
		return question, limits, asField(err)
	}
	question.Models = tier(question.Models, ask.Tier)
	if err := p.a.opens(question.Models); err != nil {
		return question, limits, asField(err)
	}
	if err := p.ceiling(question.Models, &limits.Caps); err != nil {
		return question, limits, err
	}
	limits.Caps.Approval = ask.Patience
	if ask.UnitMax > 0 {
		limits.Caps.UnitToks = ask.UnitMax
	}
	if ask.Waves > 0 {
		limits.Waves = ask.Waves
	}
	if ask.AtOnce > 0 {
		limits.AtOnce = ask.AtOnce
	}
	return question, limits, nil
}

// check refuses what no flag checks.
func (p prepare) check(ask front.Ask) error {
	for _, v := range []struct {
		field, value string
		allowed      []string
	}{
		{"preset", ask.Preset, plumb.Presets},
		{"tier", ask.Tier, []string{"small", "medium", "large"}},
		{"mode", ask.Mode, []string{"react", "parallel", "sequential", "hybrid"}},
		{"style", ask.Style, []string{"comprehensive", "concise"}},
	} {
		if v.value != "" && !slices.Contains(v.allowed, v.value) {
			return &front.FieldError{Field: v.field, Value: v.value, Allowed: "use " + strings.Join(v.allowed, ", ")}
		}
	}
	return p.affordable(ask.USD)
}

// affordable keeps what a client may spend under what the operator allows.
func (p prepare) affordable(usd *float64) error {
	most := p.r.config.Server.MaxBudget
	if usd != nil && !(*usd >= 0 && *usd <= most) { // NaN is neither
		return &front.FieldError{Field: "budget_usd", Value: fmt.Sprint(*usd), Allowed: fmt.Sprintf("use 0 to %g dollars", most)}
	}
	return nil
}

// ceiling keeps what a preset would spend under what the operator allows, for a client that names no budget.
func (p prepare) ceiling(m plumb.Models, c *plumb.Caps) error {
	most := p.r.config.Server.MaxBudget
	if most == 0 && m.Orchestrator != "" { // for the engine 0 is no cap
		return &front.FieldError{Field: "model", Value: m.Orchestrator, Allowed: "nothing may be spent here; use none"}
	}
	c.USD = min(c.USD, most)
	return nil
}

// tier picks among the configured models: small is the researchers' for everything, large the orchestrator's.
func tier(m plumb.Models, name string) plumb.Models {
	switch name {
	case "small":
		m.Orchestrator, m.Judge = firstNonEmpty(m.Worker, m.Orchestrator), firstNonEmpty(m.Worker, m.Judge)
	case "large":
		m.Worker, m.Judge = m.Orchestrator, m.Orchestrator
	}
	return m
}

// flagName finds what wrong usage says of flags: clients know them as fields.
var flagName = regexp.MustCompile(`--([a-z-]+)`)

// asField says to a client what the command line says to a person. What is not wrong usage stays as it is.
func asField(err error) error {
	e, ok := errors.AsType[exit](err)
	if !ok || e.code != exitUsage {
		return err
	}
	field := "request"
	if m := flagName.FindStringSubmatch(e.line); m != nil {
		field = m[1]
	}
	return &front.FieldError{Field: field, Allowed: flagName.ReplaceAllString(strings.TrimPrefix(e.line, "--"+field+" "), "$1")}
}

// Audit makes the question of an audit.
func (p prepare) Audit(ask front.AuditAsk) (plumb.Question, plumb.Limits, error) {
	if err := p.affordable(ask.USD); err != nil {
		return plumb.Question{}, plumb.Limits{}, err
	}
	q := audits{asked: asked{model: ask.Model, strict: ask.Strict, approve: "auto"}, offline: ask.Fetch != nil && !*ask.Fetch}
	if ask.USD != nil {
		q.budget = *ask.USD
	}
	name := firstNonEmpty(ask.Name, firstHeading(ask.Draft), "a report")
	question, limits, err := p.r.auditQuestion(q, name, ask.Draft, func(flag string) bool { return flag == "budget" && ask.USD != nil })
	if err == nil {
		err = p.a.opens(question.Models)
	}
	if err == nil {
		err = p.ceiling(question.Models, &limits.Caps)
	}
	if err != nil {
		return question, limits, asField(err)
	}
	return question, limits, nil
}

// firstHeading is the title of a report.
func firstHeading(draft string) string {
	for _, s := range markdown.Parse(draft).Sections {
		if s.Title != "" {
			return s.Title
		}
	}
	return ""
}

// Outlook tells what a question would mean.
func (p prepare) Outlook(q plumb.Question, l plumb.Limits) (front.Outlook, error) {
	hosts, err := p.a.steps.Hosts(q, plumb.Research)
	if err != nil {
		return front.Outlook{}, err
	}
	return front.Outlook{Models: q.Models, Search: q.Where.Search, Papers: q.Where.Papers, Hosts: hosts, Limits: l,
		Estimate: llm.Forecast(p.a.prices(), q.Models, l.PerWave, l)}, nil
}

// prices of models.
func (a *app) prices() *llm.Prices { return a.steps.Models.Desk.Prices }

// keepFor is how long ended runs are kept; 0: for ever.
func (c serverConfig) keepFor() time.Duration { return time.Duration(c.KeepDays) * 24 * time.Hour }
