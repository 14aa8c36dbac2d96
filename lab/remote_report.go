package lab

// What the scripted services write: sentences of the lab's pages, each with its source, and one that its source contradicts.

import (
	"regexp"
	"strings"

	"github.com/plumbresearch/plumb/text"
)

// written is a report before it is put into a format. An empty one says nothing.
type written struct {
	title string
	said  []remoteSaid
}

// remoteSaid is a sentence with its source.
type remoteSaid struct{ text, url, title string }

// remoteSentences is how many sentences a report has at most.
const remoteSentences = 6

// report answers a question.
func (m *Remote) report(question string) written {
	out := written{title: "Über die Frage: " + strings.TrimSpace(strings.SplitN(question, "\n", 2)[0])}
	if m.Web == nil {
		out.said = []remoteSaid{
			{"The Oxley mill burned down on 9 March 2022.", "https://news.example/mill", "Oxley News"},
			{"The new mill employs 40 people.", "https://paper.example/mill_(new)", "The Paper"},
			{"The insurer pays 7.4 million euros.", "https://news.example/mill", "Oxley News"},
		}
		return out
	}
	out.said = m.Web.answers(question)
	if n := len(out.said); n > 1 {
		out.said = append(out.said, remoteSaid{wrong(out.said[0].text), out.said[0].url, out.said[0].title})
	}
	return out
}

// answers are sentences of readable pages that speak of a question.
func (w *Web) answers(question string) []remoteSaid {
	titles := map[string]string{}
	for _, d := range w.world().docs {
		titles[d.url()] = d.title
	}
	for _, q := range w.Questions() {
		if !strings.HasPrefix(question, q.Text) {
			continue
		}
		var out []remoteSaid
		for _, s := range q.Statements {
			out = append(out, remoteSaid{s.Text, s.Pages[0], titles[s.Pages[0]]})
		}
		return out
	}
	var out []remoteSaid
	for _, h := range w.index().find(engineNamed("tavily"), lookup{text: question, limit: remoteSentences}) {
		if spans := text.Sentences(h.snippet, "en"); len(spans) > 0 {
			out = append(out, remoteSaid{spans[0].Of(h.snippet), h.url(), h.title})
		}
	}
	return out
}

var digits = regexp.MustCompile(`\d+`)

// wrong is a sentence with another first number.
func wrong(s string) string {
	at := digits.FindStringIndex(s)
	if at == nil {
		return "Nobody denies that " + s
	}
	n := []byte(s[at[0]:at[1]])
	n[0] = '1' + (n[0]-'0')%9
	return s[:at[0]] + string(n) + s[at[1]:]
}
