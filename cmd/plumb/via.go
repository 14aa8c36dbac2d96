package main

// plumb research --via: somebody else's deep-research service writes the draft, and it is audited like any other report.

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/oklog/ulid/v2"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/engine"
	"github.com/plumbresearch/plumb/remote"
)

// services are the deep-research services of others, with the keys and addresses that models and searches have.
func (r *root) services() *remote.Services {
	m := r.config.Models
	sonar := r.config.Outside.services["perplexity"]
	o := remote.Options{Accounts: map[string]remote.Account{
		"openai":     {Key: m.OpenAIKey, BaseURL: m.OpenAIURL},
		"gemini":     {Key: firstNonEmpty(m.GeminiKey, m.GoogleKey), BaseURL: m.GeminiURL},
		"perplexity": {Key: sonar.Key, BaseURL: sonar.BaseURL},
	}}
	if t, ok := http.DefaultTransport.(*http.Transport); ok {
		own := t.Clone()
		own.Proxy = r.config.Outside.proxy()
		o.Transport = own
	}
	return remote.New(o)
}

// elsewhere are flags that say how Plumb researches, which it does not when a service does.
var elsewhere = []string{"docs", "preset", "strategy", "scheduling", "search", "papers", "include-domains", "exclude-domains", "since", "style",
	"worker-model", "embed-model", "approve", "reuse", "thread", "no-verify"}

// researchVia orders a report, waits for it and audits it.
func (r *root) researchVia(ctx context.Context, q asked, text string, changed func(string) bool) error {
	question, limits, err := r.viaQuestion(q, text, changed)
	if err != nil {
		return err
	}
	p := newProgress(r, q.json, q.quiet)
	return r.with(ctx, p.show, func(a *app) error {
		if err := a.opens(question.Models); err != nil {
			return err
		}
		run := engine.NewAudit(strings.ToLower(ulid.Make().String()), question, limits)
		if err := a.begin(ctx, run, q.out); err != nil {
			return err
		}
		return r.work(ctx, a, p, run.ID)
	})
}

// viaQuestion makes the question and its limits: those of an audit.
func (r *root) viaQuestion(q asked, text string, changed func(string) bool) (plumb.Question, plumb.Limits, error) {
	none := plumb.Question{}
	for _, flag := range elsewhere {
		if changed(flag) {
			return none, plumb.Limits{}, usage("--%s means nothing with --via, where a service does the research: leave one of the two out", flag)
		}
	}
	text, err := questionText(text)
	if err != nil {
		return none, plumb.Limits{}, err
	}
	via, err := r.services().Name(q.via)
	if err != nil {
		return none, plumb.Limits{}, usage("--via %s: %v", clean(q.via), err)
	}
	out, limits, err := r.auditQuestion(audits{asked: q}, "", "", changed)
	out.Text, out.Language, out.Via = text, q.language, via
	return out, limits, err
}

// callOff tells the service of a run that was cancelled while nobody worked on it.
func (a *app) callOff(ctx context.Context, run *plumb.Run) error {
	if run.State() != plumb.CancelledState || run.Refs.Order == "" || run.Refs.Draft != "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	return a.steps.Remote.Cancel(ctx, run.Asked.Via, run.Refs.Order)
}

// remote shows how a job stands: a line when that has changed, else only at the bottom.
func (p *progress) remote(e plumb.Event) {
	var n plumb.RemoteNews
	if json.Unmarshal(e.Data, &n) != nil {
		return
	}
	if n.Status != p.job {
		p.job = n.Status
		p.line("wait", printable(fmt.Sprintf("%s: %s", n.Service, strings.ReplaceAll(n.Status, "_", " "))))
	}
	p.bottom(e.Text)
}
