// The check of a report's claims: each against every source it cites, several at
// once, each source read once, results in the order of the claims.

package verify

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/link"
	"github.com/plumbresearch/plumb/markdown"
)

// Sources gives the text behind a URL as it was stored when it was read. An error
// that wraps ErrPaywall makes the verdict paywall, any other inaccessible. The
// text of an error is shown to users only when it wraps one of the two. Source
// must return soon after its context ends; it is not waited for.
type Sources interface {
	Source(ctx context.Context, url string) (plumb.Source, string, error)
}

var (
	// ErrPaywall is wrapped by errors for sources that only subscribers can read.
	ErrPaywall = errors.New("source is behind a paywall")
	// ErrInaccessible is wrapped by errors whose text may be shown to users.
	ErrInaccessible = errors.New("source could not be read")
)

// Judge decides about what the rules leave open. Passages are the parts of a
// source nearest to the claim, nearest first.
type Judge interface {
	Judge(ctx context.Context, claim string, passages []string) (Judgement, error)
}

// Judgement is three probabilities that add up to 1, and why.
type Judgement struct {
	Supported, Contradicted, Neither float64
	Reason                           string
}

// Checker gives claims their verdicts. Only Sources is required.
type Checker struct {
	Sources Sources
	// Embedded, mostly Embedded{}, decides about what rules and spans leave open; nil:
	// the rules do. It costs nothing to ask, and leaves open to Judge what was open.
	Embedded Judge
	// Judge is asked about what those before it leave open; nil: they decide alone.
	// One that fails leaves their decision, which the verdict's notes say.
	Judge Judge
	// AtOnce is how many claims are checked at the same time; 0 means 5.
	AtOnce int
	// Timeout bounds the reading of each source; 0 means 10 s.
	Timeout time.Duration
}

// NewChecker is the checker of runs and audits: rules, then the embedded judge, then
// judge, which may be nil, for what both leave open.
func NewChecker(sources Sources, judge Judge) Checker {
	return Checker{Sources: sources, Embedded: Embedded{}, Judge: judge}
}

const (
	defaultAtOnce  = 5
	defaultTimeout = 10 * time.Second
	noCitation     = "No citation provided"
	maxReason      = 180 // characters of a reason
)

