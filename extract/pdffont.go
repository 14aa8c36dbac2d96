// PDF: fonts. From the codes of a shown string to text and widths.
package extract

import (
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/ledongthuc/pdf"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
)

// pdfFont decodes shown strings. Widths are in thousandths of the font size.
type pdfFont struct {
	composite bool
	simple    [256]string
	widths    [256]float64
	cidWidths map[int]float64
	cidWidth  float64 // of CIDs that cidWidths lacks
	unicode   *charMap
	wide      encoding.Encoding // of composite fonts with a predefined map
	utf16     bool
}

// pdfChar is one code of a shown string.
type pdfChar struct {
	text  string
	width float64
	space bool // the single-byte code 32, to which word spacing applies
}

func newPDFFont(v pdf.Value, streams pdfStreams) *pdfFont {
	f := &pdfFont{}
	if m := v.Key("ToUnicode"); m.Kind() == pdf.Stream {
		f.unicode = parseCharMap(streams.bytes(m))
	}
	if v.Key("Subtype").Name() == "Type0" {
		f.composite = true
		f.loadComposite(v)
		return f
	}
	f.loadSimple(v)
	return f
}

func (f *pdfFont) loadSimple(v pdf.Value) {
	enc := v.Key("Encoding")
	base := enc.Name()
	if enc.Kind() == pdf.Dict {
		base = enc.Key("BaseEncoding").Name()
	}
	library := (&pdf.Font{V: v}).Encoder()
	for c := range 256 {
		s := ""
		if enc.Kind() != pdf.Stream && library != nil {
			s = library.Decode(string([]byte{byte(c)}))
		}
		if enc.Kind() == pdf.Dict && (s == "" || s == string(rune(c))) {
			s = baseChar(base, byte(c))
		}
		if enc.Kind() == pdf.Null && f.unicode != nil {
			s = ""
		}
		f.simple[c] = s
	}
	f.differences(enc.Key("Differences"))
	for c := range 256 {
		if f.unicode != nil {
			if s, ok := f.unicode.lookup(c); ok {
				f.simple[c] = s
			}
		}
	}
	f.simpleWidths(v)
}

func baseChar(base string, c byte) string {
	if base == "MacRomanEncoding" {
		return string(charmap.Macintosh.DecodeByte(c))
	}
	return string(charmap.Windows1252.DecodeByte(c))
}

// differences adds the glyph names that the library's list lacks: uniXXXX,
// uXXXXX and ligatures written as f_i.
func (f *pdfFont) differences(d pdf.Value) {
	code := 0
	for i := range min(d.Len(), 1024) {
		x := d.Index(i)
		if x.Kind() == pdf.Integer {
			code = int(x.Int64())
			continue
		}
		name, _, _ := strings.Cut(x.Name(), ".")
		if code >= 0 && code < 256 {
			if s := glyphText(name); s != "" {
				f.simple[code] = s
			}
		}
		code++
	}
}

func glyphText(name string) string {
	if strings.Contains(name, "_") {
		parts := strings.Split(name, "_")
		for _, p := range parts {
			if len(p) != 1 {
				return ""
			}
		}
		return strings.Join(parts, "")
	}
	digits, ok := strings.CutPrefix(name, "uni")
	if !ok || len(digits) < 4 {
		if digits, ok = strings.CutPrefix(name, "u"); !ok || len(digits) < 4 {
			return ""
		}
	} else {
		digits = digits[:4]
	}
	v, err := strconv.ParseUint(digits, 16, 21)
	if err != nil || v == 0 {
		return ""
	}
	return string(rune(v))
}

func (f *pdfFont) simpleWidths(v pdf.Value) {
	scale := 1.0
	if v.Key("Subtype").Name() == "Type3" {
		if m := v.Key("FontMatrix").Index(0).Float64(); m != 0 {
			scale = m * 1000
		}
	}
	missing := v.Key("FontDescriptor").Key("MissingWidth").Float64()
	for c := range 256 {
		f.widths[c] = missing * scale
	}
	widths := v.Key("Widths")
	first := int(v.Key("FirstChar").Int64())
	if widths.Len() == 0 {
		f.standardWidths(v.Key("BaseFont").Name())
		return
	}
	for i := range min(widths.Len(), 256) {
		if c := first + i; c >= 0 && c < 256 {
			f.widths[c] = widths.Index(i).Float64() * scale
		}
	}
}

