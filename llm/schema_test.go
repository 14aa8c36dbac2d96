package llm

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
)

func mustSchema[T any](t testing.TB) *jsonschema.Schema {
	t.Helper()
	s, err := schemaOf(reflect.TypeFor[T]())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestSchemaIsWhatStrictProvidersTake(t *testing.T) {
	type inner struct {
		Level string   `json:"level" enum:"high|low" jsonschema:"how sure"`
		Tags  []string `json:"tags" enum:"x|y"`
	}
	type outer struct {
		Name  string  `json:"name" jsonschema:"what it is called"`
		Items []inner `json:"items"`
		Deep  []*[]int
		Maybe *float64 `json:"maybe,omitempty"`
		hid   int
	}
	raw, err := wireSchema(mustSchema[outer](t))
	if err != nil || (outer{}).hid != 0 {
		t.Fatal(err)
	}
	want := `{"type":"object","properties":{"name":{"type":"string","description":"what it is called"},` +
		`"items":{"type":"array","items":{"type":"object","properties":{"level":{"type":"string","description":"how sure","enum":["high","low"]},` +
		`"tags":{"type":"array","items":{"type":"string","enum":["x","y"]}}},"required":["level","tags"],"additionalProperties":false}},` +
		`"Deep":{"type":"array","items":{"type":"array","items":{"type":"integer"}}},"maybe":{"type":["null","number"]}},` +
		`"required":["name","items","Deep","maybe"],"additionalProperties":false}`
	var a, b any
	if json.Unmarshal(raw, &a) != nil || json.Unmarshal([]byte(want), &b) != nil || !reflect.DeepEqual(a, b) {
		t.Errorf("got  %s\nwant %s", raw, want)
	}
	again, err := wireSchema(mustSchema[outer](t))
	if err != nil || string(again) != string(raw) {
		t.Errorf("the same type gave other bytes: %s", again)
	}
	const shown = `{"name": "<text: what it is called>", "items": [{"level": "<one of: high, low: how sure>", "tags": ["<one of: x, y>", …]}, …], ` +
		`"Deep": [[<whole number>, …], …], "maybe": <number>}`
	if got := example(raw); got != shown {
		t.Errorf("got  %s\nwant %s", got, shown)
	}
}

func TestTypeWithoutSchemaIsAnError(t *testing.T) {
	if _, err := askOnce[struct{ F func() }]("{}"); err == nil || !strings.Contains(err.Error(), "schema of sheet") {
		t.Errorf("got %v", err)
	}
	if got := example(json.RawMessage(`nonsense`)); got != "{}" {
		t.Errorf("got %s", got)
	}
}

func TestEmbeddedFieldsAndMapsAreRead(t *testing.T) {
	type base struct {
		Kind string `json:"kind" enum:"a|b"`
	}
	type Shared struct {
		Level string `json:"level" enum:"high|low"`
	}
	type whole struct {
		Shared
		Base  base           `json:"base"`
		Count map[string]int `json:"count"`
		Maybe *int           `json:"maybe"`
	}
	got, err := askOnce[whole](`{"level":"HIGH","base":{"kind":"B"},"count":{"x":"3"},"maybe":null}`)
	if err != nil || got.Level != "high" || got.Base.Kind != "b" || got.Count["x"] != 3 || got.Maybe != nil {
		t.Errorf("got %+v, %v", got, err)
	}
}
