package front

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/plumbresearch/plumb"
)

// Ask is a question as a client puts it, before the program's configuration is applied. A zero leaves a choice to it.
type Ask struct {
	Text     string
	Thread   string // of an earlier question, or a name of the client's own for a new one
	Preset   string
	Language string
	Style    string
	Mode     string // scheduling
	Since    string

	Search  string // auto, none or a list of engines
	Papers  string
	Include []string // domains
	Exclude []string
	Library *bool // the tenant's documents; default: if there are any

	Tier  string // small, medium or large: picks among the configured models
	Model string // provider:model, in place of the orchestrator

	USD     *float64
	Tokens  int64 // of the run
	UnitMax int64 // tokens of a unit
	Waves   int
	AtOnce  int

	Approve   bool          // the plan waits for a person
	Patience  time.Duration // how long; 0: as long as it takes
	Unchecked bool
	Strict    bool
	Reuse     bool

	Remark json.RawMessage // what the client wants to be told again with the run: kept, never read
}

// AuditAsk is a report that somebody wants checked.
type AuditAsk struct {
	Name   string // of the report; default: its first heading
	Draft  string // Markdown
	Model  string // who judges what rules leave open
	USD    *float64
	Fetch  *bool // pages that the report cites may be fetched; default: yes
	Strict bool

	Documents []Document // that the report may cite, beside those on the tenant's shelf; they are kept with the run alone
}

// Document is one that is handed in.
type Document struct {
	Name string
	Data []byte
}

// FieldError says which field of an Ask is wrong, and what is allowed.
type FieldError struct {
	Field, Value, Allowed string
}

func (e *FieldError) Error() string {
	if e.Value == "" {
		return fmt.Sprintf("%s: %s", e.Field, e.Allowed)
	}
	return fmt.Sprintf("%s %q is not allowed: %s", e.Field, e.Value, e.Allowed)
}

// Outlook is what a question would mean, before it is asked.
type Outlook struct {
	Models   plumb.Models
	Search   []string
	Papers   []string
	Hosts    []plumb.Host
	Estimate plumb.Estimate
	Limits   plumb.Limits
	Own      int // documents of the tenant that would be searched
}
