package server

// Events as clients of the tasks API know them. Each of Plumb's events becomes one of theirs, so that its seq is an id to
// resume after: a client that was cut off has either seen all of an event or nothing of it. What only Plumb knows of goes
// along in the payload.

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/plumbresearch/plumb"
)

// Types of events on the wire.
const (
	typeStarted       = "WORKFLOW_STARTED"
	typeCompleted     = "WORKFLOW_COMPLETED"
	typePaused        = "WORKFLOW_PAUSED"
	typeResumed       = "WORKFLOW_RESUMED"
	typeCancelled     = "WORKFLOW_CANCELLED"
	typeAgentStarted  = "AGENT_STARTED"
	typeAgentDone     = "AGENT_COMPLETED"
	typeAgentThinking = "AGENT_THINKING"
	typeTool          = "TOOL_INVOKED"
	typeObservation   = "TOOL_OBSERVATION"
	typeProgress      = "PROGRESS"
	typeData          = "DATA_PROCESSING"
	typeWaiting       = "WAITING"
	typeWarning       = "WARNING"
	typeError         = "ERROR_OCCURRED"
	typeRecovery      = "ERROR_RECOVERY"
	typePartial       = "LLM_PARTIAL"
	typeOutput        = "LLM_OUTPUT"
	typePlan          = "RESEARCH_PLAN_READY"
	typePlanAgain     = "RESEARCH_PLAN_UPDATED"
	typeApproval      = "APPROVAL_REQUESTED"
	typeEnd           = "STREAM_END" // ends a stream; it is no event of a run and has no seq
)

// types says what each kind of event is on the wire. docs/clients.md has the same table.
var types = map[plumb.EventKind]string{
	plumb.RunStarted:   typeStarted,
	plumb.RunResumed:   typeResumed,
	plumb.RunWaiting:   typeWaiting, // for a person's approval: APPROVAL_REQUESTED
	plumb.RunPaused:    typePaused,
	plumb.RunCancelled: typeCancelled,
	plumb.RunFailed:    typeError,
	plumb.RunDone:      typeCompleted,

	plumb.StageStarted: typeProgress,
	plumb.StepRetried:  typeRecovery,
	plumb.StepFailed:   typeWarning, // the run goes on without it, or run.failed follows
	plumb.StepFellBack: typeRecovery,
	plumb.Warning:      typeWarning,

	plumb.DocumentsRead: typeData,
	plumb.FileSkipped:   typeWarning,
	plumb.BriefReady:    typeProgress,
	plumb.PlanReady:     typePlan, // after a person's feedback: RESEARCH_PLAN_UPDATED
	plumb.WaveStarted:   typeProgress,
	plumb.WaveDone:      typeProgress,
	plumb.UnitStarted:   typeAgentStarted,
	plumb.SourceRead:    typeObservation,
	plumb.FindingMade:   typeObservation,
	plumb.UnitDone:      typeAgentDone,
	plumb.GateDecided:   typeProgress,
	plumb.Cited:         typeData,
	plumb.DraftWritten:  typeOutput,
	plumb.DraftReviewed: typeProgress,
	plumb.ClaimsSplit:   typeData,
	plumb.ClaimChecked:  typeData,
	plumb.Published:     typeOutput,

	plumb.HostsNamed:    typeProgress,
	plumb.EstimateReady: typeProgress,
	plumb.LeadsFound:    typeTool, // a search, told once it has answered
	plumb.LeadSkipped:   typeObservation,
	plumb.Thought:       typeAgentThinking,
	plumb.CallWaits:     typeWaiting,
	plumb.RemoteWaits:   typeWaiting,
	plumb.DraftDelta:    typePartial,
}

// names are the types that are called otherwise in the event: line of a stream.
var names = map[string]string{
	typePartial:   "thread.message.delta",
	typeOutput:    "thread.message.completed",
	typeError:     "error",
	typeEnd:       "done",
	typePaused:    "workflow.paused",
	typeResumed:   "workflow.resumed",
	typeCancelled: "workflow.cancelled",
}

