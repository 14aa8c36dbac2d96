package text

import (
	"strings"
	"sync"
	"testing"
)

func tokenTexts(s string) string {
	var out []string
	for _, t := range Tokens(s) {
		out = append(out, t.Text)
	}
	return strings.Join(out, "|")
}

func TestTokens(t *testing.T) {
	tests := []struct{ in, want string }{
		{"The company's well-known Bridge.", "the|company|well|known|bridge"},
		{"don’t O'Brien’s l'homme aujourd'hui", "dont|obrien|l|homme|aujourdhui"},
		{"1,234.56 and 1.234,56 and 3.14 and 2,5", "1234.56|and|1234.56|and|3.14|and|2.5"},
		{"1,234,567 1.234.567 12,34,567", "1234567|1234567|1234567"},
		{"11.18.2014 and 5.", "11.18.2014|and|5"},
		{"Café Straße ŒUVRE naïve", "cafe|strasse|oeuvre|naive"},
		{"oﬃce inter\u00adnational", "office|international"},
		{"CO₂ H2O B-52 covid-19 3D", "co2|h2o|b|52|covid|19|3d"},
		{"这座桥", "这座|座桥"},
		{"桥 and 我是A的", "桥|and|我是|a|的"},
		{"ПОДЪЁМ йод и\u0306од", "подъем|йод|йод"},
		{"workers' rights ’tis", "workers|rights|tis"},
		{"", ""}, {"... — !", ""},
	}
	for _, tt := range tests {
		if got := tokenTexts(tt.in); got != tt.want {
			t.Errorf("%q\n  got  %s\n  want %s", tt.in, got, tt.want)
		}
	}
}

func TestTokenSpansPointIntoTheText(t *testing.T) {
	s := "The company’s CAFÉ, 1,000 inter\u00adnational 这座桥"
	want := []string{"The", "company", "CAFÉ", "1,000", "inter\u00adnational", "这座", "座桥"}
	got := Tokens(s)
	if len(got) != len(want) {
		t.Fatalf("got %d tokens, want %d", len(got), len(want))
	}
	for i, tok := range got {
		if tok.Span.Of(s) != want[i] {
			t.Errorf("token %d: got %q, want %q", i, tok.Span.Of(s), want[i])
		}
	}
}

func TestTerms(t *testing.T) {
	tests := []struct{ in, lang, want string }{
		{"The bridges were closed by the engineers.", "en", "bridg|close|engin"},
		{"Les ponts étaient fermés", "fr", "pont|ferm"},
		{"Los puentes cerrados", "es", "puent|cerr"},
		{"Die Brücken wurden geschlossen", "de", "brucken|geschlossen"},
		{"The bridges", "", "the|bridges"},
		{"мосты были закрыты", "ru", "мост|закрыт"},
	}
	for _, tt := range tests {
		if got := strings.Join(Terms(tt.in, tt.lang), "|"); got != tt.want {
			t.Errorf("%q in %q: got %s, want %s", tt.in, tt.lang, got, tt.want)
		}
	}
}

func TestQueryAndTextMeet(t *testing.T) {
	for _, tt := range []struct{ query, text, lang string }{
		{"qualite francaise", "La qualité française", "fr"}, {"canciones españolas", "cancion espanola", "es"},
		{"engineers' bridges", "The engineer’s bridge", "en"}, {"office", "oﬃces", "en"}, {"Strasse", "Straße", "de"},
	} {
		have := map[string]bool{}
		for _, term := range Terms(tt.text, tt.lang) {
			have[term] = true
		}
		for _, term := range Terms(tt.query, tt.lang) {
			if !have[term] {
				t.Errorf("%q of %q is not among the terms of %q", term, tt.query, tt.text)
			}
		}
	}
}

func TestStem(t *testing.T) {
	tests := []struct{ word, lang, want string }{
		{"Bridges", "en", "bridg"}, {"1932", "en", "1932"}, {"H7", "en", "h7"}, {"", "en", ""}, {"Brücken", "de", "brucken"},
		{"développement", "fr", "developp"}, {"running", "xx", "running"}, {"husene", "no", "hus"}, {"bilarna", "sv", "bil"},
	}
	for _, tt := range tests {
		if got := Stem(tt.word, tt.lang); got != tt.want {
			t.Errorf("%q in %s: got %q, want %q", tt.word, tt.lang, got, tt.want)
		}
	}
}

