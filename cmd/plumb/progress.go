package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"charm.land/lipgloss/v2"
	"golang.org/x/term"

	"github.com/plumbresearch/plumb"
)

// progress shows a run. All that it knows of the run comes from its events.
type progress struct {
	in       io.Reader
	out, err io.Writer
	json     bool
	quiet    bool
	style    style
	live     bool // the terminal can rewrite its last line
	width    int

	mu       sync.Mutex
	status   string // what the last line shows now
	stage    string
	files    plumb.DocumentsNews
	sources  map[string]bool
	findings int
	claims   int
	job      string // how that of a service stands
	written  int    // characters of the draft under way
	verdicts map[plumb.Status]int
	skipped  int
	told     bool  // the person has just answered: that the run goes on is no news
	broken   error // standard output is gone
	stop     func(error)
}

func newProgress(r *root, jsonLines, quiet bool) *progress {
	p := &progress{in: r.io.in, out: r.io.out, err: r.io.err, json: jsonLines, quiet: quiet, width: 80,
		sources: map[string]bool{}, verdicts: map[plumb.Status]int{}, stop: r.stop}
	if fd, ok := terminal(r.io.err); ok {
		p.live = !quiet && !jsonLines
		p.style = newStyle(r.config.NoColor == "")
		if w, _, err := term.GetSize(fd); err == nil && w > 20 {
			p.width = w
		}
	}
	return p
}

func terminal(w any) (int, bool) {
	f, ok := w.(*os.File)
	return fdOf(f), ok && term.IsTerminal(fdOf(f))
}

func fdOf(f *os.File) int {
	if f == nil {
		return -1
	}
	return int(f.Fd())
}

// show is called with every event once it is stored.
func (p *progress) show(e plumb.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.json {
		p.event(e)
		return
	}
	if !p.quiet {
		p.tell(e)
	}
}

// event prints an event as a line of JSON. Events that nobody reads any more end the work.
func (p *progress) event(e plumb.Event) {
	if p.broken != nil {
		return
	}
	b, err := json.Marshal(e)
	if err == nil {
		_, err = fmt.Fprintf(p.out, "%s\n", b)
	}
	if err != nil {
		p.broken = fmt.Errorf("%w (%w)", errUnread, cause(err))
		p.stop(p.broken)
	}
}

// lost is what kept the output from being written, if anything.
func (p *progress) lost() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.broken
}

// answered notes that the person has just told the run to go on.
func (p *progress) answered() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.told = true
}

// tell turns an event into a line, into the status at the bottom, or into nothing.
func (p *progress) tell(e plumb.Event) {
	e.Text = printable(e.Text)
	switch e.Kind {
	case plumb.RunStarted:
		p.line("", p.style.bold(e.Text))
	case plumb.RunResumed:
		if !p.told {
			p.line("note", e.Text)
		}
		p.told = false
	case plumb.StepRetried, plumb.Warning:
		p.line("note", e.Text)
	case plumb.StepFellBack:
		p.line("note", e.Step+": "+e.Text)
	case plumb.FileSkipped:
		p.skip(e)
	case plumb.LeadSkipped:
		if e.Step == "read.1" { // an audit: what a report cites should be there
			p.skip(e)
		}
	case plumb.StepFailed:
		p.line("failed", e.Step+": "+e.Text)
	case plumb.StageStarted:
		p.stage = e.Text
		p.bottom(e.Text + " …")
	case plumb.DocumentsRead:
		p.documents(e)
	case plumb.HostsNamed:
		p.line("hosts", e.Text)
	case plumb.BriefReady:
		p.brief(e)
	case plumb.EstimateReady:
		p.line("cost", e.Text)
	case plumb.RemoteWaits:
		p.remote(e)
	case plumb.CallWaits, plumb.LeadsFound, plumb.Thought:
		p.bottom(e.Text)
	case plumb.DraftDelta:
		p.delta(e)
	case plumb.PlanReady:
		p.plan(e)
	case plumb.WaveStarted:
		p.line("gather", e.Text)
	case plumb.SourceRead:
		p.source(e)
	case plumb.FindingMade:
		p.findings++
		p.gathering()
	case plumb.UnitDone:
		p.line("", fmt.Sprintf("%-5s %s", e.Unit, p.unit(e)))
	case plumb.GateDecided:
		p.line("gate", e.Text)
	case plumb.Cited:
		p.line("cite", e.Text)
	case plumb.DraftWritten:
		p.line("write", e.Text)
	case plumb.DraftReviewed:
		p.line("review", e.Text)
	case plumb.ClaimsSplit:
		p.line("claims", e.Text)
		_, err := fmt.Sscan(e.Text, &p.claims)
		if err != nil {
			p.claims = 0
		}
	case plumb.ClaimChecked:
		p.checked(e)
	case plumb.Published:
		p.line("check", p.tally())
		p.line("publish", e.Text)
	}
}

