package plumb

import (
	"encoding/json"
	"time"
)

// Event is something that happened in a run, as users are shown it. Command line, stream and page render nothing else.
type Event struct {
	Run     string          `json:"run"`
	Seq     int64           `json:"seq"` // in its run, from 1, without gaps
	At      time.Time       `json:"at"`
	Kind    EventKind       `json:"kind"`
	Step    string          `json:"step,omitempty"`
	Attempt int             `json:"attempt,omitempty"` // of the step; a retried attempt's events are voided
	Unit    string          `json:"unit,omitempty"`
	Text    string          `json:"text,omitempty"` // one line for a person
	Data    json.RawMessage `json:"data,omitempty"` // the payload type that the kind names
}

// Emit shows an event. The engine fills in run, time, step and attempt.
type Emit func(Event)

// EventKind names what happened.
type EventKind string

const (
	RunStarted   EventKind = "run.started"
	RunResumed   EventKind = "run.resumed"
	RunWaiting   EventKind = "run.waiting" // Data: WaitNews
	RunPaused    EventKind = "run.paused"
	RunCancelled EventKind = "run.cancelled"
	RunFailed    EventKind = "run.failed"
	RunDone      EventKind = "run.done"

	StageStarted EventKind = "stage.started"
	StepRetried  EventKind = "step.retried" // the events of the attempt before are void
	StepFailed   EventKind = "step.failed"
	StepFellBack EventKind = "step.fell_back" // a model failed; the extractive way was taken
	Warning      EventKind = "warning"

	DocumentsRead EventKind = "documents.read" // Data: DocumentsNews
	FileSkipped   EventKind = "file.skipped"
	BriefReady    EventKind = "brief.ready"
	PlanReady     EventKind = "plan.ready" // Data: Plan
	WaveStarted   EventKind = "wave.started"
	WaveDone      EventKind = "wave.done" // Data: WaveNews
	UnitStarted   EventKind = "unit.started"
	SourceRead    EventKind = "source.read"   // Data: Source
	FindingMade   EventKind = "finding.made"  // Data: Finding
	UnitDone      EventKind = "unit.done"     // Data: UnitNews
	GateDecided   EventKind = "gate.decided"  // Data: Gate
	Cited         EventKind = "cited"         // Data: CiteNews
	DraftWritten  EventKind = "draft.written" // Data: DraftNews
	DraftReviewed EventKind = "draft.reviewed"
	ClaimsSplit   EventKind = "claims.split"
	ClaimChecked  EventKind = "claim.checked" // Data: Verdict
	Published     EventKind = "report.published"

	HostsNamed    EventKind = "hosts.named"    // Data: HostsNews; before anything is sent
	EstimateReady EventKind = "estimate.ready" // Data: Estimate
	LeadsFound    EventKind = "leads.found"    // Data: LeadsNews
	LeadSkipped   EventKind = "lead.skipped"   // Data: LeadNews; it was not read, or not used
	Thought       EventKind = "thought"        // a model's note on what it does next
	CallWaits     EventKind = "call.waits"     // a model call waits, or is tried again
	RemoteWaits   EventKind = "remote.waits"   // Data: RemoteNews; somebody else's service is at work
	DraftDelta    EventKind = "draft.delta"    // text as it is written: shown, never stored; empty: from the beginning again
)

// HostsNews says which hosts a run will talk to and what goes there.
type HostsNews struct {
	Hosts []Host `json:"hosts"` // none: nothing leaves the machine
}

// Host is one of them.
type Host struct {
	Name string `json:"name"`
	Gets string `json:"gets"` // what is sent there, in words for a person
}

// Estimate is what a run will probably cost, from its plan.
type Estimate struct {
	LowUSD     float64 `json:"low_usd"`
	HighUSD    float64 `json:"high_usd"`
	LowTokens  int64   `json:"low_tokens"`
	HighTokens int64   `json:"high_tokens"`
	Priced     bool    `json:"priced"` // false: a model has no price, the dollars are unknown
	CapUSD     float64 `json:"cap_usd,omitempty"`
	CapTokens  int64   `json:"cap_tokens,omitempty"`
}

