package llm

import (
	"encoding/json"
	"fmt"

	"github.com/google/jsonschema-go/jsonschema"
)

// ToolOf describes a tool whose arguments are of type A.
func ToolOf[A any](name, about string) Tool {
	s, err := jsonschema.For[A](nil)
	if err != nil {
		panic(fmt.Sprintf("tool %s: %v", name, err))
	}
	raw, err := json.Marshal(s)
	if err != nil {
		panic(fmt.Sprintf("tool %s: %v", name, err))
	}
	return Tool{Name: name, About: about, Parameters: raw}
}

// Args reads the arguments of a call.
func Args[A any](c Call) (A, error) {
	var a A
	err := json.Unmarshal([]byte(c.Arguments), &a)
	return a, err
}
