package engine

import (
	"fmt"
	"slices"

	"github.com/plumbresearch/plumb"
)

// sight is what narrate must remember of a run before an outcome.
type sight struct {
	state plumb.State
	stage plumb.Stage
	wave  int
	gate  plumb.Gate
	units []plumb.Phase
	wait  plumb.Wait
}

func look(r *plumb.Run) sight {
	s := sight{state: r.State(), stage: r.Stage, wave: r.Wave, gate: r.Gate, wait: r.Wait}
	for _, u := range r.Units {
		s.units = append(s.units, u.State)
	}
	return s
}

// narrate tells users what an outcome changed. These events are stored with the outcome, so they are told exactly once.
func narrate(before sight, o *plumb.Outcome, r *plumb.Run) []plumb.Event {
	var out []plumb.Event
	if o.Kind == plumb.Failed {
		out = append(out, plumb.Event{Kind: plumb.StepFailed, Step: o.Step, Text: o.Fail})
	}
	out = append(out, units(before, r)...)
	if r.Wave > 0 && before.stage == plumb.AtGather && (r.Stage != plumb.AtGather || r.Wave != before.wave) {
		out = append(out, waveDone(r, before.wave))
	}
	if r.Gate != before.gate {
		out = append(out, plumb.News(plumb.GateDecided, r.Gate.Reason, r.Gate))
	}
	if r.Wave != before.wave {
		out = append(out, waveStarted(r))
	} else if r.Stage != before.stage && r.Stage != plumb.AtEnd && r.Wait.Kind == "" {
		out = append(out, plumb.Event{Kind: plumb.StageStarted, Text: string(r.Stage)})
	}
	return append(out, turns(before, r)...)
}

// Started tells that a run was taken up for the first time.
func Started(r *plumb.Run) plumb.Event {
	return plumb.Event{Kind: plumb.RunStarted, Text: r.Asked.Text}
}

// Resumed tells that a run was taken up again, with so many outcomes in its journal.
func Resumed(r *plumb.Run, outcomes int) plumb.Event {
	return plumb.Event{Kind: plumb.RunResumed, Text: fmt.Sprintf("resumed at stage %s after %s", r.Stage, count(outcomes, "finished step"))}
}

// count puts a number before a noun.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// units tells of units that settled.
func units(before sight, r *plumb.Run) []plumb.Event {
	var out []plumb.Event
	for i, u := range r.Units {
		if i >= len(before.units) || before.units[i] == u.State || (u.State != plumb.Succeeded && u.State != plumb.Broke) {
			continue
		}
		text := count(u.Findings, "finding")
		if u.State == plumb.Broke {
			text = u.Fail
		}
		e := plumb.News(plumb.UnitDone, text, unitNews(u))
		e.Unit = u.ID
		out = append(out, e)
	}
	return out
}

func unitNews(u plumb.UnitState) plumb.UnitNews {
	return plumb.UnitNews{ID: u.ID, Status: u.State, Topic: u.Topic, Findings: u.Findings, Fail: u.Fail}
}

func waveStarted(r *plumb.Run) plumb.Event {
	n := 0
	for _, u := range r.Units {
		if u.Wave == r.Wave {
			n++
		}
	}
	return plumb.News(plumb.WaveStarted, fmt.Sprintf("wave %d: %s, %s", r.Wave, count(n, "unit"), r.Mode), nil)
}

// waveDone is the one payload per wave.
func waveDone(r *plumb.Run, wave int) plumb.Event {
	s := r.Standing()
	news := plumb.WaveNews{Iteration: wave, GateStatus: "none", Records: s.Records, Keys: s.Keys, Skipped: s.Skipped}
	if r.Gate.Status != "" {
		news.GateStatus, news.GateReason = string(r.Gate.Status), r.Gate.Reason
	}
	for _, u := range r.Units {
		if u.Wave == wave {
			news.Dispatched++
			news.Units = append(news.Units, unitNews(u))
		}
		news.Domains = append(news.Domains, u.Keys...)
	}
	slices.Sort(news.Domains)
	news.Domains = slices.Compact(news.Domains)
	return plumb.News(plumb.WaveDone, fmt.Sprintf("wave %d done: %s from %s so far", wave, count(s.Records, "finding"), count(s.Keys, "source")), news)
}

// turns tells of changes of the run as a whole.
func turns(before sight, r *plumb.Run) []plumb.Event {
	now := r.State()
	if now == plumb.Waiting && (before.state != plumb.Waiting || before.wait != r.Wait) {
		return []plumb.Event{plumb.News(plumb.RunWaiting, "waiting for an "+string(r.Wait.Kind), plumb.WaitNews{For: r.Wait.Kind, Round: r.Wait.Round})}
	}
	if now == before.state {
		return nil
	}
	switch now {
	case plumb.PausedState:
		return []plumb.Event{{Kind: plumb.RunPaused, Text: r.Reason}}
	case plumb.CancelledState:
		return []plumb.Event{{Kind: plumb.RunCancelled, Text: r.Reason}}
	case plumb.FailedState:
		return []plumb.Event{{Kind: plumb.RunFailed, Text: r.Fail}}
	case plumb.Finished:
		return []plumb.Event{{Kind: plumb.RunDone}}
	case plumb.Running:
		if before.state == plumb.PausedState {
			return []plumb.Event{{Kind: plumb.RunResumed, Text: "resumed"}}
		}
	}
	return nil
}
