package storetest

// Whose a run is, and the lists and counts that depend on it.

import (
	"testing"
	"time"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/engine"
)

// createFor makes runs of a tenant in a thread that nobody owns, the first asked at second from, the others a second later each.
func createFor(t *testing.T, s Store, tenant, thread string, from int, ids ...string) {
	t.Helper()
	for i, id := range ids {
		run := newRun(id, later(from+i))
		run.Tenant = tenant
		if thread != "" {
			run.Thread = thread
		}
		must(t, s.CreateRun(ctx, run, engine.Lease{}))
	}
}

// of is a filter for a tenant's runs.
func of(tenant string) engine.Filter { return engine.Filter{Tenant: &tenant} }

// touch gives a run its first outcome at a time, which leaves it in a state with a bill.
func touch(t *testing.T, s Store, id string, second int, state plumb.State, spent plumb.Spent) {
	t.Helper()
	got(s.Acquire(ctx, id, "me", start, later(3600)))(t)
	c := commit(id, "me", 1)
	c.Outcome.At, c.State, c.Spent = later(second), state, spent
	must(t, s.Commit(ctx, c))
	must(t, s.Release(ctx, id, "me"))
}

var tenantCases = []testCase{
	{"a run keeps its tenant", func(t *testing.T, s Store) {
		createFor(t, s, "acme", "", 0, "a")
		equal(t, "run", got(s.LoadRun(ctx, "a"))(t).Run.Tenant, "acme")
		equal(t, "list", summary(t, s, "a").Tenant, "acme")
	}},
	{"a tenant's list is its own", func(t *testing.T, s Store) {
		createFor(t, s, "acme", "", 0, "a", "b")
		createFor(t, s, "bolt", "", 5, "c")
		createFor(t, s, "", "", 9, "d")
		equal(t, "acme's", ids(t, s, of("acme")), []string{"b", "a"})
		equal(t, "bolt's", ids(t, s, of("bolt")), []string{"c"})
		equal(t, "the local one's", ids(t, s, of("")), []string{"d"})
		equal(t, "of somebody unknown", ids(t, s, of("acm")), nil)
		equal(t, "in another case", ids(t, s, of("ACME")), nil)
		equal(t, "everybody's", ids(t, s, engine.Filter{}), []string{"d", "c", "b", "a"})
	}},
	{"a thread of the same name is another one for another tenant", func(t *testing.T, s Store) {
		createFor(t, s, "acme", "t", 0, "a")
		createFor(t, s, "bolt", "t", 1, "b")
		f := of("bolt")
		f.Thread = "t"
		equal(t, "bolt's", ids(t, s, f), []string{"b"})
	}},
	{"filters hold together, and the count is that of the list without its limit", func(t *testing.T, s Store) {
		createFor(t, s, "acme", "t", 0, "a", "b", "c", "d")
		createFor(t, s, "bolt", "t", 10, "e")
		for id, state := range map[string]plumb.State{"a": plumb.Finished, "b": plumb.Finished, "c": plumb.FailedState, "e": plumb.Finished} {
			touch(t, s, id, 50, state, plumb.Spent{})
		}
		acme, nobody := "acme", "nobody"
		for _, c := range []struct {
			name string
			f    engine.Filter
			want []string
			n    int
		}{
			{"all", engine.Filter{}, []string{"e", "d", "c", "b", "a"}, 5},
			{"a page", engine.Filter{Limit: 2, Offset: 1}, []string{"d", "c"}, 5},
			{"behind the end", engine.Filter{Limit: 2, Offset: 99}, nil, 5},
			{"tenant and state", engine.Filter{Tenant: &acme, State: plumb.Finished}, []string{"b", "a"}, 2},
			{"tenant, state and page", engine.Filter{Tenant: &acme, State: plumb.Finished, Limit: 1}, []string{"b"}, 2},
			{"all filters", engine.Filter{Tenant: &acme, Thread: "t", State: plumb.FailedState, Before: later(51)}, []string{"c"}, 1},
			{"none", engine.Filter{Tenant: &nobody}, nil, 0},
		} {
			equal(t, c.name, ids(t, s, c.f), c.want)
			equal(t, c.name+", counted", got(s.CountRuns(ctx, c.f))(t), c.n)
		}
	}},
	{"before means last touched before, and not at, a time", func(t *testing.T, s Store) {
		createFor(t, s, "", "", 0, "a", "b", "c")
		touch(t, s, "a", 100, plumb.Finished, plumb.Spent{})
		before := func(at time.Time) []string { return ids(t, s, engine.Filter{Before: at}) }
		equal(t, "at b's creation", before(later(1)), nil)
		equal(t, "just after it", before(later(1).Add(time.Microsecond)), []string{"b"})
		equal(t, "at a's outcome", before(later(100)), []string{"c", "b"})
		equal(t, "after it", before(later(101)), []string{"c", "b", "a"})
		equal(t, "counted", got(s.CountRuns(ctx, engine.Filter{Before: later(2)}))(t), 1)
	}},
	{"a count falls when a run is deleted", func(t *testing.T, s Store) {
		createFor(t, s, "acme", "", 0, "a", "b")
		must(t, s.DeleteRun(ctx, "a"))
		equal(t, "count", got(s.CountRuns(ctx, of("acme")))(t), 1)
	}},
}
