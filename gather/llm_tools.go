package gather

// The tools of a unit: what a call asks for, whether it may be done, and what is said in reply.

import (
	"context"
	"fmt"
	neturl "net/url"
	"slices"
	"strings"
	"sync"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/link"
	"github.com/plumbresearch/plumb/llm"
)

const (
	leadsShown    = 8   // of a search
	passagesShown = 8   // of a search
	snippetShown  = 300 // characters of a lead's snippet
	passageShown  = 500 // characters of a passage
)

type searchArgs struct {
	Query string `json:"query"`
}

type fetchArgs struct {
	URL string `json:"url"`
}

var (
	libraryTool = llm.ToolOf[searchArgs]("search_library", "Search the author's own documents. Gives passages with their doc: addresses.")
	webTool     = llm.ToolOf[searchArgs]("search_web", "Search the web. Gives leads: titles, addresses and snippets.")
	papersTool  = llm.ToolOf[searchArgs]("search_papers", "Search indexes of scientific papers. Gives leads: titles, addresses and abstracts.")
	fetchTool   = llm.ToolOf[fetchArgs]("fetch_url", "Open a source by its address, exactly as a result gave it. Gives the findings that were taken from it.")
)

// toolbox lists the tools that there are.
func (u *inquiry) toolbox() []llm.Tool {
	var out []llm.Tool
	if u.tools.Library != nil {
		out = append(out, libraryTool)
	}
	if u.tools.Web != nil {
		out = append(out, webTool)
	}
	if u.tools.Papers != nil {
		out = append(out, papersTool)
	}
	return append(out, fetchTool, thinkTool)
}

// job is a call taken apart: whether it may be done was decided before the calls of its turn began, its work runs beside
// that of the others, and what came of it is settled in the order of the calls. So the same calls give the same replies.
type job struct {
	work   func(ctx context.Context) // nil: there is nothing to wait for
	settle func(room int) string     // the reply, of at most so many tokens
}

func say(text string) job { return job{settle: func(int) string { return text }} }

// do runs jobs at once and settles them in order.
func (u *inquiry) do(ctx context.Context, jobs []job) {
	work(ctx, jobs)
	for _, j := range jobs {
		j.settle(0)
	}
}

func work(ctx context.Context, jobs []job) {
	var wg sync.WaitGroup
	for _, j := range jobs {
		if j.work != nil {
			wg.Go(func() { j.work(ctx) })
		}
	}
	wg.Wait()
}

// act does the calls of a turn and replies to each.
func (u *inquiry) act(ctx context.Context, calls []llm.Call) {
	jobs := make([]job, len(calls))
	for i, c := range calls {
		if u.calls++; u.calls > u.hardStop() {
			jobs[i] = say("No tool calls are left.")
			continue
		}
		jobs[i] = u.prepare(c)
	}
	work(ctx, jobs)
	room := min(u.loop.room(len(calls)), 2000)
	for i, j := range jobs {
		text := j.settle(room)
		if i == len(jobs)-1 {
			text += u.reminder()
		}
		u.loop.reply(calls[i], text)
	}
}

// reminder tells a model that has used what it was given.
func (u *inquiry) reminder() string {
	switch {
	case u.calls >= u.toolCalls():
		return "\n\nYou have used your tool calls. Please write your analysis now."
	case u.full():
		return "\n\nThat is as much as we can use on this question. Please write your analysis now."
	case u.reads >= u.sources() && len(u.citable()) > 0:
		return fmt.Sprintf("\n\n%d sources opened, %d findings so far. Open more only if something important is missing.", u.reads, len(u.citable()))
	case u.finds >= u.searches():
		return "\n\nThat was your last search. Open what is promising, then write your analysis."
	}
	return ""
}

// full says whether no further source may be opened.
func (u *inquiry) full() bool {
	return u.reads >= 2*u.sources() || len(u.citable()) >= u.findings()
}

