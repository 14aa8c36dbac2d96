package text

import (
	"bufio"
	"encoding/json"
	"os"
	"strings"
	"testing"
)

type segmentRow struct {
	ID        string   `json:"id"`
	Golden    bool     `json:"golden"`
	Text      string   `json:"text"`
	Sentences []string `json:"sentences"`
	Lossless  bool     `json:"lossless"`
}

// TestSentencesOnPublicRules measures on data outside the module and holds the
// English golden rules at 48 of 52.
func TestSentencesOnPublicRules(t *testing.T) {
	const dir = "../../shared/data/text/"
	if _, err := os.Stat(dir + "en.jsonl"); err != nil {
		t.Skipf("public sentence data is not there: %v", err)
	}
	for _, lang := range []string{"en", "de", "es", "fr", "ja", "ru", "zh"} {
		var golden, goldenAll, other, otherAll int
		for _, row := range segmentRows(t, dir+lang+".jsonl") {
			ok := sameSentences(row, lang)
			if row.Golden {
				goldenAll++
				if ok {
					golden++
				}
			} else {
				otherAll++
				if ok {
					other++
				}
			}
			if !ok && testing.Verbose() && os.Getenv("SHOW") != "" {
				t.Logf("%s %q\n  got  %q\n  want %q", row.ID, row.Text, spanTexts(row.Text, Sentences(row.Text, lang)), row.Sentences)
			}
		}
		t.Logf("%s: golden %d/%d, other %d/%d", lang, golden, goldenAll, other, otherAll)
		if lang == "en" && golden < 48 {
			t.Errorf("English golden rules: %d of %d, want 48", golden, goldenAll)
		}
	}
}

func segmentRows(t *testing.T, path string) []segmentRow {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	var rows []segmentRow
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 1<<20)
	for sc.Scan() {
		var row segmentRow
		if err := json.Unmarshal(sc.Bytes(), &row); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		rows = append(rows, row)
	}
	if err := sc.Err(); err != nil {
		t.Fatal(err)
	}
	return rows
}

// sameSentences compares with runs of white space made one, as the rows do.
func sameSentences(row segmentRow, lang string) bool {
	got := spanTexts(row.Text, Sentences(row.Text, lang))
	if len(got) != len(row.Sentences) {
		return false
	}
	for i, want := range row.Sentences {
		if strings.Join(strings.Fields(got[i]), " ") != strings.Join(strings.Fields(want), " ") {
			return false
		}
	}
	return true
}

func spanTexts(s string, spans []Span) []string {
	out := make([]string, len(spans))
	for i, sp := range spans {
		out[i] = sp.Of(s)
	}
	return out
}

func FuzzSentences(f *testing.F) {
	f.Add("1.) x 2.) y. • z (a. B) “c. d.” . . . e", "en")
	f.Add("Am 12. Juni. z. B. Dr. X\n\n# y\n- z", "de")
	f.Add("这座桥。「好！」吗？", "")
	f.Add("a\xff.\xf0 B. \n.\n\n", "")
	f.Fuzz(func(t *testing.T, s, lang string) {
		last := 0
		for _, span := range Sentences(s, lang) {
			checkSpan(t, s, span)
			if span.Start < last {
				t.Fatalf("span %v begins before %d in %q", span, last, s)
			}
			if strings.TrimSpace(s[last:span.Start]) != "" {
				t.Fatalf("%q is in no sentence of %q", s[last:span.Start], s)
			}
			last = span.End
		}
		if strings.TrimSpace(strings.ReplaceAll(s[last:], "\u2029", "")) != "" {
			t.Fatalf("%q is in no sentence of %q", s[last:], s)
		}
	})
}
