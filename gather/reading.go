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
	for _, url := range []string{t.lead.URL, r.source.URL, r.source.FinalURL} {
		u.visit(url)
	}
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

// visit records an address that need not be opened again.
func (u *inquiry) visit(url string) {
	if url == "" {
		return
	}
	u.opened[link.Identity(url)] = true
	if !slices.Contains(u.task.Visited, url) && !slices.Contains(u.out.Visited, url) {
		u.out.Visited = append(u.out.Visited, url)
	}
}

// unread keeps a lead that could not be read as a row that is never counted.
func (u *inquiry) unread(t target, r *reading) string {
	u.reads--
	why := ""
	switch {
	case r.note != "":
		why = r.note
	case r.err != nil && t.doc == nil:
		why = r.err.Error()
	}
	why = line(why, 180)
	if errors.Is(r.err, context.Canceled) || errors.Is(r.err, context.DeadlineExceeded) {
		return "It was not opened: time ran out."
	}
	u.note("Not read: " + strings.TrimSuffix(line(orElse(t.lead.Title, t.lead.URL), maxHeading)+": "+why, ": "))
	if snippet := line(t.lead.Snippet, maxQuestion); snippet != "" && t.doc == nil {
		f := plumb.Finding{
			ID: fmt.Sprintf("%s-f%02d", u.task.Unit.ID, len(u.out.Findings)+1), Content: snippet, SourceURL: t.lead.URL, SourceTitle: line(t.lead.Title, maxQuery),
			Subtask: u.task.Number, Worker: "researcher-" + u.task.Unit.ID, At: u.task.At, SearchType: t.kind, Verification: "failed", Status: r.source.Status,
			Depth: plumb.Snippet, Confidence: plumb.Low, Unit: u.task.Unit.ID, Area: u.area(), Key: link.Key(t.lead.URL), Date: t.lead.Date,
		}
		u.out.Findings = append(u.out.Findings, f)
	}
	if why == "" {
		return "It could not be read. Take another source."
	}
	return "It could not be read:\n" + llm.Fence("reason", why) + "\nTake another source."
}

// keep adds a finding that says something new, as long as there is room.
func (u *inquiry) keep(made []plumb.Finding, f plumb.Finding) []plumb.Finding {
	known := func(o plumb.Finding) bool { return overlaps(o.Passage(), f.Passage()) && o.Source != "" }
	if len(u.citable()) >= u.findings() || slices.ContainsFunc(u.out.Findings, known) || slices.ContainsFunc(u.task.Earlier, known) {
		return made
	}
	f.ID = fmt.Sprintf("%s-f%02d", u.task.Unit.ID, len(u.out.Findings)+1)
	u.out.Findings = append(u.out.Findings, f)
	show(u.task.Emit, u.task.Unit.ID, plumb.News(plumb.FindingMade, f.Content, f))
	return append(made, f)
}

// quotedInstead bounds the sentences that are quoted of a source that the model could not deal with.
const quotedInstead = 3

// quoteInstead picks the sentences that answer, as thinking without a model does.
func (u *inquiry) quoteInstead(r *reading) []plumb.Finding {
	tp := topic{area: u.area(), question: u.question(), queries: u.task.Unit.Queries}
	lang := language(u.question())
	var made []plumb.Finding
	for _, p := range u.choose(context.Background(), tp, lang, hitsOf(r.source, r.text)).picked {
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
