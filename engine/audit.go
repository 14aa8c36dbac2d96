package engine

// An audit: somebody else's report enters the path at the draft. What it cites is read before its claims are split,
// each address once, and what came of each is kept for the check.

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/library"
	"github.com/plumbresearch/plumb/link"
	"github.com/plumbresearch/plumb/verify"
)

// Artefacts that an audit is given before it begins, and what came of reading what its draft cites.
const (
	refGiven        = "given"
	refGivenSources = "given.sources"
	refCited        = "cited"
)

// NewAudit makes a run that checks a report. Give gives it the report once it was started.
func NewAudit(id string, q plumb.Question, l plumb.Limits) *plumb.Run {
	return plumb.NewAudit(id, q, l, refGiven)
}

// Stored is a source with its text.
type Stored struct {
	plumb.Source
	Text string
}

// Give puts the report of an audit into the store, and the sources that came with it.
func Give(ctx context.Context, c Contents, run, draft string, with []Stored) error {
	sources := make([]plumb.Source, 0, len(with))
	for _, s := range with {
		if err := c.PutSource(ctx, run, s.Source, s.Text); err != nil {
			return err
		}
		sources = append(sources, s.Source)
	}
	if err := c.PutArtefact(ctx, run, refGivenSources, sources); err != nil {
		return err
	}
	return c.PutArtefact(ctx, run, refGiven, draft)
}

// GiveAgain gives an audit the report and the sources of another.
func GiveAgain(ctx context.Context, c Contents, run, before string) error {
	var draft string
	if err := c.Artefact(ctx, before, refGiven, &draft); err != nil {
		return err
	}
	var sources []plumb.Source
	if err := c.Artefact(ctx, before, refGivenSources, &sources); err != nil {
		return err
	}
	var with []Stored
	for _, s := range sources {
		text, err := c.Text(ctx, s.Hash)
		if err != nil {
			return err
		}
		with = append(with, Stored{s, text})
	}
	return Give(ctx, c, run, draft, with)
}

// reading is what came of looking for a source that a draft cites.
type reading struct {
	URL     string       `json:"url"`    // as cited
	Source  plumb.Source `json:"source"` // without a hash: it could not be read
	Fail    string       `json:"fail,omitempty"`
	Paywall bool         `json:"paywall,omitempty"`
}

// How what a draft cites is read: as many at once, and as long for each.
const (
	citedAtOnce  = 5
	citedTimeout = 10 * time.Second
)

// readCited reads everything that the claims of an audited draft cite. What was read before a kill is not read again.
func (s *Steps) readCited(ctx context.Context, t *Task) error {
	draft, err := s.given(ctx, t)
	if err != nil {
		return err
	}
	urls := citedBy(verify.Split(draft))
	out := make([]reading, len(urls))
	errs := make([]error, len(urls))
	next := make(chan int, len(urls))
	for i := range urls {
		next <- i
	}
	close(next)
	finder, err := s.finder(ctx, t)
	if err != nil {
		return err
	}
	var mu sync.Mutex
	var workers sync.WaitGroup
	for range min(citedAtOnce, len(urls)) {
		workers.Go(func() {
			for i := range next {
				if out[i], errs[i] = s.readOne(ctx, t, finder, urls[i]); errs[i] == nil {
					mu.Lock()
					tellReading(t, out[i])
					mu.Unlock()
				}
			}
		})
	}
	workers.Wait()
	if err := errors.Join(errs...); err != nil {
		return err
	}
	if err := s.Contents.PutArtefact(ctx, t.Run, refGiven, draft); err != nil { // a replay reads it from the first run
		return err
	}
	return s.Contents.PutArtefact(ctx, t.Run, refCited, out)
}

// given fetches the draft of an audit.
func (s *Steps) given(ctx context.Context, t *Task) (string, error) {
	var draft string
	err := s.Contents.Artefact(ctx, t.Run, t.Step.In.Refs.Draft, &draft)
	if errors.Is(err, ErrNotFound) {
		return "", Permanent(plain{errors.New("the report was not stored before the program ended: audit it again")})
	}
	return draft, err
}

// citedBy lists what claims cite, each address once, in their order.
func citedBy(claims []plumb.Claim) []string {
	var out []string
	seen := map[string]bool{}
	for _, c := range claims[:min(len(claims), plumb.MaxClaims)] {
		for _, url := range c.Citations {
			if id := link.Identity(url); !seen[id] {
				seen[id] = true
				out = append(out, url)
			}
		}
	}
	return out
}

// tellReading shows what came of a cited source.
func tellReading(t *Task, r reading) {
	if r.Source.Hash != "" {
		t.Emit(plumb.News(plumb.SourceRead, r.Source.Title, r.Source))
		return
	}
	t.Emit(plumb.News(plumb.LeadSkipped, r.URL+": "+r.Fail, plumb.LeadNews{URL: r.URL, Reason: clip(r.Fail, 180)}))
}

