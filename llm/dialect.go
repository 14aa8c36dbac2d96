package llm

// Calls that are not JSON: models fall back to the notation that they were trained on, whatever the prompt says. Only
// names of known tools count here.

import (
	"regexp"
	"strings"
)

var (
	functionTag  = regexp.MustCompile(`(?s)<function=([\w.-]+)>(.*?)(?:</function>|\z)`)
	parameterTag = regexp.MustCompile(`(?s)<parameter=([\w.-]+)>(.*?)(?:</parameter>|\z)`)
	toolCallTag  = regexp.MustCompile(`(?s)<tool_call>\s*([\w.-]+)\s*(<arg_key>.*?)(?:</tool_call>|\z)`)
	argTag       = regexp.MustCompile(`(?s)<arg_key>(.*?)</arg_key>\s*<arg_value>(.*?)(?:</arg_value>|\z)`)
	pythonCall   = regexp.MustCompile(`(?m)^[ \t]*(?:print\()?([\w.]+)\(([^\n]*?)\)+[ \t]*$`)
	pythonArg    = regexp.MustCompile(`(\w+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|([\w.-]+))`)
)

// dialects takes the calls in text that are written in tags or as Python.
func (p *callReader) dialects(text string) {
	p.tagged(text, functionTag, parameterTag)
	p.tagged(text, toolCallTag, argTag)
	for _, m := range pythonCall.FindAllStringSubmatchIndex(text, -1) {
		name, known := p.known(text[m[2]:m[3]])
		if !known {
			continue
		}
		args := map[string]any{}
		for _, a := range pythonArg.FindAllStringSubmatch(text[m[4]:m[5]], -1) {
			args[a[1]] = a[2] + a[3] + a[4]
		}
		p.note(m[0])
		if inner := text[m[4]:m[5]]; len(args) == 0 && inner != "" {
			p.add(name, strings.Trim(inner, `"'`)) // Args knows which one is meant
			continue
		}
		p.add(name, args)
	}
}

// tagged takes calls whose name and arguments stand in tags.
func (p *callReader) tagged(text string, call, arg *regexp.Regexp) {
	for _, m := range call.FindAllStringSubmatchIndex(text, -1) {
		name, known := p.known(text[m[2]:m[3]])
		if !known {
			continue
		}
		args := map[string]any{}
		for _, a := range arg.FindAllStringSubmatch(text[m[4]:m[5]], -1) {
			args[strings.TrimSpace(a[1])] = strings.TrimSpace(a[2])
		}
		p.note(m[0])
		p.add(name, args)
	}
}

// note remembers where the first call is written.
func (p *callReader) note(at int) {
	if p.begin < 0 {
		p.begin = at
	}
}

var answerHead = regexp.MustCompile(`^\{\s*"tool"\s*:\s*"answer"\s*,\s*"text"\s*:\s*"`)

// brokenAnswer is the final answer when its JSON is beyond repair, which long texts with quotes often are.
func brokenAnswer(text string) string {
	text = strings.TrimSpace(text)
	head := answerHead.FindString(text)
	if head == "" {
		return ""
	}
	text = strings.TrimRight(strings.TrimSuffix(text[len(head):], "```"), " \n\t")
	text = strings.TrimRight(strings.TrimSuffix(text, "}"), " \n\t")
	text = strings.TrimSuffix(text, `"`)
	return strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\"`, `"`, `\\`, `\`).Replace(text)
}
