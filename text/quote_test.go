package text

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestFindQuote(t *testing.T) {
	tests := []struct{ name, source, quote, want string }{
		{"verbatim", "It was closed. The bridge was built in 1932.", "The bridge was built in 1932.", "The bridge was built in 1932."},
		{"case", "THE BRIDGE WAS BUILT in 1932.", "The bridge was built", "THE BRIDGE WAS BUILT"},
		{"ligature", "the eﬃcient oﬃce ﬂoor", "efficient office floor", "eﬃcient oﬃce ﬂoor"},
		{"soft hyphen", "an inter\u00adnational treaty", "international treaty", "inter\u00adnational treaty"},
		{"hyphenated line end", "an inter-\nnational treaty", "an international treaty", "an inter-\nnational treaty"},
		{"hyphenated line end kept as a space", "an inter-\nnational treaty", "an inter- national treaty", "an inter-\nnational treaty"},
		{"compound at line end", "a well-\nknown bridge", "a well-known bridge", "a well-\nknown bridge"},
		{"curly quotes", "he said “it’s over” and left", `he said "it's over" and left`, "he said “it’s over” and left"},
		{"dashes", "the years 2019–2021 — all of them", "the years 2019-2021 - all of them", "the years 2019–2021 — all of them"},
		{"unspaced dash", "the bridge—the old one—fell", "the bridge — the old one — fell", "the bridge—the old one—fell"},
		{"white space", "the\u00a0old \t\n  bridge", "the old bridge", "the\u00a0old \t\n  bridge"},
		{"zero width", "the old\u200b bri\u200ddge", "the old bridge", "the old\u200b bri\u200ddge"},
		{"ellipsis around", "So the old bridge fell down.", "…the old bridge fell...", "the old bridge fell"},
		{"quotes around", "So the old bridge fell down.", `"the old bridge fell down"`, "the old bridge fell down"},
		{"punctuation shared", "He said (the old bridge!) twice.", "(the old bridge!)", "(the old bridge!)"},
		{"diacritics", "le café près du pont", "le cafe pres du pont", "le café près du pont"},
		{"decomposed", "le cafe\u0301 du pont", "le café du pont", "le cafe\u0301 du pont"},
		{"chinese", "前言。这座桥建于一九三二年，很有名。", "这座桥建于一九三二年", "这座桥建于一九三二年"},
		{"chinese with a line break", "这座桥建于\n一九三二年", "这座桥建于一九三二年", "这座桥建于\n一九三二年"},
		{"percent with space", "it rose by 15 % last year", "it rose by 15% last year", "it rose by 15 % last year"},
		{"short and exact", "The cat sat.", "cat", "cat"},
		{"short phrase", "We went on in fact.", "in fact", "in fact"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			span, ok := FindQuote(tt.source, tt.quote)
			if !ok {
				t.Fatalf("%q not found in %q", tt.quote, tt.source)
			}
			if got := span.Of(tt.source); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestFindQuoteRefuses(t *testing.T) {
	tests := []struct{ name, source, quote string }{
		{"absent", "The bridge was built in 1932.", "The bridge was built in 1933."},
		{"empty", "The bridge.", ""},
		{"only punctuation", "The bridge.", "..."},
		{"part of a word", "The bridges were built.", "The bridge"},
		{"part of a number", "The bridge cost 19325 dollars.", "The bridge cost 1932"},
		{"decimal point", "a share of 1.5 million", "a share of 15 million"},
		{"sign of a number", "it grew by -5 percent in all", "it grew by 5 percent in all"},
		{"currency", "it cost 500 in all", "it cost $500 in all"},
		{"percent", "it rose by 15 last year", "it rose by 15% last year"},
		{"word break", "she is notable to some", "she is not able to some"},
		{"joined word", "she is not able to come", "she is notable to come"},
		{"short in another case", "The Cat sat.", "cat"},
		{"short inside a word", "concatenate", "cat"},
		{"digits apart", "in 20 19 cases there were", "in 2019 cases there were"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if span, ok := FindQuote(tt.source, tt.quote); ok {
				t.Errorf("%q found as %q", tt.quote, span.Of(tt.source))
			}
		})
	}
}

func TestFoldedIsSearchedManyTimes(t *testing.T) {
	source := "First one here. Second one there. First one here."
	f := NewFolded(source)
	for quote, start := range map[string]int{"first one here": 0, "second one there": 16} {
		span, ok := f.Find(quote)
		if !ok || span.Start != start {
			t.Errorf("%q: got %v %v, want start %d", quote, span, ok, start)
		}
	}
	if _, ok := f.Find("third one here"); ok {
		t.Error("found what is not there")
	}
}

func TestFindQuoteInHostileSourceEnds(t *testing.T) {
	source := strings.Repeat("a ", 1<<20)
	quote := strings.Repeat("aa ", 1<<10)
	if _, ok := FindQuote(source, quote); ok {
		t.Error("a pair of letters is not two words")
	}
}

func FuzzFindQuote(f *testing.F) {
	f.Add("The inter-\nnational treaty of 2019–2021", "international treaty")
	f.Add("ﬁne oﬃce -5% \u00ad€ 5", "fine office")
	f.Add("и\u0306од 这座桥 1,5 1.5", "йод 这座桥 1,5")
	f.Add("\xff\xfe broken \xf0\x9f", "broken \xf0")
	f.Fuzz(func(t *testing.T, source, quote string) {
		folded := NewFolded(source)
		span, ok := folded.Find(quote)
		if !ok {
			return
		}
		checkSpan(t, source, span)
		again, ok := folded.Find(span.Of(source))
		if !ok || again.Start > span.Start {
			t.Fatalf("%q was found as %q but not again (%v %v)", quote, span.Of(source), again, ok)
		}
	})
}

// checkSpan fails when a span is empty, out of bounds or cuts a character.
func checkSpan(t *testing.T, s string, span Span) {
	t.Helper()
	if span.Start < 0 || span.End > len(s) || span.Start >= span.End {
		t.Fatalf("span %v of %d bytes", span, len(s))
	}
	for _, i := range []int{span.Start, span.End} {
		if utf8.ValidString(s) && i < len(s) && !utf8.RuneStart(s[i]) {
			t.Fatalf("span %v cuts a character of %q", span, s)
		}
	}
}

// TestQuotesSurviveTypesetting damages a source the way PDF extraction and
// typesetting do and looks for its undamaged sentences.
func TestQuotesSurviveTypesetting(t *testing.T) {
	text := prose[:strings.Index(prose, "\n\n")]
	damages := map[string]func(string) string{
		"none":           func(s string) string { return s },
		"upper case":     strings.ToUpper,
		"no-break space": func(s string) string { return strings.ReplaceAll(s, " ", "\u00a0") },
		"narrow lines":   func(s string) string { return strings.ReplaceAll(s, " ", "\n  ") },
		"curly":          strings.NewReplacer(`"`, "”", "'", "’").Replace,
		"ligatures":      strings.NewReplacer("ffi", "ﬃ", "fi", "ﬁ", "fl", "ﬂ", "ff", "ﬀ").Replace,
		"hyphenated":     strings.NewReplacer("bridge", "brid-\nge", "engineers", "engi-\n neers", "passengers", "passen\u00adgers").Replace,
		"zero width":     func(s string) string { return strings.ReplaceAll(s, "e", "e\u200b") },
		"full width":     strings.NewReplacer("0", "０", "1", "１", "2", "２").Replace,
		"footnotes":      func(s string) string { return strings.ReplaceAll(s, "; ", " ; ") },
	}
	for name, damage := range damages {
		source := damage(text)
		folded := NewFolded(source)
		last := 0
		for _, span := range Sentences(text, "en") {
			quote := strings.Join(strings.Fields(span.Of(text)), " ")
			found, ok := folded.Find(quote)
			if !ok {
				t.Errorf("%s: %q not found", name, quote)
				continue
			}
			checkSpan(t, source, found)
			if found.Start < last {
				t.Errorf("%s: %q found at %d, before %d", name, quote, found.Start, last)
			}
			last = found.End
		}
	}
}

func TestQuoteWithOneWordChangedIsNotFound(t *testing.T) {
	folded := NewFolded(prose)
	for _, quote := range []string{
		"was opened on 13 March 1932", "spent more than $4.3 million", "about 16 percent of its rivets", "roughly 1,260 of them",
		"had looked at them since the 1990s", "Repairs took 18 years", "traffic rose by 7.5%", "traffic fell by 75%", "ferries carried 3,100 passengers a week",
	} {
		if span, ok := folded.Find(quote); ok {
			t.Errorf("%q found as %q", quote, span.Of(prose))
		}
	}
}
