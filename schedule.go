package plumb

import "slices"

// Mode is a scheduling strategy: a rule for which units of a wave are ready.
type Mode string

const (
	React      Mode = "react"      // the units are merged into one that loops
	Parallel   Mode = "parallel"   // all units of the wave
	Sequential Mode = "sequential" // one at a time, each seeing its predecessors' findings
	Hybrid     Mode = "hybrid"     // a unit is ready when those it needs are settled
)

// Modes are the scheduling strategies that a question may ask for.
var Modes = []Mode{React, Parallel, Sequential, Hybrid}

// Choose picks the scheduling of a plan: what was asked for, else react for simple questions (complexity below 0.5),
// sequential for a pure chain, hybrid when there is any dependency, and parallel.
func Choose(asked Mode, complexity float64, units []Proposed) Mode {
	if slices.Contains(Modes, asked) {
		return asked
	}
	if complexity < 0.5 {
		return React
	}
	edges, chain := 0, len(units) > 1
	for i, u := range units {
		edges += len(u.Needs)
		if i > 0 && (len(u.Needs) != 1 || u.Needs[0] != units[i-1].ID) {
			chain = false
		}
	}
	switch {
	case edges == 0:
		return Parallel
	case chain:
		return Sequential
	}
	return Hybrid
}

// ready lists the units, by index, that may be under way now: at most AtOnce, in the order of the plan.
func (r *Run) ready() []int {
	var out []int
	for i, u := range r.Units {
		if len(out) == max(r.Limits.AtOnce, 1) {
			break
		}
		if u.State != Dispatched || (r.Mode == Hybrid && !r.needsSettled(u)) {
			continue
		}
		out = append(out, i)
		if r.Mode == Sequential {
			break
		}
	}
	return out
}

func (r *Run) needsSettled(u UnitState) bool {
	for _, id := range u.Needs {
		if v := r.unit(id); v >= 0 && !settled(r.Units[v].State) {
			return false
		}
	}
	return true
}

func (r *Run) unit(id string) int {
	return slices.IndexFunc(r.Units, func(u UnitState) bool { return u.ID == id })
}

// seen says whose findings and whose sources a unit is given. Both are fixed by the plan, not by which of its
// neighbours happened to settle first: units of earlier waves, and those the unit comes after.
func (r *Run) seen(i int) (findings, visited []UnitRef) {
	u := r.Units[i]
	for j, v := range r.Units {
		if j == i || !settled(v.State) {
			continue
		}
		before := r.Mode == Sequential && j < i || r.Mode == Hybrid && slices.Contains(u.Needs, v.ID)
		ref := UnitRef{ID: v.ID, State: v.State, Plan: v.Ref, Result: v.Result}
		if before {
			findings = append(findings, ref)
		}
		if before || v.Wave < u.Wave {
			visited = append(visited, ref)
		}
	}
	return findings, visited
}

// setUnits replaces the plan's units. Without any, one unit researches the brief as it is.
func (r *Run) setUnits(units []Proposed, asked Mode, complexity float64) {
	r.Units = nil
	clean := r.clean(units)
	if len(clean) == 0 {
		clean = []Proposed{{ID: "u1"}} // the brief's question as it is
	}
	r.Mode = Choose(asked, complexity, clean)
	r.addUnits(clean)
}

// addUnits appends units that may still be asked for and returns how many were taken.
func (r *Run) addUnits(units []Proposed) int {
	clean := r.clean(units)
	if room := min(r.Limits.InAll, MaxUnits) - len(r.Units); len(clean) > room {
		clean = clean[:max(room, 0)]
	}
	if r.Mode == React && len(clean) > 1 {
		one := UnitState{ID: clean[0].ID, Topic: clean[0].Topic, Ref: clean[0].Ref, State: Pending}
		for _, p := range clean {
			one.Parts = append(one.Parts, p.ID)
		}
		r.Units = append(r.Units, one)
		return 1
	}
	for _, p := range clean {
		r.Units = append(r.Units, UnitState{ID: p.ID, Topic: p.Topic, Ref: p.Ref, Needs: p.Needs, State: Pending})
	}
	return len(clean)
}

// clean drops units without a usable ID and edges that are unknown or close a circle, and puts every unit behind those
// it needs, otherwise keeping the order.
func (r *Run) clean(units []Proposed) []Proposed {
	var known, placed []string
	for _, u := range r.Units {
		placed = append(placed, u.ID)
	}
	known = slices.Clone(placed)
	var todo []Proposed
	for _, u := range units {
		if u.ID == "" || len(u.ID) > maxID || slices.Contains(known, u.ID) || len(todo) == MaxUnits {
			continue
		}
		u.Topic, u.Ref = clip(u.Topic, maxTopic), clip(u.Ref, maxTopic)
		known = append(known, u.ID)
		todo = append(todo, u)
	}
	var out []Proposed
	for len(todo) > 0 {
		i := slices.IndexFunc(todo, func(u Proposed) bool { return !needsAny(u, todo) })
		i = max(i, 0) // all are on or behind a circle: the first goes, without its open edges
		u := todo[i]
		u.Needs = keep(u.Needs, placed)
		out, placed = append(out, u), append(placed, u.ID)
		todo = slices.Delete(todo, i, i+1)
	}
	return out
}

func needsAny(u Proposed, todo []Proposed) bool {
	return slices.ContainsFunc(todo, func(v Proposed) bool { return v.ID != u.ID && slices.Contains(u.Needs, v.ID) })
}

// keep returns the distinct needs that are placed already, at most maxNeeds.
func keep(needs, placed []string) []string {
	var out []string
	for _, n := range needs {
		if slices.Contains(placed, n) && !slices.Contains(out, n) && len(out) < maxNeeds {
			out = append(out, n)
		}
	}
	return out
}

// dispatch opens the next wave with the first units that are pending.
func (r *Run) dispatch() {
	r.Wave++
	r.Stage = AtGather
	n := 0
	for i := range r.Units {
		if r.Units[i].State == Pending && n < max(r.Limits.PerWave, 1) {
			r.Units[i].State, r.Units[i].Wave = Dispatched, r.Wave
			n++
		}
	}
}

func (r *Run) pending() []string {
	var out []string
	for _, u := range r.Units {
		if u.State == Pending {
			out = append(out, u.ID)
		}
	}
	return out
}
