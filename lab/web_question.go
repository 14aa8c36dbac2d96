package lab

// Questions that the pages of the simulated web answer.

import (
	"slices"
	"strings"
)

// Question is a question, and what a good answer says.
type Question struct {
	Text       string
	Subject    string
	Statements []Statement
}

// Statement is a sentence that stands, word for word, in the text of the pages named. They are all in good order.
type Statement struct {
	Text    string
	Pages   []string
	Against string // another figure that some pages have; "": none
}

// readable are the ways to misbehave that leave the text of a page to a careful reader without a browser.
var readable = []string{"", "moved", "charset", "charset-old", "injection"}

// Questions are three for each subject, where pages that can be read hold all that a good answer says.
func (w *Web) Questions() []Question {
	var out []Question
	all := w.world()
	for _, s := range all.subjects {
		for _, q := range s.topic.questions {
			one := Question{Text: s.fill(q.text), Subject: s.name}
			for _, key := range q.keys {
				f := s.fact(key)
				if st := (Statement{f.says[0], all.holding(s, f.says[0]), f.err}); len(st.Pages) > 0 {
					one.Statements = append(one.Statements, st)
				}
			}
			if len(one.Statements) == len(q.keys) {
				out = append(out, one)
			}
		}
	}
	return out
}

// holding are the addresses of the pages on which a sentence stands.
func (w *world) holding(s *subject, sentence string) []string {
	var out []string
	for _, d := range w.docs {
		if d.subject == s && slices.Contains(readable, d.bad) && strings.Contains(d.text(), sentence) {
			out = append(out, d.url())
		}
	}
	return out
}
