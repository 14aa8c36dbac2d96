package gather

// Scope: the question becomes a brief whose areas stand on their own.

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/text"
)

// Scope makes the brief of a question: its language, what it names, and an area for each thing it asks. It never asks back.
func (Extractive) Scope(ctx context.Context, t ScopeTask) (plumb.Brief, error) {
	if err := ctx.Err(); err != nil {
		return plumb.Brief{}, err
	}
	asked := strings.Join(strings.Fields(t.Question.Text), " ")
	if asked == "" {
		return plumb.Brief{}, errors.New("question is empty: say what to research")
	}
	lang := language(asked)
	b := plumb.Brief{Question: asked, Language: lang, Answer: strings.TrimSpace(t.Answer), By: by}
	if t.Question.Language != "" {
		b.Language = t.Question.Language
	}
	b.Entity = entity(asked, lang)
	if b.Answer != "" {
		b.Question = strings.TrimRight(asked, " ") + " (" + b.Answer + ")"
		b.Entity = join(b.Entity, entity(b.Answer, lang))
	}
	about := subjectOf(t.Question.Text, lang, b.Entity)
	if t.Before != nil {
		b.Shifted = TopicShift(asked, t.Before.Question)
		if !b.Shifted && b.Entity.Name == "" {
			b.Entity = t.Before.Brief.Entity
			about = b.Entity.Name
			b.Question = withSubject(b.Question, about)
		}
		b.Notes = append(b.Notes, turnNote(b.Shifted))
	}
	b.Areas = areas(t.Question.Text, lang, about, b)
	return b, nil
}

func turnNote(shifted bool) string {
	if shifted {
		return "The topic changed: evidence of the turn before is not used."
	}
	return "Follows up on the turn before: its evidence is kept."
}

// join adds the names of another entity.
func join(e, o plumb.Entity) plumb.Entity {
	if e.Name == "" {
		e.Name = o.Name
	}
	for _, q := range o.Queries {
		if !slices.Contains(e.Queries, q) && len(e.Queries) < maxQueries {
			e.Queries = append(e.Queries, q)
		}
	}
	return e
}

// areas are the parts of the question, each standing on its own.
func areas(question, lang, about string, b plumb.Brief) []plumb.Area {
	var out []plumb.Area
	all := parts(question, lang)
	for i, p := range all {
		full, spoken := resolve(p, lang, about, b.Entity)
		if b.Answer != "" {
			full += " (" + b.Answer + ")"
		}
		a := plumb.Area{Name: heading(full, lang, b.Entity.Name, spoken), Question: asQuestion(full, lang)}
		alone := b.Entity.Name == "" && (i == 0 || shareTerms(p, all[0]))
		if named := slices.ContainsFunc(b.Entity.Queries, func(q string) bool { return strings.Contains(p, q) }); !named && !spoken && !alone {
			a.Name = heading(p, lang, b.Entity.Name, spoken)
			a.Question = withSubject(a.Question, strings.TrimPrefix(strings.TrimPrefix(about, "the "), "The "))
		}
		a.Terms = contentWords(a.Question, lang)
		if !slices.ContainsFunc(out, func(o plumb.Area) bool { return strings.EqualFold(o.Name, a.Name) }) {
			out = append(out, a)
		}
	}
	return out
}

// asQuestion is a part with its capital and its mark.
func asQuestion(p, lang string) string {
	trimmed := strings.TrimRight(p, " ?？.。")
	if trimmed == "" {
		return p
	}
	p = upperFirst(trimmed)
	if !spaced(p) {
		return p + "？"
	}
	if begins(strings.Fields(p), lang) {
		return p + "?"
	}
	return p
}

// withSubject puts in front what a question is about, unless it says so itself.
func withSubject(question, about string) string {
	if about == "" || strings.Contains(question, about) {
		return question
	}
	return upperFirst(about) + ": " + lowerFirst(question)
}

// subjectOf is what "it" means in later parts: the subject of the first part where it names the entity, else the entity
// with the article the question gave it, else that subject.
func subjectOf(question, lang string, e plumb.Entity) string {
	subject := ""
	switch first := strings.Fields(strings.TrimRight(parts(question, lang)[0], "?")); {
	case lang == "en":
		subject = firstSubject(first, e.Name)
	case lang == "de" && e.Name == "" && len(first) > 1: // the last noun
		if i := lastIndex(first[1:], capitalised); i >= 0 {
			subject = strings.Trim(first[i+1], ",;:")
		}
	}
	if e.Name == "" || strings.Contains(subject, e.Name) {
		return subject
	}
	for _, article := range []string{"the ", "The "} {
		if strings.Contains(question, article+e.Name) {
			return "the " + e.Name
		}
	}
	return e.Name
}

func lastIndex(ws []string, is func(string) bool) int {
	for i := len(ws) - 1; i >= 0; i-- {
		if is(ws[i]) {
			return i
		}
	}
	return -1
}

// firstSubject is the noun phrase behind the first article of a clause, with the name that follows it by "of" or "for".
func firstSubject(ws []string, name string) string {
	for i := 1; i < len(ws) && (i < 5 || name == ""); i++ {
		if !determiners[bare(ws[i])] {
			continue
		}
		end := i + 1
		for end < len(ws) && end-i <= 4 && !ends(bare(ws[end])) {
			end++
		}
		if end == i+1 {
			continue
		}
		phrase := strings.Join(ws[i:end], " ")
		for _, tail := range []string{" of the " + name, " for the " + name, " of " + name} {
			if name != "" && strings.HasPrefix(strings.Join(ws[end-1:], " ")[len(ws[end-1]):], tail) {
				return phrase + tail
			}
		}
		return strings.Trim(phrase, ",")
	}
	return ""
}

// ends says whether a word behind a noun is no part of its phrase.
func ends(w string) bool {
	return strings.HasSuffix(w, "ed") || strings.HasSuffix(w, "ing") || participles[w] || qualities[w] != "" ||
		text.Stopword(w, "en") || prepositions[w] || w == "cost" || w == "fail" || w == "work"
}

// "is it possible to", "was it right to": it stands for what follows.
var beForms = wordSet("is was be makes made")

var dummyIt = wordSet("take takes took true possible known likely necessary be seem seems rain")

// resolve puts what the question is about in the place of the first pronoun and says whether it found one.
func resolve(p, lang, about string, e plumb.Entity) (string, bool) {
	if lang != "en" || about == "" || strings.Contains(p, about) || slices.ContainsFunc(e.Queries, func(q string) bool { return strings.Contains(p, q) }) {
		return p, false
	}
	ws := strings.Fields(p)
	for i, w := range ws {
		possessive := false
		switch bare(w) {
		case "its", "their":
			possessive = true
		case "it", "they", "them":
		default:
			continue
		}
		if i+1 < len(ws) && dummyIt[bare(ws[i+1])] || i > 0 && bare(w) == "it" && beForms[bare(ws[i-1])] && slices.Contains(ws[i+1:], "to") {
			return p, false
		}
		ws[i] = about
		if possessive {
			ws[i] += "'s"
		}
		return strings.Join(ws, " "), true
	}
	return p, false
}

// contentWords are the words of s that carry its meaning, in order, as written but in lower case.
func contentWords(s, lang string) []string {
	var out []string
	for _, t := range text.Tokens(s) {
		if text.Stopword(t.Text, lang) || generic[text.Stem(t.Text, lang)] {
			continue
		}
		if w := strings.ToLower(t.Span.Of(s)); !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	return out
}
