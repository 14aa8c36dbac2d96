package llm

// Prompts are Markdown files beside the stages that use them. A file has parts, each begun by a line "=== system",
// "=== user" or "=== assistant"; a part is a text/template.

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strings"
	"text/template"
)

// Prompts are the prompt files of a stage.
type Prompts struct {
	files map[string][]part
}

// part is one message of a prompt.
type part struct {
	from Speaker
	text *template.Template
}

var partLine = regexp.MustCompile(`(?m)^=== *(\w+) *\r?$`)

// LoadPrompts reads every .md file of the file system, in whatever folder. A file is known by its name without .md. It
// panics on a file that is no prompt: prompts are embedded, so that only the program itself can be wrong.
func LoadPrompts(files fs.FS) Prompts {
	p := Prompts{files: map[string][]part{}}
	err := fs.WalkDir(files, ".", func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Ext(file) != ".md" {
			return err
		}
		text, err := fs.ReadFile(files, file)
		if err != nil {
			return err
		}
		name := strings.TrimSuffix(path.Base(file), ".md")
		p.files[name], err = parsePrompt(name, string(text))
		return err
	})
	if err != nil {
		panic(fmt.Sprintf("prompts: %v", err))
	}
	return p
}

// parsePrompt cuts a file into its parts. The first line of a system part names the file, so that whoever sees a
// request knows which step asks.
func parsePrompt(name, text string) ([]part, error) {
	heads := partLine.FindAllStringSubmatchIndex(text, -1)
	if len(heads) == 0 {
		return nil, fmt.Errorf("%s has no part: begin one with a line \"=== system\" or \"=== user\"", name)
	}
	var parts []part
	for i, h := range heads {
		end := len(text)
		if i+1 < len(heads) {
			end = heads[i+1][0]
		}
		from := Speaker(text[h[2]:h[3]])
		if from != System && from != User && from != Assistant {
			return nil, fmt.Errorf("%s has a part of %q: only system, user and assistant speak", name, from)
		}
		body := strings.TrimSpace(strings.ReplaceAll(text[h[1]:end], "\r\n", "\n"))
		if first, _, _ := strings.Cut(body, "\n"); from == System && first != "# "+name {
			return nil, fmt.Errorf("%s: the first line of its system part is %q, not %q", name, first, "# "+name)
		}
		t, err := template.New(name).Option("missingkey=error").Funcs(promptFuncs).Parse(body)
		if err != nil {
			return nil, err
		}
		parts = append(parts, part{from, t})
	}
	return parts, nil
}

// promptFuncs are what templates may call.
var promptFuncs = template.FuncMap{
	"fence": func(label string, text any) (string, error) {
		switch text := text.(type) {
		case string:
			return Fence(label, text), nil
		case Untrusted:
			return Fence(label, string(text)), nil
		}
		return "", fmt.Errorf("fence takes text, not %T", text)
	},
	"json": func(v any) (string, error) {
		b, err := json.Marshal(v)
		return string(b), err
	},
	"join": func(list []string, sep string) string { return strings.Join(list, sep) },
	"inc":  func(n int) int { return n + 1 },
}

// Messages fills a prompt in. Parts that come out empty are left out.
func (p Prompts) Messages(name string, data any) ([]Message, error) {
	parts, ok := p.files[name]
	if !ok {
		return nil, fmt.Errorf("there is no prompt %q", name)
	}
	var out []Message
	for _, part := range parts {
		var b strings.Builder
		if err := part.text.Execute(&b, data); err != nil {
			return nil, fmt.Errorf("prompt %s: %w", name, err)
		}
		if text := strings.TrimSpace(b.String()); text != "" {
			out = append(out, Message{From: part.from, Text: text})
		}
	}
	return out, nil
}
