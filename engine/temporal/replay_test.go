package temporal

import (
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/plumbresearch/plumb/engine/enginetest"
)

// wantedHistories are those of the scenarios that a real cluster played: `go test ./... -update` in test/temporal writes them.
func wantedHistories() []string {
	var out []string
	for _, s := range enginetest.Scenarios {
		switch {
		case !s.Keep():
		case s.Small:
			out = append(out, enginetest.Slug(s.Name)+"-1", enginetest.Slug(s.Name)+"-2")
		default:
			out = append(out, enginetest.Slug(s.Name))
		}
	}
	return out
}

func TestHistoriesOfRealClustersReplay(t *testing.T) {
	logger := log.NewStructuredLogger(slog.New(slog.DiscardHandler))
	for _, name := range wantedHistories() {
		t.Run(name, func(t *testing.T) {
			replayer, err := worker.NewWorkflowReplayerWithOptions(worker.WorkflowReplayerOptions{DataConverter: payloads})
			if err != nil {
				t.Fatal(err)
			}
			replayer.RegisterWorkflowWithOptions((&program{}).Run, workflow.RegisterOptions{Name: workflowName})
			f, err := os.Open(filepath.Join("testdata", "histories", name+".json"))
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			h, err := client.HistoryFromJSON(f, client.HistoryJSONOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if err := replayer.ReplayWorkflowHistory(logger, h); err != nil {
				t.Error(err)
			}
		})
	}
}

// A workflow that goes another way than its history must be noticed, else the replays prove nothing.
func TestAReplayNoticesAnotherWay(t *testing.T) {
	b, err := os.ReadFile(filepath.Join("testdata", "histories", "a-run-goes-its-whole-path.json"))
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(string(b), `"name":"plumb.keep"`, `"name":"plumb.step"`, 1)
	h, err := client.HistoryFromJSON(strings.NewReader(text), client.HistoryJSONOptions{})
	if err != nil {
		t.Fatal(err)
	}
	replayer, err := worker.NewWorkflowReplayerWithOptions(worker.WorkflowReplayerOptions{DataConverter: payloads})
	if err != nil {
		t.Fatal(err)
	}
	replayer.RegisterWorkflowWithOptions((&program{}).Run, workflow.RegisterOptions{Name: workflowName})
	if err := replayer.ReplayWorkflowHistory(log.NewStructuredLogger(slog.New(slog.DiscardHandler)), h); err == nil {
		t.Error("a history with a step in place of a journal was replayed")
	}
}

func TestHistoriesSayNothingOfTheMachine(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "histories", "*.json"))
	if err != nil || len(files) != len(wantedHistories()) {
		t.Fatalf("%d histories, want %d: %v", len(files), len(wantedHistories()), err)
	}
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !slices.Contains(wantedHistories(), strings.TrimSuffix(filepath.Base(f), ".json")) {
			t.Errorf("%s is of no scenario", f)
		}
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, private := range []string{"/tmp/", "/home/", "/root/", "@" + host} {
			if strings.Contains(string(b), private) {
				t.Errorf("%s has %q in it", f, private)
			}
		}
	}
}
