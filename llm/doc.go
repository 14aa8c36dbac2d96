// Package llm is the one way to a language model. Model is what stages think with; every call goes through one chain of
// small wrappers, from the outside in:
//
//	replay        an answer that was recorded for this run costs nothing          replay.go
//	retry         what may pass by itself is tried again, as politely as asked    retry.go
//	budget        the estimate is set aside in the store before the call          budget.go
//	rate limit    so many calls at once and a minute, for each provider           limit.go
//	ledger        the row of the bill and the recording, in one durable write     ledger.go
//	provider      the wire: package llm/provider
//
// Desk puts the chain together. Ask gets structured answers out of any model, however weak.
package llm
