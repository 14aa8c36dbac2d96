package text

import (
	"strings"
	"testing"
)

func TestBlocks(t *testing.T) {
	tests := []struct {
		name, in string
		want     []string
	}{
		{"one line", "The bridge fell", []string{"The bridge fell"}},
		{"wrapped", "The bridge fell into\nthe sea", []string{"The bridge fell into\nthe sea"}},
		{"blank line", "one\n\ntwo", []string{"one", "two"}},
		{"blank line with spaces", "one\n \t\ntwo", []string{"one", "two"}},
		{"windows lines", "one\r\n\r\ntwo", []string{"one", "two"}},
		{"paragraph separator", "one\u2029two", []string{"one", "two"}},
		{"form feed", "one\ftwo", []string{"one", "two"}},
		{"bullets", "we need\n- a rope\n• a boat\n  * a man", []string{"we need", "- a rope", "• a boat", "* a man"}},
		{"numbers", "we need\n1. a rope\n2) a boat\n(iii) a man", []string{"we need", "1. a rope", "2) a boat", "(iii) a man"}},
		{"an item goes on", "- a rope that is\n  long enough\n- a boat", []string{"- a rope that is\n  long enough", "- a boat"}},
		{"a year at the beginning of a line", "The bridge was built in\n1932. It fell in 1940 when nobody was there.",
			[]string{"The bridge was built in\n1932. It fell in 1940 when nobody was there."}},
		{"a dash at the beginning of a line is an item", "The bridge\n– and the road", []string{"The bridge", "– and the road"}},
		{"markdown heading", "text before\n# Heading\ntext after", []string{"text before", "# Heading", "text after"}},
		{"hash tag", "we like\n#bridges a lot", []string{"we like\n#bridges a lot"}},
		{"table", "| a | b |\n| c | d |", []string{"| a | b |", "| c | d |"}},
		{"short lines", "features\ncontact person\nevents", []string{"features", "contact person", "events"}},
		{"short lines of a poem", "the rose is red,\nthe sea is blue,\nand so are you.", []string{"the rose is red,\nthe sea is blue,\nand so are you."}},
		{"heading line", "Costs of the repair\nThe repair of the bridge cost more than anybody had expected before.",
			[]string{"Costs of the repair", "The repair of the bridge cost more than anybody had expected before."}},
		{"a name at the break", "The repair of the old bridge at Port Ellis was paid by\nOrr and by the city of Halport, which owns it.",
			[]string{"The repair of the old bridge at Port Ellis was paid by\nOrr and by the city of Halport, which owns it."}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, b := range blocks(tt.in) {
				if s := strings.TrimSpace(b.Of(tt.in)); s != "" {
					got = append(got, s)
				}
			}
			if strings.Join(got, "|") != strings.Join(tt.want, "|") {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestInlineItems(t *testing.T) {
	tests := []struct {
		in   string
		want int
	}{
		{"1. one 2. two 3. three", 2},
		{"Take these. 1. one 2. two", 2},
		{"a) one b) two", 1},
		{"• one • two • three", 2},
		{"1. one 3. three", 0},
		{"He came 1. in 2. place", 0},
		{"(1) one and (2) two", 1},
		{"There are two: (1) one and (2) two", 0},
		{"i. one ii. two", 0}, // i alone may be a letter
		{"", 0},
	}
	for _, tt := range tests {
		if got := inlineItems(tt.in, Span{0, len(tt.in)}); len(got) != tt.want {
			t.Errorf("%q: got %v, want %d", tt.in, got, tt.want)
		}
	}
}
