package eval

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestLists(t *testing.T) {
	for in, want := range map[string][]string{
		`["a","b c"]`: {"a", "b c"}, `[1,"2"]`: {"1", "2"}, `"a; b|c, d"`: {"a", "b", "c", "d"}, `"['9', '5']"`: {"9", "5"}, `7`: {"7"}, `""`: {},
	} {
		var l list
		if err := json.Unmarshal([]byte(in), &l); err != nil || !slices.Equal(l, want) {
			t.Errorf("%s: %q, %v", in, l, err)
		}
	}
}

func TestFilesThatCannotBeRead(t *testing.T) {
	dir := folder(t, map[string]string{"plain.jsonl": "{}\n", "empty.csv": "", "quotes.csv": "a,b\n\"x\n"})
	if err := os.WriteFile(filepath.Join(dir, "plain.gz"), []byte("not packed"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, message := range map[string]string{
		"none.jsonl": "name a file that is there", "plain.gz": "is not gzipped", "empty.csv": "no header row", "quotes.csv": "quotes.csv",
	} {
		err := eachRow(filepath.Join(dir, name), func(int, []byte) error { return nil })
		if !errors.Is(err, ErrData) || !strings.Contains(err.Error(), message) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// FuzzRows reads rows of both formats: whatever comes is a row of JSON or an ErrData.
func FuzzRows(f *testing.F) {
	f.Add("a,b\n1,\"2\n3\"\n", true)
	f.Add("\ufeffdoc_id,title,text\nx\n,,,,\n", true)
	f.Add("{\"doc_id\":\"a\",\"gold\":[1,\"x\"]}\n\n[", false)
	f.Fuzz(func(t *testing.T, data string, isCSV bool) {
		read := jsonRows
		if isCSV {
			read = csvRows
		}
		err := read("data", strings.NewReader(data), func(_ int, row []byte) error {
			var d documentRow
			var q questionRow
			var p pageRow
			for _, v := range []any{&d, &q, &p} {
				if err := json.Unmarshal(row, v); err != nil && isCSV && !errors.As(err, new(*json.UnmarshalTypeError)) {
					t.Fatalf("row %q: %v", row, err)
				}
			}
			for _, g := range q.Gold {
				if isCSV && g == "" {
					t.Fatal("gold without an id")
				}
			}
			return nil
		})
		if err != nil && !errors.Is(err, ErrData) {
			t.Fatal(err)
		}
	})
}
