package extract

import (
	"bytes"
	"compress/lzw"
	"encoding/ascii85"
	"encoding/hex"
	"math/rand/v2"
	"strings"
	"testing"
)

// toLZW packs as PDF wants it; early is how many codes too soon codes grow.
func toLZW(s string, early int) string {
	var out []byte
	acc, bits, width := 0, 0, 9
	put := func(code int) {
		acc, bits = acc<<width|code, bits+width
		for bits >= 8 {
			bits -= 8
			out = append(out, byte(acc>>bits))
			acc &= 1<<bits - 1
		}
	}
	table := map[string]int{}
	code := func(w string) int {
		if len(w) == 1 {
			return int(w[0])
		}
		return table[w]
	}
	put(lzwClear)
	next, w := lzwFirst, ""
	for i := range len(s) {
		c := s[i : i+1]
		if _, ok := table[w+c]; w == "" || ok {
			w += c
			continue
		}
		put(code(w))
		table[w+c] = next
		// The decoder is one entry behind when it reads the next code.
		if next++; next-1+early >= 1<<width && width < 12 {
			width++
		}
		if next == lzwMax-1 {
			put(code(c))
			put(lzwClear)
			table, next, width, w = map[string]int{}, lzwFirst, 9, ""
			continue
		}
		w = c
	}
	if w != "" {
		put(code(w))
		if next-1+1+early >= 1<<width && width < 12 {
			width++
		}
	}
	put(lzwEnd)
	acc, bits = acc<<(8-bits), 8
	return string(append(out, byte(acc)))
}

