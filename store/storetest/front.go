package storetest

// What front ends keep in a store: threads, API keys, and answers under idempotency keys.

import (
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/engine"
	"github.com/plumbresearch/plumb/front"
	"github.com/plumbresearch/plumb/library"
)

// FrontStore is what the suite of Front asks for.
type FrontStore interface {
	Store
	library.Index
	front.Threads
	front.Keys
	front.Replies
}

// Front holds a store to what package front and the server expect of it. Open gives an empty one for each test.
func Front(t *testing.T, open func(t *testing.T) FrontStore) {
	for _, group := range []struct {
		name  string
		cases []frontCase
	}{
		{"threads", threadCases},
		{"keys", keyCases},
		{"replies", replyCases},
		{"findings", findingCases},
	} {
		t.Run(group.name, func(t *testing.T) {
			for _, c := range group.cases {
				t.Run(c.name, func(t *testing.T) { c.f(t, open(t)) })
			}
		})
	}
}

type frontCase struct {
	name string // a sentence about behaviour
	f    func(t *testing.T, s FrontStore)
}

// threadIDs lists a tenant's threads and says how many there are.
func threadIDs(t *testing.T, s FrontStore, tenant string, limit, offset int) ([]string, int) {
	t.Helper()
	list, total, err := s.Threads(ctx, tenant, limit, offset)
	must(t, err)
	var out []string
	for _, th := range list {
		out = append(out, th.ID)
	}
	return out, total
}

var threadCases = []frontCase{
	{"a thread sums up its runs", func(t *testing.T, s FrontStore) {
		createFor(t, s, "acme", "t", 0, "a", "b")
		createFor(t, s, "acme", "u", 2, "c")
		createFor(t, s, "bolt", "t", 3, "d")
		touch(t, s, "a", 40, plumb.Finished, plumb.Spent{USD: 0.25, Tokens: 100})
		touch(t, s, "b", 30, plumb.Running, plumb.Spent{USD: 0.5, Tokens: 11})
		touch(t, s, "d", 99, plumb.Running, plumb.Spent{USD: 9, Tokens: 9})
		want := front.Thread{ID: "t", Tenant: "acme", Question: "What holds for a?", CreatedAt: later(0), UpdatedAt: later(40), Runs: 2,
			Spent: plumb.Spent{USD: 0.75, Tokens: 111}}
		equal(t, "one", got(s.Thread(ctx, "acme", "t"))(t), want)
		list, total, err := s.Threads(ctx, "acme", 0, 0)
		must(t, err)
		other := front.Thread{ID: "u", Tenant: "acme", Question: "What holds for c?", CreatedAt: later(2), UpdatedAt: later(2), Runs: 1}
		equal(t, "list", list, []front.Thread{want, other})
		equal(t, "total", total, 2)
	}},
	{"the list has the thread touched last first, in pages", func(t *testing.T, s FrontStore) {
		for i := range 5 {
			createFor(t, s, "acme", fmt.Sprintf("t%d", i), i, fmt.Sprintf("r%d", i))
		}
		touch(t, s, "r1", 100, plumb.Running, plumb.Spent{})
		for _, c := range []struct {
			limit, offset int
			want          []string
		}{
			{0, 0, []string{"t1", "t4", "t3", "t2", "t0"}},
			{2, 0, []string{"t1", "t4"}},
			{2, 3, []string{"t2", "t0"}},
			{0, 4, []string{"t0"}},
			{2, 9, nil},
		} {
			list, total := threadIDs(t, s, "acme", c.limit, c.offset)
			equal(t, fmt.Sprintf("%d from %d", c.limit, c.offset), list, c.want)
			equal(t, "total", total, 5)
		}
		list, total := threadIDs(t, s, "bolt", 0, 0)
		equal(t, "of another tenant", list, nil)
		equal(t, "its total", total, 0)
	}},
	{"a thread that is not there, or another's, is not found", func(t *testing.T, s FrontStore) {
		createFor(t, s, "acme", "t", 0, "a")
		for _, c := range [][2]string{{"acme", "u"}, {"bolt", "t"}, {"", "t"}} {
			_, err := s.Thread(ctx, c[0], c[1])
			is(t, "thread", err, engine.ErrNotFound)
			is(t, "title", s.TitleThread(ctx, c[0], c[1], "mine now"), engine.ErrNotFound)
		}
		equal(t, "title", got(s.Thread(ctx, "acme", "t"))(t).Title, "")
	}},
	{"a title is kept, changed, and goes with the last run", func(t *testing.T, s FrontStore) {
		createFor(t, s, "acme", "t", 0, "a", "b")
		createFor(t, s, "bolt", "t", 0, "c")
		for _, title := range []string{"Pumps", "Käse 🧀 'and' \"more\"", ""} {
			must(t, s.TitleThread(ctx, "acme", "t", title))
			equal(t, "title", got(s.Thread(ctx, "acme", "t"))(t).Title, title)
			equal(t, "title of the other tenant's", got(s.Thread(ctx, "bolt", "t"))(t).Title, "")
		}
		must(t, s.TitleThread(ctx, "acme", "t", "Pumps"))
		must(t, s.DeleteRun(ctx, "a"))
		th := got(s.Thread(ctx, "acme", "t"))(t)
		equal(t, "title with one run left", th.Title, "Pumps")
		equal(t, "question with one run left", th.Question, "What holds for b?")
		must(t, s.DeleteRun(ctx, "b"))
		_, err := s.Thread(ctx, "acme", "t")
		is(t, "thread without runs", err, engine.ErrNotFound)
		createFor(t, s, "acme", "t", 0, "d")
		equal(t, "title of a new thread with the old name", got(s.Thread(ctx, "acme", "t"))(t).Title, "")
	}},
}

