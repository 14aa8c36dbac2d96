// Package text reads plain text the way the rest of the program needs it:
// sentences, tokens and stems, quantities and dates, tolerant quote matching,
// the language of a text, and what sets two sentences at odds.
//
// Everything here is pure and deterministic, works on UTF-8 strings and speaks
// of places as byte offsets into the string that was passed in.
package text

// Span is a half-open range of bytes of a text.
type Span struct{ Start, End int }

// Of returns the part of text that the span covers.
func (s Span) Of(text string) string { return text[s.Start:s.End] }

// Len is the length in bytes.
func (s Span) Len() int { return s.End - s.Start }
