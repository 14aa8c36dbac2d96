package mcp

import (
	"strings"
	"testing"
	"unicode/utf8"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

func answer(texts ...string) *sdk.CallToolResult {
	res := &sdk.CallToolResult{}
	for _, s := range texts {
		res.Content = append(res.Content, &sdk.TextContent{Text: s})
	}
	return res
}

// shapes are answers in the forms that search tools use, each with the same two leads.
var shapes = map[string]string{
	"results":      `{"results":[{"title":"First","url":"https://a.example/1","content":"about one"},{"title":"Second","url":"https://b.example/2","content":"about two"}]}`,
	"web.results":  `{"web":{"results":[{"title":"First","url":"https://a.example/1","description":"about one"},{"title":"Second","url":"https://b.example/2","description":"about two"}]}}`,
	"organic":      `{"organic":[{"title":"First","link":"https://a.example/1","snippet":"about one"},{"title":"Second","link":"https://b.example/2","snippet":"about two"}],"credits":1}`,
	"list":         `[{"name":"First","href":"https://a.example/1","body":"about one"},{"name":"Second","href":"https://b.example/2","body":"about two"}]`,
	"highlights":   `{"data":{"items":[{"title":"First","url":"https://a.example/1","highlights":["about one"]},{"title":"Second","url":"https://b.example/2","highlights":["about two"]}]}}`,
	"JSON in JSON": `{"result":"[{\"title\":\"First\",\"url\":\"https://a.example/1\",\"text\":\"about one\"},{\"title\":\"Second\",\"url\":\"https://b.example/2\",\"text\":\"about two\"}]"}`,
	"labels":       "Title: First\nURL: https://a.example/1\nDescription: about one\n\nTitle: Second\nURL: https://b.example/2\nDescription: about two\n",
	"bold labels":  "1. **Title:** First\n   **URL:** https://a.example/1\n   **Snippet:** about one\n---\n2. **Title:** Second\n   **URL:** https://b.example/2\n   **Snippet:** about two\n",
	"Markdown":     "Found 2 results:\n\n1. [First](https://a.example/1) - about one\n2. [Second](https://b.example/2)\n   about two\n",
	"addresses":    "First\nhttps://a.example/1\nabout one\n\nSecond: https://b.example/2\nabout two\n",
	"many a line":  `{"results":[{"title":"First","url":"https://a.example/1","summary":"about\n one"},{"title":"again","url":"https://a.example/1#x"},{"title":"Second","url":"https://b.example/2","summary":"about two"}]}`,
}

func TestShapesOfAnswers(t *testing.T) {
	for name, text := range shapes {
		got := leadsOf(answer(text), 10)
		if len(got) != 2 || got[0].URL != "https://a.example/1" || got[0].Title != "First" || got[0].Snippet != "about one" ||
			got[1].URL != "https://b.example/2" || got[1].Title != "Second" || got[1].Snippet != "about two" {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestStructuredAnswersAndLinks(t *testing.T) {
	res := answer("the text repeats https://text.example/")
	res.StructuredContent = map[string]any{"papers": []any{map[string]any{"title": "P", "url": "https://p.example/", "year": 2024.0, "doi": "10.1000/x",
		"authors": []any{map[string]any{"name": "A. Ann"}, "B. Bob"}}}}
	got := leadsOf(res, 10)
	if len(got) != 1 || got[0].Date != "2024" || got[0].DOI != "10.1000/x" || len(got[0].Authors) != 2 {
		t.Errorf("%+v", got)
	}
	links := &sdk.CallToolResult{Content: []sdk.Content{&sdk.ResourceLink{URI: "https://l.example/", Name: "l", Title: "L", Description: "d"},
		&sdk.ResourceLink{URI: "file:///etc/passwd", Name: "no"},
		&sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: "https://e.example/", Text: "e"}}, &sdk.EmbeddedResource{}}}
	if got := leadsOf(links, 10); len(got) != 2 || got[0].Title != "L" || got[1].Snippet != "e" {
		t.Errorf("%+v", got)
	}
}

func FuzzLeads(f *testing.F) {
	for _, s := range shapes {
		f.Add(s)
	}
	f.Add(`{"url":"https://a.example/","url":5,"title":{}}`)
	f.Add("[](https://)\nURL: x\nTitle:\nhttps://[::1]:99999/(((")
	f.Add(strings.Repeat("[", 2000))
	f.Fuzz(func(t *testing.T, s string) {
		leads := leadsOf(answer(s), 5)
		if len(leads) > 5 {
			t.Fatal(len(leads))
		}
		for _, l := range leads {
			if !strings.HasPrefix(strings.ToLower(l.URL), "http") || len(l.URL) > maxURL || utf8.RuneCountInString(l.Title) > maxTitle ||
				utf8.RuneCountInString(l.Snippet) > maxSnippet || !utf8.ValidString(l.Title) || strings.Contains(l.Snippet, "\n") {
				t.Errorf("%+v", l)
			}
		}
	})
}
