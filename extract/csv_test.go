package extract

import (
	"strings"
	"testing"
)

func TestCSVRowsBecomeRecords(t *testing.T) {
	cases := []struct{ what, name, data, want string }{
		{"commas", "a.csv", "Year,Region,Output\n2021,North,41.5\n2022,South,40\n", "Year: 2021; Region: North; Output: 41.5.\nYear: 2022; Region: South; Output: 40.\n"},
		{"semicolons with decimal commas", "a.csv", "Jahr;Land;Wert\n2021;Nord;41,5\n2022;Süd;1,0\n", "Jahr: 2021; Land: Nord; Wert: 41,5.\nJahr: 2022; Land: Süd; Wert: 1,0.\n"},
		{"tabs", "a.tsv", "k\tv\na, b\tc; d\n", "k: a, b; v: c; d.\n"},
		{"tabs in a .csv", "a.csv", "name\tvalue\none\t1\ntwo\t2\n", "name: one; value: 1.\nname: two; value: 2.\n"},
		{"quoted newlines and quotes", "a.csv", "Name,Note\nAnn,\"two\nlines, \"\"quoted\"\"\"\n", "Name: Ann; Note: two lines, \"quoted\".\n"},
		{"empty cells and rows", "a.csv", "a,b,c\n1,,3\n,,\n,2,\n", "a: 1; c: 3.\nb: 2.\n"},
		{"no header", "a.csv", "1,2\n3,4\n", "1; 2.\n3; 4.\n"},
		{"a title above the header", "a.csv", "Output of plants,,\nYear,Region,GWh\n2021,North,5\n", "Output of plants.\nYear: 2021; Region: North; GWh: 5.\n"},
		{"years as columns", "a.csv", "Country,2020,2021\nFrance,1,2\n", "Country: France; 2020: 1; 2021: 2.\n"},
		{"header alone", "a.csv", "a,b\n", "a; b.\n"},
		{"rows wider than the header", "a.csv", "a,b\n1,2,3\n4,5\n", "a: 1; b: 2; 3.\na: 4; b: 5.\n"},
		{"stray quotes", "a.csv", "size,name\n5\" disk,x\n", "size: 5\" disk; name: x.\n"},
		{"a sentence in a cell", "a.csv", "id,text\n1,It works.\n", "id: 1; text: It works.\n"},
		{"one column", "a.csv", "city\nParis\nRome\n", "city: Paris.\ncity: Rome.\n"},
	}
	for _, c := range cases {
		if got := extractString(t, c.name, "", c.data).Text; got != c.want {
			t.Errorf("%s:\n%s\nwant:\n%s", c.what, got, c.want)
		}
	}
}

func TestCSVTitleAndBounds(t *testing.T) {
	doc := extractString(t, "dir/tidal_output-2021.csv", "", "Year,GWh\n2021,540\n")
	if doc.Title != "tidal output 2021" || doc.Format != CSV || doc.Date != "" {
		t.Errorf("%+v", doc)
	}
	long := "a,b\n" + strings.Repeat("1,2\n", 100_000)
	got, err := readCSV(long, "x.csv", 1000)
	if err != nil || len(got.Text) > 1100 {
		t.Errorf("error %v, %d bytes for a limit of 1000", err, len(got.Text))
	}
}
