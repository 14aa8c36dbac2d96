// Package engine does the steps of runs and folds their outcomes: Steps.Do dispatches a step to its stage, Local drives
// runs with goroutines over one store.
package engine
