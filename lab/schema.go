package lab

// What the providers want of JSON schemas, and a value that fits one.

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// schema is the part of JSON Schema that models are given.
type schema struct {
	Type       kinds              `json:"type"`
	Properties map[string]*schema `json:"properties"`
	Required   []string           `json:"required"`
	Additional json.RawMessage    `json:"additionalProperties"`
	Items      *schema            `json:"items"`
	Enum       []json.RawMessage  `json:"enum"`
	AnyOf      []*schema          `json:"anyOf"`
	Defs       map[string]*schema `json:"$defs"`
	Ref        string             `json:"$ref"`
}

// kinds are the types that a schema allows.
type kinds []string

func (k *kinds) UnmarshalJSON(b []byte) error {
	var one string
	if json.Unmarshal(b, &one) == nil {
		*k = kinds{one}
		return nil
	}
	return json.Unmarshal(b, (*[]string)(k))
}

// schemaFault says what is wrong with the schema of an object; "": nothing. Strict ones must name every property as
// required and allow no others.
func schemaFault(raw json.RawMessage, strict bool) string {
	var s schema
	if err := json.Unmarshal(raw, &s); err != nil {
		return "schema must be a JSON Schema object."
	}
	if !slices.Contains(s.Type, "object") {
		return fmt.Sprintf("schema must be a JSON Schema of 'type: \"object\"', got 'type: %q'.", strings.Join(s.Type, ","))
	}
	if !strict {
		return ""
	}
	if path, open := s.open(nil); open {
		return fmt.Sprintf("In context=(%s), 'additionalProperties' is required to be supplied and to be false.", path)
	}
	return s.optional(nil)
}

// openObject finds an object that allows properties without a name in the schema.
func openObject(raw json.RawMessage) (path string, open bool) {
	var s schema
	if err := json.Unmarshal(raw, &s); err != nil {
		return "", true
	}
	return s.open(nil)
}

// parts are the schemas within a schema, in order.
func (s *schema) parts() (names []string, parts []*schema) {
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		names, parts = append(names, name), append(parts, s.Properties[name])
	}
	if s.Items != nil {
		names, parts = append(names, "items"), append(parts, s.Items)
	}
	for i, p := range s.AnyOf {
		names, parts = append(names, fmt.Sprint(i)), append(parts, p)
	}
	for _, name := range slices.Sorted(maps.Keys(s.Defs)) {
		names, parts = append(names, name), append(parts, s.Defs[name])
	}
	return names, parts
}

func (s *schema) open(path []string) (string, bool) {
	if slices.Contains(s.Type, "object") && string(s.Additional) != "false" && !isFalseSchema(s.Additional) {
		return strings.Join(path, ", "), true
	}
	names, parts := s.parts()
	for i, p := range parts {
		if p == nil {
			continue
		}
		if where, open := p.open(append(path, "'"+names[i]+"'")); open {
			return where, true
		}
	}
	return "", false
}

// isFalseSchema knows {"not":{}}, which is how some generators write false.
func isFalseSchema(raw json.RawMessage) bool {
	var s struct {
		Not map[string]json.RawMessage `json:"not"`
	}
	return json.Unmarshal(raw, &s) == nil && s.Not != nil && len(s.Not) == 0
}

func (s *schema) optional(path []string) string {
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		if !slices.Contains(s.Required, name) {
			return fmt.Sprintf("In context=(%s), 'required' is required to be supplied and to be an array including every key in properties. Missing '%s'.", strings.Join(path, ", "), name)
		}
	}
	names, parts := s.parts()
	for i, p := range parts {
		if p == nil {
			continue
		}
		if why := p.optional(append(path, "'"+names[i]+"'")); why != "" {
			return why
		}
	}
	return ""
}

// example is a small value that fits a schema; nil fits everything.
func example(raw json.RawMessage) json.RawMessage {
	var s schema
	if len(raw) == 0 || json.Unmarshal(raw, &s) != nil {
		return json.RawMessage(`{}`)
	}
	return s.example(s.Defs, 0)
}

func (s *schema) example(defs map[string]*schema, depth int) json.RawMessage {
	if name, ok := strings.CutPrefix(s.Ref, "#/$defs/"); ok && defs[name] != nil {
		s = defs[name]
	}
	switch {
	case depth > 20: // it holds itself
		return json.RawMessage("null")
	case len(s.Enum) > 0:
		return s.Enum[0]
	case len(s.AnyOf) > 0 && s.AnyOf[0] != nil:
		return s.AnyOf[0].example(defs, depth+1)
	}
	switch kind := slices.Concat(s.Type, kinds{"null"})[0]; {
	case slices.Contains(s.Type, "object"):
		fields := map[string]json.RawMessage{}
		for name, p := range s.Properties {
			if p != nil {
				fields[name] = p.example(defs, depth+1)
			}
		}
		return encode(fields)
	case kind == "array" || slices.Contains(s.Type, "array"):
		return json.RawMessage("[]")
	case kind == "number" || kind == "integer":
		return json.RawMessage("1")
	case kind == "boolean":
		return json.RawMessage("false")
	case slices.Contains(s.Type, "string"):
		return json.RawMessage(`"scripted"`)
	}
	return json.RawMessage("null")
}
