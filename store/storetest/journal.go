package storetest

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/engine"
)

var journalCases = []testCase{
	{"a run is loaded as it was created", func(t *testing.T, s Store) {
		run := filled[plumb.Run](1)
		must(t, s.CreateRun(ctx, &run, engine.Lease{}))
		rec := got(s.LoadRun(ctx, run.ID))(t)
		equal(t, "run", rec.Run, run)
		equal(t, "journal", rec.Journal, nil)
		equal(t, "attempts", len(rec.Attempts), 0)
		equal(t, "last seq", rec.LastSeq, 0)
	}},
	{"a run that is there is not created again", func(t *testing.T, s Store) {
		create(t, s, "a")
		other := newRun("a", later(99))
		is(t, "create", s.CreateRun(ctx, other, engine.Lease{}), engine.ErrExists)
		equal(t, "run", got(s.LoadRun(ctx, "a"))(t).Run, *newRun("a", later(0)))
	}},
	{"a run needs an id", func(t *testing.T, s Store) {
		if err := s.CreateRun(ctx, newRun("", start), engine.Lease{}); err == nil {
			t.Error("a run without an id was created")
		}
	}},
	{"a run that is not there is ErrNoRun for whoever needs it", noRun},
	{"outcomes come back whole and in order", func(t *testing.T, s Store) {
		own(t, s, "me", "a", "b")
		var want []plumb.Outcome
		for seq := 1; seq <= 12; seq++ {
			c := commit("a", "me", seq)
			c.Outcome = filled[plumb.Outcome](seq)
			want = append(want, c.Outcome)
			must(t, s.Commit(ctx, c))
			must(t, s.Commit(ctx, commit("b", "me", seq)))
		}
		equal(t, "journal", journal(t, s, "a"), want)
		equal(t, "outcomes of the other run", len(journal(t, s, "b")), 12)
	}},
	{"an outcome of the largest size comes back", func(t *testing.T, s Store) {
		own(t, s, "me", "a")
		c := commit("a", "me", 1)
		c.Outcome.Reason = string(make([]byte, plumb.MaxOutcome))
		must(t, s.Commit(ctx, c))
		equal(t, "journal", journal(t, s, "a"), []plumb.Outcome{c.Outcome})
	}},
	{"a commit brings its events", func(t *testing.T, s Store) {
		own(t, s, "me", "a")
		c := commit("a", "me", 1)
		c.Events = []plumb.Event{filled[plumb.Event](1), filled[plumb.Event](2)}
		c.Events[0].Run, c.Events[0].Seq, c.Events[0].Step, c.Events[0].Attempt = "a", 1, "plan.1", 2
		c.Events[1].Run, c.Events[1].Seq, c.Events[1].Step, c.Events[1].Attempt = "a", 2, "plan.1", 1
		must(t, s.Commit(ctx, c))
		equal(t, "events", got(s.Events(ctx, "a", 0, 0))(t), c.Events)
		rec := got(s.LoadRun(ctx, "a"))(t)
		equal(t, "last seq", rec.LastSeq, 2)
		equal(t, "attempts", rec.Attempts, map[string]int{"plan.1": 2})
	}},
	{"a commit by another owner counts nothing", func(t *testing.T, s Store) {
		own(t, s, "me", "a")
		refuses(t, s, commit("a", "you", 1), engine.ErrNotOwner)
	}},
	{"a commit by an owner that was replaced counts nothing", func(t *testing.T, s Store) {
		own(t, s, "me", "a")
		must(t, s.Commit(ctx, commit("a", "me", 1)))
		if !got(s.TakeOver(ctx, "a", "me", "you", later(60)))(t) {
			t.Fatal("not taken over")
		}
		refuses(t, s, commit("a", "me", 2), engine.ErrNotOwner)
		must(t, s.Commit(ctx, commit("a", "you", 2)))
	}},
	{"a commit on a run that nobody owns counts nothing", func(t *testing.T, s Store) {
		create(t, s, "a")
		refuses(t, s, commit("a", "me", 1), engine.ErrNotOwner)
		refuses(t, s, commit("a", "", 1), engine.ErrNotOwner)
	}},
	{"a number that is taken in the journal is refused", func(t *testing.T, s Store) {
		own(t, s, "me", "a")
		must(t, s.Commit(ctx, commit("a", "me", 1)))
		refuses(t, s, commit("a", "me", 1), engine.ErrNotOwner)
	}},
	{"a number that would leave a gap in the journal is refused", func(t *testing.T, s Store) {
		own(t, s, "me", "a")
		refuses(t, s, commit("a", "me", 2), engine.ErrNotOwner)
		refuses(t, s, commit("a", "me", 0), engine.ErrNotOwner)
	}},
	{"a commit with an event number that is taken counts nothing", func(t *testing.T, s Store) {
		own(t, s, "me", "a")
		must(t, s.AppendEvents(ctx, []plumb.Event{event("a", 901, "plan.1", 1)}))
		refuses(t, s, commit("a", "me", 1), engine.ErrNotOwner)
	}},
	{"a commit with events of another run counts nothing", func(t *testing.T, s Store) {
		own(t, s, "me", "a", "b")
		c := commit("a", "me", 1)
		c.Events = []plumb.Event{event("b", 1, "plan.1", 1)}
		if err := s.Commit(ctx, c); err == nil {
			t.Error("events of another run were taken")
		}
		equal(t, "journal", len(journal(t, s, "a")), 0)
		equal(t, "events", seqs(t, s, "b"), nil)
	}},
	{"a commit with a letter of another run, or one that is gone, counts nothing", func(t *testing.T, s Store) {
		own(t, s, "me", "a", "b")
		c := commit("a", "me", 1)
		c.Letter = got(s.Send(ctx, "b", plumb.Signal{Kind: plumb.SigPause}, start))(t)
		is(t, "another run's letter", s.Commit(ctx, c), engine.ErrNotFound)
		c.Letter += 1000
		is(t, "no letter", s.Commit(ctx, c), engine.ErrNotFound)
		equal(t, "journal", len(journal(t, s, "a")), 0)
		equal(t, "letters", len(got(s.Letters(ctx, "b", 0))(t)), 1)
	}},
}