func TestLZWOfTheStandard(t *testing.T) {
	// ISO 32000-1, 7.4.4.2, example 1.
	packed, err := hex.DecodeString("800b6050220c0c8501")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := unLZW(packed, 1), "-----A---B"; string(got) != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestLZWOfEveryWidth(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	long := make([]byte, 40_000)
	for i := range long {
		long[i] = "abcdefgh"[random.IntN(8)]
	}
	for _, s := range []string{"", "a", "aaaa", "abababab", string(long[:300]), string(long[:2000]), string(long), strings.Repeat("a", 9000)} {
		for early := range 2 {
			if got := unLZW([]byte(toLZW(s, early)), early); string(got) != s {
				t.Errorf("early change %d: %d bytes come back as %d, %.40q", early, len(s), len(got), got)
			}
		}
	}
}

// Go's own packer is the judge of codes that grow when they must.
func TestLZWWithoutEarlyChangeIsThatOfGo(t *testing.T) {
	for _, s := range []string{"x", "-----A---B", strings.Repeat("The barrage makes 540 GWh a year. ", 2000)} {
		var b bytes.Buffer
		w := lzw.NewWriter(&b, lzw.MSB, 8)
		if _, err := w.Write([]byte(s)); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if got := unLZW(b.Bytes(), 0); string(got) != s {
			t.Errorf("%d bytes come back as %d", len(s), len(got))
		}
	}
}

func TestDamagedLZWIsCutThere(t *testing.T) {
	packed := toLZW("hello hello hello", 1)
	if got := string(unLZW([]byte(packed[:8]), 1)); got == "" || !strings.HasPrefix("hello hello hello", got) {
		t.Errorf("cut: %q", got)
	}
	for name, data := range map[string]string{
		"a code that is not there yet": "\x80\x30\xff\xff",
		"a string before any byte":     "\x80\x40\x80\x00",
	} {
		if got := unLZW([]byte(data), 1); len(got) > 1 {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestRunLengths(t *testing.T) {
	cases := []struct{ packed, want string }{
		{"", ""},
		{"\x80", ""},
		{"\x00a\x80", "a"},
		{"\x02abc\x80zzz", "abc"},
		{"\xffa\x80", "aa"},
		{"\x81a\x80", strings.Repeat("a", 128)},
		{"\x00a\xfeb\x01cd\x80", "abbbcd"},
		{"\x05ab", "ab"},   // cut
		{"\x00a\xfe", "a"}, // cut
		{"\x00a\x00b", "ab"},
	}
	for _, c := range cases {
		if got := string(unRunLength([]byte(c.packed))); got != c.want {
			t.Errorf("unRunLength(%q) = %q, want %q", c.packed, got, c.want)
		}
	}
}

func toRunLength(s string) string {
	var b strings.Builder
	for len(s) > 0 {
		n := min(len(s), 128)
		b.WriteString(string([]byte{byte(n - 1)}) + s[:n])
		s = s[n:]
	}
	return b.String() + "\x80"
}

func toBase85(t *testing.T, s string) string {
	t.Helper()
	var b bytes.Buffer
	w := ascii85.NewEncoder(&b)
	if _, err := w.Write([]byte(s)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String() + "~>"
}

// packings are content streams as files have them: dictionary and bytes.
func packings(t *testing.T, content string) map[string][2]string {
	t.Helper()
	return map[string][2]string{
		"plain":                {"", content},
		"deflate":              {"/Filter /FlateDecode", deflate(t, content)},
		"base 85":              {"/Filter /ASCII85Decode", toBase85(t, content)},
		"LZW":                  {"/Filter /LZWDecode", toLZW(content, 1)},
		"LZW, parameters":      {"/Filter /LZWDecode /DecodeParms << /EarlyChange 1 >>", toLZW(content, 1)},
		"LZW, codes grow late": {"/Filter [/LZWDecode] /DecodeParms [<< /EarlyChange 0 >>]", toLZW(content, 0)},
		"run lengths":          {"/Filter /RunLengthDecode", toRunLength(content)},
		"hex":                  {"/Filter /ASCIIHexDecode", hex.EncodeToString([]byte(content)) + ">"},
		"hex of deflate":       {"/Filter [/ASCIIHexDecode /FlateDecode]", strings.ToUpper(hex.EncodeToString([]byte(deflate(t, content)))) + ">"},
		"base 85 of LZW":       {"/Filter [/ASCII85Decode /LZWDecode]", toBase85(t, toLZW(content, 1))},
	}
}

// packedPDF has one page, whose content is packed.
func packedPDF(dict, data string) []byte {
	f := &pdfFile{}
	f.add("<< /Type /Catalog /Pages 2 0 R >>")
	f.add("<< /Type /Pages /Count 1 /Kids [5 0 R] >>")
	f.add("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>")
	f.addStream(dict, data)
	f.add("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 3 0 R >> >> >>")
	return f.bytes()
}

func longContent() (content, text string) {
	var lines []string
	for i := range 40 {
		lines = append(lines, strings.Repeat(string(rune('a'+i%26)), 1+i%7)+" barrage number "+strings.Repeat("x", 1+i%5)+" makes power.")
	}
	return setLines(72, 780, 11, lines...), strings.Join(lines, "\n")
}

func TestPagesArePackedInEveryWay(t *testing.T) {
	content, want := longContent()
	for name, p := range packings(t, content) {
		t.Run(name, func(t *testing.T) {
			a := parsePDF(packedPDF(p[0], p[1]), 1<<20)
			if got := strings.TrimSpace(a.Text); got != want {
				t.Errorf("error %q, text %.200q, want %.200q", a.Error, got, want)
			}
		})
	}
}

func TestStreamsThatCannotBeUnpackedAreEmpty(t *testing.T) {
	content, _ := longContent()
	cases := []struct{ name, dict, data string }{
		{"unknown filter", "/Filter /JBIG2Decode", content},
		{"unknown filter behind a known one", "/Filter [/ASCIIHexDecode /JBIG2Decode]", hex.EncodeToString([]byte(content))},
		{"no deflate in the hex", "/Filter [/ASCIIHexDecode /FlateDecode]", hex.EncodeToString([]byte(content))},
		{"predictor", "/Filter /LZWDecode /DecodeParms << /Predictor 12 >>", toLZW(content, 1)},
		{"too many filters", "/Filter [" + strings.Repeat("/ASCIIHexDecode ", maxFilters+1) + "]", content},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			a := parsePDF(packedPDF(c.dict, c.data), 1<<20)
			if a.Error != "" || len(a.Pages) != 1 || strings.TrimSpace(a.Text) != "" {
				t.Errorf("%+v, want one empty page", a)
			}
		})
	}
}

func FuzzPDFFilters(f *testing.F) {
	f.Add([]byte(toLZW("hello hello", 1)), byte(1))
	f.Add([]byte(toRunLength("hello")), byte(0))
	f.Add([]byte("48656c6c6f>"), byte(2))
	f.Fuzz(func(t *testing.T, data []byte, early byte) {
		for _, out := range [][]byte{unLZW(data, int(early%2)), unRunLength(data)} {
			// A code of 9 bits or more gives at most 4096 bytes, a run of two at most 128.
			if len(out) > 4096*(len(data)+1) {
				t.Fatalf("%d bytes of %d", len(out), len(data))
			}
		}
		s := string(data)
		if got := string(unLZW([]byte(toLZW(s, int(early%2))), int(early%2))); got != s {
			t.Fatalf("LZW: %q came back as %q", s, got)
		}
		if got := string(unRunLength([]byte(toRunLength(s)))); got != s {
			t.Fatalf("run lengths: %q came back as %q", s, got)
		}
	})
}
