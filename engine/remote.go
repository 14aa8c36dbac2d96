package engine

// A draft that somebody else's service writes: it is ordered once, its job is asked after until the report is there, and from
// then on it is audited like any other.

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/verify"
)

// Remote are the deep-research services of others. via names one, as Question.Via does. Errors are a Mishap; others are
// taken for lasting ones.
type Remote interface {
	// Order asks for a report and gives the name of the job.
	Order(ctx context.Context, via string, o plumb.Order) (job string, err error)
	// Collect looks once how a job stands. What a failed one has cost is given beside the error.
	Collect(ctx context.Context, via, job string) (plumb.Delivery, error)
	// Cancel tells the service that nobody wants the report any more.
	Cancel(ctx context.Context, via, job string) error
	// Host is where orders go.
	Host(via string) string
	// Repeats says whether an order that comes again with the same key is the same order.
	Repeats(via string) bool
}

// Mishap is a call to a service that failed, with what that means for the next one.
type Mishap interface {
	error
	Safe
	Hitch() plumb.Hitch
}

func hitchOf(err error) plumb.Hitch {
	var m Mishap
	if errors.As(err, &m) {
		return m.Hitch()
	}
	return plumb.Hitch{}
}

// Artefacts of an order: that it was sent, and what came of it.
const (
	refOrdered  = "ordered"
	refDelivery = "delivery"
)

// roleRemote is that of a service on the bill.
const roleRemote = "remote"

// ordered is what is known of an order that may be under way: it is kept before the order is sent.
type ordered struct {
	Sent bool `json:"sent"`
	Told bool `json:"told,omitempty"` // the person knows that its fate is unknown: asked to go on, it is sent again
}

// orderAsked is what names an order on tape.
type orderAsked struct {
	Via   string      `json:"via"`
	Order plumb.Order `json:"order"`
}

// order asks the service for the report, once its host has been named and the models of the question answer.
func (s *Steps) order(ctx context.Context, t *Task) (plumb.Outcome, error) {
	if s.Remote == nil {
		return plumb.Outcome{}, Permanent(plain{fmt.Errorf("the question goes via %s, and no such service is set up here", t.Asked.Via)})
	}
	if err := s.ready(ctx, t); err != nil {
		return plumb.Outcome{}, err
	}
	o := plumb.Order{Text: t.Asked.Text, Language: t.Asked.Language, Key: t.Run + "." + t.Step.ID}
	job, err := taped(ctx, t.sitting.tape, "order", orderAsked{t.Asked.Via, o}, func() (string, error) { return s.place(ctx, t, o) })
	if err != nil {
		return plumb.Outcome{}, err
	}
	return plumb.Outcome{Refs: plumb.Refs{Order: job}}, nil
}

// place sends an order, unless it may be there already.
func (s *Steps) place(ctx context.Context, t *Task, o plumb.Order) (string, error) {
	var before ordered
	if err := s.Contents.Artefact(ctx, t.Run, refOrdered, &before); err != nil && !errors.Is(err, ErrNotFound) {
		return "", err
	}
	keep := func(o ordered) error {
		return s.Contents.PutArtefact(context.WithoutCancel(ctx), t.Run, refOrdered, o)
	}
	if before.Sent && !before.Told && !s.Remote.Repeats(t.Asked.Via) {
		lost := fmt.Errorf("the program ended while the order was sent, so %s may have it: look into your account there; plumb resume asks again", t.Asked.Via)
		return "", errors.Join(Permanent(plain{lost}), keep(ordered{Sent: true, Told: true}))
	}
	if err := keep(ordered{Sent: true}); err != nil {
		return "", err
	}
	job, err := s.Remote.Order(ctx, t.Asked.Via, o)
	if err == nil || ctx.Err() != nil { // stopped: whether it was taken is unknown
		return job, err
	}
	hitch := hitchOf(err)
	if kept := keep(ordered{Sent: hitch.Doubtful, Told: hitch.Doubtful}); kept != nil {
		return "", kept
	}
	if !hitch.Again {
		return "", Permanent(err)
	}
	if waited := rest(ctx, min(hitch.Pause, time.Minute)); waited != nil {
		return "", waited
	}
	return "", err
}

