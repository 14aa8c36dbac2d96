package extract

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// sharedData is where public data for measurements lies, outside the project.
const sharedData = "../../shared/data"

func shared(t testing.TB, name string) string {
	t.Helper()
	path := filepath.Join(sharedData, name)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("%s is not there: nothing is measured", path)
	}
	return path
}

func gunzip(t testing.TB, path string) []byte {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(z)
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	return data
}

type pdfReference struct {
	File  string `json:"file"`
	Pages int    `json:"pages"`
	Words int    `json:"words"`
	Text  string `json:"ref_text"`
}

func pdfReferences(t testing.TB) []pdfReference {
	t.Helper()
	var refs []pdfReference
	dec := json.NewDecoder(strings.NewReader(string(gunzip(t, shared(t, "pdfs/index.jsonl.gz")))))
	for dec.More() {
		var r pdfReference
		if err := dec.Decode(&r); err != nil {
			t.Fatal(err)
		}
		refs = append(refs, r)
	}
	return refs
}

var wordPattern = regexp.MustCompile(`[\pL\pN]+`)

// wordF1 compares bags of words.
func wordF1(got, want string) float64 {
	count := map[string]int{}
	wanted := wordPattern.FindAllString(strings.ToLower(want), -1)
	for _, w := range wanted {
		count[w]++
	}
	words := wordPattern.FindAllString(strings.ToLower(got), -1)
	common := 0
	for _, w := range words {
		if count[w] > 0 {
			count[w]--
			common++
		}
	}
	if len(words)+len(wanted) == 0 {
		return 1
	}
	return 2 * float64(common) / float64(len(words)+len(wanted))
}

// refCut is where the reference texts were cut, in characters.
const refCut = 60_000

func TestPDFTextAgainstPdftotext(t *testing.T) {
	sum, n := 0.0, 0
	for _, ref := range pdfReferences(t) {
		data, err := os.ReadFile(shared(t, "pdfs/"+ref.File))
		if err != nil {
			t.Fatal(err)
		}
		a := parsePDF(data, DefaultMaxText)
		if a.Error != "" || a.Encrypted {
			t.Errorf("%s: %s", ref.File, a.Error)
		}
		if len(a.Pages) != ref.Pages {
			t.Errorf("%s: %d pages, want %d", ref.File, len(a.Pages), ref.Pages)
		}
		text := a.Text
		if r := []rune(ref.Text); len(r) >= refCut {
			text = string([]rune(text)[:min(refCut, len([]rune(text)))])
		}
		f1 := wordF1(text, ref.Text)
		t.Logf("%-45s F1 %.3f  %q %q %s refs %v", ref.File, f1, a.Title, a.Authors, a.Date, findReferences(a.Text))
		sum += f1
		n++
	}
	mean := sum / float64(n)
	t.Logf("mean F1 %.3f over %d files", mean, n)
	if mean < 0.90 {
		t.Errorf("mean word F1 %.3f, want 0.90", mean)
	}
}
