package gather_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/gather"
)

func supervise(t *testing.T, task gather.SuperviseTask) gather.Proposal {
	t.Helper()
	p, err := gather.Extractive{}.Supervise(context.Background(), task)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// found makes n citable findings for an area.
func found(area string, n int) []plumb.Finding {
	var out []plumb.Finding
	for i := range n {
		out = append(out, plumb.Finding{Area: area, Source: fmt.Sprint(i), Verified: true, Depth: plumb.FullScrape})
	}
	return out
}

func TestThinAreaIsTriedOnceMoreInOtherWords(t *testing.T) {
	pt := planTask(t, "Why was the Tarn Bridge closed and what did the repair cost?", "quick")
	units := plan(t, pt).Units
	task := gather.SuperviseTask{Question: pt.Question, Brief: pt.Brief, Limits: pt.Limits, Spare: 5, Wave: 1}
	task.Units = []gather.UnitReport{
		{Unit: units[0], State: plumb.Succeeded, Findings: found(units[0].Area, 4)},
		{Unit: units[1], State: plumb.Succeeded, Findings: found(units[1].Area, 1)},
	}
	p := supervise(t, task)
	if len(p.Units) != 1 || p.Complete {
		t.Fatalf("%+v", p)
	}
	u := p.Units[0]
	if u.ID != "u3" || u.Area != units[1].Area || u.Question == units[1].Question || !strings.Contains(u.Question, "repair") {
		t.Errorf("unit %+v", u)
	}
	if len(u.Queries) == 0 || !strings.Contains(u.Queries[0], "price") || !strings.Contains(u.Queries[0], "retrofit") {
		t.Errorf("no synonyms in %q", u.Queries)
	}
	task.Units = append(task.Units, gather.UnitReport{Unit: u, State: plumb.Succeeded})
	task.Feedback = "not enough: 1 of 5 findings"
	for range 3 {
		if p := supervise(t, task); len(p.Units) != 0 || !p.Complete || !strings.Contains(p.Reason, units[1].Area) {
			t.Errorf("asked for more than one retry: %+v", p)
		}
	}
}

func TestSuperviseKnowsWhenToStop(t *testing.T) {
	pt := planTask(t, "Why was the Tarn Bridge closed and what did the repair cost?", "quick")
	units := plan(t, pt).Units
	task := gather.SuperviseTask{Question: pt.Question, Brief: pt.Brief, Spare: 5}
	for _, u := range units {
		task.Units = append(task.Units, gather.UnitReport{Unit: u, State: plumb.Succeeded, Findings: found(u.Area, 2)})
	}
	if p := supervise(t, task); !p.Complete || len(p.Units) != 0 {
		t.Errorf("enough everywhere: %+v", p)
	}
	task.Units[0].Findings[0].Depth = plumb.Snippet
	task.Units[1].Findings[0].Reused = "run-1"
	if p := supervise(t, task); len(p.Units) != 2 {
		t.Errorf("snippets and findings of earlier runs were counted: %+v", p)
	}
	task.Spare = 1
	if p := supervise(t, task); len(p.Units) != 1 {
		t.Errorf("%d units, 1 may be asked for", len(p.Units))
	}
	task.Spare = 0
	if p := supervise(t, task); len(p.Units) != 0 || !p.Complete {
		t.Errorf("nothing may be asked for: %+v", p)
	}
	task.Pending = []string{"u9"}
	if p := supervise(t, task); len(p.Units) != 1 || p.Units[0].ID != "u9" || p.Complete {
		t.Errorf("a planned unit is still to be done: %+v", p)
	}
}

func TestFailuresAreToldWithoutInternals(t *testing.T) {
	var timeout net.Error = &net.DNSError{IsTimeout: true, Name: "internal.example", Server: "10.0.0.3"}
	for _, c := range []struct {
		err  error
		want string
	}{
		{nil, ""},
		{context.DeadlineExceeded, "research unit timed out"},
		{fmt.Errorf("get http://10.0.0.3/x: %w", timeout), "research unit timed out"},
		{fmt.Errorf("unit u1: %w", context.Canceled), "research unit was stopped"},
		{errors.New("Recursion limit of 41 reached. For troubleshooting, visit: https://x.internal"), "hit tool call limit (41 steps)"},
		{errors.New("open /home/me/secret.db: " + strings.Repeat("x", 500)), "research unit execution failed"},
	} {
		if got := gather.SafeFailure(c.err); got != c.want || len(got) > 180 {
			t.Errorf("SafeFailure(%v) = %q, want %q", c.err, got, c.want)
		}
	}
}
