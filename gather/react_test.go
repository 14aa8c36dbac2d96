package gather_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/plumbresearch/plumb/llm"
)

// Answers of weak models: thoughts in the text, calls without IDs, nothing at all.
func TestConversationCanBeSentBack(t *testing.T) {
	tools := documents()
	w := work(t, modelUnit(), tools, map[string][]part{
		"unit": {func(*llm.Request) (*llm.Answer, error) {
			return &llm.Answer{Text: "<think>Hm, " + strings.Repeat("hm ", 500) + "</think>I open it.", Calls: []llm.Call{{Name: "fetch_url", Arguments: `{"url":"report.md"}`}, {Name: "think", Arguments: `{}`}}}, nil
		}, says(enough)},
		"extract": {quotes(cost)},
	}).ok(t, tools.Texts)
	last := w.model.asked("unit")[1].Messages
	said := last[2]
	if said.Text != "I open it." || said.Calls[0].ID == "" || said.Calls[0].ID == said.Calls[1].ID || last[3].Reply != said.Calls[0].ID || last[4].Reply != said.Calls[1].ID {
		t.Errorf("conversation %+v", last[2:])
	}
	if len(w.Findings) != 1 {
		t.Errorf("findings %v", contents(w.Findings))
	}
	_, m := superviseWith(t, waveTask(t), says(""))
	for _, msg := range m.Asked()[1].Messages {
		if msg.Text == "" && len(msg.Calls) == 0 {
			t.Error("an empty message is sent")
		}
	}
}

func TestPromptThatIsTooLongAfterAllIsShortened(t *testing.T) {
	long := &llm.Error{Trouble: llm.TooLong, Model: "script:model"}
	tools, _ := everything()
	search := calls("search_library", `{"query":"spillway"}`, "search_web", `{"query":"dam"}`)
	w := work(t, modelUnit(), tools, map[string][]part{
		"unit":    {search, search, search, search, fetch("doc:report.md"), fails(long), says(enough)},
		"extract": {fails(long), quotes(cost)},
	}).ok(t, tools.Texts)
	if len(w.Findings) != 1 || !slices.Contains(w.Notes, enough) {
		t.Errorf("findings %v, notes %q", contents(w.Findings), w.Notes)
	}
	asked := w.model.asked("unit")
	if a, b := asked[len(asked)-2], asked[len(asked)-1]; a.Tokens() <= b.Tokens() || len(a.Messages) != len(b.Messages) {
		t.Errorf("%d tokens, then %d", a.Tokens(), b.Tokens())
	}
}
