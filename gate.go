package plumb

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Gate is the deterministic judge of completeness: the supervisor proposes, the gate disposes.
type Gate struct {
	Status     GateStatus `json:"status,omitempty"`
	Reason     string     `json:"reason,omitempty"`
	Rejections int        `json:"rejections,omitempty"`
}

// GateStatus is empty until the gate was asked.
type GateStatus string

const (
	GatePass  GateStatus = "pass"
	GateRetry GateStatus = "retry"
)

// evidence counts findings, those with a source that was read, and the distinct keys of these.
func (r *Run) evidence() (records, cited, keys int) {
	var all []string
	for _, u := range r.Units {
		records += u.Findings
		cited += u.Cited
		all = append(all, u.Keys...)
	}
	slices.Sort(all)
	return records, cited, len(slices.Compact(all))
}

// judge asks the gate. The reason says what is missing, or what is enough.
func (r *Run) judge() (GateStatus, string) {
	records, cited, keys := r.evidence()
	l := r.Limits.Gate
	var missing []string
	for _, c := range []struct {
		have, want int
		noun       string
	}{{records, l.Records, "findings"}, {cited, l.Cited, "findings with a source that was read"}, {keys, l.Keys, "distinct sources"}} {
		if c.have < c.want {
			missing = append(missing, fmt.Sprintf("%d of %d %s", c.have, c.want, c.noun))
		}
	}
	if len(missing) > 0 {
		return GateRetry, "not enough: " + strings.Join(missing, ", ")
	}
	return GatePass, fmt.Sprintf("%d findings from %d distinct sources: enough", records, keys)
}

// cap says which cap forbids another wave. The time is that of the outcome which would open it, so that a timer that
// fires beside the last unit of a wave changes nothing about the decision.
func (r *Run) cap(at time.Time) Stop {
	c := r.Limits.Caps
	switch {
	case r.Finish:
		return StopFinish
	case c.USD > 0 && r.Spent.USD >= c.USD:
		return StopMoney
	case c.Tokens > 0 && r.Spent.Tokens >= c.Tokens:
		return StopTokens
	case r.Capped != "":
		return r.Capped
	case !r.Deadline.IsZero() && !at.Before(r.Deadline):
		return StopTime
	case r.Wave >= r.Limits.Waves:
		return StopWaves
	case len(r.Units) >= min(r.Limits.InAll, MaxUnits) && len(r.pending()) == 0:
		return StopUnits
	}
	return ""
}

// startGathering opens the first wave, once the plan stands. Money and tokens that are gone by then don't keep it shut:
// extractive thinking gathers for nothing.
func (r *Run) startGathering(o Outcome) {
	r.Round, r.Feedback = 0, ""
	if t := r.Limits.Caps.Time; t > 0 {
		r.Deadline = o.At.Add(t)
	}
	if s := r.cap(o.At); s != "" && s != StopMoney && s != StopTokens {
		r.stopGathering(s)
		return
	}
	r.dispatch()
}

// stopGathering goes on to the report with what there is. Running out of waves or units is worth saying only when the
// gate is not satisfied or planned work was left undone.
func (r *Run) stopGathering(s Stop) {
	skipped := false
	for i := range r.Units {
		if !settled(r.Units[i].State) {
			r.Units[i].State, skipped = Skipped, true
		}
	}
	r.Gate.Status, r.Gate.Reason = r.judge()
	if (s != StopWaves && s != StopUnits) || r.Gate.Status != GatePass || skipped {
		r.Stopped = s
	}
	r.Stage, r.Feedback = AtCite, ""
}

// waveDone is called when every unit of the wave is settled.
func (r *Run) waveDone() {
	var at time.Time
	for _, u := range r.Units {
		if u.Wave == r.Wave && u.At.After(at) {
			at = u.At
		}
	}
	if s := r.cap(at); s != "" {
		r.stopGathering(s)
		return
	}
	r.Stage = AtSupervise
	r.Round++
}

// supervised folds in what the supervisor proposed: more units, or (none) that research is complete.
func (r *Run) supervised(o Outcome) {
	if o.Kind == Failed {
		r.stopGathering("")
		return
	}
	wantsMore := len(o.Units) > 0 && (r.addUnits(o.Units) > 0 || len(r.pending()) > 0)
	if !wantsMore {
		status, reason := r.judge()
		if status == GatePass {
			r.stopGathering("")
			return
		}
		r.Gate = Gate{Status: status, Reason: reason, Rejections: r.Gate.Rejections + 1}
		r.Feedback = reason
	}
	s := r.cap(o.At)
	switch {
	case s != "":
		r.stopGathering(s)
	case !wantsMore && r.Gate.Rejections >= MaxRejections:
		r.stopGathering(StopGate)
	case len(r.pending()) > 0:
		r.dispatch()
	default:
		r.Round++
	}
}
