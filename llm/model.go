package llm

import (
	"context"
	"encoding/json"
)

// Model answers requests. The answer is whole even where it was streamed on the way.
type Model interface {
	Name() string // provider:model
	Traits() Traits
	Complete(ctx context.Context, r *Request) (*Answer, error)
}

// Embedder turns texts into vectors, one per text in the same order.
type Embedder interface {
	Name() string // provider:model
	Embed(ctx context.Context, texts []string) (*Vectors, error)
}

// Vectors are what an embedder answers.
type Vectors struct {
	Vectors [][]float32 `json:"vectors"`
	Usage   Usage       `json:"usage"`
}

// Traits are what a model can do.
type Traits struct {
	Window int `json:"window"` // tokens of prompt and answer together
	Output int `json:"output"` // tokens of an answer, at most
	// Thinking is how many tokens the model may think before it answers, where these count as output: they are allowed on
	// top of what the answer may have.
	Thinking int  `json:"thinking,omitempty"`
	Tools    bool `json:"tools"`  // calls tools over the wire
	Schema   bool `json:"schema"` // keeps to a JSON schema over the wire
}

// Role says what a model is used for.
type Role string

const (
	Orchestrator Role = "orchestrator" // scope, plan, supervise, write
	Worker       Role = "worker"       // units
	Judge        Role = "judge"        // verdicts
	Embed        Role = "embed"
)

// Request is one call. It is a function of the run alone: no clock, no chance, so that its recording can answer it again.
type Request struct {
	Messages []Message `json:"messages"`
	Tools    []Tool    `json:"tools,omitempty"`
	Schema   *Schema   `json:"schema,omitempty"` // of the answer; nil: free text
	Output   int       `json:"output,omitempty"` // tokens of the answer, at most; 0: what the model allows
	// Delta is shown the text as it comes. It may be called again from the beginning when a call is tried again:
	// an empty string says so.
	Delta func(text string) `json:"-"`
}

// Message is one turn of a conversation.
type Message struct {
	From  Speaker `json:"from"`
	Text  string  `json:"text,omitempty"`
	Calls []Call  `json:"calls,omitempty"` // of the assistant
	Reply string  `json:"reply,omitempty"` // of a tool: the ID of the call that it answers
}

// Speaker is whose turn it is.
type Speaker string

const (
	System    Speaker = "system"
	User      Speaker = "user"
	Assistant Speaker = "assistant"
	ToolReply Speaker = "tool"
)

// Tool is something a model may ask for.
type Tool struct {
	Name       string          `json:"name"`
	About      string          `json:"about"`
	Parameters json.RawMessage `json:"parameters"` // JSON schema of an object
}

// Call asks for a tool.
type Call struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"` // JSON as the model wrote it: it may be broken
}

// Schema is what an answer must look like.
type Schema struct {
	Name string          `json:"name"` // letters, digits, underscore
	JSON json.RawMessage `json:"json"`
}

// Answer is what a model said.
type Answer struct {
	Text  string `json:"text,omitempty"`
	Calls []Call `json:"calls,omitempty"`
	Stop  Stop   `json:"stop"`
	Usage Usage  `json:"usage"`
}

// Stop is why a model stopped.
type Stop string

const (
	End     Stop = "end"
	Length  Stop = "length" // cut off at the limit of tokens
	ForTool Stop = "tool"
	Refusal Stop = "refusal"
)

// Usage counts tokens as the provider reported them.
type Usage struct {
	Input  int64 `json:"input"`            // cached ones included
	Cached int64 `json:"cached,omitempty"` // read from the provider's cache
	Output int64 `json:"output"`
	Total  int64 `json:"total,omitempty"` // set when only the sum is known
}

// Sum is all tokens.
func (u Usage) Sum() int64 { return max(u.Input+u.Output, u.Total) }