// prepare decides what becomes of a call.
func (u *inquiry) prepare(c llm.Call) job {
	switch c.Name {
	case "think":
		args, err := llm.Args[thinkArgs](c)
		if err == nil && strings.TrimSpace(args.Thought) != "" {
			show(u.task.Emit, u.task.Unit.ID, plumb.Event{Kind: plumb.Thought, Text: line(args.Thought, maxThought)})
		}
		return say("Go on.")
	case "fetch_url":
		args, err := llm.Args[fetchArgs](c)
		if err != nil || strings.TrimSpace(args.URL) == "" {
			return say(`The arguments could not be read. Call fetch_url with {"url": "…"}.`)
		}
		return u.open(args.URL)
	case "search_library", "search_web", "search_papers":
		if !slices.ContainsFunc(u.toolbox(), func(t llm.Tool) bool { return t.Name == c.Name }) {
			break
		}
		args, err := llm.Args[searchArgs](c)
		query := line(args.Query, maxQuery)
		if err != nil || query == "" {
			return say("The arguments could not be read. Call " + c.Name + ` with {"query": "…"}.`)
		}
		if u.finds >= 2*u.searches() {
			return say("No searches are left. Open what was found, or write your analysis.")
		}
		u.finds++
		switch c.Name {
		case "search_web":
			return u.searchOutside(u.tools.Web, web, query)
		case "search_papers":
			return u.searchOutside(u.tools.Papers, paper, query)
		}
		return u.searchLibrary(query)
	}
	var names []string
	for _, t := range u.toolbox() {
		names = append(names, t.Name)
	}
	return say("There is no tool of that name. There are: " + strings.Join(names, ", ") + ".")
}

func (u *inquiry) searchLibrary(query string) job {
	var hits []plumb.Hit
	var err error
	return job{
		work: func(ctx context.Context) { hits, err = u.find(ctx, []string{query}) },
		settle: func(room int) string {
			if err != nil {
				u.note("The library could not be searched.")
				return "The documents could not be searched."
			}
			u.meetHits(hits)
			return results("passages", u.passageEntries(hits), room)
		},
	}
}

// results shows as many entries as there is room for.
func results(label string, entries []string, room int) string {
	if len(entries) == 0 {
		return "Nothing was found. Try other words."
	}
	if entries = fitting(entries, room); len(entries) == 0 {
		return "There is no room to show more results. Open what you have, or write your analysis."
	}
	return llm.Fence(label, strings.Join(entries, "\n"))
}

// passages searches the library and makes what it finds known.
func (u *inquiry) passages(ctx context.Context, queries []string) ([]plumb.Hit, error) {
	hits, err := u.find(ctx, queries)
	u.meetHits(hits)
	return hits, err
}

// find searches the library. Documents that others have read whole are left out, unless it is known what was quoted of
// them and they have more to say on this question: others asked something else.
func (u *inquiry) find(ctx context.Context, queries []string) ([]plumb.Hit, error) {
	lang := language(u.question())
	hits, err := u.search(ctx, queries, lang, nil)
	again := map[string]bool{}
	if slices.ContainsFunc(hits, func(h plumb.Hit) bool { return u.quotedBefore(h) && u.readElsewhere(h.Source.URL, &h.Source) }) {
		apart := result{task: u.task, tools: u.tools} // several may search at once
		for _, p := range apart.choose(ctx, u.topic(), lang, hits).picked {
			again[p.hit.Source.URL] = u.quotedBefore(*p.hit)
		}
	}
	return slices.DeleteFunc(hits, func(h plumb.Hit) bool { return !again[h.Source.URL] && u.readElsewhere(h.Source.URL, &h.Source) }), err
}

// quotedBefore says whether the unit knows quotes of a passage's document.
func (u *inquiry) quotedBefore(h plumb.Hit) bool {
	return slices.ContainsFunc(u.task.Earlier, func(f plumb.Finding) bool { return f.Source == h.Source.Hash })
}

func (u *inquiry) meetHits(hits []plumb.Hit) {
	for _, h := range hits {
		delete(u.before, link.Identity(h.Source.URL)) // what find shows may be opened
		u.meet(target{lead: plumb.Lead{URL: h.Source.URL, Title: title(h.Source)}, doc: &h.Source, kind: internal})
	}
}

// meet makes an address known, once.
func (u *inquiry) meet(t target) {
	id := link.Identity(t.lead.URL)
	if _, known := u.places[id]; !known {
		u.places[id] = len(u.known)
		u.known = append(u.known, t)
	}
}

func (u *inquiry) lookUp(url string) (target, bool) {
	i, known := u.places[link.Identity(url)]
	if !known {
		return target{}, false
	}
	return u.known[i], true
}

// passageEntries are hits as the model sees them: numbered, with title, address and text.
func (u *inquiry) passageEntries(hits []plumb.Hit) []string {
	var out []string
	for _, h := range hits {
		if len(out) == passagesShown {
			break
		}
		if wordCount(strings.TrimLeft(h.Text, "# ")) < 4 || strings.TrimLeft(h.Text, "# ") == h.Source.Title {
			continue // a heading says nothing
		}
		where := ""
		if h.Heading != "" && h.Heading != h.Source.Title {
			where = " (" + line(h.Heading, maxHeading) + ")"
		}
		out = append(out, fmt.Sprintf("%d. %s <%s>%s\n   %s", len(out)+1, line(title(h.Source), maxHeading), h.Source.URL, where, line(h.Text, passageShown)))
	}
	return out
}

