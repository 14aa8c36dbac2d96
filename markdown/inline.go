// Where inline constructs end, for scanning text in place.

package markdown

import "strings"

// maxInline bounds how far the end of a bracket, target or tag is looked for, so
// that text full of openers is not read again and again.
const maxInline = 2048

// codeSpanEnd returns the end of the code span at start, or of the run of
// backticks if none begins there.
func codeSpanEnd(s string, start, end int) int {
	n := 0
	for start+n < end && s[start+n] == '`' {
		n++
	}
	for i := start + n; i < end; {
		k := strings.IndexByte(s[i:end], '`')
		if k < 0 {
			break
		}
		i += k
		m := 0
		for i+m < end && s[i+m] == '`' {
			m++
		}
		i += m
		if m == n {
			return i
		}
	}
	return start + n
}

// inlineTagEnd returns the end of the HTML tag or autolink at start, or start+1.
func inlineTagEnd(s string, start, end int) int {
	if start+1 >= end {
		return end
	}
	c := s[start+1]
	if c != '/' && c != '!' && c != '?' && (c|0x20 < 'a' || c|0x20 > 'z') {
		return start + 1
	}
	limit := min(end, start+maxInline)
	if strings.HasPrefix(s[start:end], "<!--") {
		if i := strings.Index(s[start:limit], "-->"); i >= 0 {
			return start + i + 3
		}
	}
	i := strings.IndexAny(s[start+1:limit], "<>")
	if i < 0 || s[start+1+i] == '<' {
		return start + 1
	}
	return start + i + 2
}

// bracketEnd returns the offset after the ] that closes the [ at start, or -1.
func bracketEnd(s string, start, end int) int {
	depth := 0
	end = min(end, start+maxInline)
	for i := start; i < end; {
		switch s[i] {
		case '\\':
			i += 2
			continue
		case '`':
			i = codeSpanEnd(s, i, end)
			continue
		case '[':
			depth++
		case ']':
			depth--
			if depth == 0 {
				return i + 1
			}
		}
		i++
	}
	return -1
}

// linkTarget reads the (target "title") at start. Unlike CommonMark it lets a
// doc: target contain spaces, as paths of documents do.
func linkTarget(s string, start, end int) (url string, after int, ok bool) {
	if start >= end || s[start] != '(' {
		return "", 0, false
	}
	end = min(end, start+maxInline)
	i := skipSpace(s, start+1, end)
	from := i
	if i < end && s[i] == '<' {
		j := strings.IndexAny(s[i:end], ">\n")
		if j < 0 || s[i+j] == '\n' {
			return "", 0, false
		}
		url, i = s[i+1:i+j], i+j+1
	} else {
		i = bareTargetEnd(s, i, end)
		url = s[from:i]
	}
	i = titleEnd(s, skipSpace(s, i, end), end)
	if i >= end || s[i] != ')' {
		return "", 0, false
	}
	return unescapeTarget(url), i + 1, true
}

func bareTargetEnd(s string, start, end int) int {
	spaces := strings.HasPrefix(s[start:end], "doc:")
	depth := 0
	for i := start; i < end; i++ {
		switch c := s[i]; {
		case c == '\\' && i+1 < end:
			i++
		case c == '(':
			depth++
		case c == ')':
			if depth == 0 {
				return i
			}
			depth--
		case c == '\n' || c < ' ' || c == ' ' && !spaces:
			return i
		}
	}
	return end
}

// titleEnd skips a link's title and the space after it.
func titleEnd(s string, start, end int) int {
	if start >= end {
		return start
	}
	closing := map[byte]byte{'"': '"', '\'': '\'', '(': ')'}[s[start]]
	if closing == 0 {
		return start
	}
	for i := start + 1; i < end; i++ {
		if s[i] == '\\' {
			i++
		} else if s[i] == closing {
			return skipSpace(s, i+1, end)
		}
	}
	return start
}

func skipSpace(s string, i, end int) int {
	for i < end && (s[i] == ' ' || s[i] == '\t' || s[i] == '\n' || s[i] == '\r') {
		i++
	}
	return i
}

func unescapeTarget(s string) string {
	s = strings.ReplaceAll(s, "&amp;", "&")
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && strings.IndexByte("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", s[i+1]) >= 0 {
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
