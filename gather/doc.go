// Package gather turns a question into evidence: it scopes the question, plans
// units of research, does them, and decides after each wave whether more is
// needed. The thinking stands behind Thinker: Extractive needs no model and
// only ever quotes; LLM thinks with language models, whose findings must have a
// quote in a stored source just the same.
//
// Both ask the user's documents first, search the web and papers where those do
// not answer, and read what the best leads lead to. What is read is data: it
// can open nothing, search for nothing and become a fact only with its quote.
package gather
