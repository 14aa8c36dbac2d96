package main

// A client that wants one report, whatever becomes of the server meanwhile.

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/engine"
	"github.com/plumbresearch/plumb/store/sqlite"
)

type client struct {
	victim  *victim
	number  int
	id      string // of its task
	seen    []seen
	returns int // to its stream
	report  string
}

// seen is an event as it came.
type seen struct {
	seq     int64
	step    string
	attempt int
}

// questions that the example dossier answers.
var questions = []string{
	"Why was the Marrowgate Bridge closed in 2023?",
	"What did the repair of the Marrowgate Bridge cost?",
	"Is the Marrowgate Bridge safe now, and for which vehicles?",
	"Who found the crack in the Marrowgate Bridge, and how long was it?",
	"When did the Marrowgate Bridge reopen, and with which limits?",
	"What did the council decide about the Marrowgate Bridge?",
}

// have posts the task, follows it to its end and fetches the report.
func (c *client) have(ctx context.Context) error {
	body := fmt.Sprintf(`{"query":%q,"research_strategy":"quick"}`, questions[c.number%len(questions)])
	var task struct {
		ID     string `json:"task_id"`
		Status string `json:"status"`
	}
	key := map[string]string{"Idempotency-Key": fmt.Sprintf("task-%d", c.number)}
	if err := c.insist(ctx, func() error {
		_, err := c.victim.call(ctx, "POST", "/api/v1/tasks", body, key, &task)
		return err
	}); err != nil {
		return fmt.Errorf("task %d: %w", c.number, err)
	}
	c.id = task.ID
	if err := c.insist(ctx, func() error { return c.follow(ctx) }); err != nil {
		return fmt.Errorf("stream of task %d: %w", c.number, err)
	}
	return c.insist(ctx, func() error {
		if _, err := c.victim.call(ctx, "GET", "/api/v1/tasks/"+c.id, "", nil, &task); err != nil {
			return err
		}
		if task.Status != "TASK_STATUS_COMPLETED" {
			return errStatus{http.StatusGone, "the task is " + task.Status}
		}
		var err error
		c.report, err = c.victim.call(ctx, "GET", "/api/v1/tasks/"+c.id+"/report?format=md", "", nil, nil)
		return err
	})
}

// insist tries until the server answers. What it refuses is an error.
func (c *client) insist(ctx context.Context, f func() error) error {
	for {
		err := f()
		var refused errStatus
		if err == nil || errors.As(err, &refused) && refused.status < 500 && refused.status != http.StatusConflict {
			return err
		}
		select {
		case <-ctx.Done():
			return errors.Join(err, ctx.Err())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

var errCut = errors.New("the stream broke off")

// follow reads the stream on from where it broke off.
func (c *client) follow(ctx context.Context) (err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+c.victim.addr+"/api/v1/stream/sse?workflow_id="+c.id, nil)
	if err != nil {
		return err
	}
	if n := len(c.seen); n > 0 {
		req.Header.Set("Last-Event-ID", strconv.FormatInt(c.seen[n-1].seq, 10))
	}
	res, err := c.victim.http.Do(req)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, res.Body.Close()) }()
	if res.StatusCode != http.StatusOK {
		return errStatus{res.StatusCode, "stream"}
	}
	if len(c.seen) > 0 {
		c.returns++
	}
	lines := bufio.NewScanner(res.Body)
	lines.Buffer(nil, 4<<20)
	var id, data string
	for lines.Scan() {
		switch line := lines.Text(); {
		case strings.HasPrefix(line, "id: "):
			id = line[len("id: "):]
		case line == "data: [DONE]":
			return nil
		case strings.HasPrefix(line, "data: "):
			data = line[len("data: "):]
		case line == "" && id != "": // an event counts once it is whole
			if err := c.see(id, data); err != nil {
				return errStatus{http.StatusTeapot, err.Error()}
			}
			id = ""
		}
	}
	return errCut
}