// wireEvent is an event as clients get it.
type wireEvent struct {
	WorkflowID string       `json:"workflow_id"`
	Type       string       `json:"type"`
	AgentID    string       `json:"agent_id" doc:"The unit at work, else the step, else plumb"`
	Message    string       `json:"message"`
	Payload    *wirePayload `json:"payload,omitempty"`
	Timestamp  time.Time    `json:"timestamp"`
	Seq        int64        `json:"seq" doc:"In its run, from 1; 0 for deltas, which are not kept"`
	StreamID   string       `json:"stream_id"`
	Response   string       `json:"response,omitempty" doc:"LLM_OUTPUT: the draft or the published report"`
	Metadata   *wireText    `json:"metadata,omitempty" doc:"LLM_OUTPUT: what the response is"`
}

// wirePayload is Plumb's own event, which docs/files.md describes.
type wirePayload struct {
	Kind       plumb.EventKind `json:"kind"`
	Step       string          `json:"step,omitempty"`
	Attempt    int             `json:"attempt,omitempty" doc:"Of the step; on ERROR_RECOVERY those before are void"`
	Unit       string          `json:"unit,omitempty"`
	ApprovalID string          `json:"approval_id,omitempty"`
	Data       json.RawMessage `json:"data,omitempty"`
}

// wireText says what a text is.
type wireText struct {
	Kind  plumb.EventKind `json:"kind"`
	Final bool            `json:"final"` // published: checked, and not written again
}

// wire makes of one of Plumb's events what clients know: one event, or none for a kind that has no type. The texts of
// LLM_OUTPUT are not in it, see Server.told.
func wire(run string, e plumb.Event) []wireEvent {
	kind := types[e.Kind]
	if kind == "" {
		return nil
	}
	w := wireEvent{WorkflowID: run, Type: kind, AgentID: agent(e), Message: e.Text, Timestamp: e.At.UTC(), Seq: e.Seq}
	if e.Seq > 0 {
		w.StreamID = strconv.FormatInt(e.Seq, 10)
	}
	w.Payload = &wirePayload{Kind: e.Kind, Step: e.Step, Attempt: e.Attempt, Unit: e.Unit, Data: e.Data}
	switch e.Kind {
	case plumb.RunWaiting:
		var news plumb.WaitNews
		if json.Unmarshal(e.Data, &news) == nil && news.For == plumb.ForApproval {
			w.Type, w.Payload.ApprovalID = typeApproval, approvalID(run, news.Round)
		}
	case plumb.PlanReady:
		var plan struct{ Round int }
		if json.Unmarshal(e.Data, &plan) == nil && plan.Round > 1 {
			w.Type = typePlanAgain
		}
	case plumb.DraftWritten, plumb.Published:
		w.Metadata = &wireText{Kind: e.Kind, Final: e.Kind == plumb.Published}
	}
	return []wireEvent{w}
}

// approvalID names the approval that a run waits for: a plan of a later round is another.
func approvalID(run string, round int) string { return fmt.Sprintf("%s:plan:%d", run, round) }

func agent(e plumb.Event) string {
	switch {
	case e.Unit != "":
		return e.Unit
	case e.Step != "":
		return e.Step
	}
	return "plumb"
}

// name is the event: line of a stream.
func (w wireEvent) name() string {
	if n := names[w.Type]; n != "" {
		return n
	}
	return w.Type
}

// wireDelta is a piece of text as it is written.
type wireDelta struct {
	Delta      string `json:"delta"`
	Reset      bool   `json:"reset,omitempty"` // what was written so far does not count any more
	WorkflowID string `json:"workflow_id"`
	AgentID    string `json:"agent_id"`
	Seq        int64  `json:"seq"`
	StreamID   string `json:"stream_id"`
}

// data is the data: line of a stream.
func (w wireEvent) data() ([]byte, error) {
	if w.Type == typePartial {
		return json.Marshal(wireDelta{Delta: w.Message, Reset: w.Message == "", WorkflowID: w.WorkflowID, AgentID: w.AgentID,
			Seq: w.Seq, StreamID: w.StreamID})
	}
	return json.Marshal(w)
}
