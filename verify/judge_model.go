// The model of the embedded judge: boosted trees over features and a
// calibration, as the training command writes them.

package verify

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"sync"
)

// Weights is a trained model with what it was trained on.
type Weights struct {
	About    []string  `json:"about"`    // data, licences, seed and figures, for people
	Features []string  `json:"features"` // names, in the order that trees count them
	Lexicon  []byte    `json:"lexicon"`  // rarity of words: 4 bits for each hash
	Base     float64   `json:"base"`     // log odds before all else
	Linear   []float64 `json:"linear"`   // what one of each feature adds
	Slope    float64   `json:"slope"`    // calibration: log odds = Slope × sum + Offset
	Offset   float64   `json:"offset"`
	Keep     float64   `json:"keep"` // support from which on a claim that rules call supported stays so
	Lift     float64   `json:"lift"` // support from which on one that they leave open becomes so
	Trees    []Tree    `json:"trees"`
}

// Tree is a binary tree: node i has the children 2i+1 and 2i+2 and goes to the
// second when the feature is above the threshold. A node with feature -1 is a leaf
// that adds its value.
type Tree struct {
	Feature []int     `json:"f"`
	Value   []float64 `json:"v"` // threshold, or what a leaf adds
}

// Sum is what the tree adds for a row of features.
func (t Tree) Sum(row []float64) float64 {
	i := 0
	for t.Feature[i] >= 0 {
		if row[t.Feature[i]] > t.Value[i] {
			i = 2*i + 2
		} else {
			i = 2*i + 1
		}
	}
	return t.Value[i]
}

// Raw is the sum of the trees, before calibration.
func (w *Weights) Raw(row []float64) float64 {
	sum := w.Base
	for i, v := range row {
		sum += w.Linear[i] * v
	}
	for _, t := range w.Trees {
		sum += t.Sum(row)
	}
	return sum
}

// Support is the calibrated probability that a row of features is of a supported
// claim, where half of the claims are.
func (w *Weights) Support(row []float64) float64 {
	return 1 / (1 + math.Exp(-(w.Slope*w.Raw(row) + w.Offset)))
}

func (w *Weights) check() error {
	if len(w.Features) != len(features) || len(w.Lexicon) != LexiconSize || len(w.Linear) != len(features) || len(w.Trees) == 0 {
		return fmt.Errorf("%d features, %d trees: made for another program", len(w.Features), len(w.Trees))
	}
	for i, f := range features {
		if w.Features[i] != f.name {
			return fmt.Errorf("feature %d is %q, not %q", i, w.Features[i], f.name)
		}
	}
	if !(w.Keep >= 0 && w.Keep <= w.Lift && w.Lift <= 1) {
		return fmt.Errorf("support to keep %v and to lift %v: not from 0 to 1 in this order", w.Keep, w.Lift)
	}
	for n, t := range w.Trees {
		if len(t.Feature) != len(t.Value) || len(t.Feature) == 0 {
			return fmt.Errorf("tree %d: %d nodes with %d values", n, len(t.Feature), len(t.Value))
		}
		for i, f := range t.Feature {
			if f >= len(features) || f >= 0 && 2*i+2 >= len(t.Feature) {
				return fmt.Errorf("tree %d: node %d leads nowhere", n, i)
			}
		}
	}
	return nil
}

//go:embed judge.weights
var shipped []byte

// standard is the model in the binary.
var standard = sync.OnceValue(func() *Weights {
	w, err := ReadWeights(shipped)
	if err != nil {
		panic(fmt.Sprintf("judge.weights: %v", err))
	}
	return w
})

// ReadWeights reads what the training command wrote.
func ReadWeights(data []byte) (*Weights, error) {
	w := new(Weights)
	if err := json.Unmarshal(data, w); err != nil {
		return nil, err
	}
	return w, w.check()
}