// see notes an event, which must come after those before it.
func (c *client) see(id, data string) error {
	var e struct {
		Payload struct {
			Step    string `json:"step"`
			Attempt int    `json:"attempt"`
		} `json:"payload"`
	}
	seq, err := strconv.ParseInt(id, 10, 64)
	if err := errors.Join(err, json.Unmarshal([]byte(data), &e)); err != nil {
		return fmt.Errorf("event %s: %w in %.200s", id, err, data)
	}
	if n := len(c.seen); n > 0 && c.seen[n-1].seq >= seq {
		return fmt.Errorf("event %d came after %d", seq, c.seen[n-1].seq)
	}
	c.seen = append(c.seen, seen{seq, e.Payload.Step, e.Payload.Attempt})
	return nil
}

// valid are the ids of the events that count for a client: those of an attempt at a step are void once a later attempt shows
// anything.
func (c *client) valid() []int64 {
	last := map[string]int{}
	for _, e := range c.seen {
		last[e.step] = max(last[e.step], e.attempt)
	}
	var out []int64
	for _, e := range c.seen {
		if e.step == "" || e.attempt == last[e.step] {
			out = append(out, e.seq)
		}
	}
	return out
}

// audit holds the store against what clients saw.
func (t *tally) audit(ctx context.Context, home string, clients []*client) (err error) {
	db, err := sqlite.Open(ctx, home+"/plumb.db", sqlite.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if n, err := db.CountRuns(ctx, engine.Filter{}); err != nil || n != len(clients) {
		return fmt.Errorf("%d tasks became %d runs: %w", len(clients), n, err)
	}
	for _, c := range clients {
		if err := errors.Join(t.auditEvents(ctx, db, c), t.auditJournal(ctx, db, c.id), t.auditBill(ctx, db, c.id)); err != nil {
			return fmt.Errorf("run %s: %w", c.id, err)
		}
	}
	return nil
}

// auditEvents: what counts for the client is what the store has, in that order.
func (t *tally) auditEvents(ctx context.Context, db *sqlite.DB, c *client) error {
	events, err := db.Events(ctx, c.id, 0, 0)
	if err != nil {
		return err
	}
	got := c.valid()
	for i, e := range events {
		if i >= len(got) || got[i] != e.Seq {
			return fmt.Errorf("event %d of %d (seq %d, %s of %s, attempt %d) was not seen in its place: %v", i, len(events), e.Seq, e.Kind, e.Step, e.Attempt, got[max(0, i-2):min(len(got), i+3)])
		}
	}
	if len(got) != len(events) {
		return fmt.Errorf("%d events are stored, %d were seen that count", len(events), len(got))
	}
	t.events += len(events)
	t.void += len(c.seen) - len(got)
	return nil
}

// auditJournal: no step is finished twice.
func (t *tally) auditJournal(ctx context.Context, db *sqlite.DB, id string) error {
	rec, err := db.LoadRun(ctx, id)
	if err != nil {
		return err
	}
	finished := map[string]bool{}
	for _, o := range rec.Journal {
		if o.Kind != plumb.Done {
			continue
		}
		if finished[o.Step] {
			return fmt.Errorf("step %s is finished twice", o.Step)
		}
		finished[o.Step] = true
	}
	t.steps += len(finished)
	return nil
}

// auditBill: no call is billed twice.
func (t *tally) auditBill(ctx context.Context, db *sqlite.DB, id string) error {
	rows, err := db.LedgerRows(ctx, id)
	if err != nil {
		return err
	}
	paid := map[string]bool{}
	for _, r := range rows {
		call := r.Step + " " + r.Reference
		if paid[call] && r.Reference != "" {
			return fmt.Errorf("call %s is on the bill twice", call)
		}
		paid[call] = true
	}
	t.billed += len(rows)
	return nil
}

var times = regexp.MustCompile(`\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z`)

// dollars depend on what the model's server had in its cache; the tokens do not.
var dollars = regexp.MustCompile(`cost: \$[\d.]+`)

// timeless takes the run's id, times and dollars out of a report.
func timeless(md, id string) string {
	return dollars.ReplaceAllString(times.ReplaceAllString(strings.ReplaceAll(md, id, "ID"), "TIME"), "COST")
}

func firstDifference(a, b string) string {
	la, lb := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(la), len(lb)) {
		if la[i] != lb[i] {
			return fmt.Sprintf("line %d is %q, want %q", i+1, lb[i], la[i])
		}
	}
	return fmt.Sprintf("%d lines, want %d", len(lb), len(la))
}
