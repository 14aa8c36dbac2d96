package temporal

import (
	"strings"

	"go.temporal.io/sdk/temporal"

	"github.com/plumbresearch/plumb"
)

// Queues that every worker serves: workflows with their journals, and steps that call no model.
const (
	Queue      = "plumb"
	StepsQueue = "plumb-steps"
)

// ProviderQueue is where the steps wait that call models of a provider.
func ProviderQueue(provider string) string { return "plumb-" + provider }

// QueueOf is where a step waits for a worker: one that calls models at their provider's queue, by the worker model of the
// run, so that a provider's rate limit holds for all workers together.
func QueueOf(k plumb.StepKind, m plumb.Models) string {
	model := m.Worker
	if model == "" {
		model = m.Orchestrator
	}
	provider, _, named := strings.Cut(model, ":")
	if !named || !thinks(k) {
		return StepsQueue
	}
	return ProviderQueue(provider)
}

// thinks tells which steps ask a model, where the question names one.
func thinks(k plumb.StepKind) bool {
	switch k {
	case plumb.StepScope, plumb.StepPlan, plumb.StepUnit, plumb.StepSupervise, plumb.StepWrite, plumb.StepReview, plumb.StepCheck:
		return true
	}
	return false
}

// Search attributes of runs in the cluster's list, all of type Keyword. They are used where the namespace has all three.
var (
	tenantAttribute   = temporal.NewSearchAttributeKeyKeyword("PlumbTenant")
	stateAttribute    = temporal.NewSearchAttributeKeyKeyword("PlumbState")
	strategyAttribute = temporal.NewSearchAttributeKeyKeyword("PlumbStrategy")
)