// skip names the first files that could not be read; thousands would hide everything else.
func (p *progress) skip(e plumb.Event) {
	const most = 20
	if p.skipped++; p.skipped <= most {
		p.line("skipped", e.Text)
	} else if p.skipped == most+1 {
		p.line("skipped", "… and more: they are counted below, and a run's events.jsonl names them all")
	}
}

func (p *progress) documents(e plumb.Event) {
	var n plumb.DocumentsNews
	if json.Unmarshal(e.Data, &n) != nil {
		return
	}
	if n.Done < n.Total {
		p.bottom(fmt.Sprintf("reading documents … %d of %d", n.Done, n.Total))
		return
	}
	text := fmt.Sprintf("%s: %d new, %d changed, %d unchanged", count(n.Total, "document"), n.Added, n.Changed, n.Same)
	if n.Removed > 0 {
		text += fmt.Sprintf(", %d gone", n.Removed)
	}
	if n.Skipped > 0 {
		text += fmt.Sprintf(", %d skipped", n.Skipped)
	}
	if n != p.files {
		p.files = n
		p.line("read", text)
	}
}

// brief tells the areas, or the question that must be answered first.
func (p *progress) brief(e plumb.Event) {
	var b plumb.Brief
	if json.Unmarshal(e.Data, &b) == nil && b.Ask != "" {
		p.line("asks", printable(b.Ask))
		return
	}
	p.line("scope", e.Text)
}

// delta counts the text of a draft while it is written. An empty one begins again.
func (p *progress) delta(e plumb.Event) {
	p.written += utf8.RuneCountInString(e.Text)
	if e.Text == "" {
		p.written = 0
	}
	p.bottom(fmt.Sprintf("writing … %s", count(p.written, "character")))
}

func (p *progress) plan(e plumb.Event) {
	p.line("plan", e.Text)
	var plan plumb.Plan
	if json.Unmarshal(e.Data, &plan) != nil {
		return
	}
	for _, u := range plan.Units {
		p.line("", fmt.Sprintf("%-5s %s", u.ID, printable(u.Question)))
	}
}

func (p *progress) source(e plumb.Event) {
	var s plumb.Source
	if json.Unmarshal(e.Data, &s) != nil {
		return
	}
	p.sources[s.URL] = true
	p.gathering()
}

func (p *progress) gathering() {
	p.bottom(fmt.Sprintf("gathering … %s read, %s", count(len(p.sources), "source"), count(p.findings, "finding")))
}

func (p *progress) unit(e plumb.Event) string {
	var u plumb.UnitNews
	if json.Unmarshal(e.Data, &u) == nil && u.Fail != "" {
		return p.style.bad("failed: " + printable(u.Fail))
	}
	return p.style.faint(e.Text)
}

func (p *progress) checked(e plumb.Event) {
	var v plumb.Verdict
	if json.Unmarshal(e.Data, &v) != nil {
		return
	}
	p.verdicts[v.Status]++
	n := 0
	for _, k := range p.verdicts {
		n += k
	}
	p.bottom(fmt.Sprintf("checking … %d of %d claims", n, max(p.claims, n)))
}

// tally names how many claims have which verdict.
func (p *progress) tally() string {
	var parts []string
	for _, s := range plumb.Statuses {
		if n := p.verdicts[s]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, strings.ReplaceAll(string(s), "_", " ")))
		}
	}
	if len(parts) == 0 {
		return "no claims were checked"
	}
	return strings.Join(parts, ", ")
}

// line prints a line above the status. Its text may be styled, so that callers make what is not theirs printable.
func (p *progress) line(label, text string) {
	p.clear()
	p.say(p.style.label(fmt.Sprintf("%-8s", label)) + " " + text)
	p.redraw()
}

// bottom replaces the status, on terminals that can.
func (p *progress) bottom(text string) {
	if !p.live {
		return
	}
	p.clear()
	p.status = text
	p.redraw()
}

func (p *progress) clear() {
	if p.live && p.status != "" {
		p.print("\r\x1b[K")
	}
}

func (p *progress) redraw() {
	if p.live && p.status != "" {
		p.print(p.style.faint(cut(p.status, p.width-1)))
	}
}

// rest takes the status away, so that whatever is printed next has a line of its own.
func (p *progress) rest() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done()
}

func (p *progress) done() {
	p.clear()
	p.status = ""
}

func (p *progress) say(text string) { p.print(text + "\n") }

// print writes to standard error. Progress that nobody can see is no reason to stop.
func (p *progress) print(text string) {
	if _, err := io.WriteString(p.err, text); err != nil {
		p.quiet = true
	}
}

// cut shortens a line to n characters.
func cut(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:max(n-1, 0)]) + "…"
}

// printable keeps what strangers wrote, file names and documents, from moving the cursor or breaking the line.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, s)
}

// replays says before the events of the first time come again that they cost nothing now.
func (p *progress) replays(id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.json && !p.quiet {
		p.line("replay", "of run "+id+" from its recordings: nothing is sent or spent, whatever was the first time")
	}
}

