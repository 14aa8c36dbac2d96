package remote

// What the formats share: texts that come in parts, the words of an order, and what must not be believed of an answer.

import (
	"errors"
	"strings"

	"github.com/plumbresearch/plumb"
)

var errStatus = errors.New("the status of the job is none that is known")

// text is a report that comes in parts, each with notes of its own.
type text struct {
	b     strings.Builder
	at    int // where the part that was begun last begins
	notes []note
}

func (t *text) begin(part string) {
	if t.b.Len() > 0 && strings.TrimSpace(part) != "" {
		t.b.WriteString("\n\n")
	}
	t.at = t.b.Len()
	t.b.WriteString(part)
}

// note takes offsets in the part that was begun last, in bytes.
func (t *text) note(start, end int, url, title string) {
	if len(t.notes) < maxNotes {
		limit := t.b.Len() - t.at
		t.notes = append(t.notes, note{t.at + min(max(start, 0), limit), t.at + min(max(end, 0), limit), url, title})
	}
}

// woven is the report; "" when nothing was said.
func (t *text) woven() string {
	all := t.b.String()
	if strings.TrimSpace(all) == "" {
		return ""
	}
	return strings.ToValidUTF8(weave(all, t.notes), "\uFFFD")
}

// wish is what a service is told: the question, and the language where one was named.
func wish(o plumb.Order) string {
	if o.Language == "" {
		return o.Text
	}
	return o.Text + "\n\nWrite the report in the language with the ISO 639-1 code " + o.Language + "."
}

func or(a, b string) string {
	if strings.TrimSpace(a) != "" {
		return a
	}
	return b
}
