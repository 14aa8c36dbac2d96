package llm

// A value whose meaning is plain is taken as what the schema asks for: "0.7" is 0.7, one value is a list of one. What is
// wrong beyond that is told to the model in a few words.

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/google/jsonschema-go/jsonschema"
)

// fit makes v what the schema asks for, or says what is wrong with it.
func fit(s *jsonschema.Schema, v any) (any, error) {
	l := &lenient{}
	out := l.value(s, unwrap(s, v, 0), "")
	if len(l.wrong) > 0 {
		const shown = 4
		return nil, errors.New(strings.Join(l.wrong[:min(shown, len(l.wrong))], "; "))
	}
	return out, nil
}

// unwrap finds the object that a model has put into another one, a list or a string.
func unwrap(s *jsonschema.Schema, v any, depth int) any {
	if kindOf(s) != "object" || len(s.Properties) == 0 || depth > 3 {
		return v
	}
	switch v := v.(type) {
	case map[string]any:
		if knownFields(s, v) > 0 {
			return v
		}
		for _, key := range sortedKeys(v) {
			inner, ok := unwrap(s, v[key], depth+1).(map[string]any)
			if ok && knownFields(s, inner) > 0 && (len(v) == 1 || key == "properties") {
				return inner
			}
		}
	case []any:
		if len(v) == 1 {
			return unwrap(s, v[0], depth+1)
		}
		if name := onlyList(s); name != "" && len(v) > 0 {
			return map[string]any{name: v}
		}
	case string:
		if inner, err := decodeStrict(v); err == nil {
			return unwrap(s, inner, depth+1)
		}
	}
	return v
}

func knownFields(s *jsonschema.Schema, v map[string]any) int {
	n := 0
	for name := range s.Properties {
		if _, ok := lookup(v, name); ok {
			n++
		}
	}
	return n
}

// onlyList is the one field that is a list of objects.
func onlyList(s *jsonschema.Schema) string {
	found := ""
	for name, p := range s.Properties {
		if kindOf(p) == "array" && p.Items != nil && kindOf(p.Items) == "object" {
			if found != "" {
				return ""
			}
			found = name
		}
	}
	return found
}

// lookup finds a field by its name, else by the same letters in other case or with other dashes.
func lookup(v map[string]any, name string) (any, bool) {
	if x, ok := v[name]; ok {
		return x, true
	}
	for _, key := range sortedKeys(v) {
		if squash(key) == squash(name) {
			return v[key], true
		}
	}
	return nil, false
}

