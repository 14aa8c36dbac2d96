package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/gather"
	"github.com/plumbresearch/plumb/llm"
	"github.com/plumbresearch/plumb/report"
	"github.com/plumbresearch/plumb/verify"
)

// Mind is who thinks in the stages of a step. A part that is nil is extractive; without a Judge rules and spans decide.
type Mind struct {
	Thinker  gather.Thinker
	Writer   report.Writer
	Reviewer report.Reviewer
	Judge    verify.Judge
	Embedder llm.Embedder // nil: passages are ranked by their words alone
}

// filled puts extractive thinking where nobody thinks.
func (m Mind) filled() Mind {
	if m.Thinker == nil {
		m.Thinker = gather.Extractive{}
	}
	if m.Writer == nil {
		m.Writer = report.Extractive{}
	}
	if m.Reviewer == nil {
		m.Reviewer = report.Extractive{}
	}
	return m
}

// Models are the language models that questions may name.
type Models struct {
	Desk *llm.Desk
	Host func(model string) string // where calls to a model go
}

// gatherShare is the part of the caps that gathering may use up: what is left pays for writing, review and checking.
const gatherShare = 0.75

// share is the part of the run's caps that may be gone after a step of this kind.
func share(k plumb.StepKind) float64 {
	switch k {
	case plumb.StepWrite, plumb.StepReview, plumb.StepCheck, plumb.StepPublish:
		return 1
	}
	return gatherShare
}

// sitting is one attempt at a step: who thinks, what is taped, and how the models did.
type sitting struct {
	tape  *tape
	mind  Mind        // of models; meaningless unless asked
	asked bool        // the question names models
	names []llm.Model // of the question, one each, for the first call

	mu     sync.Mutex
	capped plumb.Stop
	fell   string
}

// sit prepares an attempt: models are bound to the step, so that their calls are billed and recorded under it.
func (s *Steps) sit(ctx context.Context, t *Task) (*sitting, error) {
	sit := &sitting{tape: s.newTape(t)}
	m := t.Asked.Models
	if m.Orchestrator == "" {
		return sit, nil
	}
	if s.Models == nil {
		return nil, Permanent(plain{fmt.Errorf("the question names the model %s, and none are set up here", m.Orchestrator)})
	}
	if s.Again == nil {
		if err := s.Models.Desk.Ledger.Forget(ctx, t.Run, t.Step.ID); err != nil {
			return nil, err
		}
	}
	caps, err := s.ownCaps(ctx, t)
	if err != nil {
		return nil, err
	}
	place := llm.Place{Run: t.Run, Step: t.Step.ID, Caps: caps, Share: share(t.Step.Kind), Offline: s.Again != nil, Emit: t.Emit}
	if t.Asked.Tape != "" {
		place.Tapes = []string{t.Asked.Tape}
	}
	return sit, sit.bind(ctx, s.Models.Desk.At(place), m, s.Again[t.Step.ID])
}

// bind opens the models of a question for one attempt.
func (sit *sitting) bind(ctx context.Context, seat *llm.Seat, m plumb.Models, before plumb.Outcome) error {
	var err error
	open := func(name string, role llm.Role) llm.Model {
		model, e := seat.Model(name, role)
		if e == nil {
			model, e = sit.tuned(ctx, model)
		}
		if e != nil {
			err = errors.Join(err, e)
			return nil
		}
		return &watched{Model: llm.Drive(model), sit: sit, before: before.Capped}
	}
	orchestrator := open(m.Orchestrator, llm.Orchestrator)
	worker := open(firstNonEmpty(m.Worker, m.Orchestrator), llm.Worker)
	judge := open(firstNonEmpty(m.Judge, m.Orchestrator), llm.Judge)
	if err != nil {
		return Permanent(plain{err})
	}
	sit.asked = true
	sit.mind = Mind{Thinker: gather.LLM{Orchestrator: orchestrator, Worker: worker}, Writer: report.LLM{Model: orchestrator},
		Reviewer: report.LLM{Model: orchestrator}, Judge: verify.LLM{Model: judge}}
	for _, model := range []llm.Model{orchestrator, worker, judge} {
		if len(sit.names) == 0 || model.Name() != sit.names[len(sit.names)-1].Name() {
			sit.names = append(sit.names, model)
		}
	}
	if m.Embed != "" {
		if sit.mind.Embedder, err = seat.Embedder(m.Embed); err != nil {
			return Permanent(plain{err})
		}
	}
	return nil
}

