package llm

// Schemas of answers and of tools' arguments are made from Go types. The words for the model come from `jsonschema:"…"`
// tags, the values of an enumeration from `enum:"a|b|c"` tags (on a list: of its items).

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// schemaOf is the schema that answers of type t are held against. Its required fields are those without omitempty.
func schemaOf(t reflect.Type) (*jsonschema.Schema, error) {
	s, err := jsonschema.ForType(t, nil)
	if err != nil {
		return nil, err
	}
	tidySchema(s, t)
	return s, nil
}

// tidySchema makes lists plain arrays (nil slices would allow null) and puts the enumerations in.
func tidySchema(s *jsonschema.Schema, t reflect.Type) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case s.Items != nil && (t.Kind() == reflect.Slice || t.Kind() == reflect.Array):
		s.Type, s.Types = "array", nil
		tidySchema(s.Items, t.Elem())
	case s.Properties != nil && t.Kind() == reflect.Struct:
		for _, f := range reflect.VisibleFields(t) {
			p := s.Properties[jsonName(f)]
			if p == nil || !f.IsExported() {
				continue
			}
			tidySchema(p, f.Type)
			if tag := f.Tag.Get("enum"); tag != "" {
				setEnum(p, strings.Split(tag, "|"))
			}
		}
	case s.AdditionalProperties != nil && t.Kind() == reflect.Map:
		tidySchema(s.AdditionalProperties, t.Elem())
	}
}

func jsonName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	if name == "" {
		return f.Name
	}
	return name
}

func setEnum(s *jsonschema.Schema, values []string) {
	if s.Items != nil {
		s = s.Items
	}
	s.Enum = nil
	for _, v := range values {
		s.Enum = append(s.Enum, v)
	}
}

// wireSchema is the schema as it is sent: every field is required, for that is what the strict modes of providers take.
func wireSchema(s *jsonschema.Schema) (json.RawMessage, error) {
	s = s.CloneSchemas()
	requireAll(s)
	return json.Marshal(s)
}

func requireAll(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	if len(s.Properties) > 0 {
		s.Required = slices.Clone(s.PropertyOrder)
	}
	for _, p := range s.Properties {
		requireAll(p)
	}
	requireAll(s.Items)
}

// example shows what a schema asks for in a way that weak models follow better than the schema itself.
func example(raw json.RawMessage) string {
	var s jsonschema.Schema
	if err := json.Unmarshal(raw, &s); err != nil {
		return "{}"
	}
	var b strings.Builder
	writeExample(&b, &s, 0)
	return b.String()
}

func writeExample(b *strings.Builder, s *jsonschema.Schema, depth int) {
	about := func(what string) string {
		if s.Description != "" {
			return "<" + what + ": " + s.Description + ">"
		}
		return "<" + what + ">"
	}
	switch kind := kindOf(s); {
	case depth > maxDepth:
		b.WriteString("…")
	case len(s.Enum) > 0:
		b.WriteString(`"` + about("one of: "+strings.Join(enumOf(s), ", ")) + `"`)
	case kind == "object":
		b.WriteByte('{')
		for i, name := range fieldsOf(s) {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(`"` + name + `": `)
			writeExample(b, s.Properties[name], depth+1)
		}
		b.WriteByte('}')
	case kind == "array" && s.Items != nil:
		b.WriteByte('[')
		writeExample(b, s.Items, depth+1)
		b.WriteString(", …]")
	case kind == "number":
		b.WriteString(about("number"))
	case kind == "integer":
		b.WriteString(about("whole number"))
	case kind == "boolean":
		b.WriteString(about("true or false"))
	default:
		b.WriteString(`"` + about("text") + `"`)
	}
}

// kindOf is the type of a schema that is not null.
func kindOf(s *jsonschema.Schema) string {
	for _, t := range s.Types {
		if t != "null" {
			return t
		}
	}
	return s.Type
}

func enumOf(s *jsonschema.Schema) []string {
	var out []string
	for _, v := range s.Enum {
		if v, ok := v.(string); ok {
			out = append(out, v)
		}
	}
	return out
}

// fieldsOf lists the properties in the order of the Go type. A schema that was read back from JSON has lost that order,
// but its required fields keep it.
func fieldsOf(s *jsonschema.Schema) []string {
	out := slices.Clone(s.PropertyOrder)
	if len(out) == 0 {
		out = slices.DeleteFunc(slices.Clone(s.Required), func(n string) bool { return s.Properties[n] == nil })
	}
	var rest []string
	for name := range s.Properties {
		if !slices.Contains(out, name) {
			rest = append(rest, name)
		}
	}
	slices.Sort(rest)
	return append(out, rest...)
}
