package gather

// Tree of thoughts over plans. In the presets deep and academic three plans are drawn up at once, each along another line
// of thought, and a fourth call chooses. It runs when a plan is first made, not when a person wants one changed: then
// there is a plan to keep to. It costs three plans and a short choice instead of one plan: about four times the tokens of
// planning, which is a few per cent of what such a run spends.

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/llm"
)

// slants are the lines of thought.
var slants = []string{
	"by sources. Ask who holds the evidence (official records, statistics, studies, the people involved, the press) and give each kind of source a unit that can use it best.",
	"by mechanism and time. Ask how things came about: what came first, what caused what, what changed when, where it stands today, and let units follow those steps.",
	"by disagreement. Ask who has a stake in the answer and where accounts are likely to contradict each other, and set units on the claim, on its counter-evidence and on what would settle it.",
}

// branches says whether a plan is chosen among several.
func branches(t PlanTask) bool {
	return (t.Limits.Preset == "deep" || t.Limits.Preset == "academic") && t.Previous == nil && strings.TrimSpace(t.Feedback) == ""
}

// chooseAnswer is what a model answers to the prompt choose.
type chooseAnswer struct {
	Best   int    `json:"best"`
	Reason string `json:"reason"`
}

type chooseData struct {
	Brief string
	Plans []string
}

// planTree draws plans up at once and chooses. Plans that fail are done without, as long as there is one.
func (t LLM) planTree(ctx context.Context, task PlanTask) (plumb.Plan, error) {
	all, errs := make([]plumb.Plan, len(slants)), make([]error, len(slants))
	var wg sync.WaitGroup
	for i, slant := range slants {
		wg.Go(func() { all[i], errs[i] = t.planOnce(ctx, task, slant) })
	}
	wg.Wait()
	var plans []plumb.Plan
	for i, p := range all {
		if errs[i] == nil {
			plans = append(plans, p)
		}
	}
	if len(plans) == 0 || ctx.Err() != nil {
		return plumb.Plan{}, errors.Join(errs...)
	}
	if len(plans) == 1 {
		return plans[0], nil
	}
	best, reason, err := t.choose(ctx, task, plans)
	if err != nil && ctx.Err() != nil {
		return plumb.Plan{}, err
	}
	p := plans[best]
	note := fmt.Sprintf("Chosen among %d plans: %s", len(plans), reason)
	if err != nil {
		note = fmt.Sprintf("The first of %d plans: no choice among them could be had.", len(plans))
	}
	p.Notes = append(p.Notes, note)
	return p, nil
}

// choose picks one of several plans. Without a valid answer it is the first.
func (t LLM) choose(ctx context.Context, task PlanTask, plans []plumb.Plan) (best int, reason string, err error) {
	data := chooseData{Brief: briefText(task.Brief), Plans: make([]string, len(plans))}
	left, err := room(t.Orchestrator, "choose", data, chooseOutput)
	if err != nil {
		return 0, "", err
	}
	for i, p := range plans {
		data.Plans[i] = shorten(planText(p), left/len(plans))
	}
	req, err := request(t.Orchestrator, "choose", data, chooseOutput)
	if err != nil {
		return 0, "", err
	}
	a, err := llm.Ask(ctx, t.Orchestrator, req, "choose", func(a *chooseAnswer) error {
		if a.Best < 1 || a.Best > len(plans) {
			return fmt.Errorf("best is %d: give the number of a plan, from 1 to %d", a.Best, len(plans))
		}
		return nil
	})
	if err != nil {
		return 0, "", err
	}
	return a.Best - 1, line(a.Reason, maxReason), nil
}