func firstNonEmpty(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// tuned records what a model can do: prompts depend on it, and a server may tell otherwise tomorrow.
func (sit *sitting) tuned(ctx context.Context, m llm.Model) (llm.Model, error) {
	traits, err := taped(ctx, sit.tape, "traits", m.Name(), func() (llm.Traits, error) { return m.Traits(), nil })
	return traited{m, traits}, err
}

// traited is a model with abilities of its own.
type traited struct {
	llm.Model
	traits llm.Traits
}

func (t traited) Traits() llm.Traits { return t.traits }

// watched notices when a cap leaves no room for a call.
type watched struct {
	llm.Model
	sit    *sitting
	before plumb.Stop // in a replay: the cap, or the time, that ended the step's calls the first time
}

func (w *watched) Complete(ctx context.Context, r *llm.Request) (*llm.Answer, error) {
	a, err := w.Model.Complete(ctx, r)
	switch {
	case err == nil || w.before == "" || !errors.Is(err, llm.ErrNotRecorded):
	case w.before == plumb.StopTime:
		err = context.DeadlineExceeded
	default:
		err = &llm.OverBudget{Tokens: w.before == plumb.StopTokens, Unit: w.before == plumb.StopUnit}
	}
	var over *llm.OverBudget
	if errors.As(err, &over) {
		w.sit.cap(over)
	}
	return a, err
}

// cap keeps which cap left no room: one of the run over the unit's, money over tokens.
func (sit *sitting) cap(over *llm.OverBudget) {
	sit.mu.Lock()
	defer sit.mu.Unlock()
	switch {
	case !over.Unit && !over.Tokens:
		sit.capped = plumb.StopMoney
	case !over.Unit && sit.capped != plumb.StopMoney:
		sit.capped = plumb.StopTokens
	case sit.capped == "":
		sit.capped = plumb.StopUnit
	}
}

// fallTime is what the models of a step leave of its time for extractive thinking.
const fallTime = 20 * time.Second

// think lets the question's models think, and extractive thinking where they fail: f is called with one mind and then,
// perhaps, with the other.
func think[T any](ctx context.Context, s *Steps, t *Task, f func(context.Context, Mind) (T, error)) (T, error) {
	if !t.sitting.asked {
		return f(ctx, s.Mind.filled())
	}
	v, err := inTime(ctx, t, func(ctx context.Context) (T, error) { return f(ctx, t.sitting.mind) })
	var p permanent
	if err == nil || ctx.Err() != nil || errors.As(err, &p) {
		return v, err
	}
	if t.Step.Kind == plumb.StepScope && llm.Hopeless(err) {
		return v, Permanent(err)
	}
	if s.Failed != nil {
		s.Failed(t.Run, t.Step.ID, err)
	}
	t.fallBack(modelFailure(err))
	return f(ctx, s.Mind.filled())
}

// inTime calls f so that it ends while the step still has time for another way.
func inTime[T any](ctx context.Context, t *Task, f func(context.Context) (T, error)) (T, error) {
	if !t.End.IsZero() {
		left := time.Until(t.End)
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, left-min(fallTime, left/4))
		defer cancel()
	}
	v, err := f(ctx)
	if ctx.Err() != nil {
		t.sitting.late()
	}
	return v, err
}

// late keeps that time ran out, unless a cap had left no room before: then no call was under way.
func (sit *sitting) late() {
	sit.mu.Lock()
	defer sit.mu.Unlock()
	if sit.capped == "" {
		sit.capped = plumb.StopTime
	}
}

// fallBack shows that extractive thinking takes over.
func (t *Task) fallBack(why string) {
	t.Emit(plumb.Event{Kind: plumb.StepFellBack, Text: why + tookOver})
}

const tookOver = "; extractive thinking took over"

// heed keeps why a step fell back, whoever shows it: the engine, or a stage that helped itself.
func (sit *sitting) heed(emit plumb.Emit) plumb.Emit {
	return func(e plumb.Event) {
		if e.Kind == plumb.StepFellBack {
			sit.mu.Lock()
			if sit.fell == "" {
				sit.fell = strings.TrimSuffix(e.Text, tookOver)
			}
			sit.mu.Unlock()
		}
		emit(e)
	}
}