// jobAsked is what names a report on tape.
type jobAsked struct {
	Via string `json:"via"`
	Job string `json:"job"`
}

// collect waits for the report and makes it the draft.
func (s *Steps) collect(ctx context.Context, t *Task) (plumb.Outcome, error) {
	if s.Remote == nil {
		return plumb.Outcome{}, Permanent(plain{fmt.Errorf("the question goes via %s, and no such service is set up here", t.Asked.Via)})
	}
	job := t.Step.In.Refs.Order
	d, err := taped(ctx, t.sitting.tape, "report", jobAsked{t.Asked.Via, job}, func() (plumb.Delivery, error) { return s.await(ctx, t, job) })
	if errors.Is(context.Cause(ctx), ErrCancelled) {
		s.callOff(ctx, t, job)
	}
	if err != nil {
		return plumb.Outcome{}, err
	}
	if d.Status == "incomplete" {
		t.Emit(plumb.Event{Kind: plumb.Warning, Text: d.By + " says that its report is incomplete"})
	}
	if err := Give(ctx, s.Contents, t.Run, d.Report, nil); err != nil {
		return plumb.Outcome{}, err
	}
	news := plumb.DraftNews{Chars: len([]rune(d.Report)), Citations: len(verify.Cited(d.Report)), Round: 1}
	t.Emit(plumb.News(plumb.DraftWritten, fmt.Sprintf("%s by %s, %s cited", count(news.Chars, "character"), d.By, count(news.Citations, "source")), news))
	d.Report = ""
	if err := s.Contents.PutArtefact(ctx, t.Run, refDelivery, d); err != nil {
		return plumb.Outcome{}, err
	}
	o := plumb.Outcome{Refs: plumb.Refs{Draft: refGiven}}
	if s.Ledger != nil {
		o.Spent, err = s.Ledger.Spent(ctx, t.Run)
	}
	return o, err
}

// How often a job is asked after: the pause grows from the first to the longest.
const (
	firstLook   = 2 * time.Second
	longestLook = 15 // times the first
	// A service may need a moment until it knows a job that it has just taken.
	mostGone = 3
	// How often a wait is told of while nothing changes.
	tellEvery = 30 * time.Second
)

// await asks after a job until its report is there. A look that fails is made again as long as the step has time.
func (s *Steps) await(ctx context.Context, t *Task, job string) (plumb.Delivery, error) {
	now := t.sitting.tape.now
	w := waiting{task: t, job: job, began: now(), pause: s.Look}
	if w.pause <= 0 {
		w.pause = firstLook
	}
	longest := longestLook * w.pause
	for gone := 0; ; {
		d, err := s.Remote.Collect(ctx, t.Asked.Via, job)
		hitch := hitchOf(err)
		switch {
		case ctx.Err() != nil:
			return d, ctx.Err()
		case err == nil && d.Done:
			return d, s.delivered(ctx, t, w, d)
		case err == nil:
			w.tell(now(), d.Status)
			hitch.Pause, gone = d.Pause, 0
		case hitch.Gone && gone < mostGone:
			gone++
		case hitch.Again:
			w.tell(now(), clip(safeLine(err), 180))
		default:
			return d, errors.Join(Permanent(err), s.charge(ctx, t, w, d, safeLine(err)))
		}
		if err := rest(ctx, max(w.pause, hitch.Pause)); err != nil {
			return d, err
		}
		w.pause = min(w.pause*3/2, longest)
	}
}

// waiting is what is told of a job while it is at work.
type waiting struct {
	task  *Task
	job   string
	began time.Time
	pause time.Duration
	told  time.Time
	last  string
}

