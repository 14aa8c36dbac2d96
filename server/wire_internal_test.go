package server

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/plumbresearch/plumb"
)

// servedTypes are those that clients of the tasks API know.
var servedTypes = []string{"WORKFLOW_STARTED", "WORKFLOW_COMPLETED", "AGENT_STARTED", "AGENT_COMPLETED", "AGENT_THINKING", "TOOL_INVOKED",
	"TOOL_OBSERVATION", "PROGRESS", "DATA_PROCESSING", "WAITING", "WARNING", "ERROR_OCCURRED", "ERROR_RECOVERY", "BUDGET_THRESHOLD",
	"DEPENDENCY_SATISFIED", "LLM_PARTIAL", "LLM_OUTPUT", "RESEARCH_PLAN_READY", "RESEARCH_PLAN_UPDATED", "RESEARCH_PLAN_APPROVED",
	"APPROVAL_REQUESTED", "APPROVAL_DECISION", "WORKFLOW_PAUSING", "WORKFLOW_PAUSED", "WORKFLOW_RESUMED", "WORKFLOW_CANCELLING",
	"WORKFLOW_CANCELLED", "STREAM_END"}

// eventKinds reads the constants of type EventKind from the root package.
func eventKinds(t *testing.T) []plumb.EventKind {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), "../event.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var out []plumb.EventKind
	ast.Inspect(f, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if name, ok := spec.Type.(*ast.Ident); ok && name.Name == "EventKind" {
			value, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, plumb.EventKind(value))
		}
		return true
	})
	if len(out) < 30 {
		t.Fatal(out)
	}
	return out
}

func TestEveryKindOfEventHasATypeOnTheWire(t *testing.T) {
	for _, kind := range eventKinds(t) {
		told := wire("r", plumb.Event{Kind: kind, Seq: 7, Text: "x"})
		if len(told) != 1 || !slices.Contains(servedTypes, told[0].Type) || told[0].Payload.Kind != kind {
			t.Errorf("%s is told as %+v: it needs a line in types, and in docs/clients.md", kind, told)
		}
	}
}

func TestDocumentedTypesAreThose(t *testing.T) {
	doc, err := os.ReadFile("../docs/clients.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range eventKinds(t) {
		var row string
		for line := range strings.SplitSeq(string(doc), "\n") {
			if strings.HasPrefix(line, "|") && strings.Contains(strings.SplitN(line, "|", 3)[1], "`"+string(kind)+"`") {
				row = line
			}
		}
		told := wire("r", plumb.Event{Kind: kind})[0]
		if !strings.Contains(row, "| "+told.Type) || told.name() != told.Type && !strings.Contains(row, "`"+told.name()+"`") {
			t.Errorf("%s is told as %s %s, its row is %q", kind, told.Type, told.name(), row)
		}
	}
}

func TestEventsOfOtherPlumbsAreLeftOut(t *testing.T) {
	if told := wire("r", plumb.Event{Kind: "nobody.knows", Seq: 1}); told != nil {
		t.Error(told)
	}
}

func TestNamesOnTheWire(t *testing.T) {
	for kind, want := range map[plumb.EventKind]string{
		plumb.DraftDelta: "thread.message.delta", plumb.DraftWritten: "thread.message.completed", plumb.Published: "thread.message.completed",
		plumb.RunFailed: "error", plumb.RunPaused: "workflow.paused", plumb.RunResumed: "workflow.resumed",
		plumb.RunCancelled: "workflow.cancelled", plumb.RunDone: "WORKFLOW_COMPLETED", plumb.UnitStarted: "AGENT_STARTED",
		plumb.StepFailed: "WARNING", // the task goes on: clients take error for its end
	} {
		if got := wire("r", plumb.Event{Kind: kind})[0].name(); got != want {
			t.Errorf("%s is called %s, want %s", kind, got, want)
		}
	}
}
