package plumb

// What a deep-research service of others is asked for, and what it delivers. Question.Via names the service.

import "time"

// Order is a report that a service is asked for.
type Order struct {
	Text     string `json:"text"`               // the question, verbatim
	Language string `json:"language,omitempty"` // of the report; empty: the question's own
	Key      string `json:"-"`                  // the same for the same order, so that a service can tell that it has it already
}

// Delivery is how a job stands at a service, and once it is done the report.
type Delivery struct {
	Done   bool          `json:"done"`
	Status string        `json:"status"`          // in the service's words
	Pause  time.Duration `json:"pause,omitempty"` // it wants not to be asked before; 0: it did not say
	Report string        `json:"report,omitempty"`
	By     string        `json:"by,omitempty"` // who wrote it, as service:model
	Bill   Bill          `json:"bill,omitzero"`
}

// Bill is what a service says that a job has used. The cost is unknown, never 0, where it does not say.
type Bill struct {
	Input  int64   `json:"input,omitempty"`
	Cached int64   `json:"cached,omitempty"`
	Output int64   `json:"output,omitempty"`
	USD    float64 `json:"usd,omitempty"`
	Priced bool    `json:"priced,omitempty"`
}

// RemoteNews says how long a report has been waited for.
type RemoteNews struct {
	Service string  `json:"service"`
	Job     string  `json:"job"`
	Status  string  `json:"status"`
	Seconds float64 `json:"seconds"`
}

// Hitch says what a failed call to a service means for the next one.
type Hitch struct {
	Again    bool // the same call may be made again
	Doubtful bool // the service may have taken the order although it did not say so
	Gone     bool // it does not know the job
	Pause    time.Duration
}