func key(name, tenant string) front.Key {
	return front.Key{Name: name, Tenant: tenant, Hash: front.HashKey("secret of " + name), CreatedAt: start}
}

var keyCases = []frontCase{
	{"keys come back whole and in the order of their names", func(t *testing.T, s FrontStore) {
		equal(t, "keys", got(s.Keys(ctx))(t), nil)
		a, b := key("a", "acme"), key("b", "acme")
		must(t, s.AddKey(ctx, b))
		must(t, s.AddKey(ctx, a))
		equal(t, "keys", got(s.Keys(ctx))(t), []front.Key{a, b})
		equal(t, "by hash", got(s.KeyOf(ctx, a.Hash))(t), a)
	}},
	{"a secret that nobody has is not found", func(t *testing.T, s FrontStore) {
		must(t, s.AddKey(ctx, key("a", "acme")))
		for _, hash := range []string{"", front.HashKey(""), front.HashKey("secret of b"), "%"} {
			_, err := s.KeyOf(ctx, hash)
			is(t, hash, err, engine.ErrNotFound)
		}
	}},
	{"a name, or a secret, is given once", func(t *testing.T, s FrontStore) {
		a := key("a", "acme")
		must(t, s.AddKey(ctx, a))
		again := key("b", "bolt")
		again.Name = "a"
		is(t, "the same name", s.AddKey(ctx, again), engine.ErrExists)
		again.Name, again.Hash = "c", a.Hash
		is(t, "the same secret", s.AddKey(ctx, again), engine.ErrExists)
		equal(t, "keys", got(s.Keys(ctx))(t), []front.Key{a})
	}},
	{"a dropped key lets nobody in, and its name is free", func(t *testing.T, s FrontStore) {
		a, b := key("a", "acme"), key("b", "bolt")
		must(t, s.AddKey(ctx, a))
		must(t, s.AddKey(ctx, b))
		must(t, s.DropKey(ctx, "a"))
		_, err := s.KeyOf(ctx, a.Hash)
		is(t, "dropped", err, engine.ErrNotFound)
		equal(t, "the other", got(s.KeyOf(ctx, b.Hash))(t), b)
		is(t, "drop again", s.DropKey(ctx, "a"), engine.ErrNotFound)
		must(t, s.AddKey(ctx, a))
	}},
}

// asked is a request under an idempotency key at a second.
func asked(tenant, key, body string, second int) front.Reply {
	return front.Reply{Tenant: tenant, Key: key, Asked: front.HashKey(body), At: later(second)}
}

// claim claims as at the request's own time: unanswered for a minute is stale, an hour is old.
func claim(t *testing.T, s FrontStore, r front.Reply) (front.Reply, bool) {
	t.Helper()
	kept, mine, err := s.ClaimReply(ctx, r, r.At.Add(-time.Minute), r.At.Add(-time.Hour))
	must(t, err)
	return kept, mine
}