// report prints the published report to standard output.
func (p *progress) report(md string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done()
	if p.json {
		return
	}
	if _, ok := terminal(p.out); ok {
		lines := strings.Split(md, "\n")
		for i, l := range lines {
			lines[i] = printable(l)
		}
		md = strings.Join(lines, "\n")
		md = p.style.markdown(lipgloss.Wrap(md, min(p.width, 100), ""))
	}
	if _, err := fmt.Fprintf(p.out, "\n%s\n", strings.TrimSpace(md)); err != nil && p.broken == nil {
		p.broken = fmt.Errorf("%w (%w)", errUnread, cause(err))
	}
}

// end says how the run ended and where its files are.
// bill has the calls of the run.
func (p *progress) end(run *plumb.Run, dir string, bill []plumb.LedgerRow) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done()
	if p.quiet || p.json {
		return
	}
	if shown, ok := relative(dir); ok {
		dir = shown
	}
	switch run.State() {
	case plumb.Finished:
		p.say("")
		if run.Spent.Tokens > 0 {
			p.line("cost", spentLine(run.Spent, bill))
		}
		p.line("files", dir)
		p.line("", "open "+dir+"/final.html and click a claim to see the passage it rests on")
	case plumb.Waiting:
		p.line("waiting", waitLine(run))
	case plumb.PausedState:
		p.line("paused", "go on with: plumb resume "+run.ID)
	case plumb.CancelledState:
		p.line("end", strings.TrimSpace("cancelled "+printable(run.Reason)))
	}
}

// state says how far a run is that has not ended well, and how to go on with it.
func (p *progress) state(run *plumb.Run, worked bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.quiet || p.json {
		return
	}
	text := fmt.Sprintf("%s at stage %s", run.State(), run.Stage)
	switch {
	case run.State() == plumb.FailedState:
		text = "failed: " + run.Fail + ". Try again with: plumb resume " + run.ID
	case !worked:
		text = fmt.Sprintf("stopped at stage %s. Go on with: plumb resume %s", run.Stage, run.ID)
	}
	p.line("state", printable(text))
}

// spentLine is the bill in one line. What has no known price is said, never taken for nothing.
func spentLine(s plumb.Spent, bill []plumb.LedgerRow) string {
	unpriced := slices.ContainsFunc(bill, func(r plumb.LedgerRow) bool { return !r.Priced })
	tokens := fmt.Sprintf("%d tokens; see usage.json", s.Tokens)
	switch {
	case unpriced && s.USD == 0:
		return "unknown, for no price is known; " + tokens
	case unpriced:
		return fmt.Sprintf("$%.4f and what has no known price, for %s", s.USD, tokens)
	}
	return fmt.Sprintf("$%.4f for %s", s.USD, tokens)
}

func waitLine(run *plumb.Run) string {
	if run.Wait.Kind == plumb.ForApproval {
		return fmt.Sprintf("for your approval of the plan: plumb approve %[1]s, plumb approve --feedback \"…\" %[1]s, or plumb approve --reject %[1]s", run.ID)
	}
	return fmt.Sprintf("for your answer: plumb answer %s \"…\"", run.ID)
}

// interactive reports whether there is a person to ask.
func (p *progress) interactive() bool {
	_, in := terminal(p.in)
	return in && !p.json
}

// ask puts the question of a waiting run to the person.
func (p *progress) ask(ctx context.Context, a *app, run *plumb.Run) (plumb.Signal, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done()
	if run.Wait.Kind == plumb.ForAnswer {
		var b plumb.Brief
		if err := a.db.Artefact(ctx, run.ID, run.Refs.Ask, &b); err != nil {
			return plumb.Signal{}, err
		}
		text, err := p.read(ctx, printable(b.Ask)+"\n> ")
		return plumb.Signal{Kind: plumb.SigAnswer, Text: text}, err
	}
	text, err := p.read(ctx, "Enter approves the plan, n cancels, anything else is what you want changed\n> ")
	s := plumb.Signal{Kind: plumb.SigFeedback, Text: text, Round: run.Wait.Round}
	switch strings.ToLower(text) {
	case "", "y", "yes":
		s.Kind, s.Text = plumb.SigApprove, ""
	case "n", "no":
		s.Kind, s.Text = plumb.SigReject, "rejected at the prompt"
	}
	return s, err
}

// read takes one line from the person. Ctrl-C while it waits leaves the run waiting.
func (p *progress) read(ctx context.Context, prompt string) (string, error) {
	p.print(prompt)
	type answer struct {
		text string
		err  error
	}
	got := make(chan answer, 1)
	go func() {
		text, err := bufio.NewReader(p.in).ReadString('\n')
		got <- answer{text, err}
	}()
	select {
	case a := <-got:
		if a.err != nil && a.text == "" {
			return "", exit{exitWaiting, "no answer: the run waits, see plumb runs"}
		}
		return strings.TrimSpace(a.text), nil
	case <-ctx.Done():
		return "", exit{exitInterrupted, "interrupted: the run waits, see plumb runs"}
	}
}
