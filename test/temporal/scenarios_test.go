package temporal_test

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	enumspb "go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"
	"go.temporal.io/api/temporalproto"
	"google.golang.org/protobuf/proto"

	"github.com/plumbresearch/plumb/engine/enginetest"
)

func TestScenarios(t *testing.T) {
	for _, s := range enginetest.Scenarios {
		if !s.Possible(enginetest.Kill, enginetest.Drain, enginetest.Cut) {
			continue
		}
		t.Run(s.Name, func(t *testing.T) {
			b := newBench(t, s)
			b.spawn(t)
			s.Play(t, b, slug(s.Name))
			b.stop(t)
			hs := histories(t, slug(s.Name))
			measure(t, hs)
			if s.Small != (len(hs) > 3) && !strings.Contains(s.Name, "retried") {
				t.Errorf("%d histories", len(hs))
			}
			if *update && s.Keep() {
				write(t, s, hs)
			}
		})
	}
}

func slug(name string) string { return enginetest.Slug(name) }

// histories gives those of a run, first to last.
func histories(t testing.TB, run string) []*historypb.History {
	t.Helper()
	c := server(t).GetDefaultClient()
	var out []*historypb.History
	for id := ""; ; {
		h := &historypb.History{}
		it := c.GetWorkflowHistory(context.Background(), "plumb-"+run, id, false, enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
		for it.HasNext() {
			e, err := it.Next()
			if err != nil {
				t.Fatal(err)
			}
			h.Events = append(h.Events, e)
		}
		out = append([]*historypb.History{h}, out...)
		begun := h.Events[0].GetWorkflowExecutionStartedEventAttributes()
		if id = begun.GetContinuedExecutionRunId(); id == "" {
			return out
		}
	}
}

// measure holds the sizes that histories must keep.
func measure(t *testing.T, hs []*historypb.History) {
	t.Helper()
	events, bytes, largest := 0, 0, 0
	for _, h := range hs {
		events += len(h.Events)
		if len(h.Events) > 4000 {
			t.Errorf("a history has %d events", len(h.Events))
		}
		for _, e := range h.Events {
			n := proto.Size(e)
			bytes += n
			largest = max(largest, n)
		}
	}
	if largest > 64<<10 {
		t.Errorf("the largest event has %d bytes", largest)
	}
	t.Logf("%d histories, %d events, %d bytes, the largest event %d", len(hs), events, bytes, largest)
}

// worker names and build ids say where a test ran: they are left out.
var private = regexp.MustCompile(`"(identity|binaryChecksum|buildId|requestId|stickyTaskQueue|workerInstanceKey)":\s*"[^"]*"`)

// write keeps the first histories of a scenario for replay tests.
func write(t *testing.T, s enginetest.Scenario, hs []*historypb.History) {
	t.Helper()
	dir := filepath.Join("..", "..", "engine", "temporal", "testdata", "histories")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for i, h := range hs[:min(len(hs), 2)] {
		b, err := temporalproto.CustomJSONMarshalOptions{}.Marshal(h)
		if err != nil {
			t.Fatal(err)
		}
		name := slug(s.Name)
		if s.Small {
			name += "-" + strconv.Itoa(i+1)
		}
		b = private.ReplaceAll(b, []byte(`"$1":"worker"`))
		if err := os.WriteFile(filepath.Join(dir, name+".json"), append(b, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
		if !s.Small {
			break
		}
	}
}
