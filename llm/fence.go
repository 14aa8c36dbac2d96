package llm

// Text from outside (pages, papers, documents, tool results) goes into prompts between fences that it can't close, so
// that it is read as data. The same text gives the same fence.

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"unicode"
)

// Untrusted is text from outside in the data of a prompt. A template that prints it without the function fence prints it
// fenced all the same, so that forgetting is harmless.
type Untrusted string

func (u Untrusted) String() string { return Fence("text", string(u)) }

// MarshalJSON fences too: the function json of a prompt is no way around.
func (u Untrusted) MarshalJSON() ([]byte, error) { return json.Marshal(u.String()) }

var (
	// fenceTag is anything that a model may take for a tag of a fence, whatever was hidden between its letters.
	fenceTag = regexp.MustCompile(`(?i)[<＜﹤〈][\s\p{Z}\p{Cf}\p{Mn}/\\／]*d[\p{Cf}\p{Mn}]*a[\p{Cf}\p{Mn}]*t[\p{Cf}\p{Mn}]*a`)
	// turnTag is what local runtimes read as the border of a turn, also inside a message.
	turnTag = regexp.MustCompile(`(?i)<\|[a-z_▁|]|</?(?:start_of_turn|end_of_turn|s)>|<</?sys>>|\[/?inst\]`)
)

// tagLetters are letters that nobody sees and models read.
var tagLetters = &unicode.RangeTable{R32: []unicode.Range32{{Lo: 0xE0000, Hi: 0xE007F, Stride: 1}}}

// Fence marks text as data. What looks like a tag of a fence or the border of a turn is defused; characters that
// control or hide are dropped.
func Fence(label, text string) string {
	sum := sha256.Sum256([]byte(text))
	id := hex.EncodeToString(sum[:4])
	label = strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune(" -_.,:#", r) {
			return r
		}
		return -1
	}, label)
	return fmt.Sprintf("<data label=%q id=%q>\n%s\n</data id=%q>", label, id, defuse(text), id)
}

// defuse makes text safe between fences.
func defuse(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\f", "\n", "\v", "\n").Replace(text)
	text = strings.Map(func(r rune) rune {
		switch {
		case r == '\t' || r == '\n':
			return r
		case unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || unicode.Is(tagLetters, r):
			return -1
		}
		return r
	}, text)
	blunt := func(tag string) string {
		_, rest, _ := strings.Cut(tag, string([]rune(tag)[:1]))
		if tag[0] == '[' {
			return "(" + rest
		}
		return "‹" + rest
	}
	text = turnTag.ReplaceAllStringFunc(text, blunt)
	return fenceTag.ReplaceAllStringFunc(text, blunt)
}

// fenceLine is a line that opens or closes a fence.
var fenceLine = regexp.MustCompile(`(?m)^</?data [^>\n]*>$\n?`)
