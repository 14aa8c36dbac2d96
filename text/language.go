package text

// The language of a text, by script, function words and trigrams.

import (
	"slices"
	"unicode"

	"github.com/abadojack/whatlanggo"
)

// languageSample bounds the bytes that are looked at.
const languageSample = 16 << 10

// Language returns the ISO 639-1 code of the language of s, or "" when unsure.
func Language(s string) string {
	if len(s) > languageSample {
		s = s[:runeStart(s, languageSample)]
	}
	script, letters := scriptOf(s)
	if letters == 0 {
		return ""
	}
	if script != "latin" && script != "cyrillic" {
		return scriptLanguage(script)
	}
	best, hits, second, words := byFunctionWords(s, script)
	if hits*3 >= words && hits >= 2 && hits > second {
		return best // a third of the words of running text are function words
	}
	info := whatlanggo.Detect(s)
	code := info.Lang.Iso6391()
	switch {
	case letters >= 40 && info.IsReliable() && !slices.Contains(functionWordLanguages, code) && code != "":
		return code
	case hits >= 2 && hits > second:
		return best
	case letters >= 20 && info.IsReliable() && (hits == 0 || code == best):
		return code
	case hits == 1 && second == 0 && (code == best || letters < 60):
		return best
	}
	return ""
}

func runeStart(s string, i int) int {
	for i > 0 && i < len(s) && s[i]&0xC0 == 0x80 {
		i--
	}
	return i
}

// scriptOf names the script of most letters of s and counts its letters. Han
// among kana is Japanese.
func scriptOf(s string) (string, int) {
	var latin, cyrillic, han, kana, hangul, letters int
	others := map[string]int{}
	for _, r := range s {
		if !unicode.IsLetter(r) {
			continue
		}
		letters++
		switch {
		case r < 0x250:
			latin++
		case unicode.Is(unicode.Cyrillic, r):
			cyrillic++
		case unicode.Is(unicode.Han, r):
			han += 2 // one character says as much as two or three letters
		case unicode.In(r, unicode.Hiragana, unicode.Katakana):
			kana += 2
		case unicode.Is(unicode.Hangul, r):
			hangul += 2
		default:
			for _, o := range otherScripts {
				if unicode.Is(o.table, r) {
					others[o.name]++
				}
			}
		}
	}
	name, most := "latin", latin
	if cyrillic > most {
		name, most = "cyrillic", cyrillic
	}
	if hangul > most {
		name, most = "hangul", hangul
	}
	for _, o := range otherScripts {
		if others[o.name] > most {
			name, most = o.name, others[o.name]
		}
	}
	if han+kana > most {
		name = "han"
		if kana*8 > han {
			name = "kana"
		}
	}
	return name, letters
}

var otherScripts = []struct {
	name  string
	table *unicode.RangeTable
	lang  string
}{
	{"greek", unicode.Greek, "el"}, {"arabic", unicode.Arabic, "ar"}, {"hebrew", unicode.Hebrew, "he"},
	{"thai", unicode.Thai, "th"}, {"devanagari", unicode.Devanagari, "hi"}, {"bengali", unicode.Bengali, "bn"},
	{"tamil", unicode.Tamil, "ta"}, {"telugu", unicode.Telugu, "te"}, {"georgian", unicode.Georgian, "ka"},
	{"armenian", unicode.Armenian, "hy"}, {"khmer", unicode.Khmer, "km"}, {"lao", unicode.Lao, "lo"},
}

func scriptLanguage(script string) string {
	switch script {
	case "han":
		return "zh"
	case "kana":
		return "ja"
	case "hangul":
		return "ko"
	}
	for _, o := range otherScripts {
		if o.name == script {
			return o.lang
		}
	}
	return ""
}

var functionWordLanguages = []string{"en", "de", "fr", "es", "it", "pt", "nl", "ru"}

// byFunctionWords returns the language most of whose stopwords s has, how many
// words that were, the count of the runner-up, and how many words were looked at.
func byFunctionWords(s, script string) (best string, hits, second, words int) {
	counts := make([]int, len(functionWordLanguages))
	t := tokenizer{s: s}
	for ; words < 400 && t.next(); words++ {
		for i, lang := range functionWordLanguages {
			if (lang == "ru") == (script == "cyrillic") && stopwords[lang][string(t.text)] {
				counts[i]++
			}
		}
	}
	for i, n := range counts {
		switch {
		case n > hits:
			best, hits, second = functionWordLanguages[i], n, hits
		case n > second:
			second = n
		}
	}
	return best, hits, second, words
}