// modelFailure says in one line why a model was given up.
func modelFailure(err error) string {
	var safe Safe
	switch {
	case errors.Is(err, llm.ErrBudget):
		return llm.ErrBudget.Error()
	case errors.Is(err, llm.ErrAnswer):
		return llm.ErrAnswer.Error()
	case errors.As(err, &safe):
		why, _, _ := strings.Cut(safe.Safe(), ": ") // the cure is for those who can still apply it
		return clip(why, 180)
	case errors.Is(err, context.DeadlineExceeded):
		return "the model did not answer in time"
	}
	return "the model failed"
}

// ready sees to it, before any other work, that every model of the question answers: a wrong key, an unknown model, a
// server that is not there or an empty account shows at once. It costs a few tokens, which are on the bill.
func (s *Steps) ready(ctx context.Context, t *Task) error {
	if err := s.nameHosts(ctx, t); err != nil {
		return err
	}
	for _, m := range t.sitting.names {
		if err := llm.Ready(ctx, m); llm.Hopeless(err) {
			return Permanent(err)
		}
	}
	return nil
}

// Hosts are those that a question will talk to, and what goes there; pages that leads point to, or a report cites, aside.
func (s *Steps) Hosts(q plumb.Question, kind plumb.Kind) ([]plumb.Host, error) {
	out := s.viaHosts(q)
	for _, m := range q.Models.Names() {
		gets := "your question and what is found"
		switch {
		case kind == plumb.Audit:
			gets = "the report's claims and passages of what it cites"
		case len(q.Where.Folders) > 0 || q.Where.Library:
			gets = "your question and the text of your documents"
		}
		if s.Models == nil {
			continue
		}
		host := s.Models.Host(m)
		if i := slices.IndexFunc(out, func(h plumb.Host) bool { return h.Name == host && strings.HasPrefix(h.Gets, gets) }); i >= 0 {
			out[i].Gets += ", " + m
		} else {
			out = append(out, plumb.Host{Name: host, Gets: gets + ", for " + m})
		}
	}
	hosts, err := s.outsideHosts(q.Where)
	return append(out, hosts...), err
}

// nameHosts says which hosts the run will talk to, and what goes there, before anything does.
func (s *Steps) nameHosts(ctx context.Context, t *Task) error {
	hosts, err := s.Hosts(*t.Asked, t.Kind)
	if err != nil {
		return err
	}
	news := plumb.HostsNews{Hosts: hosts}
	if t.Kind == plumb.Audit && t.Asked.Where.Cited && s.Outside != nil && t.Step.Kind != plumb.StepOrder {
		cited, err := s.citedHosts(ctx, t)
		if err != nil {
			return err
		}
		news.Hosts = append(news.Hosts, cited...)
	}
	t.Emit(plumb.News(plumb.HostsNamed, hostLine(news.Hosts), news))
	return nil
}

// namedHosts is how many hosts that get the same are named in the line for people; the payload has all.
const namedHosts = 8

// hostLine says it in one line: hosts that get the same are named together.
func hostLine(hosts []plumb.Host) string {
	if len(hosts) == 0 {
		return "nothing leaves this machine"
	}
	var parts []string
	for i := 0; i < len(hosts); {
		names := []string{hosts[i].Name}
		j := i + 1
		for ; j < len(hosts) && hosts[j].Gets == hosts[i].Gets; j++ {
			names = append(names, hosts[j].Name)
		}
		if more := len(names) - namedHosts; more > 1 {
			names = append(names[:namedHosts:namedHosts], fmt.Sprintf("%d more", more))
		}
		parts = append(parts, strings.Join(names, ", ")+": "+hosts[i].Gets)
		i = j
	}
	return strings.Join(parts, "; ")
}

// close puts on an outcome what its step did with models.
func (s *Steps) close(ctx context.Context, t *Task, o *plumb.Outcome) error {
	if !t.sitting.asked {
		return nil
	}
	o.FellBack, o.Capped = t.sitting.fell, t.sitting.capped
	spent, err := s.Ledger.Spent(context.WithoutCancel(ctx), t.Run)
	o.Spent = spent
	return err
}
