package lab

// POST /v1/embeddings and GET /v1/models. A vector is the sum of its words' hashes, so that texts that share words are
// near each other.

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"math"
	"net/http"
	"slices"

	"github.com/plumbresearch/plumb/llm"
	"github.com/plumbresearch/plumb/text"
)

const (
	embedDims  = 256
	embedTexts = 2048 // in one request, at most
)

type embedRequest struct {
	Model      string     `json:"model"`
	Input      embedInput `json:"input"`
	Dimensions *int       `json:"dimensions"`
	Encoding   string     `json:"encoding_format"`
	User       string     `json:"user"`
}

// embedInput is a text or several.
type embedInput []string

func (e *embedInput) UnmarshalJSON(b []byte) error {
	var one string
	if json.Unmarshal(b, &one) == nil {
		*e = embedInput{one}
		return nil
	}
	return json.Unmarshal(b, (*[]string)(e))
}

type embedding struct {
	Object    string `json:"object"`
	Index     int    `json:"index"`
	Embedding any    `json:"embedding"` // numbers, or a string of base64
}

type embedAnswer struct {
	Object string      `json:"object"`
	Data   []embedding `json:"data"`
	Model  string      `json:"model"`
	Usage  struct {
		Prompt int64 `json:"prompt_tokens"`
		Total  int64 `json:"total_tokens"`
	} `json:"usage"`
}

func (m *Models) embeddings(rw http.ResponseWriter, r *http.Request) {
	o := openAI{}
	body, err := io.ReadAll(http.MaxBytesReader(rw, r.Body, maxBody))
	if err != nil {
		o.fail(rw, &fault{kind: "body", status: http.StatusRequestEntityTooLarge, text: "Request exceeds the maximum size"})
		return
	}
	q, c, f := m.embedCall(o.key(r), body)
	if f == nil {
		d := m.dice(r.URL.Path, body)
		if !wait(r.Context(), m.Latency) {
			return
		}
		f = m.strike(d, o)
	}
	if f != nil {
		m.record(r.URL.Path, c, body, f.kind)
		if f.kind == "stall" {
			m.hang(r.Context())
		}
		o.fail(rw, f)
		return
	}
	m.record(r.URL.Path, c, body)
	out := q.answer()
	m.bill(llm.Usage{Input: out.Usage.Prompt})
	rw.Header().Set("Content-Type", "application/json")
	put(rw, encode(out))
}

// embedCall checks a request.
func (m *Models) embedCall(key string, body []byte) (*embedRequest, *call, *fault) {
	if f := m.admit(key); f != nil {
		return nil, nil, f
	}
	var q embedRequest
	if err := json.Unmarshal(body, &q); err != nil {
		return nil, nil, bad("", "", "We could not parse the JSON body of your request. (%v)", err)
	}
	c := &call{model: q.Model, req: &llm.Request{}, prompt: prompt{name: "embed"}}
	dims := embedDims
	if q.Dimensions != nil {
		dims = *q.Dimensions
	}
	switch {
	case q.Model == "":
		return nil, c, bad("", "", "you must provide a model parameter")
	case len(q.Input) == 0 || len(q.Input) > embedTexts:
		return nil, c, bad("input", "", "'$.input' is invalid: from 1 to %d texts are allowed, not %d.", embedTexts, len(q.Input))
	case slices.Contains(q.Input, ""):
		return nil, c, bad("input", "", "'$.input' is invalid: input cannot be an empty string.")
	case dims < 1 || dims > embedDims:
		return nil, c, bad("dimensions", "", "Invalid value for 'dimensions' = %d. Must be from 1 to %d.", dims, embedDims)
	}
	longest := 0
	for _, t := range q.Input {
		longest = max(longest, llm.Tokens(t))
	}
	if m.Window > 0 && longest > m.Window {
		return nil, c, &fault{kind: "window", status: http.StatusBadRequest, code: "context_length_exceeded", param: "input", have: longest, may: m.Window}
	}
	return &q, c, m.refuse(c)
}

func (q *embedRequest) answer() embedAnswer {
	out := embedAnswer{Object: "list", Model: q.Model}
	for i, t := range q.Input {
		v := vector(t)
		if q.Dimensions != nil {
			v = unit(v[:*q.Dimensions])
		}
		e := embedding{Object: "embedding", Index: i, Embedding: v}
		if q.Encoding == "base64" {
			var b []byte
			for _, x := range v {
				b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
			}
			e.Embedding = base64.StdEncoding.EncodeToString(b)
		}
		out.Data = append(out.Data, e)
		out.Usage.Prompt += int64(llm.Tokens(t))
	}
	out.Usage.Total = out.Usage.Prompt
	return out
}

// vector is a text as the sum of its words' signs, of length 1.
func vector(s string) []float32 {
	v := make([]float32, embedDims)
	terms := text.Terms(s, "en")
	if len(terms) == 0 {
		terms = []string{s}
	}
	for _, term := range terms {
		h := fnv.New64a()
		write(h, []byte(term))
		d := dice{h.Sum64()}
		for i := range 4 { // four places a word keep words that collide in one apart
			n := d.hash(fmt.Sprint(i))
			if n&(1<<40) == 0 {
				v[n%embedDims]++
			} else {
				v[n%embedDims]--
			}
		}
	}
	return unit(v)
}

// unit makes a vector's length 1.
func unit(v []float32) []float32 {
	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if sum == 0 {
		v[0], sum = 1, 1
	}
	out := make([]float32, len(v))
	for i, x := range v {
		out[i] = float32(float64(x) / math.Sqrt(sum))
	}
	return out
}

// catalogue are the models that are listed when every name is known.
var catalogue = []string{"lab-large", "lab-small", "lab-embed"}

type modelOpenAI struct {
	ID      string `json:"id"`
	Object  string `json:"object"`
	Created int64  `json:"created"`
	OwnedBy string `json:"owned_by"`
	Window  int    `json:"max_model_len,omitempty"` // as servers of open models tell it
}

type modelAnthropic struct {
	Type        string `json:"type"`
	ID          string `json:"id"`
	DisplayName string `json:"display_name"`
	CreatedAt   string `json:"created_at"`
	Window      int    `json:"max_input_tokens,omitempty"`
}

// models lists the models, or shows one, in the format of whoever asks.
func (m *Models) models(rw http.ResponseWriter, r *http.Request) {
	var w wire = openAI{}
	isAnthropic := r.Header.Get("Anthropic-Version") != ""
	if isAnthropic {
		w = anthropic{}
	}
	if f := m.admit(w.key(r)); f != nil {
		w.fail(rw, f)
		return
	}
	ids := m.Known
	if ids == nil {
		ids = catalogue
	}
	id := r.PathValue("id")
	if id != "" && m.Known != nil && !slices.Contains(m.Known, id) {
		w.fail(rw, &fault{kind: "model", status: http.StatusNotFound, code: "model_not_found", text: id})
		return
	}
	rw.Header().Set("Content-Type", "application/json")
	show := func(id string) any {
		if isAnthropic {
			return modelAnthropic{"model", id, id, "2026-01-01T00:00:00Z", m.Window}
		}
		return modelOpenAI{id, "model", created, "lab", m.Window}
	}
	if id != "" {
		put(rw, encode(show(id)))
		return
	}
	list := struct {
		Object  string `json:"object,omitempty"`
		Data    []any  `json:"data"`
		HasMore bool   `json:"has_more"`
	}{Data: []any{}}
	if !isAnthropic {
		list.Object = "list"
	}
	for _, id := range ids {
		list.Data = append(list.Data, show(id))
	}
	put(rw, encode(list))
}
