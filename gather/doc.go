// Package gather turns a question into evidence: it scopes the question, plans
// units of research, does them, and decides after each wave whether more is
// needed. The thinking stands behind Thinker: Extractive needs no model and no
// network and only ever quotes; LLM thinks with language models, whose findings
// must have a quote in a stored source just the same.
package gather
