// Package provider is the wire to language models: OpenAI, Anthropic, Gemini, Ollama and any server that speaks OpenAI's
// protocol ("compatible"). Providers opens a model or an embedder by its name, provider:model.
//
//	provider.go   who is talked to, with which key, at which host
//	chat.go       OpenAI's chat protocol, which all but Anthropic speak; chatstream.go puts its streams together
//	messages.go   Anthropic's protocol; messagestream.go puts its streams together
//	embed.go      vectors
//	ollama.go     what a running Ollama offers, and how much its models take in
//	call.go       one call over HTTP: its time, its size, and what broke
//	complaint.go  what providers say when they refuse, as an llm.Trouble
//	wait.go       how long they ask to wait
//	scrub.go      keys out of texts
//
// Nothing is tried twice here (llm.Desk does that) and nothing is read from the environment: cmd/plumb does, and the
// names of its variables are used in what users are told.
package provider
