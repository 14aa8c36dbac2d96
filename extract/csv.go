// CSV and TSV: each row becomes a line that reads as a record, so that a row
// can be quoted: "Year: 2021; Region: North; Output: 41.5."
package extract

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
)

// maxHeaderRows is how many leading rows are looked at to find the header;
// exports put titles and notes above it.
const maxHeaderRows = 12

func readCSV(s, name string, maxText int) (Document, error) {
	doc := Document{Title: baseName(name)}
	r := csv.NewReader(strings.NewReader(s))
	r.Comma = delimiter(s, name)
	r.LazyQuotes = true
	r.FieldsPerRecord = -1
	var head [][]string
	for len(head) < maxHeaderRows {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return Document{}, fmt.Errorf("row %d: %w", len(head)+1, err)
		}
		head = append(head, fold(row))
	}
	at := headerRow(head)
	var header []string
	var b strings.Builder
	for i, row := range head {
		switch {
		case i == at:
			header = row
		case i < at:
			writeRecord(&b, nil, row)
		default:
			writeRecord(&b, header, row)
		}
	}
	// FieldsPerRecord is off and quotes are lazy: reading ends at io.EOF only.
	for b.Len() <= maxText {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return Document{}, fmt.Errorf("table: %w", err)
		}
		writeRecord(&b, header, fold(row))
	}
	if b.Len() == 0 && header != nil {
		writeRecord(&b, nil, header)
	}
	doc.Text = b.String()
	return doc, nil
}

// delimiter picks the separator that splits the first lines into the most
// even rows. Tab needs no evidence in a .tsv.
func delimiter(s, name string) rune {
	if extension(name) == ".tsv" {
		return '\t'
	}
	lines := sampleLines(s, 20)
	best, bestScore := ',', 0.0
	for _, d := range []rune{',', ';', '\t', '|'} {
		counts := map[int]int{}
		for _, line := range lines {
			counts[fields(line, d)]++
		}
		score := 0.0
		for n, lines := range counts {
			if n > 1 {
				// Rows of equal width count for more than wide rows: decimal
				// commas make uneven ones.
				score = max(score, float64(lines*lines)*(1+float64(min(n, 20))/100))
			}
		}
		if score > bestScore {
			best, bestScore = d, score
		}
	}
	return best
}

// sampleLines are the first n records as raw text; a quoted newline does not
// end one.
func sampleLines(s string, n int) []string {
	s = s[:min(len(s), 64<<10)]
	var lines []string
	quoted, start := false, 0
	for i := 0; i < len(s) && len(lines) < n; i++ {
		switch s[i] {
		case '"':
			quoted = !quoted
		case '\n':
			if !quoted {
				if i > start {
					lines = append(lines, s[start:i])
				}
				start = i + 1
			}
		}
	}
	if start < len(s) && len(lines) < n {
		lines = append(lines, s[start:])
	}
	return lines
}

func fields(line string, d rune) int {
	quoted, n := false, 1
	for _, r := range line {
		switch {
		case r == '"':
			quoted = !quoted
		case r == d && !quoted:
			n++
		}
	}
	return n
}

func fold(row []string) []string {
	out := make([]string, len(row))
	for i, cell := range row {
		out[i] = strings.Join(strings.Fields(cell), " ")
	}
	return out
}

var numeric = regexp.MustCompile(`^[-+~<>≈$€£¥]*\s?[\d.,  '%]*\d[\d.,  '%]*\s?[%€$£]?$`)

// headerRow is the index of the row that names the columns, -1 without one.
// It is the first row as wide as the table whose cells are all filled,
// distinct and no numbers, years excepted when they are in the minority.
func headerRow(rows [][]string) int {
	width := 0
	for _, row := range rows {
		width = max(width, filled(row))
	}
	for i, row := range rows {
		if n := filled(row); n < width-1 || n < 1 || n < 2 && width > 1 {
			continue
		}
		if isHeader(row) {
			return i
		}
		return -1 // data begins without a header
	}
	return -1
}

func filled(row []string) int {
	n := 0
	for _, cell := range row {
		if cell != "" {
			n++
		}
	}
	return n
}

func isHeader(row []string) bool {
	seen := map[string]bool{}
	numbers := 0
	for i, cell := range row {
		if cell == "" && i == 0 {
			continue // the corner above row names
		}
		if seen[cell] && cell != "" || len(cell) > 120 {
			return false
		}
		seen[cell] = true
		if numeric.MatchString(cell) || cell != "" && isoDate(cell) != "" && !yearOnly.MatchString(cell) {
			if !yearOnly.MatchString(cell) {
				return false
			}
			numbers++
		}
	}
	return numbers < len(row)
}

func writeRecord(b *strings.Builder, header, row []string) {
	wrote := false
	for i, cell := range row {
		if cell == "" {
			continue
		}
		if wrote {
			b.WriteString("; ")
		}
		if i < len(header) && header[i] != "" {
			b.WriteString(header[i])
			b.WriteString(": ")
		}
		b.WriteString(cell)
		wrote = true
	}
	if !wrote {
		return
	}
	if last := b.String()[b.Len()-1]; last != '.' && last != '!' && last != '?' {
		b.WriteByte('.')
	}
	b.WriteByte('\n')
}
