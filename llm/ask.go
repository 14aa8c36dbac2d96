package llm

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// Ask gets a structured answer.
func Ask[T any](ctx context.Context, m Model, r *Request, name string, check func(*T) error) (T, error) {
	var out T
	s, err := jsonschema.For[T](nil)
	if err != nil {
		return out, err
	}
	raw, err := json.Marshal(s)
	if err != nil {
		return out, err
	}
	q := *r
	q.Schema = &Schema{Name: name, JSON: raw}
	a, err := m.Complete(ctx, &q)
	if err != nil {
		return out, err
	}
	text := Strip(a.Text)
	if i, j := strings.IndexByte(text, '{'), strings.LastIndexByte(text, '}'); i >= 0 && j > i {
		text = text[i : j+1]
	}
	if err := json.Unmarshal([]byte(text), &out); err != nil {
		return out, fmt.Errorf("%s: %w: %w", name, ErrAnswer, err)
	}
	if check != nil {
		if err := check(&out); err != nil {
			return out, fmt.Errorf("%s: %w: %w", name, ErrAnswer, err)
		}
	}
	return out, nil
}