var replyCases = []frontCase{
	{"an answer is kept whole", func(t *testing.T, s FrontStore) {
		r := asked("acme", "k", "body", 0)
		kept, mine := claim(t, s, r)
		equal(t, "claimed", mine, true)
		equal(t, "the claim", kept, r)
		r.Status, r.Header, r.Body = 201, `{"Link":["</x>; rel=stream"]}`, []byte("{\"a\":1}\x00\xff")
		must(t, s.KeepReply(ctx, r))
		kept, mine = claim(t, s, asked("acme", "k", "another body", 5))
		equal(t, "claimed again", mine, false)
		equal(t, "kept", kept, r)
	}},
	{"an empty answer is kept too", func(t *testing.T, s FrontStore) {
		r := asked("acme", "k", "body", 0)
		claim(t, s, r)
		r.Status = 204
		must(t, s.KeepReply(ctx, r))
		kept, mine := claim(t, s, asked("acme", "k", "body", 1))
		equal(t, "claimed again", mine, false)
		equal(t, "kept", kept, r)
	}},
	{"a key that is claimed and not answered says so", func(t *testing.T, s FrontStore) {
		r := asked("acme", "k", "body", 0)
		claim(t, s, r)
		kept, mine := claim(t, s, asked("acme", "k", "body", 59))
		equal(t, "claimed again", mine, false)
		equal(t, "kept", kept, r)
	}},
	{"a key is the tenant's own", func(t *testing.T, s FrontStore) {
		r := asked("acme", "k", "body", 0)
		claim(t, s, r)
		r.Status, r.Body = 200, []byte("acme's")
		must(t, s.KeepReply(ctx, r))
		for _, tenant := range []string{"bolt", ""} {
			kept, mine := claim(t, s, asked(tenant, "k", "body", 1))
			equal(t, "claimed by "+tenant, mine, true)
			equal(t, "what it sees", len(kept.Body), 0)
		}
	}},
	{"another key of the tenant is another one", func(t *testing.T, s FrontStore) {
		r := asked("acme", "k", "body", 0)
		claim(t, s, r)
		r.Status, r.Body = 200, []byte("the first")
		must(t, s.KeepReply(ctx, r))
		for _, key := range []string{"K", "k ", "l"} {
			other := asked("acme", key, "body", 1)
			kept, mine := claim(t, s, other)
			equal(t, "claimed "+key, mine, true)
			equal(t, "the claim", kept, other)
			must(t, s.DropReply(ctx, "acme", key))
		}
		kept, mine := claim(t, s, asked("acme", "k", "body", 2))
		equal(t, "the first again", mine, false)
		equal(t, "kept", kept, r)
	}},
	{"a claim that was never answered is taken over when it is stale", func(t *testing.T, s FrontStore) {
		claim(t, s, asked("acme", "k", "body", 0))
		if _, mine := claim(t, s, asked("acme", "k", "body", 60)); mine {
			t.Error("taken over at the bound")
		}
		again := asked("acme", "k", "another", 61)
		kept, mine := claim(t, s, again)
		equal(t, "taken over", mine, true)
		equal(t, "the claim", kept, again)
	}},
	{"an answer is forgotten when it is old, not when it is stale", func(t *testing.T, s FrontStore) {
		r := asked("acme", "k", "body", 0)
		claim(t, s, r)
		r.Status = 200
		must(t, s.KeepReply(ctx, r))
		if _, mine := claim(t, s, asked("acme", "k", "body", 3600)); mine {
			t.Error("forgotten at the bound")
		}
		if _, mine := claim(t, s, asked("acme", "k", "body", 3601)); !mine {
			t.Error("an old answer is still there")
		}
	}},
	{"a key that is given back is free", func(t *testing.T, s FrontStore) {
		claim(t, s, asked("acme", "k", "body", 0))
		claim(t, s, asked("bolt", "k", "body", 0))
		must(t, s.DropReply(ctx, "acme", "k"))
		if _, mine := claim(t, s, asked("acme", "k", "another", 1)); !mine {
			t.Error("not free")
		}
		if _, mine := claim(t, s, asked("bolt", "k", "body", 1)); mine {
			t.Error("the other tenant's was given back too")
		}
		must(t, s.DropReply(ctx, "acme", "never claimed"))
	}},
	{"what was not claimed can't be answered", func(t *testing.T, s FrontStore) {
		r := asked("acme", "k", "body", 0)
		r.Status = 200
		is(t, "keep", s.KeepReply(ctx, r), engine.ErrNotFound)
	}},
	{"of many at once one has the key", func(t *testing.T, s FrontStore) {
		var mine atomic.Int32
		must(t, atOnce(16, func(int) error {
			r := asked("acme", "k", "body", 0)
			kept, ok, err := s.ClaimReply(ctx, r, later(-60), later(-3600))
			if ok {
				mine.Add(1)
			} else if err == nil && kept.Asked != r.Asked {
				err = errors.New("not what was claimed")
			}
			return err
		}))
		equal(t, "claims", mine.Load(), 1)
	}},
}

var findingCases = []frontCase{
	{"a run is given the findings of its own tenant's runs alone", func(t *testing.T, s FrontStore) {
		createFor(t, s, "acme", "", 0, "a1", "a2")
		createFor(t, s, "bolt", "", 5, "b1")
		createFor(t, s, "", "", 9, "l1", "l2")
		src := source("https://example.org/page", "a page that all have read")
		for i, run := range []string{"a1", "a2", "b1", "l1", "l2"} {
			must(t, s.PutSource(ctx, run, src, "a page that all have read"))
			f := plumb.Finding{ID: "of " + run, Source: src.Hash, SourceURL: src.URL, At: later(i)}
			must(t, s.SaveFindings(ctx, run, []plumb.Finding{f}))
		}
		saved := func(notRun string) []string {
			var out []string
			for _, f := range got(s.SavedFindings(ctx, nil, notRun))(t) {
				out = append(out, f.Run)
			}
			return out
		}
		equal(t, "for acme's", saved("a2"), []string{"a1"})
		equal(t, "for bolt's", saved("b1"), nil)
		equal(t, "for the local one's", saved("l1"), []string{"l2"})
		equal(t, "for no run", saved(""), []string{"l1", "l2"})
		must(t, s.DeleteRun(ctx, "a1"))
		equal(t, "for acme's after a delete", saved("a2"), nil)
		equal(t, "for no run after a delete", saved(""), []string{"l1", "l2"})
	}},
}
