package lab

// What was asked of the models, what it cost and what went wrong, for tests to look at.

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/plumbresearch/plumb/llm"
)

// Stats are what Models served.
type Stats struct {
	Calls    int            `json:"calls"`   // chats and embeddings
	Prompts  map[string]int `json:"prompts"` // calls by the name of their prompt, such as scope; "": those without one
	Faults   map[string]int `json:"faults"`  // by kind: the knobs' names, and key, model, request, window, weak, quota
	Billed   llm.Usage      `json:"billed"`
	Requests []Asked        `json:"requests,omitempty"` // with Models.Keep, in the order in which they came
}

// Asked is a request as it came.
type Asked struct {
	Path   string          `json:"path"`
	Model  string          `json:"model"`
	Prompt string          `json:"prompt"`
	Faults []string        `json:"faults,omitempty"`
	Body   json.RawMessage `json:"body"`
}

// Stats is a copy of how it stands.
func (m *Models) Stats() Stats {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.stats
	s.Prompts, s.Faults, s.Requests = maps.Clone(s.Prompts), maps.Clone(s.Faults), slices.Clone(s.Requests)
	return s
}

// record counts a call and its faults. c is nil where the request could not be read.
func (m *Models) record(path string, c *call, body []byte, faults ...string) {
	asked := Asked{Path: path, Faults: faults}
	if c != nil {
		asked.Model, asked.Prompt = c.model, c.prompt.name
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.stats.Prompts == nil {
		m.stats.Prompts, m.stats.Faults = map[string]int{}, map[string]int{}
	}
	m.stats.Calls++
	m.stats.Prompts[asked.Prompt]++
	for _, f := range faults {
		m.stats.Faults[f]++
	}
	if m.Keep {
		if json.Valid(body) {
			asked.Body = slices.Clone(body)
		}
		m.stats.Requests = append(m.stats.Requests, asked)
	}
}

func (m *Models) bill(u llm.Usage) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.stats.Billed.Input += u.Input
	m.stats.Billed.Cached += u.Cached
	m.stats.Billed.Output += u.Output
}
