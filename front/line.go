package front

import "github.com/plumbresearch/plumb"

// Line is a line on what a run does; empty for what is too much to read.
func Line(e plumb.Event) string {
	switch e.Kind {
	case plumb.RunResumed, plumb.HostsNamed, plumb.EstimateReady, plumb.WaveStarted, plumb.WaveDone, plumb.Warning, plumb.StepRetried,
		plumb.Thought, plumb.CallWaits, plumb.RemoteWaits, plumb.LeadsFound, plumb.DocumentsRead:
		return e.Text
	case plumb.RunStarted:
		return "Run: " + e.Run
	case plumb.StepFellBack, plumb.StepFailed:
		return e.Step + ": " + e.Text
	case plumb.BriefReady:
		return "Scope: " + e.Text
	case plumb.PlanReady:
		return "Plan: " + e.Text
	case plumb.UnitStarted, plumb.UnitDone:
		return e.Unit + ": " + e.Text
	case plumb.SourceRead:
		return "Read: " + e.Text
	case plumb.GateDecided:
		return "Gate: " + e.Text
	case plumb.Cited:
		return "Citations: " + e.Text
	case plumb.DraftWritten:
		return "Draft: " + e.Text
	case plumb.DraftReviewed:
		return "Review: " + e.Text
	case plumb.ClaimsSplit:
		return "Check: " + e.Text
	case plumb.Published:
		return "Published: " + e.Text
	}
	return ""
}