// refuses fails unless the commit, with an event and a letter added, is refused with that error and leaves no trace.
func refuses(t *testing.T, s Store, c *engine.Commit, want error) {
	t.Helper()
	letter := got(s.Send(ctx, c.Run, plumb.Signal{Kind: plumb.SigFinish, Text: fmt.Sprint(c.Seq)}, start))(t)
	before, list := got(s.LoadRun(ctx, c.Run))(t), summary(t, s, c.Run)
	c.State, c.Spent, c.Letter = plumb.FailedState, plumb.Spent{USD: 77, Tokens: 77}, letter
	c.Outcome.At = later(7777)
	c.Events = []plumb.Event{event(c.Run, 900, "refused.1", 7), event(c.Run, 901, "refused.1", 7)}
	is(t, "commit", s.Commit(ctx, c), want)
	equal(t, "record after a refused commit", got(s.LoadRun(ctx, c.Run))(t), before)
	equal(t, "summary after a refused commit", summary(t, s, c.Run), list)
	letters := got(s.Letters(ctx, c.Run, letter-1))(t)
	if len(letters) != 1 || letters[0].ID != letter {
		t.Errorf("letters after a refused commit: %v", letters)
	}
}

// noRun asks everything of a run that is not there.
func noRun(t *testing.T, s Store) {
	create(t, s, "a")
	_, acquire := s.Acquire(ctx, "b", "me", start, later(1))
	taken, takeOver := s.TakeOver(ctx, "b", "me", "you", later(1))
	_, send := s.Send(ctx, "b", plumb.Signal{Kind: plumb.SigPause}, start)
	_, load := s.LoadRun(ctx, "b")
	text := "text without a run"
	for what, err := range map[string]error{
		"LoadRun": load, "Acquire": acquire, "TakeOver": takeOver, "Send": send,
		"Commit":       s.Commit(ctx, commit("b", "me", 1)),
		"DeleteRun":    s.DeleteRun(ctx, "b"),
		"AppendEvents": s.AppendEvents(ctx, []plumb.Event{event("a", 1, "x", 1), event("b", 1, "x", 1)}),
		"VoidEvents":   s.VoidEvents(ctx, "b", "x", 1),
		"PutArtefact":  s.PutArtefact(ctx, "b", "brief", 1),
		"PutSource":    s.PutSource(ctx, "b", source("doc:x", text), text),
		"PutFindings":  s.PutFindings(ctx, "b", "u1", []plumb.Finding{{ID: "f"}}),
		"no findings":  s.PutFindings(ctx, "b", "u1", nil),
		"PutCitations": s.PutCitations(ctx, "b", nil),
		"PutClaims":    s.PutClaims(ctx, "b", nil),
		"PutVerdicts":  s.PutVerdicts(ctx, "b", nil),
		"AddLedgerRow": s.AddLedgerRow(ctx, plumb.LedgerRow{Run: "b", At: start}),
	} {
		is(t, what, err, engine.ErrNoRun)
	}
	if taken {
		t.Error("a run that is not there was taken over")
	}
	if _, err := s.Text(ctx, source("", text).Hash); !errors.Is(err, engine.ErrNotFound) {
		t.Errorf("text of a source that was refused: %v", err)
	}
	equal(t, "events of the run that is there", seqs(t, s, "a"), nil)
	must(t, s.Renew(ctx, "me", later(1)))
	must(t, s.Release(ctx, "b", "me"))
}