// LeadsNews counts what a search found and what was kept of it.
type LeadsNews struct {
	Query   string   `json:"query"`
	Engines []string `json:"engines"`
	Found   int      `json:"found"`
	Kept    int      `json:"kept"`
	Failed  []string `json:"failed,omitempty"` // engines, with the reason
	Calls   int      `json:"llm_calls_in_preprocess"`
}

// LeadNews says why a lead came to nothing.
type LeadNews struct {
	URL    string `json:"url"`
	Title  string `json:"title"`
	Reason string `json:"reason"` // at most 180 characters, safe to show
}

// WaitNews says what a run waits for.
type WaitNews struct {
	For   WaitKind `json:"for"`
	Round int      `json:"round"`
	Text  string   `json:"text,omitempty"` // the clarifying question
}

// DocumentsNews counts the files of a folder.
type DocumentsNews struct {
	Done    int    `json:"done"` // looked at so far
	Total   int    `json:"total"`
	Added   int    `json:"added"`
	Same    int    `json:"same"` // unchanged since they were read
	Changed int    `json:"changed"`
	Removed int    `json:"removed"`
	Skipped int    `json:"skipped"` // could not be read; each has an event of its own
	Folder  string `json:"folder"`
}

// WaveNews is the one payload per wave from which progress is shown.
type WaveNews struct {
	Iteration  int        `json:"supervisor_iteration"`
	Dispatched int        `json:"dispatched_research_units"`
	Skipped    int        `json:"skipped_research_units"`
	GateStatus string     `json:"quality_gate_status"` // none, pass or retry
	GateReason string     `json:"quality_gate_reason,omitempty"`
	Records    int        `json:"evidence_record_count"`
	Keys       int        `json:"source_domain_count"`
	Domains    []string   `json:"source_domains"`
	Units      []UnitNews `json:"research_units"`
}

// UnitNews sums up a unit.
type UnitNews struct {
	ID       string  `json:"id"`
	Status   Phase   `json:"status"`
	Topic    string  `json:"topic"`
	Seconds  float64 `json:"duration"`
	Findings int     `json:"findings"`
	Fail     string  `json:"failure_reason,omitempty"`
}

// CiteNews counts what the citation step chose from.
type CiteNews struct {
	Findings  int `json:"findings"`
	Sources   int `json:"sources"`
	Citations int `json:"citations"`
	LeftOut   int `json:"left_out"`
}

// DraftNews describes a draft.
type DraftNews struct {
	Chars     int `json:"chars"`
	Sections  int `json:"sections"`
	Citations int `json:"citations"`
	Round     int `json:"round"`
}

// News makes an event with a payload. The payload types of this package always marshal.
func News(kind EventKind, text string, data any) Event {
	e := Event{Kind: kind, Text: text}
	if data == nil {
		return e
	}
	b, err := json.Marshal(data)
	if err != nil {
		e.Text += " (" + err.Error() + ")"
		return e
	}
	e.Data = b
	return e
}

// LedgerRow is one model call on the bill. Cost is unknown, never 0, when the model has no price.
type LedgerRow struct {
	Run       string        `json:"run"`
	Step      string        `json:"step"`
	Role      string        `json:"role"`
	Model     string        `json:"model"`
	At        time.Time     `json:"at"`
	Input     int64         `json:"input"`
	Cached    int64         `json:"cached"`
	Output    int64         `json:"output"`
	USD       float64       `json:"usd"`
	Priced    bool          `json:"priced"`
	Split     bool          `json:"split"` // only a total was known: 60/40
	Duration  time.Duration `json:"duration"`
	Error     string        `json:"error,omitempty"`
	Reference string        `json:"reference,omitempty"` // of the recording
}

// Recording is a call to the outside with its answer, kept so that a step that is done again asks nobody twice and a run
// can be replayed offline. No key or header is in it.
type Recording struct {
	Run    string          `json:"run"`
	Step   string          `json:"step"`
	Key    string          `json:"key"`  // of what was asked
	Nth    int             `json:"nth"`  // among the same asked in the same step, from 0
	Kind   string          `json:"kind"` // model, embed, library, search, page, order or report
	At     time.Time       `json:"at"`
	Asked  json.RawMessage `json:"asked,omitempty"`
	Answer json.RawMessage `json:"answer"`
}