func (u *inquiry) searchOutside(in Searcher, kind, query string) job {
	s := &outsideSearch{kind: kind, query: query, in: in}
	return job{
		work: func(ctx context.Context) { s.run(ctx, u.task.Brief.Language) },
		settle: func(room int) string {
			if !u.heard(s) {
				return "The search could not be made. Try once more, or go on with what there is."
			}
			var entries []string
			for _, l := range s.found.Leads[:min(len(s.found.Leads), leadsShown)] {
				_, seen := u.lookUp(l.URL)
				entries = append(entries, u.leadEntry(len(entries)+1, l, seen))
				u.meet(target{lead: l, kind: kind})
			}
			return results("leads", entries, room)
		},
	}
}

// leadEntry is a lead as the model sees it. What an earlier search showed is shown without its snippet.
func (u *inquiry) leadEntry(n int, l plumb.Lead, seen bool) string {
	s := fmt.Sprintf("%d. %s <%s>", n, line(l.Title, maxQuery), line(l.URL, maxAddress))
	if l.Date != "" {
		s += " (" + line(l.Date, maxHeading) + ")"
	}
	switch {
	case u.opened[link.Identity(l.URL)] || u.readElsewhere(l.URL, nil):
		s += " (opened already)"
	case seen:
		s += " (see above)"
	case l.Snippet != "":
		s += "\n   " + line(l.Snippet, snippetShown)
	}
	return s
}

// readElsewhere says whether an earlier unit has read an address. A document of the library that is longer than what a
// unit sees of it was not read whole: another question leads to other parts of it.
func (u *inquiry) readElsewhere(url string, doc *plumb.Source) bool {
	if doc != nil && doc.Chars > u.characters() {
		return false
	}
	return u.before[link.Identity(url)]
}

// open reads a source and has it extracted from. Only what was found may be opened, and nothing twice. Addresses that
// stand in the text of a page were not found: a page could send its reader anywhere, with anything in the address. They
// are leads like any other as soon as a search finds them.
func (u *inquiry) open(url string) job {
	url = strings.Trim(strings.TrimSpace(url), "<>\"'")
	t, known := u.lookUp(url)
	if !known && !strings.Contains(url, "://") { // models drop the scheme of a document, or encode its spaces
		if plain, err := neturl.PathUnescape(strings.TrimPrefix(url, "doc:")); err == nil {
			t, known = u.lookUp("doc:" + plain)
		}
	}
	if !known && u.official(url) {
		t, known = target{lead: plumb.Lead{URL: link.Normalize(url), Title: url}, kind: web}, true
	}
	switch {
	case !known:
		return say("That address is in none of the results, so it was not opened. Take addresses from results exactly as they stand there.")
	case u.opened[link.Identity(t.lead.URL)]:
		return say("You have opened that already; its findings are above.")
	case u.readElsewhere(t.lead.URL, t.doc):
		return say("That was opened before and is not opened again. Its findings are kept already; take another source.")
	case u.full():
		return say("Enough sources were opened. Please write your analysis now.")
	case t.doc == nil && u.tools.Pages == nil:
		return say("Pages can't be opened here.")
	}
	u.opened[link.Identity(t.lead.URL)] = true
	u.reads++
	r := &reading{kind: t.kind, snippet: t.lead.Snippet}
	return job{
		work: func(ctx context.Context) {
			if u.load(ctx, t, r); r.err == nil && r.depth != plumb.Snippet {
				u.extract(ctx, r)
			}
		},
		settle: func(room int) string { return u.settleReading(t, r, room) },
	}
}

// official says whether an address lies on an official site of the entity and the question does not exclude it. It has
// neither a query nor a user: those could carry what a page talked the model into sending.
func (u *inquiry) official(url string) bool {
	if strings.ContainsAny(url, "?@#") {
		return false
	}
	host := link.Host(link.Normalize(url))
	on := func(domain string) bool {
		domain = strings.TrimPrefix(strings.ToLower(domain), "www.")
		return host == domain || strings.HasSuffix(host, "."+domain)
	}
	w := u.task.Question.Where
	return u.tools.Pages != nil && host != "" && slices.ContainsFunc(u.task.Brief.Entity.Domains, on) && !slices.ContainsFunc(w.Exclude, on) &&
		(len(w.Include) == 0 || slices.ContainsFunc(w.Include, on))
}
