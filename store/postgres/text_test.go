package postgres

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestEscape(t *testing.T) {
	for s, want := range map[string]string{
		"":            "",
		"plain дело":  "plain дело",
		"a\x00b":      "a\x1a00b",
		"\x1a":        "\x1a1a",
		"\x1a00":      "\x1a1a00",
		"\xff\xfe ok": "\x1aff\x1afe ok",
		"\ufffd":      "\ufffd", // what stands for damage is no damage itself
		"é"[:1]:       "\x1ac3",
	} {
		if got := escape(s); got != want {
			t.Errorf("%q became %q, want %q", s, got, want)
		}
	}
}

func FuzzEscape(f *testing.F) {
	for _, s := range []string{"", "a\x00b", "\x1a", "\x1a00", "\x1a1", "\xff", "é\xc3", "\u200b🧪"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		e := escape(s)
		if !utf8.ValidString(e) || strings.IndexByte(e, 0) >= 0 || len(e) > 3*len(s) {
			t.Errorf("%q became %q", s, e)
		}
		if back := unescape(e); back != s {
			t.Errorf("%q came back as %q", s, back)
		}
		if k := short(s); len(k) > maxKey || short(k) != k || len(s) <= maxKey && k != s {
			t.Errorf("key %q of %q", k, s)
		}
	})
}

func TestLongKeysStayApart(t *testing.T) {
	a := strings.Repeat("x", 5000)
	if short(a+"1") == short(a+"2") || !strings.HasPrefix(short(a), "xxx") {
		t.Errorf("%q", short(a))
	}
}