// Check gives each claim one verdict: the best of its citations', with the
// others in Others; a claim that one citation supports and another contradicts
// is disputed. Verdicts come in the order of the claims and are the same for the
// same sources, however many are checked at once. emit, which may be nil, is
// called in that order, from this goroutine, once per claim. The only error is
// that ctx ended.
func (c Checker) Check(ctx context.Context, claims []plumb.Claim, emit plumb.Emit) ([]plumb.Verdict, error) {
	ctx, stop := context.WithCancel(ctx)
	pages := newPages(c.Sources, c.timeout())
	bench := &bench{judge: c.Judge}
	verdicts := make([]plumb.Verdict, len(claims))
	done := make([]chan struct{}, len(claims))
	next := make(chan int, len(claims))
	for i := range claims {
		done[i] = make(chan struct{})
		next <- i
	}
	close(next)
	var workers sync.WaitGroup
	defer workers.Wait()
	defer stop()
	for range min(c.atOnce(), len(claims)) {
		workers.Go(func() {
			for i := range next {
				if ctx.Err() != nil {
					return
				}
				verdicts[i] = c.verdict(ctx, claims[i], pages, bench)
				close(done[i])
			}
		})
	}
	for i := range claims {
		select {
		case <-done[i]:
		case <-ctx.Done():
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if emit != nil {
			emit(plumb.News(plumb.ClaimChecked, newsOf(verdicts[i]), verdicts[i]))
		}
	}
	return verdicts, nil
}

func (c Checker) atOnce() int {
	if c.AtOnce <= 0 {
		return defaultAtOnce
	}
	return c.AtOnce
}

func (c Checker) timeout() time.Duration {
	if c.Timeout <= 0 {
		return defaultTimeout
	}
	return c.Timeout
}

func newsOf(v plumb.Verdict) string {
	status := string(v.Status)
	if v.Disputed {
		status += ", disputed"
	}
	return status + ": " + clip(v.ClaimText, 100)
}

// verdict checks one claim against all it cites.
func (c Checker) verdict(ctx context.Context, claim plumb.Claim, pages *pages, bench *bench) plumb.Verdict {
	if len(claim.Citations) == 0 {
		return plumb.Verdict{ClaimID: claim.ID, ClaimText: claim.Text, Status: plumb.NotFound,
			Notes: noCitation, Reason: noCitation, Score: 1, Others: []plumb.Verdict{}}
	}
	all := make([]plumb.Verdict, 0, len(claim.Citations))
	for _, url := range claim.Citations {
		v := c.against(ctx, claim.Text, url, pages, bench)
		v.ClaimID, v.ClaimText, v.URL, v.Others = claim.ID, claim.Text, url, []plumb.Verdict{}
		all = append(all, v)
	}
	return combine(all)
}

// combine picks the best verdict, of equals the surest and then the first, and
// keeps the others with it.
func combine(all []plumb.Verdict) plumb.Verdict {
	best := 0
	supported, contradicted := false, false
	for i, v := range all {
		supported = supported || v.Status == plumb.Supported
		contradicted = contradicted || v.Status == plumb.Contradicted
		if r, b := v.Status.Rank(), all[best].Status.Rank(); r < b || r == b && v.Score > all[best].Score {
			best = i
		}
	}
	out := all[best]
	out.Others = make([]plumb.Verdict, 0, len(all)-1)
	for i, v := range all {
		if i != best {
			out.Others = append(out.Others, v)
		}
	}
	out.Disputed = supported && contradicted
	if out.Disputed {
		out.Notes = "Another source that the claim cites contradicts it"
	}
	return out
}

// against checks a claim against one source.
func (c Checker) against(ctx context.Context, claim, url string, pages *pages, bench *bench) plumb.Verdict {
	p, err := pages.get(ctx, url)
	if err != nil {
		return unread(err, c.timeout())
	}
	f := judgePage(claim, p)
	if c.Embedded != nil && f.windows != nil && f.status != plumb.Contradicted {
		open := f.open
		f = weigh(ctx, c.Embedded, f, p)
		f.open = open
	}
	if bench.judge != nil && f.open && len(f.passages) > 0 {
		f = bench.ask(ctx, claim, f)
	}
	v := plumb.Verdict{Status: f.status, Score: f.score, Reason: clip(f.reason, maxReason), Notes: f.notes, Source: p.source.Hash}
	if p.source.Paywall && v.Status == plumb.NotFound { // the rest, which nobody read, may say it
		return plumb.Verdict{Status: plumb.Paywall, Score: 1, Reason: teaser, Notes: teaser, Source: p.source.Hash}
	}
	if f.span.Len() > 0 {
		v.Start, v.End, v.Evidence = f.span.Start, f.span.End, f.span.Of(p.text)
	}
	return v
}

// teaser is why a claim that the free part of a page lacks is not held against it.
const teaser = "the part of the page that is free does not say it, the rest is behind a paywall"

// unread is the verdict about a source that could not be read.
func unread(err error, timeout time.Duration) plumb.Verdict {
	v := plumb.Verdict{Status: plumb.Inaccessible, Score: 1, Reason: ErrInaccessible.Error()}
	switch {
	case errors.Is(err, ErrPaywall):
		v.Status, v.Reason = plumb.Paywall, clip(err.Error(), maxReason)
	case errors.Is(err, ErrInaccessible):
		v.Reason = clip(err.Error(), maxReason)
	case errors.Is(err, context.DeadlineExceeded):
		v.Reason = fmt.Sprintf("%v: no answer within %v", ErrInaccessible, timeout)
	}
	v.Notes = v.Reason
	return v
}

// pages reads each source once and prepares it for many claims.
type pages struct {
	sources Sources
	timeout time.Duration
	mu      sync.Mutex
	read    map[string]*reading
}

// reading is a source being read; page and err are set when done is closed.
type reading struct {
	done chan struct{}
	page *page
	err  error
}

func newPages(s Sources, timeout time.Duration) *pages {
	return &pages{sources: s, timeout: timeout, read: map[string]*reading{}}
}

// get returns the source behind url, reading it if nobody has.
func (p *pages) get(ctx context.Context, url string) (*page, error) {
	key := link.Identity(url)
	p.mu.Lock()
	r, known := p.read[key]
	if !known {
		r = &reading{done: make(chan struct{})}
		p.read[key] = r
	}
	p.mu.Unlock()
	if !known {
		r.page, r.err = p.load(ctx, url)
		close(r.done)
	}
	select {
	case <-r.done:
		return r.page, r.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// load reads a source and gives up after the timeout, even on one that goes on.
func (p *pages) load(ctx context.Context, url string) (*page, error) {
	if p.sources == nil {
		return nil, ErrInaccessible
	}
	ctx, cancel := context.WithTimeout(ctx, p.timeout)
	defer cancel()
	type answer struct {
		source plumb.Source
		text   string
		err    error
	}
	answered := make(chan answer, 1)
	go func() {
		s, t, err := p.sources.Source(ctx, url)
		answered <- answer{s, t, err}
	}()
	select {
	case a := <-answered:
		if a.err != nil {
			return nil, a.err
		}
		if strings.TrimSpace(a.text) == "" {
			return nil, fmt.Errorf("source has no text: %w", ErrInaccessible)
		}
		return newPage(a.source, a.text), nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// clip cuts s, made one line, to n characters.
func clip(s string, n int) string {
	s = markdown.OneLine(s)
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return strings.TrimSpace(firstChars(s, n-1)) + "…"
}
