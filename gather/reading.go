package gather

// What comes of a source that was opened: findings, a row that only a snippet was seen, or a note.

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/link"
	"github.com/plumbresearch/plumb/llm"
	"github.com/plumbresearch/plumb/text"
)

// settleReading keeps what was read and says so.
func (u *inquiry) settleReading(t target, r *reading, room int) string {
	if r.err != nil || r.depth == plumb.Snippet {
		return u.unread(t, r)
	}
	if r.extractError != nil && !errors.Is(r.extractError, llm.ErrAnswer) {
		if u.stop == nil {
			u.stop = r.extractError
		}
		return "It could not be dealt with."
	}
	u.read([]plumb.Source{r.source})
	u.visitAll(t, r)
	u.remark(r)
	var made []plumb.Finding
	if r.extractError != nil {
		made = u.quoteInstead(r)
		u.note("Sentences of " + line(title(r.source), maxHeading) + " are quoted as they stand: the model gave no valid answer on it.")
	}
	for _, e := range r.findings {
		made = u.keep(made, u.finding(r, e))
	}
	return u.tell(r, made, room)
}

// visitAll also remembers, for this unit, what was opened.
func (u *inquiry) visitAll(t target, r *reading) {
	u.result.visitAll(t, r)
	for _, url := range []string{t.lead.URL, r.source.URL, r.source.FinalURL} {
		u.opened[link.Identity(url)] = true
	}
}

// unread says that a lead could not be read.
func (u *inquiry) unread(t target, r *reading) string {
	u.reads--
	switch why := u.gone(t, r); {
	case errors.Is(r.err, context.Canceled), errors.Is(r.err, context.DeadlineExceeded):
		return "It was not opened: time ran out."
	case why == "":
		return "It could not be read. Take another source."
	default:
		return "It could not be read:\n" + llm.Fence("reason", why) + "\nTake another source."
	}
}

// keep adds a finding that says something new, as long as there is room.
func (u *inquiry) keep(made []plumb.Finding, f plumb.Finding) []plumb.Finding {
	known := func(o plumb.Finding) bool { return overlaps(o.Passage(), f.Passage()) && o.Source != "" }
	if len(u.citable()) >= u.findings() || slices.ContainsFunc(u.out.Findings, known) || slices.ContainsFunc(u.task.Earlier, known) {
		return made
	}
	f.ID = u.nextFinding()
	u.out.Findings = append(u.out.Findings, f)
	show(u.task.Emit, u.task.Unit.ID, plumb.News(plumb.FindingMade, f.Content, f))
	return append(made, f)
}

// quotedInstead bounds the sentences that are quoted of a source that the model could not deal with.
const quotedInstead = 3

// quoteInstead picks the sentences that answer, as thinking without a model does.
func (u *inquiry) quoteInstead(r *reading) []plumb.Finding {
	var made []plumb.Finding
	for _, p := range u.choose(context.Background(), u.topic(), language(u.question()), nearestPassages(r, phrasings(u.topic(), u.task.Brief))).picked {
		if len(made) == quotedInstead {
			break
		}
		e := extracted{fact: plain(p.quote), span: text.Span{Start: p.start, End: p.end}, confidence: p.confidence()}
		f := u.finding(r, e)
		f.Relevance = p.relevance()
		made = u.keep(made, f)
	}
	return made
}

// tell says what was taken from a source, in at most room tokens.
func (u *inquiry) tell(r *reading, made []plumb.Finding, room int) string {
	var s strings.Builder
	entries := []string{aboutSource(r.source)}
	if r.note != "" {
		entries[0] += "\n" + line(r.note, maxQuery)
	}
	for i, f := range made {
		entries = append(entries, fmt.Sprintf("%d. (%s) %s — %q", i+1, f.Confidence, f.Content, line(f.Quote, maxThought)))
	}
	switch len(made) {
	case 0:
		s.WriteString("Read. Nothing in it is new on your question.")
	case 1:
		s.WriteString("Read. 1 finding kept:")
	default:
		fmt.Fprintf(&s, "Read. %d findings kept:", len(made))
	}
	s.WriteString("\n" + llm.Fence("findings", strings.Join(fitting(entries, max(room-60, 40)), "\n")))
	if r.refused > 0 {
		fmt.Fprintf(&s, "\n%d more were left out: their quotes are not in the source.", r.refused)
	}
	if r.verdict == "contradicted" {
		s.WriteString("\nThe source contradicts what the search result said about it. Trust the source, and be careful.")
	}
	return s.String()
}
