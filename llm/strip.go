package llm

// Strip frees what a model wrote from what is not meant for readers.

import (
	"regexp"
	"strings"
)

var (
	thinkTag  = regexp.MustCompile(`(?is)<(think|thinking|reasoning)>.*?</(think|thinking|reasoning)>`)
	thinkOpen = regexp.MustCompile(`(?is)<(think|thinking|reasoning)>.*$`)
)

// Strip is the free text of a model without its thoughts.
func Strip(text string) string { return strings.TrimSpace(stripThoughts(text)) }

func stripThoughts(text string) string {
	return thinkOpen.ReplaceAllString(thinkTag.ReplaceAllString(text, ""), "")
}
