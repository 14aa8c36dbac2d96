package plumb

import (
	"slices"
	"time"
)

// Question is what was asked, verbatim, with the choices that came with it. It never changes during a run.
type Question struct {
	Text     string    `json:"text"`               // at most 10,000 characters
	At       time.Time `json:"at"`                 // when it was asked; recency counts back from here
	Language string    `json:"language,omitempty"` // of the answer; empty: the question's own
	Style    Style     `json:"style,omitempty"`
	Where    Where     `json:"where"`
	Reuse    bool      `json:"reuse,omitempty"`  // findings of earlier runs may be used; they never satisfy the gate
	Strict   bool      `json:"strict,omitempty"` // the published report drops what is not supported
	Mode     Mode      `json:"mode,omitempty"`   // scheduling on request; empty: chosen from the plan
	Models   Models    `json:"models,omitzero"`
	Tape     string    `json:"tape,omitempty"` // a run whose recordings answer what is asked in the same words
	Via      string    `json:"via,omitempty"`  // the deep-research service of others that writes the draft, as service:model; empty: Plumb itself
}

// Models name who thinks, as provider:model. All empty: extractive thinking.
type Models struct {
	Orchestrator string `json:"orchestrator,omitempty"`
	Worker       string `json:"worker,omitempty"`
	Judge        string `json:"judge,omitempty"`
	Embed        string `json:"embed,omitempty"`
}

// Names lists the models once each, in the order of their roles.
func (m Models) Names() []string {
	var out []string
	for _, name := range []string{m.Orchestrator, m.Worker, m.Judge, m.Embed} {
		if name != "" && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// MaxQuestion is the longest question, in characters.
const MaxQuestion = 10_000

// Where says where researchers may look.
type Where struct {
	Folders []string `json:"folders,omitempty"` // roots of the library, absolute; read before the question is scoped
	Library bool     `json:"library,omitempty"` // every document of the library, when Folders is empty
	Search  []string `json:"search,omitempty"`  // web search engines
	Papers  []string `json:"papers,omitempty"`  // paper indexes
	Include []string `json:"include,omitempty"` // only these domains
	Exclude []string `json:"exclude,omitempty"` // never these domains
	Since   string   `json:"since,omitempty"`   // nothing older, as an ISO 8601 date
	Cited   bool     `json:"cited,omitempty"`   // an audit may fetch the pages that the report cites
}

// Style is how much the report says.
type Style string

const (
	Comprehensive Style = "comprehensive"
	Concise       Style = "concise"
)

// Brief is the scoped question.
type Brief struct {
	Question string   `json:"question"` // refined
	Language string   `json:"language"` // of the answer, ISO 639-1
	Areas    []Area   `json:"areas"`    // what the report must cover, a section each
	Entity   Entity   `json:"entity"`
	Ask      string   `json:"ask,omitempty"`    // the one clarifying question, when the run must wait for its answer
	Answer   string   `json:"answer,omitempty"` // what was answered to it
	Shifted  bool     `json:"shifted,omitempty"`
	By       string   `json:"by"` // who thought: a model's name, or "extractive"
	Notes    []string `json:"notes,omitempty"`
}

// Area is one thing a report must cover.
type Area struct {
	Name     string   `json:"name"`     // heading of its section
	Question string   `json:"question"` // stands on its own
	Terms    []string `json:"terms,omitempty"`
}

// Entity is what the question is about, when it is about one thing.
type Entity struct {
	Name    string   `json:"name,omitempty"`    // canonical
	Queries []string `json:"queries,omitempty"` // exact phrases that name it
	Domains []string `json:"domains,omitempty"` // official sites
}

// Plan is the work that a brief was taken apart into.
type Plan struct {
	Units      []Unit   `json:"units"`
	Complexity float64  `json:"complexity"` // 0..1
	Mode       Mode     `json:"scheduling"`
	Evidence   string   `json:"evidence_strategy"`
	Form       string   `json:"output_form"`
	Round      int      `json:"round"`
	Feedback   string   `json:"feedback,omitempty"` // what the person wanted changed in the round before
	By         string   `json:"by"`
	Notes      []string `json:"notes,omitempty"`
}

// Unit is one narrow question that a single researcher answers alone.
type Unit struct {
	ID       string   `json:"id"`
	Question string   `json:"question"`
	Kind     UnitKind `json:"kind"`
	Area     string   `json:"area"` // name of the area it serves
	Queries  []string `json:"queries,omitempty"`
	Needs    []string `json:"needs,omitempty"` // units whose findings it should see
}

// UnitKind says where a unit's researcher looks first.
type UnitKind string

const (
	General  UnitKind = "general"
	Academic UnitKind = "academic"
	Internal UnitKind = "internal"
)
