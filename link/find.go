// Finding addresses in running text and Markdown, in any language.

package link

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Found is an address in a text. text[Start:End] is how it is written there, URL
// the address itself: Markdown escapes undone, https:// before a bare "www.",
// a DOI as its https://doi.org URL, an arXiv id as its abstract's URL.
type Found struct {
	URL        string
	Start, End int
}

// Find returns the web addresses, DOIs and arXiv ids of a text in order. They do
// not overlap. Brackets around an address, quotes, punctuation that belongs to
// the sentence, and CJK text that follows without a space are left out;
// brackets that are balanced inside it are kept.
func Find(text string) []Found {
	var out []Found
	for i := 0; i < len(text); {
		f, ok := findAt(text, i)
		if !ok {
			i++
			continue
		}
		out = append(out, f)
		i = f.End
	}
	return out
}

// findAt returns the address that begins at i.
func findAt(text string, i int) (Found, bool) {
	switch text[i] {
	case 'h', 'H':
		return findWeb(text, i)
	case 'w', 'W':
		return findWWW(text, i)
	case 'd', 'D':
		return findNamedDOI(text, i)
	case '1':
		return findBareDOI(text, i)
	case 'a', 'A':
		return findArXiv(text, i)
	}
	return Found{}, false
}

func findWeb(text string, i int) (Found, bool) {
	_, rest, ok := cutScheme(text[i:])
	if !ok {
		return Found{}, false
	}
	from := len(text) - len(rest)
	if !startsHost(rest) {
		return Found{}, false
	}
	end := addressEnd(text, i, from)
	if end <= from {
		return Found{}, false
	}
	return Found{URL: unescape(text[i:end]), Start: i, End: end}, true
}

func findWWW(text string, i int) (Found, bool) {
	if !hasFold(text[i:], "www.") || !boundaryBefore(text, i) {
		return Found{}, false
	}
	if !startsHost(text[i+4:]) {
		return Found{}, false
	}
	end := addressEnd(text, i, i)
	host, _, _ := strings.Cut(text[i:end], "/")
	if strings.Count(strings.TrimRight(host, "."), ".") < 2 {
		return Found{}, false
	}
	return Found{URL: "https://" + unescape(text[i:end]), Start: i, End: end}, true
}

// findNamedDOI finds "doi:10.…", "DOI 10.…" and "doi.org/10.…".
func findNamedDOI(text string, i int) (Found, bool) {
	if !hasFold(text[i:], "do") && !hasFold(text[i:], "dx") || !boundaryBefore(text, i) {
		return Found{}, false
	}
	for _, prefix := range []string{"doi:", "doi ", "doi.org/", "dx.doi.org/"} {
		if !hasFold(text[i:], prefix) {
			continue
		}
		from := i + len(prefix)
		for from < len(text) && text[from] == ' ' && from < i+len(prefix)+2 {
			from++
		}
		if f, ok := doiAt(text, from); ok {
			return Found{URL: f.URL, Start: i, End: f.End}, true
		}
	}
	return Found{}, false
}

func findBareDOI(text string, i int) (Found, bool) {
	if !boundaryBefore(text, i) {
		return Found{}, false
	}
	return doiAt(text, i)
}

func doiAt(text string, i int) (Found, bool) {
	if !strings.HasPrefix(text[i:], "10.") || !doiAtStart.MatchString(text[i:]) {
		return Found{}, false
	}
	end := addressEnd(text, i, i)
	d, ok := DOI(unescape(text[i:end]))
	if !ok {
		return Found{}, false
	}
	return Found{URL: doiURL(d), Start: i, End: end}, true
}

func findArXiv(text string, i int) (Found, bool) {
	if !hasFold(text[i:], "arxiv") || !boundaryBefore(text, i) {
		return Found{}, false
	}
	if hasFold(text[i:], "arxiv.org/") {
		end := addressEnd(text, i, i)
		return Found{URL: "https://" + unescape(text[i:end]), Start: i, End: end}, end > i+len("arxiv.org/")
	}
	from := i + len("arxiv")
	for from < len(text) && (text[from] == ':' || text[from] == ' ') && from < i+len("arxiv")+3 {
		from++
	}
	end := from
	for end < len(text) && (isAlnum(text[end]) || strings.IndexByte("./-", text[end]) >= 0) {
		end++
	}
	for ; end > from; end-- { // "arXiv:2301.01234." ends a sentence
		if id, ok := arXivID(text[from:end]); ok {
			return Found{URL: arXivURL(id), Start: i, End: end}, true
		}
		if isAlnum(text[end-1]) {
			break
		}
	}
	return Found{}, false
}

// boundaryBefore reports whether what begins at i is not the rest of a longer
// word, number or path.
func boundaryBefore(text string, i int) bool {
	if i == 0 {
		return true
	}
	r, _ := utf8.DecodeLastRuneInString(text[:i])
	if r < utf8.RuneSelf {
		return !isAlnum(byte(r)) && !strings.ContainsRune("/.@-&=%#?", r)
	}
	return isCJK(r) || !unicode.IsLetter(r) && !unicode.IsDigit(r)
}

// maxIPv6 bounds, in bytes, an IPv6 address in its brackets, with a zone.
const maxIPv6 = 64

func startsHost(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	switch {
	case r == utf8.RuneError:
		return false
	case r < utf8.RuneSelf:
		return isAlnum(byte(r)) || r == '[' && strings.IndexByte(s[:min(len(s), maxIPv6)], ']') > 0
	}
	return !stops(r) && !unicode.IsSpace(r)
}

