package library

import (
	"errors"
	"path"
	"strings"
	"testing"
	"unicode/utf8"
)

func FuzzShelfName(f *testing.F) {
	for _, s := range []string{"a.md", "notes/march.md", `notes\march.md`, "../x", "./a", "a//b", "a/../b", " a ", "/", "..", "ä/研究.md", "a\x00b", "...", "a/..", `\..\a`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		name, err := shelfName(s)
		if err != nil {
			if !errors.Is(err, ErrName) || name != "" {
				t.Fatalf("%q, %v", name, err)
			}
			return
		}
		if name == "" || len(name) > 200 || path.IsAbs(name) || path.Clean(name) != name || !utf8.ValidString(name) {
			t.Fatalf("%q became %q", s, name)
		}
		for part := range strings.SplitSeq(name, "/") {
			if part == ".." || part == "" {
				t.Fatalf("%q became %q", s, name)
			}
		}
		if again, err := shelfName(name); err != nil || again != name {
			t.Fatalf("%q became %q, then %q (%v)", s, name, again, err)
		}
	})
}