// Widths of the standard fonts from space to tilde, which a PDF may leave out.
var (
	helveticaWidths = [95]float64{
		278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278,
		556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015,
		667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611,
		278, 278, 278, 469, 556, 333,
		556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500,
		334, 260, 334, 584,
	}
	timesWidths = [95]float64{
		250, 333, 408, 500, 500, 833, 778, 180, 333, 333, 500, 564, 250, 333, 250, 278,
		500, 500, 500, 500, 500, 500, 500, 500, 500, 500, 278, 278, 564, 564, 564, 444, 921,
		722, 667, 667, 722, 611, 556, 722, 722, 333, 389, 722, 611, 889, 722, 722, 556, 722, 667, 556, 611, 722, 722, 944, 722, 722, 611,
		333, 278, 333, 469, 500, 333,
		444, 500, 444, 500, 444, 333, 500, 500, 278, 278, 500, 278, 778, 500, 500, 500, 500, 333, 389, 278, 500, 500, 722, 500, 500, 444,
		480, 200, 480, 541,
	}
)

func (f *pdfFont) standardWidths(base string) {
	table := &helveticaWidths
	if strings.Contains(base, "Times") {
		table = &timesWidths
	}
	for c := range 256 {
		switch {
		case c < ' ':
			f.widths[c] = 0
		case strings.Contains(base, "Courier"):
			f.widths[c] = 600
		case c <= '~':
			f.widths[c] = table[c-' ']
		default:
			f.widths[c] = 500
		}
	}
}

// Predefined character maps by the part of their name that tells the charset.
var predefinedMaps = []struct {
	part string
	enc  encoding.Encoding
}{
	{"GBK", simplifiedchinese.GBK}, {"GB-EUC", simplifiedchinese.GBK}, {"GBpc", simplifiedchinese.GBK},
	{"RKSJ", japanese.ShiftJIS}, {"EUC-H", japanese.EUCJP},
	{"B5", traditionalchinese.Big5}, {"ETen", traditionalchinese.Big5},
	{"KSC", korean.EUCKR},
}

func (f *pdfFont) loadComposite(v pdf.Value) {
	name := v.Key("Encoding").Name()
	switch {
	case strings.Contains(name, "UCS2"), strings.Contains(name, "UTF16"):
		f.utf16 = true
	case strings.HasPrefix(name, "Identity"):
	default:
		for _, m := range predefinedMaps {
			if strings.Contains(name, m.part) {
				f.wide = m.enc
				break
			}
		}
	}
	cid := v.Key("DescendantFonts").Index(0)
	f.cidWidth = 1000
	if dw := cid.Key("DW"); dw.Kind() == pdf.Integer || dw.Kind() == pdf.Real {
		f.cidWidth = dw.Float64()
	}
	f.loadCIDWidths(cid.Key("W"))
}

// loadCIDWidths reads "c [w1 w2 …]" and "first last w" groups.
func (f *pdfFont) loadCIDWidths(w pdf.Value) {
	f.cidWidths = map[int]float64{}
	n := min(w.Len(), 1<<17)
	for i := 0; i+1 < n; {
		first := int(w.Index(i).Int64())
		second := w.Index(i + 1)
		if second.Kind() == pdf.Array {
			for j := range min(second.Len(), 1<<16) {
				f.cidWidths[first+j] = second.Index(j).Float64()
			}
			i += 2
			continue
		}
		last := min(int(second.Int64()), first+1<<16)
		width := w.Index(i + 2).Float64()
		for c := first; c <= last; c++ {
			f.cidWidths[c] = width
		}
		i += 3
	}
}

// decode gives the characters of a shown string to emit.
func (f *pdfFont) decode(s string, emit func(pdfChar)) {
	if !f.composite {
		for i := range len(s) {
			c := s[i]
			emit(pdfChar{f.simple[c], f.widths[c], c == ' '})
		}
		return
	}
	for len(s) > 0 {
		n := f.codeLength(s)
		code := 0
		for _, c := range []byte(s[:n]) {
			code = code<<8 | int(c)
		}
		width, ok := f.cidWidths[code]
		if !ok {
			width = f.cidWidth
		}
		emit(pdfChar{f.compositeText(s[:n], code), width, n == 1 && code == ' '})
		s = s[n:]
	}
}

func (f *pdfFont) codeLength(s string) int {
	n := 2
	switch {
	case f.wide != nil:
		if s[0] < 0x80 || s[0] == 0xa0 || f.wide == japanese.ShiftJIS && s[0] >= 0xa1 && s[0] <= 0xdf {
			n = 1
		}
	case f.unicode != nil && f.unicode.oneByte:
		n = 1
	}
	return min(n, len(s))
}

func (f *pdfFont) compositeText(raw string, code int) string {
	if f.unicode != nil {
		if s, ok := f.unicode.lookup(code); ok {
			return s
		}
	}
	switch {
	case f.utf16:
		return utf16Text(raw)
	case f.wide != nil:
		if s, err := f.wide.NewDecoder().String(raw); err == nil {
			return s
		}
	}
	return ""
}

func utf16Text(s string) string {
	units := make([]uint16, 0, len(s)/2)
	for i := 0; i+1 < len(s); i += 2 {
		units = append(units, uint16(s[i])<<8|uint16(s[i+1]))
	}
	return string(utf16.Decode(units))
}
