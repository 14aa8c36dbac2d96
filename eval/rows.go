package eval

// Rows of data files: JSON lines or, by the name, CSV with a header; either may
// be gzipped.

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
)

// ErrData: a file of data that is not there or not as it should be. The message
// says what would be right.
var ErrData = errors.New("data")

// dataError is an ErrData whose message is all there is to say.
type dataError struct{ message string }

func (e dataError) Error() string { return e.message }

func (dataError) Is(target error) bool { return target == ErrData }

func wrong(format string, args ...any) error { return dataError{fmt.Sprintf(format, args...)} }

const (
	// maxLine is the longest row in bytes.
	maxLine = 64 << 20
	// maxFile bounds what a gzipped page may unpack to.
	maxFile = 100 << 20
)

// open opens a file, through gzip if its name says so.
func open(name string) (io.ReadCloser, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, wrong("%s can't be read (%v): name a file that is there", name, cause(err))
	}
	if !strings.HasSuffix(name, ".gz") {
		return f, nil
	}
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, errors.Join(wrong("%s is not gzipped (%v): rename or pack it", name, err), f.Close())
	}
	return unpacked{z, f}, nil
}

// unpacked closes the file beneath.
type unpacked struct {
	*gzip.Reader
	file *os.File
}

func (u unpacked) Close() error { return errors.Join(u.Reader.Close(), u.file.Close()) }

// cause is what was wrong with a file, without its path.
func cause(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// eachRow calls f with every row of a file as a JSON object and the number of its line or, in CSV, of the row.
func eachRow(name string, f func(n int, row []byte) error) (err error) {
	r, err := open(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	if strings.HasSuffix(strings.TrimSuffix(name, ".gz"), ".csv") {
		return csvRows(name, r, f)
	}
	return jsonRows(name, r, f)
}

func jsonRows(name string, r io.Reader, f func(int, []byte) error) error {
	s := bufio.NewScanner(r)
	s.Buffer(nil, maxLine)
	for n := 1; s.Scan(); n++ {
		if len(bytes.TrimSpace(s.Bytes())) == 0 {
			continue
		}
		if err := f(n, s.Bytes()); err != nil {
			return err
		}
	}
	if err := s.Err(); err != nil {
		return wrong("%s can't be read to its end: %v", name, err)
	}
	return nil
}

// csvRows makes an object of strings of each row, by the names in the first.
func csvRows(name string, r io.Reader, f func(int, []byte) error) error {
	c := csv.NewReader(r)
	c.FieldsPerRecord = -1
	header, err := c.Read()
	if err != nil {
		return wrong("%s: no header row (%v): the first row names the columns", name, err)
	}
	header[0] = strings.TrimPrefix(header[0], "\ufeff")
	for n := 2; ; n++ {
		record, err := c.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return wrong("%s: %v", name, err)
		}
		row := map[string]string{}
		for i, v := range record[:min(len(record), len(header))] {
			row[strings.TrimSpace(header[i])] = v
		}
		object, err := json.Marshal(row)
		if err != nil {
			return err
		}
		if err := f(n, object); err != nil {
			return err
		}
	}
}

// list is a list of strings, or one string of them set apart by spaces, commas, semicolons or bars, as in CSV.
type list []string

// UnmarshalJSON takes both forms, and numbers for strings.
func (l *list) UnmarshalJSON(b []byte) error {
	var items []id
	if err := json.Unmarshal(b, &items); err == nil {
		for _, s := range items {
			*l = append(*l, string(s))
		}
		return nil
	}
	var s id
	if err := json.Unmarshal(b, &s); err != nil {
		return err
	}
	*l = strings.FieldsFunc(string(s), func(r rune) bool { return strings.ContainsRune(" ,;|[]\"'", r) })
	return nil
}

// id is a string, or a number taken for one.
type id string

// UnmarshalJSON takes both.
func (i *id) UnmarshalJSON(b []byte) error {
	var s string
	if err := json.Unmarshal(b, &s); err == nil {
		*i = id(s)
		return nil
	}
	var n json.Number
	if err := json.Unmarshal(b, &n); err != nil {
		return errors.New("neither a string nor a number")
	}
	*i = id(n)
	return nil
}