func TestStopword(t *testing.T) {
	for _, tt := range []struct {
		word, lang string
		want       bool
	}{
		{"The", "en", true}, {"bridge", "en", false}, {"für", "de", true}, {"été", "fr", true}, {"más", "es", true}, {"più", "it", true},
		{"não", "pt", true}, {"niet", "nl", true}, {"ещё", "ru", true}, {"the", "de", false}, {"the", "", false},
	} {
		if got := Stopword(tt.word, tt.lang); got != tt.want {
			t.Errorf("%q in %s: got %v", tt.word, tt.lang, got)
		}
	}
}

func TestStemsAreSafeForConcurrentUse(t *testing.T) {
	want := strings.Join(Terms(prose[:2000], "en"), " ")
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if got := strings.Join(Terms(prose[:2000], "en"), " "); got != want {
				t.Error("terms differ between goroutines")
			}
		})
	}
	wg.Wait()
}

func TestFold(t *testing.T) {
	tests := []struct{ in, want string }{
		{"plain", "plain"}, {"ÉCOLE ﬁn “a” ‘b’ c—d…", `ecole fin "a" 'b' c-d...`}, {"soft\u00adhyphen\u200b", "softhyphen"},
		{"Ａ１％", "a1%"}, {"ẞ ß Æ Ø ł ñ", "ss ss ae o l n"}, {"e\u0301", "e"}, {"Ёлка Йод", "елка йод"}, {"a\u00a0b\u3000c", "a b c"}, {"m²", "m2"},
	}
	for _, tt := range tests {
		if got := Fold(tt.in); got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.in, got, tt.want)
		}
		if again := Fold(tt.want); again != tt.want {
			t.Errorf("%q folds once more to %q", tt.want, again)
		}
	}
}

func TestLanguage(t *testing.T) {
	tests := []struct{ in, want string }{
		{"What happened to the bridge?", "en"}, {"Why was it closed?", "en"}, {"bridge closure causes", ""}, {"", ""}, {"1234 5678", ""},
		{"Was ist mit der Brücke passiert?", "de"}, {"Que s'est-il passé avec le pont ?", "fr"}, {"¿Qué pasó con el puente de la ciudad?", "es"},
		{"Cosa è successo al ponte della città?", "it"}, {"O que aconteceu com a ponte da cidade?", "pt"}, {"Wat is er met de brug gebeurd?", "nl"},
		{"Что случилось с мостом?", "ru"}, {"这座桥发生了什么？", "zh"}, {"橋に何が起こったのですか", "ja"}, {"다리에 무슨 일이 있었나요", "ko"},
		{"Τι συνέβη στη γέφυρα;", "el"}, {"ماذا حدث للجسر؟", "ar"},
		{"The Marrowgate Bridge was closed because inspectors had found a crack in one of its hangers.", "en"},
		{"Bron stängdes eftersom inspektörerna hade hittat en spricka i en av dess hängare och den var mycket stor.", "sv"},
	}
	for _, tt := range tests {
		if got := Language(tt.in); got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.in, got, tt.want)
		}
	}
}

func FuzzTokens(f *testing.F) {
	for _, s := range []string{"The company’s l'homme 1,234.5 这座桥a桥", "\xff1,2\xf0 и\u0306", "a'b's 5'5 ''s", "٣٤٥ ﬁﬂ ½ Ǣ"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		last := Span{-1, 0}
		for _, tok := range Tokens(s) {
			checkSpan(t, s, tok.Span)
			if tok.Span.Start <= last.Start || tok.Span.End <= last.End {
				t.Fatalf("%v comes after %v in %q", tok.Span, last, s)
			}
			if tok.Text == "" || Fold(tok.Text) != tok.Text {
				t.Fatalf("token %q of %q is not folded", tok.Text, s)
			}
			last = tok.Span
		}
	})
}
