package text

import (
	"strings"
	"testing"
)

func TestSentencesAtTheEdges(t *testing.T) {
	tests := []struct{ name, lang, in, want string }{
		{"glued sentences", "en", "Hello world.Today is Monday.", "Hello world.|Today is Monday."},
		{"glued site name", "en", "See www.Example.org and a.B now. Fine.", "See www.Example.org and a.B now.|Fine."},
		{"glued after a number", "en", "It fell in 1932.Nobody knew.", "It fell in 1932.|Nobody knew."},
		{"glued after a short number", "en", "It has 3.A is one.", "It has 3.A is one."},
		{"note numbers", "en", "He wrote it after a long consultation.11 12 Take it.", "He wrote it after a long consultation.11 12|Take it."},
		{"note numbers with commas", "en", "He wrote it down.3,4 Then he left.", "He wrote it down.3,4|Then he left."},
		{"version numbers", "en", "Use version 2.11 Take it or leave it.", "Use version 2.11 Take it or leave it."},
		{"named brackets are no marker", "en", "It fell. [Editor: It did.] We know.", "It fell.|[Editor: It did.]|We know."},
		{"possessive in single quotes", "en", "He said 'the workers' rights' are safe. It was so.", "He said 'the workers' rights' are safe.|It was so."},
		{"four spaced dots", "en", "It ended. . . . Then it began.", "It ended.|. . . Then it began."},
		{"dash before a sentence", "en", "It fell. – Nobody knew. -- nobody.", "It fell.|– Nobody knew. -- nobody."},
		{"the letter I", "en", "It was you and I. Did you know? It was Albert I. Jones who said so.", "It was you and I.|Did you know?|It was Albert I. Jones who said so."},
		{"vitamin C", "en", "It has vitamin C. The dose is low. Ask Dr. C. The.", "It has vitamin C.|The dose is low.|Ask Dr. C. The."},
		{"pages", "en", "See p. 5 and art. IV of it. It ends on p. Nobody knows.", "See p. 5 and art. IV of it.|It ends on p.|Nobody knows."},
		{"time before a weekday", "en", "We will meet them there at 5 p.m. Monday as agreed. We left them there at 6 p.m. They stayed.", "We will meet them there at 5 p.m. Monday as agreed.|We left them there at 6 p.m.|They stayed."},
		{"bold end", "en", "**It fell.** Nobody knew. *Really.* Yes.", "**It fell.**|Nobody knew.|*Really.*|Yes."},
		{"lower case goes on", "en", "It fell. nobody knew. It did.", "It fell. nobody knew.|It did."},
		{"exclamations", "en", "What?! No... Yes!!! Well", "What?!|No...|Yes!!!|Well"},
		{"german ordinal", "de", "Es waren im ganzen Jahr 12. Dann kam der 2. Weltkrieg. Am 3. März endete er.", "Es waren im ganzen Jahr 12.|Dann kam der 2. Weltkrieg.|Am 3. März endete er."},
		{"full-width", "", "桥塌了！真的吗？是的。", "桥塌了！|真的吗？|是的。"},
		{"no-break spaces", "en", "\u00a0It fell.\u00a0 Nobody knew.\u3000", "It fell.|Nobody knew."},
		{"marker alone", "en", "1.\n\n- \n\nIt fell.", "1.|-|It fell."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := strings.Join(spanTexts(tt.in, Sentences(tt.in, tt.lang)), "|"); got != tt.want {
				t.Errorf("%q\n  got  %s\n  want %s", tt.in, got, tt.want)
			}
		})
	}
}

func TestFoldedCharacters(t *testing.T) {
	tests := []struct{ in, want string }{
		{"ﬀ ﬆ", "ff st"}, {"！～", "!~"}, {"ＡＺ０９", "az09"}, {"①Ⓩ", "1z"}, {"𝐀𝟿", "a9"}, {"½⅔", "1/22/3"},
		{"a\u200bb\u200fc\u202ad\u202ee\u2060f\u2064g\ufeffh\ufe00i\ufe0f", "abcdefghi"},
		{"‘’“”–—…", `''""--...`}, {"É\u0301", "e"}, {"İ", "i"}, {"x²", "x2"}, {"CO₂", "co2"}, {"桥", "桥"}, {"", ""}, {"plain", "plain"},
	}
	for _, tt := range tests {
		if got := Fold(tt.in); got != tt.want {
			t.Errorf("Fold(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

func TestTokensOfScriptsWithoutSpaces(t *testing.T) {
	tests := []struct{ in, want string }{
		{"这座桥", "这座|座桥"},
		{"桥", "桥"},
		{"ひらカタ", "ひら|らカ|カタ"},
		{"ア・イ", "ア|イ"},
		{"한국어", "한국|국어"},
		{"豈更", "豈更"},
		{"𠀀𠀁", "𠀀𠀁"},
		{"人々", "人々"},
		{"桥2号", "桥|2|号"},
		{"a桥b", "a|桥|b"},
	}
	for _, tt := range tests {
		var got []string
		for _, token := range Tokens(tt.in) {
			got = append(got, token.Text)
		}
		if strings.Join(got, "|") != tt.want {
			t.Errorf("%q: got %s, want %s", tt.in, strings.Join(got, "|"), tt.want)
		}
	}
}

func TestShortQuotesMustBeExact(t *testing.T) {
	tests := []struct {
		source, quote, want string // "" when it must not be found
	}{
		{"He went to sea.", "to sea", "to sea"},
		{"He went to Sea.", "to sea", ""},                   // fewer than 8 letters
		{"He went to THE SEA.", "to the sea", "to THE SEA"}, // 8 letters
		{"He said wonderful things.", "Wonderful", ""},      // one word
		{"桥塌了很久", "桥塌了很", "桥塌了很"},
		{"x² + y² grew", "x² + y² grew", "x² + y² grew"},
		{"it rose to 10⁵ in all", "rose to 10⁵ in all", "rose to 10⁵ in all"},
		{"it rose to 105 in all", "rose to 10⁵ in all", "rose to 105 in all"}, // what a PDF makes of it
	}
	for _, tt := range tests {
		span, ok := FindQuote(tt.source, tt.quote)
		got := ""
		if ok {
			got = span.Of(tt.source)
		}
		if got != tt.want {
			t.Errorf("%q in %q: got %q, want %q", tt.quote, tt.source, got, tt.want)
		}
	}
}

func TestLanguagesOfShortTexts(t *testing.T) {
	tests := []struct{ in, want string }{
		{"The bridge is closed and the ferry is not.", "en"},
		{"Die Brücke ist gesperrt und die Fähre fährt nicht.", "de"},
		{"Le pont est fermé et le bac ne passe pas.", "fr"},
		{"El puente está cerrado y el barco no pasa por la ciudad.", "es"},
		{"Il ponte è chiuso e la nave non passa per la città.", "it"},
		{"Мост закрыт, и паром не ходит.", "ru"},
		{"桥已关闭。", "zh"}, {"橋は閉鎖されました。", "ja"}, {"다리가 폐쇄되었습니다.", "ko"}, {"Η γέφυρα έκλεισε.", "el"},
		{"12345 !?", ""}, {"", ""}, {"xyzzy", ""},
	}
	for _, tt := range tests {
		if got := Language(tt.in); got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.in, got, tt.want)
		}
	}
}
