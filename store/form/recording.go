package form

// Recordings: what is asked of a model is most of what a run records, and each request repeats the messages of the one
// before it. In parts, a store keeps each message once.

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/plumbresearch/plumb"
)

// Tape is a recording on its way into the store: what was asked is whole, or in parts.
type Tape struct {
	*plumb.Recording
	Whole []byte // nil: nothing was asked, or it is in parts
	Parts [][]byte
}

// NewTape puts a request to a model into parts, where that can be undone to the byte.
func NewTape(rec *plumb.Recording) *Tape {
	if rec.Kind == "model" {
		if parts := Split(rec.Asked); parts != nil {
			return &Tape{rec, nil, parts}
		}
	}
	return &Tape{rec, rec.Asked, nil}
}

// Split cuts a request to a model into its messages, with all that stands before them as the first part and all behind
// them, such as the tools, as the last. It gives nil for what is no such request, and where there are spaces between
// messages: Join puts back commas alone.
func Split(asked []byte) [][]byte {
	const opening = `"messages":[`
	var request struct {
		Messages []json.RawMessage `json:"messages"`
	}
	head, rest, ok := bytes.Cut(asked, []byte(opening))
	if !ok || json.Unmarshal(asked, &request) != nil {
		return nil
	}
	parts := [][]byte{asked[:len(head)+len(opening)]}
	for i, m := range request.Messages {
		if i > 0 {
			if rest, ok = bytes.CutPrefix(rest, []byte(",")); !ok {
				return nil
			}
		}
		if rest, ok = bytes.CutPrefix(rest, m); !ok {
			return nil
		}
		parts = append(parts, m)
	}
	return append(parts, rest)
}

// Join undoes Split.
func Join(parts [][]byte) []byte {
	last := len(parts) - 1
	messages := bytes.Join(parts[1:last], []byte(","))
	return slices.Concat(parts[0], messages, parts[last])
}