// addressEnd returns where the address that begins at start ends; scanning
// begins at from, after the scheme.
func addressEnd(text string, start, from int) int {
	if end, ok := autolinkEnd(text, start, from); ok {
		return end
	}
	quote := quoteBefore(text, start)
	var open []byte
	latin := false // the host is ASCII, and so CJK text glued to it is prose
	i, inHost := from, true
	for i < len(text) {
		r, size := utf8.DecodeRuneInString(text[i:])
		if r == '\\' {
			if i+1 < len(text) && strings.IndexByte(escapable, text[i+1]) >= 0 {
				size = 1
				i++
				r = rune(text[i])
			} else {
				break
			}
		}
		if stops(r) || r == quote || endsItem(text, i) {
			break
		}
		if inHost && (r == '/' || r == '?' || r == '#') {
			latin, inHost = isASCII(text[from:i]), false
		}
		if isCJK(r) && i > from && (inHost && isASCII(text[from:i]) || latin && isAlnum(text[i-1])) {
			break
		}
		if r < utf8.RuneSelf {
			var ok bool
			if open, ok = balance(open, byte(r)); !ok {
				break
			}
		}
		i += size
	}
	return trimEnd(text, start, i)
}

// autolinkEnd returns the end of an address in angle brackets, all of which
// belongs to it.
func autolinkEnd(text string, start, from int) (int, bool) {
	if start == 0 || text[start-1] != '<' {
		return 0, false
	}
	for i, r := range text[from:] {
		if r == '>' {
			return from + i, i > 0
		}
		if r == '<' || r == '"' || r <= ' ' || unicode.IsSpace(r) {
			break
		}
	}
	return 0, false
}

const escapable = "_*~()[]#&-.!+="

// balance follows brackets; ok is false at one that closes what was not opened.
func balance(open []byte, c byte) (_ []byte, ok bool) {
	switch c {
	case '(':
		return append(open, ')'), true
	case '[':
		return append(open, ']'), true
	case '{':
		return append(open, '}'), true
	case ')', ']', '}':
		if len(open) == 0 || open[len(open)-1] != c {
			return open, false
		}
		return open[:len(open)-1], true
	}
	return open, true
}

// endsItem reports whether the punctuation at i is followed by another address:
// "https://a.org/x,https://b.org/y" are two.
func endsItem(text string, i int) bool {
	switch text[i] {
	case ',', ';':
		_, _, ok := cutScheme(text[i+1:])
		return ok
	case '&':
		rest := text[i+1:]
		return hasFold(rest, "quot;") || hasFold(rest, "gt;") || hasFold(rest, "lt;") || hasFold(rest, "nbsp;")
	}
	return false
}

// quoteBefore returns the single quote that an address is wrapped in.
func quoteBefore(text string, start int) rune {
	if start > 0 && text[start-1] == '\'' {
		return '\''
	}
	return utf8.RuneError
}

// stops reports whether r never belongs to an address.
func stops(r rune) bool {
	if r <= ' ' || r == 0x7f || unicode.IsSpace(r) || r == utf8.RuneError {
		return true
	}
	switch r {
	case '<', '>', '"', '`', '|', '^', '«', '»', '‹', '›', '…', '—', '‘', '’', '“', '”', '„', '‚',
		'\u200b', '\u200e', '\u200f', '\u2060', '\ufeff':
		return true
	}
	// CJK symbols and punctuation, and the full-width forms of ASCII punctuation.
	if r >= 0x3000 && r <= 0x303f && r != '々' && r != '〇' {
		return true
	}
	return r >= 0xff00 && r <= 0xffef && !unicode.IsLetter(r) && !unicode.IsDigit(r)
}

// isCJK reports whether r is of a script that is written without spaces.
func isCJK(r rune) bool {
	return r >= 0x2e80 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
}

// trimEnd returns the end of text[start:end] without the punctuation that
// belongs to the sentence around it.
func trimEnd(text string, start, end int) int {
	for end > start {
		c := text[end-1]
		switch {
		case strings.IndexByte(".,:;!?'*@([{\\", c) >= 0:
			if c == ';' {
				if amp := entityStart(text[start:end]); amp >= 0 {
					end = start + amp
					continue
				}
			}
			end--
		case c == '~' && end-2 >= start && text[end-2] == '~':
			end -= 2
		case c == '_' && start > 0 && text[start-1] == '_':
			end--
		case (c == ')' || c == ']' || c == '}') && !closes(text[start:end], c):
			end--
		default:
			return end
		}
	}
	return end
}

// maxEntity is the length in bytes of the longest named HTML entity,
// &CounterClockwiseContourIntegral;.
const maxEntity = 33

// entityStart returns where the HTML entity at the end of s begins, or -1.
func entityStart(s string) int {
	from := max(0, len(s)-maxEntity)
	i := strings.LastIndexByte(s[from:], '&') + from
	if i < from || i == len(s)-2 {
		return -1
	}
	for _, c := range []byte(s[i+1 : len(s)-1]) {
		if !isAlnum(c) {
			return -1
		}
	}
	return i
}

// closes reports whether the bracket at the end of s closes one inside s.
func closes(s string, c byte) bool {
	openers := map[byte]string{')': "(", ']': "[", '}': "{"}
	return strings.Count(s, openers[c]) >= strings.Count(s, string(c))
}

// unescape undoes Markdown escapes and the entity that HTML needs for "&".
func unescape(s string) string {
	s = strings.ReplaceAll(s, "&amp;", "&")
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && strings.IndexByte(escapable, s[i+1]) >= 0 {
			continue
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
