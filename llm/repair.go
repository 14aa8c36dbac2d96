package llm

// Weak models wrap JSON in prose, fences and thoughts, and write it wrongly. What they meant is cut out and mended here.

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/kaptinlin/jsonrepair"
)

const (
	maxAnswer = 1 << 20  // bytes of an answer that are looked at
	maxRepair = 64 << 10 // bytes: the repair takes time that grows with the square, a second for this much
	maxDepth  = 64       // of nested values
	maxValues = 6        // values in one answer that are tried
	maxOpens  = 16       // brackets without an end that are followed to the end of the text
	maxQuoted = 400      // characters of an error that the model is told
)

// value is a JSON value, or what may be one, in a text.
type value struct {
	text   string
	start  int
	closed bool // it ends with the bracket that belongs to the first
}

// values finds what may be JSON in a text, the largest first, the later first among equals: a model that corrects
// itself does so afterwards.
func values(text string) []value {
	var out []value
	for i, opens := 0, 0; i < len(text) && opens < maxOpens; i++ {
		if text[i] != '{' && text[i] != '[' {
			continue
		}
		if end := closing(text, i); end > 0 {
			out = append(out, value{text[i:end], i, true})
			i = end - 1
			continue
		}
		opens++
		rest := strings.TrimSuffix(strings.TrimSpace(text[i:]), "```")
		out = append(out, value{text: rest, start: i})
		if last := strings.LastIndexAny(rest, "}]"); last > 0 && last+1 < len(rest) {
			out = append(out, value{text: rest[:last+1], start: i})
		}
	}
	if m := bareField.FindStringSubmatch(text); m != nil && (len(out) == 0 || m[1] != "") {
		out = append(out, value{text: "{" + strings.Trim(text, "` \n") + "}"})
	}
	slices.SortStableFunc(out, func(a, b value) int {
		return cmp.Or(cmp.Compare(len(b.text), len(a.text)), cmp.Compare(b.start, a.start))
	})
	return out[:min(len(out), maxValues)]
}

// bareField begins an object whose braces were forgotten. Without quotes it may be prose as well.
var bareField = regexp.MustCompile(`^\s*(["']?)\w+["']?\s*:`)

// closing is where the value that begins at start ends, or 0.
func closing(text string, start int) int {
	depth, quoted := 0, false
	for i := start; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return 0
}

// decode reads a value, mended if need be. Numbers stay json.Number.
func decode(text string) (any, error) {
	if len(text) > maxAnswer {
		return nil, errors.New("it is too long")
	}
	if tooDeep(text) {
		return nil, errors.New("it is nested too deeply")
	}
	v, strictErr := decodeStrict(text)
	if strictErr == nil {
		return v, nil
	}
	text = mendTexts(text)
	if v, err := decodeStrict(text); err == nil {
		return v, nil
	}
	if len(text) <= maxRepair {
		if mended, err := mend(text); err == nil {
			if v, err := decodeStrict(mended); err == nil {
				return v, nil
			}
		}
	}
	return nil, fmt.Errorf("it is no valid JSON: %w", strictErr)
}

func decodeStrict(text string) (any, error) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something follows the value")
	}
	return v, nil
}

var (
	escapes    = regexp.MustCompile(`(?s)\\u[0-9a-fA-F]{4}|\\.`)
	singleKey  = regexp.MustCompile(`[{,]\s*'`)
	apostrophe = regexp.MustCompile(`(\pL)'(\pL)`)
)

// mendTexts mends what is wrong inside texts only, in one pass, so that long texts need no more: line breaks and other
// control characters become escapes, backslashes that escape nothing (LaTeX, patterns, paths) literal ones.
func mendTexts(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	text = escapes.ReplaceAllStringFunc(text, func(e string) string {
		if len(e) == 6 || strings.ContainsAny(e[1:], `"'\/bfnrt`) {
			return e
		}
		return `\` + e
	})
	var b strings.Builder
	quoted := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\' && i+1 < len(text):
			b.WriteString(text[i : i+2])
			i++
		case quoted && c < ' ':
			fmt.Fprintf(&b, `\u%04x`, c)
		default:
			quoted = quoted != (c == '"')
			b.WriteByte(c)
		}
	}
	return b.String()
}

// mend repairs near-JSON. Apostrophes inside single-quoted text become typographic ones first.
func mend(text string) (mended string, err error) {
	defer func() {
		if p := recover(); p != nil { // the repairer is not ours, and its input is anything
			err = fmt.Errorf("repair: %v", p)
		}
	}()
	if singleKey.MatchString(text) {
		text = apostrophe.ReplaceAllString(text, "$1’$2")
	}
	return jsonrepair.Repair(text)
}

// tooDeep bounds nesting however the quotes are read, since a repairer may read them otherwise than closing does.
func tooDeep(text string) bool {
	for _, quotes := range []string{"", `"`, `"'`} {
		depth, quote := 0, byte(0)
		for i := 0; i < len(text); i++ {
			switch c := text[i]; {
			case quote != 0 && c == '\\':
				i++
			case quote != 0:
				if c == quote {
					quote = 0
				}
			case strings.IndexByte(quotes, c) >= 0:
				quote = c
			case c == '{' || c == '[':
				if depth++; depth > maxDepth {
					return true
				}
			case c == '}' || c == ']':
				depth = max(0, depth-1)
			}
		}
	}
	return false
}
