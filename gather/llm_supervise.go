package gather

// Supervise with a model: it proposes more units or says that research is complete; the gate decides.

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/llm"
)

// supervisorTurns bounds how often a supervisor may think before it decides.
const supervisorTurns = 5

type conductArgs struct {
	Question string   `json:"question"`
	Area     string   `json:"area"`
	Kind     string   `json:"kind"`
	Queries  []string `json:"queries"`
}

type completeArgs struct {
	Reason string `json:"reason"`
}

var supervisorTools = []llm.Tool{
	llm.ToolOf[conductArgs]("ConductResearch", "Send a researcher out. question stands on its own; area is the name of an area of the brief; kind is one of those that are there; queries are two to four search phrasings."),
	llm.ToolOf[completeArgs]("ResearchComplete", "Say that we have what we need, or that nothing sensible is left to try, and why."),
	thinkTool,
}

// superviseData is what the prompt supervise shows.
type superviseData struct {
	Brief, Standing, Rejected, Units, Pending, Notes, Kinds string
	Wave, Waves, Spare, Shown, Found                        int
	Left                                                    bool
}

// Supervise looks at what a wave brought. Where no unit may be asked for any more it says so without asking a model.
func (t LLM) Supervise(ctx context.Context, task SuperviseTask) (Proposal, error) {
	if err := noModel(t.Orchestrator, llm.Orchestrator); err != nil {
		return Proposal{}, err
	}
	s := supervisor{task: task, most: task.Spare}
	if n := task.Limits.PerWave; n > 0 {
		s.most = min(s.most, n)
	}
	if s.most <= 0 {
		p := Proposal{Units: s.pending(), Complete: len(task.Pending) == 0, Reason: "no units may be asked for beyond those that are planned"}
		return p, ctx.Err()
	}
	model := llm.Drive(t.Orchestrator)
	req, err := s.request(model)
	if err != nil {
		return Proposal{}, err
	}
	s.loop = loop{model: model, req: req}
	p, err := s.decide(ctx)
	if err != nil {
		return Proposal{}, fmt.Errorf("supervise: %w", err)
	}
	return p, nil
}

// supervisor is one decision in the making.
type supervisor struct {
	task     SuperviseTask
	loop     loop
	most     int // units that it may ask for
	reminded bool
}

// request shows as many units and notes as there is room for.
func (s *supervisor) request(m llm.Model) (*llm.Request, error) {
	t := s.task
	data := superviseData{Brief: briefText(t.Brief), Standing: standing(t), Rejected: line(t.Feedback, maxReason), Pending: strings.Join(t.Pending, ", "),
		Kinds: kindsLine(t.Question.Where), Wave: max(t.Wave, 1), Waves: max(t.Limits.Waves, t.Wave, 1), Spare: s.most}
	req, err := request(m, "supervise", data, superOutput)
	if err != nil {
		return nil, err
	}
	req.Tools = supervisorTools
	room := llm.Room(m.Traits(), req, req.Output+600) // 600 for thinking aloud
	var units []string
	for i := len(t.Units) - 1; i >= 0; i-- { // the latest matter most
		units = append(units, unitLine(t.Units[i]))
	}
	units = units[:llm.Fit(units, room/3)]
	slices.Reverse(units)
	data.Units = strings.Join(units, "\n")
	room -= llm.Tokens(data.Units)
	var all []plumb.Finding
	for _, u := range t.Units {
		all = append(all, u.Findings...)
	}
	notes := bullets(all, notesBullets, notesWords)
	notes = notes[:llm.Fit(notes, room)]
	data.Notes = strings.Join(notes, "\n")
	if len(notes) == 0 {
		data.Notes = "Nothing yet."
	}
	data.Shown, data.Found = len(notes), len(telling(all))
	data.Left = data.Shown < data.Found
	if req, err = request(m, "supervise", data, superOutput); err != nil {
		return nil, err
	}
	req.Tools = supervisorTools
	return req, nil
}

// standing says how the evidence stands against the gate.
func standing(t SuperviseTask) string {
	g, s := t.Limits.Gate, t.Standing
	out := fmt.Sprintf("We have %d findings, %d of them with a source that was read, from %d distinct sources; the gate wants %d, %d and %d.", s.Records, s.Cited, s.Keys, g.Records, g.Cited, g.Keys)
	if s.Failed > 0 {
		out += fmt.Sprintf(" %d of %d units failed.", s.Failed, s.Units)
	}
	return out
}

