// Package plumb is the vocabulary of a deep-research engine and the pure rules that lead a question to a checked
// report. It does no I/O, reads no clock and imports the standard library only.
//
// # The path of a question
//
//	Question → Brief → Plan → waves of Units → Findings → Citations → Draft → Claims → Verdicts → Report
//	  scope     plan   approve  gather ⟲ supervise    cite      write ⟲ review    check        publish
//
// Before that, the folders that a question names are read into the library, as a step of the run: a kill in the middle of
// it is resumed like any other.
//
// There is one path. Whoever starts a run starts the same run; a preset only sets its numbers ([Preset]), and a language
// model, or none, only changes who does the thinking inside a step. An audit enters the same path at the draft, which may
// first be ordered from somebody else's service.
//
// Decisions are pure, work is not. [Run.Next] lists the steps that may be under way, [Run.Apply] folds what came of one
// into the run, and [Run.State] says how it stands. A Run holds references and counts, never content. To follow a
// question in ten minutes, read in this order:
//
//  1. question.go, evidence.go, claim.go: the words. A Finding has a quote, a quote is a Passage, a passage is a span of
//     a stored Source.
//  2. run.go, step.go: what the rules know, what a step is given, what an outcome brings.
//  3. next.go and apply.go: the path itself. schedule.go has the four scheduling strategies, gate.go the quality gate
//     and the caps, signal.go what a person can tell a run.
//  4. engine/drive.go: the loop that does what Next lists and folds what comes back; engine/steps.go: what each kind of
//     step does, in terms of the stages.
//  5. gather, report, verify: the stages, each with two minds: extractive, and a language model's (the files llm_*.go and
//     prompts/*.md). engine/mind.go lets the one stand in for the other.
//  6. llm/doc.go: the chain that every model call goes through; engine/tape.go: why a step that is done again asks nobody
//     twice.
//
// # Packages, bottom up
//
// Leaves know nothing of runs and reach nothing outside:
//
//   - text: sentences, tokens and stems, numbers with units and dates, tolerant quote matching that gives offsets in the
//     original, the language of a text, and what two sentences agree or clash on.
//   - link: URLs, DOIs and arXiv ids, found, normalised, compared.
//   - markdown: sections, blocks, citation markers and source lists of a report; safe HTML.
//   - extract: bytes of HTML, PDF, DOCX, CSV, Markdown and text to plain text whose offsets never change. PDFs are parsed
//     in a child process with limits, because parsers hang and crash on what is out there.
//   - rank: BM25, fusion, diversity, authority, recency, and the seam for embeddings.
//   - llm: what a model is, structured answers from any of them, and the chain of replay, retry, budget, rate limit and
//     ledger around every call.
//
// Stages do the thinking, know the root and the leaves, and never each other:
//
//   - gather: scope, plan, unit, supervise.
//   - report: cite, write, review, compile, render.
//   - verify: mentions, claims, verdicts.
//
// Edges reach outside and know no stage:
//
//   - library: the user's documents, read once, searched by passages.
//   - search: web search engines and paper indexes, a file each, fused into one list of leads.
//   - page: an address to a source, over checked addresses only; walls named, dead links looked up in the archive.
//   - remote: the deep-research services of others, whose reports are ordered, collected and then audited.
//   - llm/provider: OpenAI, Anthropic, Gemini, Ollama and compatible servers on the wire.
//   - remote: the deep-research services of others, whose reports are audited like any.
//   - store/sqlite: everything kept, in one file; store/postgres: the same in a database that machines share. store/form is what
//     looks the same in both, store/storetest the suite that any store must pass.
//
// The whole:
//
//   - engine: Steps does a step, Local drives runs; a killed process loses only the steps in flight, and replays need nobody. A Crew
//     works on every run of a store. engine/temporal is the second driver, for a cluster; engine/enginetest the table of scenarios
//     that both pass.
//   - front: what every front end talks to, one tenant at a time.
//   - server: the tasks API with its event stream, the web page (server/web), an endpoint for OpenAI clients. mcp: Plumb as a
//     tool of models, and MCP servers as search engines of Plumb. watch: metrics and traces.
//   - eval: scores on data with labels, of the same code that runs use.
//   - lab: a simulated internet and scripted models that fail in every way, for tests, demos and benchmarks.
//   - cmd/plumb: flags, environment, wiring, and what a person sees, which comes from events alone.
//
// arch_test.go holds these rules: who imports whom, who may touch files, clocks, processes and goroutines.
package plumb
