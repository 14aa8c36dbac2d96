package provider

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// maxText bounds what is kept of a provider's words, in characters.
const maxText = 300

// scrubber takes keys out of texts: those configured, whole or as part of something longer, and whatever looks like one.
type scrubber struct{ keys []string }

// keyLike matches keys as OpenAI and Anthropic (sk-…, also masked with stars as in their own messages) and Google
// (AIza…) make them, and whatever follows the word Bearer.
var keyLike = regexp.MustCompile(`\b(?:sk-[A-Za-z0-9_*.…-]{3,}|AIza[A-Za-z0-9_-]{10,})|(?i:\bBearer +)[^\s"',]+`)

func newScrubber(keys ...string) scrubber {
	keys = slices.DeleteFunc(keys, func(k string) bool { return len(k) < 4 }) // shorter ones would eat words
	slices.SortFunc(keys, func(a, b string) int { return len(b) - len(a) })
	return scrubber{slices.Compact(keys)}
}

// text is one line without keys and control characters, of at most maxText characters.
func (s scrubber) text(raw string) string {
	for _, k := range s.keys {
		raw = strings.ReplaceAll(raw, k, "[key]")
	}
	raw = keyLike.ReplaceAllString(raw, "[key]")
	raw = strings.ToValidUTF8(raw, "�")
	raw = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
			return ' '
		}
		return r
	}, raw)
	out := []rune(strings.Join(strings.Fields(raw), " "))
	if len(out) > maxText {
		out = append(out[:maxText-1], '…')
	}
	return string(out)
}
