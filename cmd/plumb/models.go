package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/engine"
	"github.com/plumbresearch/plumb/llm"
	"github.com/plumbresearch/plumb/llm/provider"
)

// models says who thinks: flags over the environment. "none" turns models off.
func (r *root) models(q asked) (plumb.Models, error) {
	e := r.config.Models
	m := plumb.Models{
		Orchestrator: firstNonEmpty(q.model, e.Orchestrator),
		Worker:       firstNonEmpty(q.worker, e.Worker),
		Judge:        firstNonEmpty(q.judge, e.Judge, e.Eval),
		Embed:        firstNonEmpty(q.embed, e.Embed),
	}
	if m.Orchestrator == "none" {
		return plumb.Models{}, nil
	}
	if m.Orchestrator == "" {
		if q.worker != "" || q.judge != "" || q.embed != "" {
			return m, usage("--worker-model, --judge-model and --embed-model go with --model: name that too")
		}
		return plumb.Models{}, nil
	}
	for _, v := range []struct {
		from string
		to   *string
	}{{"--model or ORCHESTRATOR_MODEL", &m.Orchestrator}, {"--worker-model or SUBAGENT_MODEL", &m.Worker},
		{"--judge-model, JUDGE_MODEL or EVAL_MODEL", &m.Judge}, {"--embed-model or EMBED_MODEL", &m.Embed}} {
		if *v.to == "" || *v.to == "none" {
			*v.to = ""
			continue
		}
		if _, _, err := llm.ParseName(*v.to); err != nil {
			return m, usage("%s: %v", v.from, err)
		}
	}
	m.Worker, m.Judge = firstNonEmpty(m.Worker, m.Orchestrator), firstNonEmpty(m.Judge, m.Orchestrator)
	return m, nil
}

// thinkers puts together what runs think with: providers, prices, rate limits and the ledger of the store.
func (r *root) thinkers(db llm.Ledger) (*engine.Models, *provider.Providers, error) {
	e := r.config.Models
	prices, err := e.prices()
	if err != nil {
		return nil, nil, err
	}
	p := provider.New(provider.Options{
		OpenAIKey: e.OpenAIKey, OpenAIURL: e.OpenAIURL,
		AnthropicKey: e.AnthropicKey, AnthropicURL: e.AnthropicURL,
		GeminiKey: firstNonEmpty(e.GeminiKey, e.GoogleKey), GeminiURL: e.GeminiURL,
		OllamaHost:    e.OllamaHost,
		CompatibleKey: e.CompatibleKey, CompatibleURL: e.CompatibleURL,
		Timeout: time.Duration(r.config.Timeouts.Model) * time.Second,
		Traits:  prices.Traits,
	})
	desk := &llm.Desk{Open: p.Open, OpenEmbedder: p.OpenEmbedder, Ledger: db, Prices: prices,
		Rate: llm.Rate{AtOnce: e.AtOnce, PerMinute: e.PerMinute}}
	return &engine.Models{Desk: desk, Host: p.Host}, p, nil
}

// prices are the built-in table with the user's file on top.
func (m modelConfig) prices() (_ *llm.Prices, err error) {
	if m.File == "" {
		return llm.DefaultPrices(), nil
	}
	f, err := os.Open(m.File)
	if err != nil {
		return nil, usage("MODELS_FILE %s can't be read (%v): name a JSON file of prices, see docs/models.md", m.File, cause(err))
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	p, err := llm.LoadPrices(f)
	if err != nil {
		return nil, usage("MODELS_FILE %s: %v", m.File, err)
	}
	return p, nil
}

// opens makes sure that every model of a question can be asked: its provider is known and has a key.
func (a *app) opens(m plumb.Models) error {
	for _, name := range []string{m.Orchestrator, m.Worker, m.Judge} {
		if name == "" {
			continue
		}
		if _, err := a.providers.Open(name); err != nil {
			return usage("%v", err)
		}
	}
	if m.Embed != "" {
		if _, err := a.providers.OpenEmbedder(m.Embed); err != nil {
			return usage("%v", err)
		}
	}
	return nil
}

// offer tells of an Ollama that runs here, when no model is named. It is never used unasked.
func (r *root) offer(ctx context.Context, w io.Writer) error {
	ctx, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
	defer cancel()
	models, err := provider.Ollama(ctx, r.config.Models.OllamaHost)
	if err != nil || len(models) == 0 {
		return nil // none here: nothing to offer
	}
	_, err = fmt.Fprintf(w, "Ollama runs here with %s. To let it think: --model ollama:%s\n", strings.Join(models[:min(len(models), 5)], ", "), models[0])
	return err
}
