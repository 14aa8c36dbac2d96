package plumb

import (
	"fmt"
	"strings"
	"time"
)

// Limits are the numbers of a run. A zero means what its comment says.
type Limits struct {
	Waves   int `json:"waves"`
	PerWave int `json:"per_wave"` // units of a wave
	AtOnce  int `json:"at_once"`  // units under way together
	InAll   int `json:"in_all"`   // units of a run

	Unit   UnitLimits   `json:"unit"`
	Gate   GateLimits   `json:"gate"`
	Review ReviewLimits `json:"review"`
	Caps   Caps         `json:"caps"`

	Citations int    `json:"citations"` // in the report, at most
	Check     bool   `json:"check"`     // claims are checked before the report is published
	Approve   bool   `json:"approve"`   // the plan waits for a person
	Preset    string `json:"preset"`
}

// UnitLimits bound one unit.
type UnitLimits struct {
	Sources    int `json:"sources"`    // read
	Characters int `json:"characters"` // of each source in a prompt
	Searches   int `json:"searches"`   // guidance
	ToolCalls  int `json:"tool_calls"` // guidance
	Findings   int `json:"findings"`   // kept
}

// GateLimits are what evidence must reach before research counts as complete.
type GateLimits struct {
	Records int `json:"records"`
	Cited   int `json:"cited"`
	Keys    int `json:"keys"` // distinct
}

// ReviewLimits say when a draft is written again. A threshold of 0 turns the review off.
type ReviewLimits struct {
	Threshold float64 `json:"threshold"` // 0..1
	Rewrites  int     `json:"rewrites"`
}

// Caps end the gathering. A zero is no cap.
type Caps struct {
	USD      float64       `json:"usd"`
	Tokens   int64         `json:"tokens"`
	Time     time.Duration `json:"time"`      // of gathering; waiting, pauses and downtime don't count
	Approval time.Duration `json:"approval"`  // how long a plan waits for a person
	UnitUSD  float64       `json:"unit_usd"`  // per unit
	UnitToks int64         `json:"unit_toks"` // per unit
}

// Bounds that no preset or setting changes: they make every run end and keep a Run small.
const (
	MaxRejections  = 3  // by the gate
	MaxRewrites    = 2  // of a draft
	MaxPlanRounds  = 5  // with a person's feedback
	MaxUnits       = 60 // in a run
	ClaimsPerCheck = 20 // a crash loses at most one batch
	MaxClaims      = 20_000
)

// Presets in the order in which they are offered.
var Presets = []string{"quick", "standard", "deep", "academic"}

// Preset gives the limits that a name stands for.
func Preset(name string) (Limits, error) {
	l := Limits{
		Waves: 3, PerWave: 5, AtOnce: 4, InAll: 30,
		Unit:      UnitLimits{Sources: 3, Characters: 5000, Searches: 15, ToolCalls: 40, Findings: 25},
		Gate:      GateLimits{Records: 5, Cited: 5, Keys: 3},
		Review:    ReviewLimits{Threshold: 0.7, Rewrites: 1},
		Caps:      Caps{USD: 1, Time: 20 * time.Minute},
		Citations: 30, Check: true, Preset: name,
	}
	switch name {
	case "standard":
	case "quick":
		l.Waves, l.PerWave, l.AtOnce, l.InAll = 1, 3, 3, 6
		l.Unit.Sources, l.Unit.Searches, l.Unit.ToolCalls = 2, 4, 12
		l.Gate = GateLimits{Records: 3, Cited: 3, Keys: 2}
		l.Review = ReviewLimits{}
		l.Caps.USD, l.Caps.Time = 0.25, 5*time.Minute
		l.Citations = 12
	case "deep", "academic":
		l.Waves, l.PerWave, l.InAll = 5, 8, 60
		l.Unit.Sources, l.Unit.Characters = 5, 8000
		l.Gate = GateLimits{Records: 10, Cited: 10, Keys: 5}
		l.Review = ReviewLimits{Threshold: 0.8, Rewrites: 2}
		l.Caps.USD, l.Caps.Time = 5, time.Hour
		l.Citations = 60
		if name == "academic" {
			l.Gate.Keys = 3
		}
	default:
		return Limits{}, fmt.Errorf("preset %q is unknown: use %s", name, strings.Join(Presets, ", "))
	}
	return l, nil
}

// Style is what a preset writes unless told otherwise.
func (l Limits) Style() Style {
	if l.Preset == "quick" {
		return Concise
	}
	return Comprehensive
}