// finder knows the places of a run where cited sources may be.
func (s *Steps) finder(ctx context.Context, t *Task) (Finder, error) {
	f := Finder{Text: s.Contents.Text}
	err := s.Contents.Artefact(ctx, t.Run, refGivenSources, &f.Given)
	if err != nil && !errors.Is(err, ErrNotFound) {
		return f, err
	}
	if t.Asked.Where.Cited {
		f.Outside = s.Outside
	}
	if s.Again == nil && (len(t.Asked.Where.Folders) > 0 || t.Asked.Where.Library) {
		f.Documents, err = Documents(ctx, s.Library, t.Asked.Where.Folders)
		return f, err
	}
	return f, nil
}

// readOne looks for one cited source and makes it the run's own. Where it was found, or why not, is on tape.
func (s *Steps) readOne(ctx context.Context, t *Task, f Finder, url string) (reading, error) {
	near, err := taped(ctx, t.sitting.tape, "cited", url, func() (plumb.Source, error) { return f.near(url), nil })
	if err != nil {
		return reading{}, err
	}
	if near.Hash != "" {
		return reading{URL: url, Source: near}, s.putSources(ctx, t.Run, []plumb.Source{near})
	}
	if f.Outside == nil || !onWeb(url) {
		return reading{URL: url, Fail: f.missing(url)}, nil
	}
	r, err := taped(ctx, t.sitting.tape, "page", url, func() (reading, error) {
		got, text, err := f.fetch(ctx, url)
		if err == nil && got.Source.Hash != "" {
			err = s.Contents.PutSource(context.WithoutCancel(ctx), t.Run, got.Source, text)
		}
		return got, err
	})
	if err != nil || r.Source.Hash == "" {
		return r, err
	}
	return r, s.putSources(ctx, t.Run, []plumb.Source{r.Source}) // a replay has it on tape alone
}

// audited gives a checker what was read of what a draft cites.
type audited struct {
	contents Contents
	readings map[string]reading
}

func (s *Steps) audited(ctx context.Context, run string) (audited, error) {
	var rows []reading
	err := s.Contents.Artefact(ctx, run, refCited, &rows)
	out := audited{contents: s.Contents, readings: map[string]reading{}}
	for _, r := range rows {
		out.readings[link.Identity(r.URL)] = r
	}
	return out, err
}

func (a audited) Source(ctx context.Context, url string) (plumb.Source, string, error) {
	r, ok := a.readings[link.Identity(url)]
	if !ok {
		return plumb.Source{}, "", fmt.Errorf("%s was not looked for: %w", url, verify.ErrInaccessible)
	}
	if err := r.err(); err != nil {
		return plumb.Source{}, "", err
	}
	text, err := a.contents.Text(ctx, r.Source.Hash)
	return r.Source, text, err
}

// err is why a source could not be read, in the words of a checker.
func (r reading) err() error {
	switch {
	case r.Source.Hash != "":
		return nil
	case r.Paywall:
		return fmt.Errorf("%w: %s", verify.ErrPaywall, r.Fail)
	}
	return fmt.Errorf("%w: %s", verify.ErrInaccessible, r.Fail)
}

// fill puts what was read of the sources of a draft into its citations.
func (a audited) fill(cs []plumb.Citation) []plumb.Citation {
	for i := range cs {
		c := &cs[i]
		s := a.readings[link.Identity(c.URL)].Source
		if s.Hash == "" || c.URL == "" {
			continue
		}
		c.Source, c.Authors, c.DOI, c.Date, c.Key = s.Hash, s.Authors, s.DOI, s.Date, s.Key
		if c.Title == "" {
			c.Title = s.Title
		}
	}
	return cs
}

// Documents lists the documents of folders as sources; without folders, those of the whole library.
func Documents(ctx context.Context, l *library.Library, folders []string) ([]plumb.Source, error) {
	if len(folders) == 0 {
		folders = []string{""}
	}
	var out []plumb.Source
	for _, f := range folders {
		entries, err := l.List(ctx, f)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			out = append(out, e.Source)
		}
	}
	slices.SortStableFunc(out, func(a, b plumb.Source) int { return strings.Compare(a.URL, b.URL) })
	return out, nil
}

// citedHosts are the hosts of the pages that an audit will have to fetch.
func (s *Steps) citedHosts(ctx context.Context, t *Task) ([]plumb.Host, error) {
	draft, err := s.given(ctx, t)
	if err != nil {
		return nil, err
	}
	var given []plumb.Source
	if err := s.Contents.Artefact(ctx, t.Run, refGivenSources, &given); err != nil && !errors.Is(err, ErrNotFound) {
		return nil, err
	}
	var out []plumb.Host
	f := Finder{Given: given}
	for _, url := range citedBy(verify.Split(draft)) {
		h := plumb.Host{Name: link.Host(url), Gets: "requests for the pages that the report cites"}
		if onWeb(url) && f.near(url).Hash == "" && !slices.Contains(out, h) {
			out = append(out, h)
		}
	}
	return out, nil
}