var runsCases = []testCase{
	{"the list is newest first", func(t *testing.T, s Store) {
		for id, at := range map[string]time.Time{"a": later(2), "b": later(1), "c": later(3), "d": later(2)} {
			must(t, s.CreateRun(ctx, newRun(id, at), engine.Lease{}))
		}
		equal(t, "all", ids(t, s, engine.Filter{}), []string{"c", "d", "a", "b"})
		equal(t, "limit", ids(t, s, engine.Filter{Limit: 2}), []string{"c", "d"})
		equal(t, "limit and offset", ids(t, s, engine.Filter{Limit: 2, Offset: 1}), []string{"d", "a"})
		equal(t, "offset", ids(t, s, engine.Filter{Offset: 3}), []string{"b"})
		equal(t, "offset behind the end", ids(t, s, engine.Filter{Offset: 9}), nil)
	}},
	{"the list shows a run as it is", func(t *testing.T, s Store) {
		run := newRun("a", start)
		run.Kind, run.Thread, run.Asked.Text = plumb.Audit, "t", "Was ist ein Lot? 🧭"
		must(t, s.CreateRun(ctx, run, engine.Lease{}))
		want := engine.Summary{
			ID: "a", State: plumb.Queued, Question: "Was ist ein Lot? 🧭", Kind: plumb.Audit, Thread: "t", CreatedAt: start, UpdatedAt: start,
		}
		equal(t, "as created", summary(t, s, "a"), want)
		got(s.Acquire(ctx, "a", "me", start, later(60)))(t)
		c := commit("a", "me", 1)
		must(t, s.Commit(ctx, c))
		want.State, want.Spent, want.UpdatedAt, want.Owner = plumb.Running, c.Spent, later(1), "me"
		equal(t, "after a commit", summary(t, s, "a"), want)
	}},
	{"an outcome from before the latest does not turn back the clock of the list", func(t *testing.T, s Store) {
		own(t, s, "me", "a")
		c := commit("a", "me", 1)
		c.Outcome.At = later(100)
		must(t, s.Commit(ctx, c))
		must(t, s.Commit(ctx, commit("a", "me", 2)))
		equal(t, "updated", summary(t, s, "a").UpdatedAt, later(100))
	}},
	{"the list is filtered by state and thread", func(t *testing.T, s Store) {
		own(t, s, "me", "a", "b", "c")
		for id, state := range map[string]plumb.State{"a": plumb.Running, "b": plumb.Finished, "c": plumb.Finished} {
			c := commit(id, "me", 1)
			c.State = state
			must(t, s.Commit(ctx, c))
		}
		follow := newRun("d", later(50))
		follow.Follow(newRun("b", start))
		must(t, s.CreateRun(ctx, follow, engine.Lease{}))
		equal(t, "done", ids(t, s, engine.Filter{State: plumb.Finished}), []string{"c", "b"})
		equal(t, "thread", ids(t, s, engine.Filter{Thread: "b"}), []string{"d", "b"})
		equal(t, "both", ids(t, s, engine.Filter{Thread: "b", State: plumb.Queued}), []string{"d"})
		equal(t, "one of many", ids(t, s, engine.Filter{State: plumb.Finished, Limit: 1, Offset: 1}), []string{"b"})
		equal(t, "none", ids(t, s, engine.Filter{Thread: "nobody's"}), nil)
	}},
	{"a run that is owned is not deleted", func(t *testing.T, s Store) {
		own(t, s, "me", "a")
		is(t, "delete", s.DeleteRun(ctx, "a"), engine.ErrNotOwner)
		equal(t, "runs", ids(t, s, engine.Filter{}), []string{"a"})
		must(t, s.Release(ctx, "a", "me"))
		must(t, s.DeleteRun(ctx, "a"))
		is(t, "delete again", s.DeleteRun(ctx, "a"), engine.ErrNoRun)
	}},
	{"a deleted run leaves nothing, also for one of the same name", deleted},
}

