package llm

import (
	"reflect"
	"strings"
	"testing"
)

type searchArgs struct {
	Query string `json:"query" jsonschema:"what to look for"`
}

type conductArgs struct {
	Question string   `json:"question"`
	Kind     string   `json:"kind" enum:"general|academic|internal"`
	Queries  []string `json:"queries"`
}

var testTools = []Tool{
	ToolOf[searchArgs]("search_web", "Searches the web."),
	ToolOf[conductArgs]("ConductResearch", "Sends a researcher out."),
}

func TestToolDescribesItsArguments(t *testing.T) {
	tool := testTools[0]
	if tool.Name != "search_web" || tool.About != "Searches the web." {
		t.Errorf("got %+v", tool)
	}
	for _, want := range []string{`"query"`, `"what to look for"`, `"required":["query"]`, `"additionalProperties":false`} {
		if !strings.Contains(string(tool.Parameters), want) {
			t.Errorf("%s lacks %s", tool.Parameters, want)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("a type without a schema made a tool")
		}
	}()
	ToolOf[chan int]("x", "y")
}

func TestArgumentsAreReadTolerantly(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`{"query":"rust"}`, "rust"},
		{`{'query': 'rust',}`, "rust"},
		{`{"Query":"rust"`, "rust"},
		{`"{\"query\":\"rust\"}"`, "rust"},
		{`"rust"`, "rust"},
		{`rust in cars: 2024`, "rust in cars: 2024"},
		{`query: rust`, "rust"},
		{`{"arguments":{"query":"rust"}}`, "rust"},
		{"```json\n{\"query\":[\"rust\"]}\n```", "rust"},
	} {
		if got, err := Args[searchArgs](Call{Name: "search_web", Arguments: c.text}); err != nil || got.Query != c.want {
			t.Errorf("%s: got %q, %v", c.text, got.Query, err)
		}
	}
	got, err := Args[conductArgs](Call{Name: "ConductResearch", Arguments: `{"question":"q","kind":"Academic","queries":"one"}`})
	if want := (conductArgs{"q", "academic", []string{"one"}}); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v", got, err)
	}
	if got, err := Args[struct{}](Call{Name: "done"}); err != nil {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestWrongArgumentsAreExplained(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{``, "arguments of ConductResearch: it has none of the fields question, kind, queries"},
		{`{"question":"q","kind":"secret"}`, `kind must be one of general, academic, internal, not "secret"`},
		{`rust`, "no JSON"},
		{strings.Repeat("x", maxAnswer+1), "far too many"},
	} {
		if _, err := Args[conductArgs](Call{Name: "ConductResearch", Arguments: c.text}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.40s: got %v, want %q", c.text, err, c.want)
		}
	}
}
