package extract

import (
	"context"
	"strings"
	"testing"
)

// Pages and texts that once took minutes for a megabyte. Each must still give
// its text; one that is read in square time runs into the tests' time limit.
func TestHostileDocumentsEndWithTheirText(t *testing.T) {
	graphs := strings.Repeat(`{"@graph":`, 9000) + `{"author":"Ann Lee"}` + strings.Repeat("}", 9000)
	cases := []struct{ what, name, data string }{
		{"graphs in graphs", "a.html", "<html><script type=application/ld+json>" + graphs + "</script><p>needle"},
		{"lists in lists of authors", "a.html", `<html><script type=application/ld+json>{"author":` + strings.Repeat("[", 9000) + strings.Repeat("]", 9000) + "}</script><p>needle"},
		{"datelines in datelines", "a.html", "<html>" + strings.Repeat(`<div class="date">`, 500) + strings.Repeat("word ", 400_000) + "needle"},
		{"bylines in bylines", "a.html", "<html>" + strings.Repeat(`<div class="author">`, 500) + strings.Repeat("word ", 400_000) + "needle"},
		{"headings without entries", "a.txt", strings.Repeat("References\n", 200_000) + "needle"},
		{"headings with entries", "a.txt", strings.Repeat("References\n[1] A. Lee. Tides. 2019.\n", 50_000) + "needle"},
		{"date labels", "a.txt", strings.Repeat("Date: x\n", 100_000) + "needle"},
		{"quotes in a table", "a.csv", strings.Repeat("a,\"b\n", 100_000) + "needle"},
		{"a wide table", "a.csv", "needle" + strings.Repeat(",", 1_000_000) + "\n" + strings.Repeat(",1", 100_000)},
		{"front matter that does not end", "a.md", "---\n" + strings.Repeat("a: b\n", 50_000) + "needle"},
		{"links in a heading", "a.md", "# " + strings.Repeat("[a](", 50_000) + "needle"},
	}
	for _, c := range cases {
		t.Run(c.what, func(t *testing.T) {
			doc, err := Extractor{}.Extract(context.Background(), c.name, "", []byte(c.data))
			if err != nil || !strings.Contains(doc.Text, "needle") {
				t.Errorf("error %v, or the text is lost (%d bytes)", err, len(doc.Text))
			}
		})
	}
}

func TestMarkedElementsAreReadOnlyAsFarAsNeeded(t *testing.T) {
	long := strings.Repeat("word ", 1000)
	doc := extractString(t, "a.html", "", `<html><body><h1>`+long+`</h1><p class="date">`+long+`2016-06-05</p><p>Some text.</p></body></html>`)
	if doc.Date != "" || len(doc.Title) > maxTitle || !strings.HasPrefix(doc.Title, "word word") {
		t.Errorf("date %q, title of %d bytes: %.20q", doc.Date, len(doc.Title), doc.Title)
	}
	if !strings.Contains(doc.Text, "2016-06-05") {
		t.Error("the text is cut")
	}
}

func TestOnlyTheOuterGraphIsRead(t *testing.T) {
	cases := []struct{ what, script, want string }{
		{"an object", `{"author":"Ann Lee"}`, "Ann Lee"},
		{"a list", `[{"author":"Ann Lee"}]`, "Ann Lee"},
		{"a graph", `{"@graph":[{"author":{"name":"Ann Lee"}}]}`, "Ann Lee"},
		{"a graph of one object", `{"@graph":{"author":["Ann Lee"]}}`, "Ann Lee"},
		{"a list of graphs", `[{"@graph":[{"x":1},{"author":"Ann Lee"}]}]`, "Ann Lee"},
		{"a graph in a graph", `{"@graph":{"@graph":{"author":"Ann Lee"}}}`, ""},
		{"an address", `{"author":"https://example.org/ann"}`, ""},
		{"numbers", `{"author":7,"@graph":7,"datePublished":7}`, ""},
		{"no object", `7`, ""},
	}
	for _, c := range cases {
		doc := extractString(t, "a.html", "", `<html><script type="application/ld+json">`+c.script+`</script><body><p>Some text.</p></body></html>`)
		if got := strings.Join(doc.Authors, "|"); got != c.want {
			t.Errorf("%s: authors %q, want %q", c.what, got, c.want)
		}
	}
}

func TestReferencesAfterManyHeadingsAreNotLookedFor(t *testing.T) {
	const entry = "References\n[1] A. Lee. On tides. Journal of Water, 2019.\n"
	body := strings.Repeat("A sentence of the paper's body.\n", 2000)
	if r := findReferences(body + strings.Repeat("References\nNo entry.\n\n", maxHeadings/50) + entry); r == nil {
		t.Error("twenty headings hide the references")
	}
	if r := findReferences(strings.Repeat("\n", 40_000) + strings.Repeat("References\n", maxHeadings) + strings.Repeat("No entry.\n", entryWindow) + entry); r != nil {
		t.Errorf("references at %d after %d headings", r.Start, maxHeadings)
	}
}