func ids(t *testing.T, s Store, f engine.Filter) []string {
	t.Helper()
	var out []string
	for _, r := range got(s.Runs(ctx, f))(t) {
		out = append(out, r.ID)
	}
	return out
}

// fillRun puts something of everything into an owned run and releases it.
func fillRun(t *testing.T, s Store, id string) {
	t.Helper()
	c := commit(id, "me", 1)
	c.Events = []plumb.Event{event(id, 1, "plan.1", 1)}
	must(t, s.Commit(ctx, c))
	got(s.Send(ctx, id, plumb.Signal{Kind: plumb.SigPause}, start))(t)
	must(t, s.PutArtefact(ctx, id, "brief", plumb.Brief{Question: id}))
	must(t, s.PutSource(ctx, id, source("doc:"+id, "text of "+id), "text of "+id))
	must(t, s.PutFindings(ctx, id, "u1", []plumb.Finding{{ID: "f1", Unit: "u1", Subtask: 1}}))
	must(t, s.PutCitations(ctx, id, []plumb.Citation{{Number: 1}}))
	must(t, s.PutClaims(ctx, id, []plumb.Claim{{ID: "claim_001"}}))
	must(t, s.PutVerdicts(ctx, id, []plumb.Verdict{{ClaimID: "claim_001", Status: plumb.Supported}}))
	must(t, s.AddLedgerRow(ctx, plumb.LedgerRow{Run: id, At: start, USD: 1, Input: 10}))
	must(t, s.Release(ctx, id, "me"))
}

// rows counts what a store has of a run.
func rows(t *testing.T, s Store, id string) map[string]int {
	t.Helper()
	brief := 1
	if err := s.Artefact(ctx, id, "brief", &plumb.Brief{}); errors.Is(err, engine.ErrNotFound) {
		brief = 0
	} else {
		must(t, err)
	}
	return map[string]int{
		"events":    len(got(s.Events(ctx, id, 0, 0))(t)),
		"letters":   len(got(s.Letters(ctx, id, 0))(t)),
		"brief":     brief,
		"sources":   len(got(s.Sources(ctx, id))(t)),
		"findings":  len(got(s.Findings(ctx, id))(t)),
		"citations": len(got(s.Citations(ctx, id))(t)),
		"claims":    len(got(s.Claims(ctx, id))(t)),
		"verdicts":  len(got(s.Verdicts(ctx, id))(t)),
		"ledger":    len(got(s.LedgerRows(ctx, id))(t)),
		"tokens":    int(got(s.Spent(ctx, id))(t).Tokens),
	}
}

func deleted(t *testing.T, s Store) {
	own(t, s, "me", "a", "b")
	fillRun(t, s, "a")
	fillRun(t, s, "b")
	full := map[string]int{
		"events": 1, "letters": 1, "brief": 1, "sources": 1, "findings": 1, "citations": 1, "claims": 1, "verdicts": 1, "ledger": 1, "tokens": 10,
	}
	empty := map[string]int{}
	for k := range full {
		empty[k] = 0
	}
	equal(t, "rows", rows(t, s, "a"), full)
	must(t, s.DeleteRun(ctx, "a"))
	equal(t, "rows after delete", rows(t, s, "a"), empty)
	equal(t, "rows of the other run", rows(t, s, "b"), full)
	equal(t, "runs", ids(t, s, engine.Filter{}), []string{"b"})
	equal(t, "letters of all runs", len(got(s.Letters(ctx, "", 0))(t)), 1)
	create(t, s, "a")
	equal(t, "rows of a new run with the old name", rows(t, s, "a"), empty)
	equal(t, "its journal", len(journal(t, s, "a")), 0)
	got(s.Acquire(ctx, "a", "me", start, later(60)))(t)
	must(t, s.Commit(ctx, commit("a", "me", 1)))
	equal(t, "its journal after a commit", len(journal(t, s, "a")), 1)
	equal(t, "journal of the other run", len(journal(t, s, "b")), 1)
}
