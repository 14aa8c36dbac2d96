package temporal

import (
	"context"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/plumbresearch/plumb"
)

func TestStepsWaitAtTheQueueOfTheirProvider(t *testing.T) {
	for _, c := range []struct {
		kind   plumb.StepKind
		models plumb.Models
		want   string
	}{
		{plumb.StepUnit, plumb.Models{}, "plumb-steps"},
		{plumb.StepUnit, plumb.Models{Orchestrator: "anthropic:big", Worker: "openai:small"}, "plumb-openai"},
		{plumb.StepWrite, plumb.Models{Orchestrator: "anthropic:big"}, "plumb-anthropic"},
		{plumb.StepCheck, plumb.Models{Orchestrator: "ollama:llama3:8b"}, "plumb-ollama"},
		{plumb.StepRead, plumb.Models{Orchestrator: "openai:big"}, "plumb-steps"},
		{plumb.StepPublish, plumb.Models{Orchestrator: "openai:big"}, "plumb-steps"},
		{plumb.StepUnit, plumb.Models{Orchestrator: "nonsense"}, "plumb-steps"},
	} {
		if got := QueueOf(c.kind, c.models); got != c.want {
			t.Errorf("%s of %+v waits at %s, want %s", c.kind, c.models, got, c.want)
		}
	}
}

func TestAClusterThatIsNotThereIsNamed(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
	defer cancel()
	_, err = Dial(ctx, openStore(t), Options{Address: address})
	if err == nil {
		t.Fatal("reached")
	}
	if got := err.Error(); !strings.HasPrefix(got, "Temporal at "+address+" can't be reached: ") || strings.Contains(got, "\n") || len(got) > 300 {
		t.Errorf("answered %q", got)
	}
}
