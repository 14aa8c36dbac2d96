package llm

// Tools are made from the Go types of their arguments, and what models give as arguments is read back into them.

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// ToolOf describes a tool whose arguments are a struct of type A. It panics on a type that no JSON schema can describe.
func ToolOf[A any](name, about string) Tool {
	s, err := schemaOf(reflect.TypeFor[A]())
	if err != nil {
		panic(fmt.Sprintf("tool %s: %v", name, err))
	}
	raw, err := wireSchema(s)
	if err != nil {
		panic(fmt.Sprintf("tool %s: %v", name, err))
	}
	return Tool{Name: name, About: about, Parameters: raw}
}

// Args reads the arguments of a call as tolerantly as Ask reads answers. The error is fit to be told to the model. Text
// that is no JSON at all is taken for the one text that the tool wants, if it wants one.
func Args[A any](c Call) (A, error) {
	var none A
	s, err := schemaOf(reflect.TypeFor[A]())
	if err != nil {
		return none, fmt.Errorf("arguments of %s: %w", c.Name, err)
	}
	text := strings.TrimSpace(c.Arguments)
	if text == "" || text == "null" {
		text = "{}"
	}
	if len(text) > maxAnswer {
		return none, fmt.Errorf("arguments of %s: they have %d bytes, far too many", c.Name, len(text))
	}
	var quoted string
	if json.Unmarshal([]byte(text), &quoted) == nil { // JSON inside a JSON string
		text = quoted
	}
	first := errNoJSON
	for i, v := range values(text) {
		out, err := readValue[A](v.text, s, nil)
		if err == nil {
			return out, nil
		}
		if i == 0 {
			first = err
		}
	}
	if name := onlyText(s); name != "" && !strings.HasPrefix(text, "{") && !strings.HasPrefix(text, "[") {
		raw, err := json.Marshal(map[string]string{name: text})
		if err != nil {
			return none, fmt.Errorf("arguments of %s: %w", c.Name, err)
		}
		return readValue[A](string(raw), s, nil)
	}
	return none, fmt.Errorf("arguments of %s: %w", c.Name, first)
}

// onlyText is the field of an object that has no other and is a text.
func onlyText(s *jsonschema.Schema) string {
	for name, p := range s.Properties {
		if len(s.Properties) == 1 && kindOf(p) == "string" {
			return name
		}
	}
	return ""
}