func sortedKeys(v map[string]any) []string {
	keys := make([]string, 0, len(v))
	for k := range v {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// squash keeps letters and digits, in lower case.
func squash(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}

type lenient struct{ wrong []string }

func (l *lenient) complain(at, format string, args ...any) any {
	if at == "" {
		at = "it"
	}
	l.wrong = append(l.wrong, strings.TrimPrefix(at, ".")+" "+fmt.Sprintf(format, args...))
	return nil
}

func (l *lenient) value(s *jsonschema.Schema, v any, at string) any {
	if v == nil && slices.Contains(s.Types, "null") {
		return nil
	}
	switch kindOf(s) {
	case "object":
		return l.object(s, v, at)
	case "array":
		return l.list(s, v, at)
	case "string":
		return l.text(s, v, at)
	case "number", "integer":
		return l.number(s, v, at)
	case "boolean":
		return l.boolean(v, at)
	}
	return v
}

func (l *lenient) object(s *jsonschema.Schema, v any, at string) any {
	if text, ok := v.(string); ok {
		if inner, err := decodeStrict(text); err == nil {
			v = inner
		}
	}
	if list, ok := v.([]any); ok && len(list) == 1 {
		v = list[0]
	}
	in, ok := v.(map[string]any)
	if !ok {
		return l.complain(at, "must be an object with %s, not %s", strings.Join(fieldsOf(s), ", "), nameOf(v))
	}
	out := map[string]any{}
	if len(s.Properties) == 0 { // a map
		for _, key := range sortedKeys(in) {
			out[key] = in[key]
			if s.AdditionalProperties != nil {
				out[key] = l.value(s.AdditionalProperties, in[key], at+"."+key)
			}
		}
		return out
	}
	if at == "" && knownFields(s, in) == 0 && len(s.Required) > 0 {
		return l.complain(at, "has none of the fields %s", strings.Join(fieldsOf(s), ", "))
	}
	for _, name := range fieldsOf(s) {
		p := s.Properties[name]
		if x, ok := lookup(in, name); ok && x != nil {
			out[name] = l.value(p, x, at+"."+name)
		} else if slices.Contains(s.Required, name) {
			out[name] = l.missing(p, at+"."+name)
		}
	}
	return out
}

// missing is what a required field means that is null or not there. Numbers, choices and yes or no can't be guessed;
// an empty list or text is the caller's to judge.
func (l *lenient) missing(s *jsonschema.Schema, at string) any {
	switch kind := kindOf(s); {
	case slices.Contains(s.Types, "null"):
		return nil
	case kind == "array":
		return []any{}
	case kind == "object":
		return l.object(s, map[string]any{}, at)
	case kind == "string" && (len(s.Enum) == 0 || slices.Contains(enumOf(s), "")):
		return ""
	case len(s.Enum) > 0:
		return l.complain(at, "is missing: give one of %s", strings.Join(enumOf(s), ", "))
	}
	return l.complain(at, "is missing")
}

func (l *lenient) list(s *jsonschema.Schema, v any, at string) any {
	if text, ok := v.(string); ok {
		if inner, err := decodeStrict(text); err == nil && strings.HasPrefix(strings.TrimSpace(text), "[") {
			v = inner
		} else if strings.TrimSpace(text) == "" {
			return []any{}
		}
	}
	in, ok := v.([]any)
	if !ok {
		in = []any{v}
		if m, isMap := v.(map[string]any); isMap && len(m) == 0 {
			in = nil
		}
	}
	out := []any{}
	for i, x := range in {
		if x == nil {
			continue
		}
		if s.Items != nil {
			x = l.value(s.Items, x, fmt.Sprintf("%s[%d]", at, i))
		}
		out = append(out, x)
	}
	return out
}

func (l *lenient) text(s *jsonschema.Schema, v any, at string) any {
	if m, ok := v.(map[string]any); ok && len(m) == 1 {
		v = m[sortedKeys(m)[0]]
	}
	text, ok := scalar(v)
	if list, isList := v.([]any); isList {
		lines := make([]string, 0, len(list))
		ok = true
		for _, x := range list {
			line, plain := scalar(x)
			ok = ok && plain
			lines = append(lines, line)
		}
		text = strings.Join(lines, "\n")
	}
	if !ok {
		return l.complain(at, "must be a text, not %s", nameOf(v))
	}
	if len(s.Enum) == 0 {
		return text
	}
	for _, e := range enumOf(s) {
		if e == text || squash(e) == squash(text) {
			return e
		}
	}
	return l.complain(at, "must be one of %s, not %q", strings.Join(enumOf(s), ", "), clip(text, 40))
}

func scalar(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case json.Number:
		return v.String(), true
	case bool:
		return strconv.FormatBool(v), true
	case nil:
		return "", true
	}
	return "", false
}

func (l *lenient) number(s *jsonschema.Schema, v any, at string) any {
	whole := kindOf(s) == "integer"
	what := "a number"
	if whole {
		what = "a whole number"
	}
	if list, ok := v.([]any); ok && len(list) == 1 {
		v = list[0]
	}
	text, ok := scalar(v)
	if _, isBool := v.(bool); !ok || isBool {
		return l.complain(at, "must be %s, not %s", what, nameOf(v))
	}
	text = strings.TrimSpace(text)
	scale := 1.0
	if percent, cut := strings.CutSuffix(text, "%"); cut && !whole {
		text, scale = strings.TrimSpace(percent), 100
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(n) || math.IsInf(n, 0) || (whole && (n != math.Trunc(n) || math.Abs(n) > 1<<53)) {
		return l.complain(at, "must be %s, not %q", what, clip(text, 40))
	}
	if whole {
		return json.Number(strconv.FormatInt(int64(n), 10))
	}
	return n / scale
}

func (l *lenient) boolean(v any, at string) any {
	if b, ok := v.(bool); ok {
		return b
	}
	text, _ := scalar(v)
	switch squash(text) {
	case "true", "yes", "1":
		return true
	case "false", "no", "0":
		return false
	}
	return l.complain(at, "must be true or false, not %s", nameOf(v))
}

// nameOf tells the model what it gave.
func nameOf(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case map[string]any:
		return "an object"
	case []any:
		return "a list"
	case string:
		return strconv.Quote(clip(v, 40))
	}
	return fmt.Sprint(v)
}

// clip cuts a text to so many characters.
func clip(text string, most int) string {
	n := 0
	for i := range text {
		if n++; n > most {
			return text[:i] + "…"
		}
	}
	return text
}
