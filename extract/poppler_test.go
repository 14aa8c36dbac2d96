package extract

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// poppler is an Extractor that uses the pdftotext of this system.
func poppler(t *testing.T) Extractor {
	t.Helper()
	path, err := exec.LookPath("pdftotext")
	if err != nil {
		t.Skip("poppler's pdftotext is not installed: its path is tested with a stand-in only")
	}
	return Extractor{PDFToText: path}
}

func TestPopplerReadsPagesAndTitle(t *testing.T) {
	e := poppler(t)
	data := simplePDF("", setLines(72, 720, 11, "Tides and Power", "The barrage makes 540 GWh a year."), setLines(72, 720, 11, "A second page."))
	doc, err := e.Extract(context.Background(), "a.pdf", "", data)
	if err != nil {
		t.Fatal(err)
	}
	if len(doc.Pages) != 2 || !strings.HasPrefix(doc.Text[doc.Pages[1]:], "A second page.") {
		t.Errorf("pages %v of %q", doc.Pages, doc.Text)
	}
	if doc.Title != "Tides and Power" || !strings.Contains(doc.Text, "The barrage makes 540 GWh a year.") {
		t.Errorf("title %q, text %q", doc.Title, doc.Text)
	}
	checkDocument(t, doc)
}

// Another reader is the judge of what the packings of our own tests mean.
func TestPopplerUnpacksWhatWeUnpack(t *testing.T) {
	e := poppler(t)
	content, want := longContent()
	for name, p := range packings(t, content) {
		doc, err := e.Extract(context.Background(), "a.pdf", "", packedPDF(p[0], p[1]))
		if err != nil || !slices.Equal(strings.Fields(doc.Text), strings.Fields(want)) {
			t.Errorf("%s: error %v, text %.100q", name, err, doc.Text)
		}
	}
}

func TestPopplerFailsInOneClearLine(t *testing.T) {
	e := poppler(t)
	whole := string(textPDF("Hello"))
	cases := []struct {
		name, data, says string
		is               error
	}{
		{name: "no text", data: string(simplePDF("", "0 0 m 10 10 l S")), is: ErrEmpty},
		{name: "only a header", data: "%PDF-1.4\n%", says: "damaged"},
		{name: "cut in the middle", data: whole[:200], says: "damaged"},
		{name: "encrypted", data: strings.Replace(whole, "/Root 1 0 R", "/Root 1 0 R /ID [(a)(b)] /Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O ("+
			strings.Repeat("o", 32)+") /U ("+strings.Repeat("u", 32)+") >>", 1), is: ErrEncrypted},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := e.Extract(context.Background(), "a.pdf", "", []byte(c.data))
			if err == nil || c.is != nil && !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "\n") {
				t.Errorf("error %v, want %v%s", err, c.is, c.says)
			}
		})
	}
}

func TestPopplerIsHeldToItsLimits(t *testing.T) {
	e := poppler(t)
	e.MaxText = 1 // and 1 MB beside
	lines := slices.Repeat([]string{strings.Repeat("the barrage makes power ", 4)}, 50)
	pages := slices.Repeat([]string{setLines(72, 780, 11, lines...)}, 400)
	if _, err := e.Extract(context.Background(), "a.pdf", "", simplePDF("", pages...)); err == nil || !strings.Contains(err.Error(), "wrote more than") {
		t.Errorf("error %v of a flood", err)
	}
	e = poppler(t)
	e.Timeout = time.Nanosecond
	if _, err := e.Extract(context.Background(), "a.pdf", "", textPDF("Hello")); err == nil || !strings.Contains(err.Error(), "took longer than 1ns") {
		t.Errorf("error %v without any time", err)
	}
}

// example is a question about the example documents and what its answer says.
type example struct {
	AnswersIn []string `json:"answers_in"`
	Expect    []string `json:"expect"`
}

func TestBothReadersGiveWhatTheExamplesExpect(t *testing.T) {
	needUnix(t)
	root := filepath.Join("..", "examples")
	questions, err := os.ReadFile(filepath.Join(root, "questions.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	readers := map[string]Extractor{"built-in": child(t, "serve")}
	if path, err := exec.LookPath("pdftotext"); err == nil {
		readers["poppler"] = Extractor{PDFToText: path}
	} else {
		t.Log("poppler's pdftotext is not installed: only the built-in reader is tested")
	}
	asked := 0
	for line := range strings.Lines(string(questions)) {
		var q example
		if err := json.Unmarshal([]byte(line), &q); err != nil {
			t.Fatal(err)
		}
		if len(q.AnswersIn) != 1 || filepath.Ext(q.AnswersIn[0]) != ".pdf" {
			continue
		}
		asked++
		data, err := os.ReadFile(filepath.Join(root, "corpus", filepath.FromSlash(q.AnswersIn[0])))
		if err != nil {
			t.Fatal(err)
		}
		for name, e := range readers {
			doc, err := e.Extract(context.Background(), q.AnswersIn[0], "", data)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			flat := strings.Join(strings.Fields(doc.Text), " ")
			for _, want := range q.Expect {
				if !strings.Contains(flat, want) {
					t.Errorf("%s: no %q in the text of %s", name, want, q.AnswersIn[0])
				}
			}
		}
	}
	if asked == 0 {
		t.Error("no question of the examples is answered by a PDF alone")
	}
}

// The two readers may order and hyphenate differently, but see the same words.
func TestBothReadersSeeTheSameWords(t *testing.T) {
	needUnix(t)
	e := poppler(t)
	files, err := filepath.Glob(filepath.Join("..", "examples", "corpus", "*", "*.pdf"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no PDF among the examples: %v", err)
	}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		ours, err := child(t, "serve").Extract(context.Background(), f, "", data)
		if err != nil {
			t.Fatal(err)
		}
		theirs, err := e.Extract(context.Background(), f, "", data)
		if err != nil {
			t.Fatal(err)
		}
		if len(ours.Pages) != len(theirs.Pages) {
			t.Errorf("%s: %d pages; poppler: %d", f, len(ours.Pages), len(theirs.Pages))
		}
		if (ours.References == nil) != (theirs.References == nil) {
			t.Errorf("%s: references %v; poppler: %v", f, ours.References, theirs.References)
		}
		if a, b := wordsIn(ours.Text, theirs.Text), wordsIn(theirs.Text, ours.Text); a < 0.98 || b < 0.98 {
			t.Errorf("%s: %.3f of our words are poppler's, %.3f of poppler's are ours", f, a, b)
		}
	}
}

// wordsIn is the share of the words of a that are words of b, as often.
func wordsIn(a, b string) float64 {
	count := map[string]int{}
	for _, w := range strings.Fields(b) {
		count[w]++
	}
	words, found := strings.Fields(a), 0
	for _, w := range words {
		if count[w] > 0 {
			count[w]--
			found++
		}
	}
	return float64(found) / float64(max(len(words), 1))
}
