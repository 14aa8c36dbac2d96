package llm

// Strip frees what a model wrote from what is not meant for readers: its thoughts, its chatter, and the names of tools.

import (
	"regexp"
	"strings"
)

var thoughtTag = regexp.MustCompile(`(?i)</?(?:think|thinking|reasoning|thought)(?:\s[^<>]*)?>`)

// stripThoughts cuts <think> blocks, also one that never ends, and one whose beginning was in the prompt's template. A tag
// in backticks, or one amid a line that nothing closes, is what a text speaks of.
func stripThoughts(text string) string {
	var tags [][]int
	lastClose := -1
	for _, tag := range thoughtTag.FindAllStringIndex(text, -1) {
		if tag[0] > 0 && text[tag[0]-1] == '`' {
			continue
		}
		tags = append(tags, tag)
		if text[tag[0]+1] == '/' {
			lastClose = tag[0]
		}
	}
	var b strings.Builder
	from, thinking := 0, false
	for _, tag := range tags {
		closes := text[tag[0]+1] == '/'
		switch {
		case closes:
			if !thinking {
				b.Reset() // all before was thought
			}
			from, thinking = tag[1], false
		case !thinking && (tag[0] < lastClose || beginsLine(text, tag[0])):
			b.WriteString(text[from:tag[0]])
			thinking = true
		}
	}
	if !thinking {
		b.WriteString(text[from:])
	}
	return b.String()
}

// beginsLine reports whether only blanks come before a place in its line.
func beginsLine(text string, at int) bool {
	before := strings.TrimRight(text[:at], " \t")
	return before == "" || strings.HasSuffix(before, "\n")
}

var (
	chatter = regexp.MustCompile(`(?i)^(?:\W{0,3})(?:` +
		`(?:sure|certainly|of course|okay|ok|absolutely|great|understood|alright)\b[^\n]{0,200}[.!:]` +
		`|(?:here(?:'s|’s| is| are)|below is|the following is|i(?:'ve|’ve| have) (?:written|prepared|compiled|drafted)|this is)\b[^\n]{0,200}:` +
		`)\W{0,3}$`)
	goodbye = regexp.MustCompile(`(?i)^(?:\W{0,3})(?:let me know|i hope this|feel free to|please let me know|if you(?:'d|’d| would)? (?:like|need|have)|would you like me)\b[^\n]{0,300}$`)
	rule    = regexp.MustCompile(`^\s*(?:-{3,}|\*{3,}|_{3,})\s*$`)
	meta    = regexp.MustCompile(`\b(?:ConductResearch|ResearchComplete|tool_call_id|tool_calls?|function_call|search_(?:web|library|papers)|fetch_url)\b`)
	// metaSentence is one sentence that names a tool, in a paragraph that says other things too.
	metaSentence = regexp.MustCompile(`[^.!?\n]*\b(?:ConductResearch|ResearchComplete|tool_call_id|tool_calls?|function_call|search_(?:web|library|papers)|fetch_url)\b[^.!?\n]*[.!?]?`)
	wrapOpen     = regexp.MustCompile("(?i)^```+ *(markdown|md|text|txt|)[ \\t]*$")
	wrapClose    = regexp.MustCompile("^```+[ \\t]*$")
)

// Strip is the free text of a model without thoughts, without a fence around all of it, without chatter before and
// after it, and without lines that name tools.
func Strip(text string) string {
	text = strings.ReplaceAll(stripThoughts(text), "\r\n", "\n")
	lines := strings.Split(strings.TrimSpace(text), "\n")
	lines = dropMeta(lines)
	lines = dropChatter(lines)
	lines = unwrapFence(lines)
	lines = dropChatter(lines)
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

// dropMeta drops short lines that name tools, and in longer ones the sentences that do.
func dropMeta(lines []string) []string {
	const short = 200 // bytes
	var out []string
	for _, line := range lines {
		if meta.MatchString(line) {
			start := strings.TrimSpace(line)
			if len(line) <= short || strings.HasPrefix(start, "{") || strings.HasPrefix(start, "<") {
				continue
			}
			line = strings.TrimSpace(metaSentence.ReplaceAllString(line, ""))
		}
		out = append(out, line)
	}
	return out
}

// dropChatter drops what a model says to whoever asked, before and after the text, as long as something else is left.
func dropChatter(lines []string) []string {
	drop := func(line string, is *regexp.Regexp) bool {
		return strings.TrimSpace(line) == "" || is.MatchString(strings.TrimSpace(line))
	}
	first, last := 0, len(lines)
	for spoke := false; first < last-1; first++ {
		if !drop(lines[first], chatter) && !(spoke && rule.MatchString(lines[first])) {
			break
		}
		spoke = spoke || strings.TrimSpace(lines[first]) != ""
	}
	end := last
	for end > first+1 && (drop(lines[end-1], goodbye) || rule.MatchString(lines[end-1])) {
		if end--; goodbye.MatchString(strings.TrimSpace(lines[end])) {
			last = end
		}
	}
	for last > first+1 && last < len(lines) && (strings.TrimSpace(lines[last-1]) == "" || rule.MatchString(lines[last-1])) {
		last-- // the rule before the goodbye
	}
	return lines[first:last]
}

// unwrapFence takes the fence off a text that is fenced as a whole. A fence that was opened as Markdown and never closed
// was cut off.
func unwrapFence(lines []string) []string {
	if len(lines) < 2 {
		return lines
	}
	open := wrapOpen.FindStringSubmatch(lines[0])
	if open == nil {
		return lines
	}
	if n := len(lines) - 1; wrapClose.MatchString(lines[n]) {
		return lines[1:n]
	}
	if open[1] != "" {
		return lines[1:]
	}
	return lines
}
