// PDF: the bytes of streams. The library unpacks deflate and base 85; what old
// files and print drivers use besides is unpacked here.
package extract

import (
	"bytes"
	"compress/zlib"
	"encoding/ascii85"
	"io"
	"strconv"
	"strings"

	"github.com/ledongthuc/pdf"
)

// maxStream bounds one unpacked stream, maxFilters how often one is packed.
const (
	maxStream  = 64 << 20
	maxFilters = 8
)

// pdfStreams unpacks the streams of a file.
type pdfStreams struct {
	file []byte // nil for an encrypted file, which only the library can read
}

// bytes unpacks a stream as far as it goes; a damaged one is cut, one with an
// unknown filter is empty.
func (s pdfStreams) bytes(v pdf.Value) (data []byte) {
	defer func() {
		if recover() != nil {
			data = nil
		}
	}()
	if names := filterNames(v); s.file != nil && needsOwnFilters(names) {
		return s.unpack(v, names)
	}
	r := v.Reader()
	data, err := io.ReadAll(io.LimitReader(r, maxStream))
	if closeErr := r.Close(); err != nil || closeErr != nil {
		return data // what was unpacked before the damage
	}
	return data
}

func filterNames(v pdf.Value) []string {
	f := v.Key("Filter")
	if f.Kind() == pdf.Name {
		return []string{f.Name()}
	}
	var names []string
	for i := range min(f.Len(), maxFilters+1) {
		names = append(names, f.Index(i).Name())
	}
	return names
}

func needsOwnFilters(names []string) bool {
	for _, n := range names {
		switch n {
		case "LZWDecode", "RunLengthDecode", "ASCIIHexDecode":
			return true
		}
	}
	return false
}

// unpack takes the packed bytes from the file. The library tells their place
// only at the end of a stream's description: "<<…>>@offset".
func (s pdfStreams) unpack(v pdf.Value, names []string) []byte {
	described := v.String()
	at, err := strconv.Atoi(described[strings.LastIndexByte(described, '@')+1:])
	length := int(v.Key("Length").Int64())
	if err != nil || at > len(s.file) || length < 0 || len(names) > maxFilters {
		return nil
	}
	data := s.file[at:min(len(s.file), at+min(length, len(s.file)))]
	params := v.Key("DecodeParms")
	for i, name := range names {
		p := params
		if params.Kind() == pdf.Array {
			p = params.Index(i)
		}
		if p.Key("Predictor").Int64() > 1 {
			return nil // of images
		}
		data = unfilter(data, name, p)
	}
	return data
}

func unfilter(data []byte, name string, params pdf.Value) []byte {
	switch name {
	case "LZWDecode":
		early := 1
		if e := params.Key("EarlyChange"); e.Kind() == pdf.Integer {
			early = int(e.Int64())
		}
		return unLZW(data, early)
	case "RunLengthDecode":
		return unRunLength(data)
	case "ASCIIHexDecode":
		return []byte((&pdfLexer{data: data, pos: -1}).hex())
	case "ASCII85Decode":
		data, _, _ = bytes.Cut(bytes.TrimPrefix(bytes.TrimSpace(data), []byte("<~")), []byte("~"))
		return readSome(ascii85.NewDecoder(bytes.NewReader(data)))
	case "FlateDecode":
		r, err := zlib.NewReader(bytes.NewReader(data))
		if err != nil {
			return nil
		}
		return readSome(r)
	}
	return nil
}

// readSome reads what can be read.
func readSome(r io.Reader) []byte {
	data, err := io.ReadAll(io.LimitReader(r, maxStream))
	if err != nil {
		return data // what was unpacked before the damage
	}
	return data
}

// unRunLength: a length below 128 is followed by that many bytes and one more,
// one above by a byte to be repeated 257-length times; 128 is the end.
func unRunLength(data []byte) []byte {
	var out []byte
	for i := 0; i < len(data) && len(out) < maxStream; {
		n := int(data[i])
		i++
		switch {
		case n < 128:
			end := min(i+n+1, len(data))
			out = append(out, data[i:end]...)
			i = end
		case n > 128 && i < len(data):
			out = append(out, bytes.Repeat(data[i:i+1], 257-n)...)
			i++
		default:
			return out
		}
	}
	return out
}

// Codes of LZW: bytes, then two signs, then the strings seen so far.
const (
	lzwClear = 256
	lzwEnd   = 257
	lzwFirst = 258
	lzwMax   = 4096
)

// unLZW decodes LZW as PDF and TIFF have it: the highest bit first, and codes
// grow one code earlier than they must where early is 1. (compress/lzw knows
// only the other kind.)
func unLZW(data []byte, early int) []byte {
	var out []byte
	// A string of the table is one of the output: that of the code before and one byte more.
	var starts, ends [lzwMax]int
	next, width := lzwFirst, 9
	last, lastEnd := -1, 0 // where the string of the code before is in out
	acc, bits := 0, 0
	for _, c := range data {
		acc, bits = acc<<8|int(c), bits+8
		if bits < width {
			continue
		}
		bits -= width
		code := acc >> bits
		acc &= 1<<bits - 1
		start := len(out)
		switch {
		case code == lzwEnd || len(out) > maxStream:
			return out
		case code == lzwClear:
			next, width, last = lzwFirst, 9, -1
			continue
		case code < lzwClear:
			out = append(out, byte(code))
		case code < next:
			out = append(out, out[starts[code]:ends[code]]...)
		case code == next && last >= 0: // the string that this very code completes
			out = append(append(out, out[last:lastEnd]...), out[last])
		default:
			return out // damaged
		}
		if last >= 0 && next < lzwMax {
			starts[next], ends[next] = last, lastEnd+1
			next++
		}
		last, lastEnd = start, len(out)
		if next+early >= 1<<width && width < 12 {
			width++
		}
	}
	return out
}
