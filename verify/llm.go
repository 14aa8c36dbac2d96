// The judge with a language model: one claim, the passages nearest to it, three
// probabilities.

package verify

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"math"
	"unicode/utf8"

	"github.com/plumbresearch/plumb/llm"
	"github.com/plumbresearch/plumb/markdown"
)

// LLM judges claims with a language model.
type LLM struct{ Model llm.Model }

var (
	_ Judge = LLM{}

	//go:embed prompts/*.md
	promptFiles embed.FS
	prompts     = llm.LoadPrompts(promptFiles)
)

const (
	maxPassage  = 1200 // characters
	maxClaim    = 1000
	judgeOutput = 800 // tokens: a model that thinks aloud needs more than the answer
)

// judged is the answer of the model.
type judged struct {
	Supported    float64 `json:"supported"`
	Contradicted float64 `json:"contradicted"`
	Neither      float64 `json:"neither"`
	Reason       string  `json:"reason"`
}

// judgeData fills the prompt: it depends on claim and passages alone.
type judgeData struct {
	Claim    string
	Passages []string
}

// Judge asks about one claim. Errors are the model's; an answer that can't be
// mended is one too, never a verdict.
func (l LLM) Judge(ctx context.Context, claim string, passages []string) (Judgement, error) {
	data := judgeData{Claim: cut(claim, maxClaim)}
	for _, p := range passages[:min(len(passages), maxPassages)] {
		data.Passages = append(data.Passages, cut(p, maxPassage))
	}
	messages, err := prompts.Messages("judge", data)
	if err != nil {
		return Judgement{}, err
	}
	a, err := llm.Ask(ctx, l.Model, &llm.Request{Messages: messages, Output: judgeOutput}, "judge", (*judged).check)
	if err != nil {
		return Judgement{}, fmt.Errorf("judge: %w", err)
	}
	return Judgement{Supported: a.Supported, Contradicted: a.Contradicted, Neither: a.Neither, Reason: clip(a.Reason, maxReason)}, nil
}

// check makes the three add up to 1, whatever scale the model uses.
func (a *judged) check() error {
	sum := 0.0
	for _, p := range []*float64{&a.Supported, &a.Contradicted, &a.Neither} {
		if math.IsNaN(*p) || math.IsInf(*p, 0) || *p < 0 {
			return fmt.Errorf("%v is no probability: give three numbers from 0 to 1", *p)
		}
		sum += *p
	}
	if sum <= 0 || math.IsInf(sum, 0) {
		return errors.New("the probabilities must add up to 1")
	}
	a.Supported, a.Contradicted, a.Neither = a.Supported/sum, a.Contradicted/sum, a.Neither/sum
	a.Reason = markdown.OneLine(a.Reason)
	return nil
}

// cut shortens s to n characters.
func cut(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return firstChars(s, n-1) + "…"
}
