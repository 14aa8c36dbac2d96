package search

// What strangers send, made into plain text of bounded length and addresses that can be read.

import (
	"encoding/json"
	"html"
	"net/url"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html/atom"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/link"
)

// Lengths in characters, of an address in bytes.
const (
	maxTitle   = 300
	maxSnippet = 2000 // an abstract
	maxAuthor  = 100
	maxAuthors = 50
	maxURL     = 2048
)

var (
	// Elements whose content is not text, and comments.
	unspoken = regexp.MustCompile(`(?is)<!--.*?-->|<script\b.*?(?:</script\s*>|$)|<style\b.*?(?:</style\s*>|$)`)
	// The shape of a tag. "p <0.05 and n>3" has none.
	tag = regexp.MustCompile(`</?([a-zA-Z][a-zA-Z0-9]*(?::[a-zA-Z][a-zA-Z0-9]*)?)(?:\s[^<>]*|/)?>`)
)

// inline elements leave no space where they stood.
var inline = map[string]bool{"a": true, "b": true, "i": true, "em": true, "strong": true, "span": true, "mark": true, "sub": true, "sup": true,
	"u": true, "small": true, "font": true, "code": true, "jats:italic": true, "jats:bold": true, "jats:sub": true, "jats:sup": true, "jats:sc": true,
	"mml:mi": true, "mml:mn": true, "mml:mo": true}

// plain is a text without markup, control characters and superfluous space. Entities are resolved twice, since some
// providers escape markup that was escaped already.
func plain(s string) string {
	if len(s) > 8*maxSnippet {
		s = s[:8*maxSnippet] // some providers send the whole page
	}
	s = strings.ToValidUTF8(s, "")
	for range 2 {
		s = untagged(s)
		s = html.UnescapeString(s)
	}
	s = untagged(s)
	return strings.Join(strings.Fields(strings.Map(visible, s)), " ")
}

func untagged(s string) string {
	if !strings.Contains(s, "<") {
		return s
	}
	s = unspoken.ReplaceAllString(s, " ")
	return tag.ReplaceAllStringFunc(s, func(t string) string {
		name := strings.ToLower(tag.FindStringSubmatch(t)[1])
		switch {
		case inline[name]:
			return ""
		case strings.Contains(name, ":"), atom.Lookup([]byte(name)) != 0:
			return " "
		}
		return t // "<k and m>" of a formula
	})
}

// visible drops what is not meant to be seen: control characters, zero-width and direction marks.
func visible(r rune) rune {
	switch {
	case unicode.IsSpace(r):
		return ' '
	case r == '\u200c', r == '\u200d': // letters of some scripts depend on them
		return r
	case unicode.Is(unicode.Cc, r), unicode.Is(unicode.Cf, r), unicode.Is(unicode.Co, r), r == utf8.RuneError:
		return -1
	}
	return r
}

// shorten cuts a text at a word, to at most n characters.
func shorten(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	r := []rune(s)[:n-1]
	cut := len(r)
	for i := len(r) - 1; i > n/2; i-- {
		if r[i] == ' ' {
			cut = i
			break
		}
	}
	return strings.TrimRight(string(r[:cut]), " ,;:") + "…"
}

// normal is a lead in its clean form. It is false for what can't be read: no web address, or one with a password in it.
func normal(l plumb.Lead) (plumb.Lead, bool) {
	if len(l.URL) > maxURL || strings.ContainsFunc(strings.TrimSpace(l.URL), unicode.IsControl) {
		return l, false
	}
	l.URL = link.Normalize(l.URL)
	u, err := url.Parse(l.URL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.User != nil || link.Host(l.URL) == "" || len(l.URL) > maxURL {
		return l, false
	}
	l.Title = shorten(plain(l.Title), maxTitle)
	if l.Title == "" {
		l.Title = link.Host(l.URL)
	}
	l.Snippet = shorten(plain(l.Snippet), maxSnippet)
	if doi, ok := wholeDOI(l.DOI); ok {
		l.DOI = doi
	} else if doi, ok := link.DOI(l.URL); ok {
		l.DOI = doi
	} else {
		l.DOI = ""
	}
	var authors []string
	for _, a := range l.Authors {
		if a = shorten(plain(a), maxAuthor); a != "" && len(authors) < maxAuthors {
			authors = append(authors, a)
		}
	}
	l.Authors = authors
	return l, true
}

// wholeDOI is a DOI that an address can be made of: those with "<" in them, of the last century, can't.
func wholeDOI(s string) (string, bool) {
	doi, ok := link.DOI(s)
	return doi, ok && strings.HasSuffix(strings.ToLower(strings.TrimSpace(s)), doi)
}

// loose is a text that a provider may also send as a number or leave out.
type loose string

// UnmarshalJSON takes any value: what is neither text nor number is empty.
func (l *loose) UnmarshalJSON(b []byte) error {
	var s string
	if json.Unmarshal(b, &s) == nil {
		*l = loose(s)
		return nil
	}
	var n json.Number
	if json.Unmarshal(b, &n) == nil {
		*l = loose(n)
	}
	return nil
}
