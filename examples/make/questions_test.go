package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// row is a line of questions.jsonl.
type row struct {
	Question      string   `json:"question"`
	AnswersIn     []string `json:"answers_in"`
	Expect        []string `json:"expect"`
	Contradiction []string `json:"contradiction"`
	Answerable    bool     `json:"answerable"`
}

func questions(t *testing.T) []row {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "questions.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var rows []row
	for line := range bytes.Lines(b) {
		var r row
		d := json.NewDecoder(bytes.NewReader(line))
		d.DisallowUnknownFields()
		if err := d.Decode(&r); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		rows = append(rows, r)
	}
	return rows
}

// The PDF and the DOCX are not compressed, so that a string that stands on
// one line stands in their bytes too.
func TestExpectedStringsStandInTheDocuments(t *testing.T) {
	for _, r := range questions(t) {
		var texts [][]byte
		for _, name := range slices.Concat(r.AnswersIn, r.Contradiction) {
			b, err := os.ReadFile(filepath.Join("..", "corpus", filepath.FromSlash(name)))
			if err != nil {
				t.Fatalf("%s: %v", r.Question, err)
			}
			texts = append(texts, b)
		}
		for _, want := range r.Expect {
			if !slices.ContainsFunc(texts, func(b []byte) bool { return bytes.Contains(b, []byte(want)) }) {
				t.Errorf("%s: %q stands in none of its documents", r.Question, want)
			}
		}
		if r.Answerable != (len(r.Expect) > 0) || r.Answerable != (len(r.AnswersIn) > 0) {
			t.Errorf("%s: answerable is %v with %d strings in %d documents", r.Question, r.Answerable, len(r.Expect), len(r.AnswersIn))
		}
		if n := len(r.Contradiction); n != 0 && n != 2 {
			t.Errorf("%s: %d sides of a contradiction", r.Question, n)
		}
	}
}

func TestQuestionsCoverEveryKind(t *testing.T) {
	rows := questions(t)
	only := make(map[string]bool) // extensions of documents that alone answer a question
	unanswerable, disputed := 0, 0
	for _, r := range rows {
		if !r.Answerable {
			unanswerable++
		}
		if len(r.Contradiction) == 2 {
			disputed++
		}
		if len(r.AnswersIn) == 1 {
			only[filepath.Ext(r.AnswersIn[0])] = true
		}
	}
	if len(rows) != 12 || unanswerable < 2 || disputed < 3 {
		t.Errorf("%d questions, %d unanswerable, %d disputed", len(rows), unanswerable, disputed)
	}
	for _, ext := range []string{".pdf", ".docx", ".csv", ".html"} {
		if !only[ext] {
			t.Errorf("no question is answered by a %s alone", ext)
		}
	}
	if n := len(rows[0].AnswersIn); n < 6 {
		t.Errorf("the first question draws on %d documents", n)
	}
}