func unitLine(u UnitReport) string {
	n := 0
	for _, f := range u.Findings {
		if f.Citable() {
			n++
		}
	}
	state := fmt.Sprintf("%d findings", n)
	if n == 1 {
		state = "1 finding"
	}
	if u.State != plumb.Succeeded {
		state = string(u.State)
	}
	return fmt.Sprintf("- %s (%s; %s): %s", u.Unit.ID, u.Unit.Area, state, line(u.Unit.Question, maxThought))
}

// decide lets the model think until it decides. Silence, twice, is a decision too.
func (s *supervisor) decide(ctx context.Context) (Proposal, error) {
	for range supervisorTurns {
		a, err := s.loop.turn(ctx)
		if err != nil {
			return Proposal{}, err
		}
		said := line(llm.Strip(a.Text), maxReason)
		if len(a.Calls) == 0 {
			if s.reminded {
				return Proposal{Complete: true, Reason: orElse(said, "the supervisor asked for nothing more")}, nil
			}
			s.reminded = true
			s.loop.add(llm.Message{From: llm.User, Text: "Please decide by a call: ConductResearch for each unit you want, or ResearchComplete."})
			continue
		}
		if p, decided := s.heed(a.Calls, said); decided {
			return p, nil
		}
	}
	return Proposal{Complete: true, Reason: "the supervisor came to no decision"}, nil
}

func orElse(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// heed does what the calls of one answer say. Where they ask for research and say that it is complete, research wins.
func (s *supervisor) heed(calls []llm.Call, said string) (Proposal, bool) {
	var units []plumb.Unit
	var complete *Proposal
	for _, c := range calls {
		var told string
		switch c.Name {
		case "ConductResearch":
			var u plumb.Unit
			if u, told = s.unit(c, units); told == "" {
				units, told = append(units, u), "Noted."
			}
		case "ResearchComplete":
			args, err := llm.Args[completeArgs](c)
			if err != nil {
				args.Reason = "" // that it is complete was said all the same
			}
			complete = &Proposal{Complete: true, Reason: orElse(line(args.Reason, maxReason), orElse(said, "research is complete"))}
			told = "Noted."
		case "think":
			told = "Go on."
			if args, err := llm.Args[thinkArgs](c); err == nil && strings.TrimSpace(args.Thought) != "" {
				show(s.task.Emit, "", plumb.Event{Kind: plumb.Thought, Text: line(args.Thought, maxThought)})
			}
		default:
			told = "There is no tool of that name. There are ConductResearch, ResearchComplete and think."
		}
		s.loop.reply(c, told)
	}
	if len(units) == 0 {
		if complete == nil {
			return Proposal{}, false
		}
		return *complete, true
	}
	return Proposal{Units: append(s.pending(), units...), Reason: orElse(said, moreOn(units))}, true
}

// pending are the planned units: they go ahead with those that were asked for.
func (s *supervisor) pending() []plumb.Unit {
	var out []plumb.Unit
	for _, id := range s.task.Pending {
		out = append(out, plumb.Unit{ID: id}) // known by its ID: the rules dispatch it as planned
	}
	return out
}

// unit makes a unit of a call, or says what is wrong with it.
func (s *supervisor) unit(c llm.Call, more []plumb.Unit) (u plumb.Unit, wrong string) {
	args, err := llm.Args[conductArgs](c)
	u = plumb.Unit{Question: line(args.Question, maxQuestion), Kind: kindNamed(args.Kind, args.Question, s.task.Question.Where, s.task.Limits), Queries: uniqueLines(args.Queries, maxQuery)}
	switch {
	case err != nil:
		return u, "The arguments could not be read. Give question, area, kind and queries as a JSON object."
	case u.Question == "":
		return u, "question is empty."
	case len(more) >= s.most:
		return u, "No more units may be asked for in this wave."
	}
	ids := slices.Clone(s.task.Pending)
	asked := []string{}
	for _, r := range s.task.Units {
		ids, asked = append(ids, r.Unit.ID), append(asked, r.Unit.Question)
	}
	for _, m := range more {
		asked = append(asked, m.Question)
	}
	if slices.ContainsFunc(asked, func(q string) bool { return strings.EqualFold(line(q, maxQuestion), u.Question) }) {
		return u, "That has been asked already, word for word."
	}
	u.Area = areaOf(args.Area, u.Question, s.task.Brief.Areas)
	u.ID = nextID(more, ids)
	return u, ""
}

// moreOn names the areas that more is wanted on.
func moreOn(units []plumb.Unit) string {
	var areas []string
	for _, u := range units {
		if !slices.Contains(areas, u.Area) {
			areas = append(areas, u.Area)
		}
	}
	return "more is wanted on: " + strings.Join(areas, "; ")
}
