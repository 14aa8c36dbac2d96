package llm

import (
	"strings"
	"testing"
)

func TestStripLeavesTheText(t *testing.T) {
	long := strings.Repeat("Facts about the matter at hand are told here at length. ", 5)
	for _, c := range []struct{ name, in, want string }{
		{"nothing to strip", "# Title\n\nText [1].", "# Title\n\nText [1]."},
		{"think", "<think>\nhm\n</think>\n\n# Title\nText", "# Title\nText"},
		{"two thoughts", "<think>a</think>One <thinking>b</thinking>two <reasoning>c</reasoning>three", "One two three"},
		{"thought in other case with attributes", "<Thinking depth=\"2\">a</Thinking>Text", "Text"},
		{"thought within a thought", "<think>a <think>b</think> c</think>Text", "Text"},
		{"thought without end", "Text\n<think>and then", "Text"},
		{"thought without beginning", "so I write it\n</think>\nText", "Text"},
		{"text that speaks of thoughts", "Models write `<think>` and `</think>` around them.", "Models write `<think>` and `</think>` around them."},
		{"tag amid a line is text", "The <think> tag opens.", "The <think> tag opens."},
		{"markdown fence", "```markdown\n# Title\n\n```go\nx\n```\nText\n```", "# Title\n\n```go\nx\n```\nText"},
		{"bare fence", "```\n# Title\n```", "# Title"},
		{"fence cut off", "```markdown\n# Title\nText", "# Title\nText"},
		{"code is code", "```go\nx := 1\n```", "```go\nx := 1\n```"},
		{"code at both ends", "```go\na\n```\nText\n```go\nb\n```", "```go\na\n```\nText\n```go\nb\n```"},
		{"chatter", "Here is the report:\n\n# Title", "# Title"},
		{"more chatter", "Sure! I'd be happy to help.\nHere’s the report you asked for:\n\n---\n\n# Title", "# Title"},
		{"chatter in bold", "**Here is the final report:**\n\n# Title", "# Title"},
		{"chatter around a fence", "Certainly! Below is the report.\n```markdown\n# Title\n```\nLet me know if you need more!", "# Title"},
		{"goodbye", "# Title\nText\n\n---\nLet me know if you would like changes.", "# Title\nText"},
		{"rule at the end stays", "# Title\nText\n\n---", "# Title\nText\n\n---"},
		{"a sentence like chatter", "Here is what matters: water boils.\nMore.", "Here is what matters: water boils.\nMore."},
		{"chatter alone stays", "Here is the report:", "Here is the report:"},
		{"meta lines", "# Title\nI will call ConductResearch now.\nText\n{\"tool_call_id\": \"1\"}\nResearchComplete", "# Title\nText"},
		{"meta sentence", long + "I used search_web for this. The end.", long[:len(long)-1] + " The end."},
		{"line ends of Windows", "Here is it:\r\n# Title\r\nText\r\n", "# Title\nText"},
		{"empty", "", ""},
	} {
		if got := Strip(c.in); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

func FuzzStrip(f *testing.F) {
	for _, text := range []string{"<think>", "</think>", "```\n```", "Here is:\n```md\n", "Sure.\n---\n\n---", "\r\n\r\n", "search_web"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := Strip(text)
		if len(got) > len(text) || strings.TrimSpace(got) != got {
			t.Errorf("%q became %q", text, got)
		}
	})
}
