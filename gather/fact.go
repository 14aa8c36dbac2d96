package gather

// Facts: what a quote says, as a line of its own, without the marks of the document it stands in. And what is never a
// fact: orders that a page gives to whoever reads it.

import (
	"regexp"
	"strings"

	"github.com/plumbresearch/plumb/text"
)

var (
	leadingMarks  = regexp.MustCompile(`^(?:[-*•–>#|]+\s+|\(?[0-9a-z]{1,2}[.)]\s+|\*\*[^*\n]{1,40}:\*\*\s*|\*+|__+)+`)
	trailingMarks = regexp.MustCompile(`(?:[*|\s]|__|\[(?:[0-9]{1,3}|citation needed|[a-z])\])+$`)
	dayOfMonth    = regexp.MustCompile(`^\(?[0-9]{1,2}\.\s+(\pL+)`)
	innerMarks    = regexp.MustCompile(`([:;,.]?)[ \t]*\n\s*(?:[-*•–>]|[0-9]{1,2}[.)])\s+`)
	linkMarks     = regexp.MustCompile(`!?\[([^\]\n]*)\]\([^()\s]*(?:\s+"[^"\n]*")?\)`)
	noteMarks     = regexp.MustCompile(`\[(?:[0-9]{1,3}(?:[,–-]\s?[0-9]{1,3})*|citation needed|note [0-9]{1,2}|[a-z])\]`)
)

// trimMarks leaves list markers, heading marks, emphasis and footnote marks at the ends of a sentence out. "5. März" is a day.
func trimMarks(s string, span text.Span) text.Span {
	t := span.Of(s)
	if day := dayOfMonth.FindStringSubmatch(t); day == nil || !months[strings.ToLower(day[1])] {
		if m := leadingMarks.FindString(t); len(m) < len(t) {
			span.Start += len(m)
		}
	}
	if m := trailingMarks.FindString(span.Of(s)); len(m) < span.End-span.Start {
		span.End -= len(m)
	}
	return span
}

// plain is a quote on one line, without the emphasis, links, footnote marks and table bars of its source, the items of a
// list one behind the other. A footnote mark of the source would be taken for a citation.
func plain(quote string) string {
	s := trimMarks(quote, text.Span{End: len(quote)}).Of(quote)
	s = linkMarks.ReplaceAllString(s, "$1")
	s = noteMarks.ReplaceAllString(s, "")
	s = innerMarks.ReplaceAllStringFunc(s, func(m string) string {
		if strings.ContainsAny(m[:1], ":;,.") {
			return m[:1] + " "
		}
		return "; "
	})
	s = strings.NewReplacer("**", "", "__", "", "`", "", " | ", "; ", "\u00ad", "").Replace(s)
	return strings.Join(strings.Fields(s), " ")
}

var (
	// orders are what a page says to the machine that reads it.
	orders = regexp.MustCompile(`(?i)\b(?:ignore|disregard|forget|override|bypass)\b[^.!?\n]{0,40}\b(?:instructions?|prompts?|rules|guidelines|orders)\b` +
		`|\b(?:system|developer) (?:prompt|message)\b|<\|?/?(?:im_start|im_end|system|assistant|tool_call|data)\b` +
		`|\b(?:fetch_url|search_web|search_papers|search_library|ConductResearch|ResearchComplete)\b` +
		`|\b(?:AI|LLM) (?:assistants?|agents?|models?|readers?)\b[^.!?\n]{0,30}:|^\W*(?:assistant|system)\s*[:,]|\[/?INST\]|"(?:tool|tools|arguments|findings)"\s*:` +
		`|\byou are (?:now )?(?:an? )?(?:ai|assistant|language model|chatbot)\b|\b(?:api[ _-]?key|password|secrets?)\b[^.!?\n]{0,40}\b(?:to|in|into) (?:https?:|the url|this url)`)
	ofOrders = regexp.MustCompile(`(?i)\b(?:prompts?|instructions?|injections?|jailbreak\w*|language models?|llms?|chatbots?)\b`)
)

// commands says whether a sentence is an order to the reader, in a question that does not ask for such.
func commands(sentence, question string) bool {
	return orders.MatchString(sentence) && !ofOrders.MatchString(question)
}

// sentenceAround is the whole of the sentences that a span of a text touches: half an order may look like a statement.
func sentenceAround(body string, span text.Span) string {
	from := strings.LastIndexByte(body[:span.Start], '\n') + 1
	to := len(body)
	if i := strings.IndexByte(body[span.End:], '\n'); i >= 0 {
		to = span.End + i
	}
	out := text.Span{Start: span.Start, End: span.End}
	for _, s := range shifted(text.Sentences(body[from:to], ""), from) {
		if s.Start < span.End && span.Start < s.End {
			out.Start, out.End = min(out.Start, s.Start), max(out.End, s.End)
		}
	}
	return out.Of(body)
}