// tell shows how a job stands, when that is news.
func (w *waiting) tell(now time.Time, status string) {
	if status == w.last && now.Sub(w.told) < tellEvery {
		return
	}
	w.told, w.last = now, status
	since := now.Sub(w.began)
	news := plumb.RemoteNews{Service: w.task.Asked.Via, Job: w.job, Status: status, Seconds: since.Seconds()}
	text := fmt.Sprintf("%s: %s, for %v", news.Service, strings.ReplaceAll(status, "_", " "), since.Truncate(time.Second))
	w.task.Emit(plumb.News(plumb.RemoteWaits, text, news))
}

func safeLine(err error) string {
	var s Safe
	if errors.As(err, &s) {
		return s.Safe()
	}
	return "no answer"
}

// delivered takes a report: it goes on the bill, whatever it says.
func (s *Steps) delivered(ctx context.Context, t *Task, w waiting, d plumb.Delivery) error {
	if strings.TrimSpace(d.Report) != "" {
		return s.charge(ctx, t, w, d, "")
	}
	empty := plain{fmt.Errorf("%s delivered an empty report: ask the question again", d.By)}
	return errors.Join(Permanent(empty), s.charge(ctx, t, w, d, empty.Safe()))
}

// charge puts a job on the bill, once. failed says why it came to nothing.
func (s *Steps) charge(ctx context.Context, t *Task, w waiting, d plumb.Delivery, failed string) error {
	if s.Ledger == nil || d.By == "" || d.Bill == (plumb.Bill{}) && failed != "" {
		return nil
	}
	ctx = context.WithoutCancel(ctx)
	rows, err := s.Ledger.LedgerRows(ctx, t.Run)
	if err != nil {
		return err
	}
	for _, r := range rows {
		if r.Role == roleRemote && r.Reference == w.job {
			return nil // the program ended before the step was journalled
		}
	}
	now := t.sitting.tape.now().UTC()
	row := plumb.LedgerRow{Run: t.Run, Step: t.Step.ID, Role: roleRemote, Model: d.By, At: now, Input: d.Bill.Input, Cached: d.Bill.Cached, Output: d.Bill.Output,
		USD: d.Bill.USD, Priced: d.Bill.Priced, Duration: now.Sub(w.began), Reference: w.job, Error: failed}
	return s.Ledger.AddLedgerRow(ctx, row)
}

// callOff tells a service that a report is no longer wanted. That it could not be told changes nothing.
func (s *Steps) callOff(ctx context.Context, t *Task, job string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	if err := s.Remote.Cancel(ctx, t.Asked.Via, job); err != nil && s.Failed != nil {
		s.Failed(t.Run, t.Step.ID, err)
	}
}

// rest waits.
func rest(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// viaHosts says who hears of a question that goes via a service.
func (s *Steps) viaHosts(q plumb.Question) []plumb.Host {
	if q.Via == "" || s.Remote == nil {
		return nil
	}
	return []plumb.Host{{Name: s.Remote.Host(q.Via), Gets: "the text of your question, for a report by " + q.Via}}
}

// ownCaps are the caps of a run for its own models: what a service takes comes on top, since it can't be bounded.
func (s *Steps) ownCaps(ctx context.Context, t *Task) (plumb.Caps, error) {
	caps := t.Limits.Caps
	if t.Asked.Via == "" || s.Ledger == nil {
		return caps, nil
	}
	rows, err := s.Ledger.LedgerRows(ctx, t.Run)
	for _, r := range rows {
		if r.Role != roleRemote {
			continue
		}
		if caps.USD > 0 {
			caps.USD += r.USD
		}
		if caps.Tokens > 0 {
			caps.Tokens += r.Input + r.Output
		}
	}
	return caps, err
}

// writtenBy says in the methodology who wrote a draft that was ordered.
func (s *Steps) writtenBy(ctx context.Context, t *Task) (string, error) {
	var d plumb.Delivery
	if err := s.Contents.Artefact(ctx, t.Run, refDelivery, &d); err != nil {
		return "", err
	}
	note := fmt.Sprintf("The draft was written by %s, a deep-research service, which was given the question and nothing else (job %s).", d.By, t.Step.In.Refs.Order)
	if d.Status == "incomplete" {
		note += " It says that its report is incomplete."
	}
	return note, nil
}
