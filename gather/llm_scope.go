package gather

// Scope with a model: clarify or proceed, and the brief. What the model says is checked and cut; what it leaves out is
// filled in from the question's own words.

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/link"
	"github.com/plumbresearch/plumb/llm"
	"github.com/plumbresearch/plumb/text"
)

// scopeAnswer is what a model answers to the prompt scope.
type scopeAnswer struct {
	Clarify  bool        `json:"clarify"`
	Ask      string      `json:"ask"`
	Question string      `json:"question"`
	Language string      `json:"language"`
	Areas    []scopeArea `json:"areas"`
	Entity   scopeEntity `json:"entity"`
}

type scopeArea struct {
	Name     string `json:"name"`
	Question string `json:"question"`
}

type scopeEntity struct {
	Name    string   `json:"name"`
	Queries []string `json:"queries"`
	Domains []string `json:"domains"`
}

// scopeData is what the prompt scope shows.
type scopeData struct {
	Asked, Answer, Language, Date string
	Before                        string
	Shifted, MayAsk               bool
}

// Scope makes the brief of a question, or asks back, once at most and never on a follow-up that stays with its topic.
func (t LLM) Scope(ctx context.Context, task ScopeTask) (plumb.Brief, error) {
	if err := noModel(t.Orchestrator, llm.Orchestrator); err != nil {
		return plumb.Brief{}, err
	}
	asked := strings.TrimSpace(task.Question.Text)
	if asked == "" {
		return plumb.Brief{}, errors.New("question is empty: say what to research")
	}
	data := scopeData{Asked: asked, Answer: strings.TrimSpace(task.Answer), Language: task.Question.Language, Date: dayOf(task.Question)}
	if task.Before != nil {
		data.Shifted = TopicShift(asked, task.Before.Question)
		data.Before = "Asked: " + task.Before.Question + "\n" + briefText(task.Before.Brief)
	}
	data.MayAsk = data.Answer == "" && (task.Before == nil || data.Shifted)
	shown := data
	left, err := room(t.Orchestrator, "scope", scopeData{Asked: "-", Before: "-", Answer: "-", Language: "-"}, briefOutput)
	if err != nil {
		return plumb.Brief{}, err
	}
	shown.Asked, shown.Answer, shown.Before = shorten(data.Asked, left/2), shorten(data.Answer, left/4), shorten(data.Before, left/4)
	req, err := request(t.Orchestrator, "scope", shown, briefOutput)
	if err != nil {
		return plumb.Brief{}, err
	}
	a, err := llm.Ask(ctx, t.Orchestrator, req, "scope", func(a *scopeAnswer) error { return a.check(data.MayAsk) })
	if err != nil {
		return plumb.Brief{}, fmt.Errorf("scope: %w", err)
	}
	return a.brief(task, data, t.Orchestrator.Name()), nil
}

// check refuses an answer from which no brief can be made.
func (a *scopeAnswer) check(mayAsk bool) error {
	if a.Clarify && mayAsk {
		if strings.TrimSpace(a.Ask) == "" {
			return errors.New("clarify is true, but ask is empty: put your question there, or set clarify to false")
		}
		return nil
	}
	if strings.TrimSpace(a.Question) == "" && len(a.Areas) == 0 {
		return errors.New("question and areas are empty: give the refined question and one to six areas")
	}
	return nil
}

// brief makes a sound brief of the answer.
func (a *scopeAnswer) brief(task ScopeTask, data scopeData, by string) plumb.Brief {
	asked := strings.Join(strings.Fields(data.Asked), " ")
	b := plumb.Brief{Question: line(a.Question, 2*maxQuestion), Language: languageOf(task.Question, a.Language), Answer: data.Answer, By: by, Shifted: data.Shifted}
	if b.Question == "" {
		b.Question = asked
		if b.Answer != "" {
			b.Question += " (" + b.Answer + ")"
		}
	}
	b.Entity = a.Entity.entity()
	if task.Before != nil {
		if !b.Shifted && b.Entity.Name == "" {
			b.Entity = task.Before.Brief.Entity
		}
		b.Notes = append(b.Notes, turnNote(b.Shifted))
	}
	b.Areas = a.areas(b)
	if a.Clarify && data.MayAsk {
		b.Ask = line(a.Ask, maxQuestion)
	}
	return b
}

// areas are the distinct areas of the answer; none: the question is the area.
func (a *scopeAnswer) areas(b plumb.Brief) []plumb.Area {
	var out []plumb.Area
	seen := map[string]bool{}
	for _, s := range a.Areas {
		area := plumb.Area{Name: clip(line(strings.TrimLeft(s.Name, "#-* 0123456789."), 2*maxHeading)), Question: line(s.Question, maxQuestion)}
		if area.Question == "" {
			area.Question = area.Name
		}
		if area.Name == "" {
			area.Name = clip(area.Question)
		}
		name, question := "n "+words(area.Name)+strings.ToLower(area.Name), "q "+words(area.Question)+strings.ToLower(area.Question)
		if area.Name == "" || seen[name] || seen[question] || len(out) == maxAreas {
			continue
		}
		seen[name], seen[question] = true, true
		area.Terms = contentWords(area.Question, language(area.Question))
		out = append(out, area)
	}
	if len(out) == 0 {
		lang := language(b.Question)
		out = []plumb.Area{{Name: heading(clip(b.Question), lang, b.Entity.Name, false), Question: line(b.Question, maxQuestion), Terms: contentWords(b.Question, lang)}}
	}
	return out
}

var (
	languageCode = regexp.MustCompile(`^[a-z]{2}$`)
	domainName   = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+$`)
)

// languageOf is the language of the answer: what was asked for, else what the question is written in as package text sees
// it, else, where that is unsure, what the model says.
func languageOf(q plumb.Question, said string) string {
	if q.Language != "" {
		return q.Language
	}
	if l := text.Language(q.Text); l != "" {
		return l
	}
	said, _, _ = strings.Cut(strings.ToLower(strings.TrimSpace(said)), "-")
	if languageCode.MatchString(said) {
		return said
	}
	return "en"
}

// entity keeps names and registrable domains that are such.
func (e scopeEntity) entity() plumb.Entity {
	out := plumb.Entity{Name: line(e.Name, maxHeading), Queries: uniqueLines(e.Queries, maxHeading)}
	if out.Name != "" && len(out.Queries) == 0 {
		out.Queries = []string{out.Name}
	}
	var domains []string
	for _, d := range e.Domains {
		d = strings.ToLower(strings.TrimSpace(d))
		if strings.Contains(d, "//") {
			d = link.Host(d)
		}
		d = strings.TrimPrefix(strings.TrimRight(d, "/."), "www.")
		if domainName.MatchString(d) && link.Domain("https://"+d+"/") != "" && strings.ContainsAny(d[strings.LastIndexByte(d, '.'):], "abcdefghijklmnopqrstuvwxyz") {
			domains = append(domains, d)
		}
	}
	out.Domains = uniqueLines(domains, maxQuery)
	return out
}
