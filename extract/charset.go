// Bytes of any character set to clean UTF-8.
package extract

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
	textunicode "golang.org/x/text/encoding/unicode"
)

// decode returns data as clean UTF-8. A declared character set counts only if
// the bytes are not UTF-8 anyway: servers and editors declare wrong ones.
func decode(data []byte, contentType string) string {
	if order := utf16Order(data); order != nil {
		if out, err := order.NewDecoder().Bytes(data); err == nil {
			return clean(string(out))
		}
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if mostlyUTF8(data) {
		return clean(string(data))
	}
	// The first kilobyte decides; for plain text without a declaration the
	// answer is windows-1252.
	enc, _, _ := charset.DetermineEncoding(data, contentType)
	out, err := enc.NewDecoder().Bytes(data)
	if err != nil {
		return clean(string(data))
	}
	return clean(string(out))
}

// utf16Order recognises UTF-16 by its byte order mark, or by the zero bytes of
// its ASCII part; nil when data is something else.
func utf16Order(data []byte) encoding.Encoding {
	little := textunicode.UTF16(textunicode.LittleEndian, textunicode.UseBOM)
	big := textunicode.UTF16(textunicode.BigEndian, textunicode.UseBOM)
	switch {
	case bytes.HasPrefix(data, []byte("\xff\xfe")) && !bytes.HasPrefix(data, []byte("\xff\xfe\x00\x00")):
		return little
	case bytes.HasPrefix(data, []byte("\xfe\xff")):
		return big
	}
	head := data[:min(len(data), 256)&^1]
	if len(head) < 16 {
		return nil
	}
	var even, odd int
	for i, b := range head {
		if b != 0 {
			continue
		}
		if i%2 == 0 {
			even++
		} else {
			odd++
		}
	}
	half := len(head) / 2
	switch {
	case odd > half*3/4 && even == 0:
		return textunicode.UTF16(textunicode.LittleEndian, textunicode.IgnoreBOM)
	case even > half*3/4 && odd == 0:
		return textunicode.UTF16(textunicode.BigEndian, textunicode.IgnoreBOM)
	}
	return nil
}

// mostlyUTF8 allows a few broken bytes, as truncated files have them: at most
// one in a thousand, provided that some multi-byte characters are valid.
func mostlyUTF8(data []byte) bool {
	if utf8.Valid(data) {
		return true
	}
	var broken, wide int
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			broken++
		case size > 1:
			wide++
		}
		i += size
	}
	return broken*1000 <= len(data) && wide > 4*broken
}

// clean makes text that offsets can refer to: valid UTF-8, "\n" line ends, no
// control characters but tab, no byte order marks.
func clean(s string) string {
	if !needsCleaning(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for i, r := range s {
		switch {
		case r == '\r':
			if i+1 >= len(s) || s[i+1] != '\n' {
				b.WriteByte('\n')
			}
		case r == '\f' || r == '\v' || r == '\u0085' || r == '\u2028' || r == '\u2029':
			b.WriteByte('\n')
		case r == '\n' || r == '\t':
			b.WriteByte(byte(r))
		case r == '\ufeff' || unicode.IsControl(r):
		default:
			b.WriteRune(r) // RuneError for a broken byte
		}
	}
	return b.String()
}

func needsCleaning(s string) bool {
	for i, r := range s {
		switch {
		case r >= ' ' && r < 0x7f || r == '\n' || r == '\t':
		case r < ' ', r >= 0x7f && r < 0xa0, r == '\ufeff', r == '\u2028', r == '\u2029':
			return true
		case r == utf8.RuneError && !strings.HasPrefix(s[i:], "\ufffd"):
			return true
		}
	}
	return false
}
