package storetest

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/engine"
)

var sourceCases = []testCase{
	{"sources come back whole, sorted by address", func(t *testing.T, s Store) {
		create(t, s, "a", "b")
		var want []plumb.Source
		for i, url := range []string{"doc:b.md", "doc:a.md", "https://example.org/ü?q=1", "doc:Z.md"} {
			text := "text of " + url
			src := filled[plumb.Source](i)
			src.URL, src.Hash = url, source(url, text).Hash
			must(t, s.PutSource(ctx, "a", src, text))
			want = append(want, src)
		}
		want = []plumb.Source{want[3], want[1], want[0], want[2]} // by bytes: Z before a
		equal(t, "sources", got(s.Sources(ctx, "a"))(t), want)
		equal(t, "sources of another run", got(s.Sources(ctx, "b"))(t), nil)
	}},
	{"texts come back to the byte", func(t *testing.T, s Store) {
		create(t, s, "a")
		for i, text := range append([]string{"", "\x00", "a\x00b", "\xff\xfe not UTF-8", strings.Repeat("long ñ ", 1<<20)}, words...) {
			src := source(fmt.Sprintf("doc:%d", i), text)
			must(t, s.PutSource(ctx, "a", src, text))
			if back := got(s.Text(ctx, src.Hash))(t); back != text {
				t.Errorf("text %d: %d bytes came back of %d, or others", i, len(back), len(text))
			}
		}
	}},
	{"a text that is not there is ErrNotFound", func(t *testing.T, s Store) {
		_, err := s.Text(ctx, source("", "nobody wrote this").Hash)
		is(t, "text", err, engine.ErrNotFound)
	}},
	{"a hash that is not the text's is refused", func(t *testing.T, s Store) {
		create(t, s, "a")
		right := source("doc:x", "right")
		if err := s.PutSource(ctx, "a", right, "wrong"); err == nil {
			t.Error("a wrong hash was taken")
		}
		right.Hash = strings.ToUpper(right.Hash)
		if err := s.PutSource(ctx, "a", right, "right"); err == nil {
			t.Error("a hash in capitals was taken")
		}
		equal(t, "sources", got(s.Sources(ctx, "a"))(t), nil)
		_, err := s.Text(ctx, source("", "wrong").Hash)
		is(t, "text", err, engine.ErrNotFound)
	}},
	{"a source that is put again is replaced", func(t *testing.T, s Store) {
		create(t, s, "a")
		src := source("doc:x", "text")
		must(t, s.PutSource(ctx, "a", src, "text"))
		src.Title = "A better title"
		must(t, s.PutSource(ctx, "a", src, "text"))
		equal(t, "sources", got(s.Sources(ctx, "a"))(t), []plumb.Source{src})
	}},
	{"an address that changed between two readings has both texts", func(t *testing.T, s Store) {
		create(t, s, "a")
		old, young := source("https://example.org", "old"), source("https://example.org", "young")
		must(t, s.PutSource(ctx, "a", old, "old"))
		must(t, s.PutSource(ctx, "a", young, "young"))
		equal(t, "number of sources", len(got(s.Sources(ctx, "a"))(t)), 2)
		equal(t, "old text", got(s.Text(ctx, old.Hash))(t), "old")
	}},
	{"a text that several runs use goes with the last of them", func(t *testing.T, s Store) {
		create(t, s, "a", "b", "c")
		shared, own := source("doc:shared", "shared"), source("doc:own", "only a's")
		for _, id := range []string{"a", "b"} {
			must(t, s.PutSource(ctx, id, shared, "shared"))
		}
		same := shared
		same.URL = "doc:copy"
		must(t, s.PutSource(ctx, "a", same, "shared"))
		must(t, s.PutSource(ctx, "a", own, "only a's"))
		must(t, s.DeleteRun(ctx, "c"))
		must(t, s.DeleteRun(ctx, "a"))
		equal(t, "shared text", got(s.Text(ctx, shared.Hash))(t), "shared")
		_, err := s.Text(ctx, own.Hash)
		is(t, "text of the deleted run", err, engine.ErrNotFound)
		must(t, s.DeleteRun(ctx, "b"))
		_, err = s.Text(ctx, shared.Hash)
		is(t, "shared text at last", err, engine.ErrNotFound)
	}},
}

var contentsCases = []testCase{
	{"an artefact comes back whole, the last one put", func(t *testing.T, s Store) {
		create(t, s, "a", "b")
		first, second := filled[plumb.Plan](1), filled[plumb.Plan](2)
		must(t, s.PutArtefact(ctx, "a", "plan/1", first))
		must(t, s.PutArtefact(ctx, "b", "plan/1", second))
		must(t, s.PutArtefact(ctx, "a", "plan/2", second))
		var plan plumb.Plan
		must(t, s.Artefact(ctx, "a", "plan/1", &plan))
		equal(t, "plan", plan, first)
		must(t, s.PutArtefact(ctx, "a", "plan/1", second))
		plan = plumb.Plan{}
		must(t, s.Artefact(ctx, "a", "plan/1", &plan))
		equal(t, "plan put again", plan, second)
	}},
	{"an artefact that is not there is ErrNotFound", func(t *testing.T, s Store) {
		create(t, s, "a")
		must(t, s.PutArtefact(ctx, "a", "plan/1", 1))
		is(t, "another reference", s.Artefact(ctx, "a", "plan/2", new(int)), engine.ErrNotFound)
		is(t, "another run", s.Artefact(ctx, "b", "plan/1", new(int)), engine.ErrNotFound)
	}},
	{"an artefact may be any JSON, also a large one", func(t *testing.T, s Store) {
		create(t, s, "a")
		must(t, s.PutArtefact(ctx, "a", "raw", json.RawMessage(`{"x": [1, null, "ü"]}`)))
		var raw map[string][]any
		must(t, s.Artefact(ctx, "a", "raw", &raw))
		equal(t, "raw", fmt.Sprint(raw), "map[x:[1 <nil> ü]]")
		draft, back := strings.Repeat("A sentence that is <cited> & checked [1]. ", 100_000), ""
		must(t, s.PutArtefact(ctx, "a", "draft", draft))
		must(t, s.Artefact(ctx, "a", "draft", &back))
		if back != draft {
			t.Errorf("a draft of %d bytes came back with %d", len(draft), len(back))
		}
		if err := s.PutArtefact(ctx, "a", "channel", make(chan int)); err == nil {
			t.Error("a channel was stored")
		}
	}},
	{"findings are in the order of subtask and position", func(t *testing.T, s Store) {
		create(t, s, "a", "b")
		var want []plumb.Finding
		for subtask := 1; subtask <= 12; subtask++ {
			for i := range 3 {
				f := filled[plumb.Finding](subtask*10 + i)
				f.Subtask, f.Unit = subtask, fmt.Sprintf("u%d", subtask)
				want = append(want, f)
			}
		}
		for subtask := 12; subtask >= 1; subtask-- {
			must(t, s.PutFindings(ctx, "a", fmt.Sprintf("u%d", subtask), want[3*subtask-3:3*subtask]))
		}
		equal(t, "findings", got(s.Findings(ctx, "a"))(t), want)
		equal(t, "findings of another run", got(s.Findings(ctx, "b"))(t), nil)
	}},
	{"findings put again replace those of their unit only", func(t *testing.T, s Store) {
		create(t, s, "a")
		find := func(unit string, subtask int, names ...string) (fs []plumb.Finding) {
			for _, id := range names {
				fs = append(fs, plumb.Finding{ID: id, Unit: unit, Subtask: subtask})
			}
			return fs
		}
		u1, u2 := find("u1", 1, "f1", "f2", "f3"), find("u2", 2, "f4")
		must(t, s.PutFindings(ctx, "a", "u1", u1))
		must(t, s.PutFindings(ctx, "a", "u2", u2))
		must(t, s.PutFindings(ctx, "a", "u1", u1))
		equal(t, "the same again", got(s.Findings(ctx, "a"))(t), append(u1[:3:3], u2...))
		u1 = find("u1", 1, "f9")
		must(t, s.PutFindings(ctx, "a", "u1", u1))
		equal(t, "others", got(s.Findings(ctx, "a"))(t), append(u1[:1:1], u2...))
		must(t, s.PutFindings(ctx, "a", "u1", nil))
		equal(t, "none", got(s.Findings(ctx, "a"))(t), u2)
	}},
	{"citations come back whole and in order, the last ones put", func(t *testing.T, s Store) {
		replaced(t, s, s.PutCitations, s.Citations, func(c *plumb.Citation, i int) { c.Number = i + 1 })
	}},
	{"claims come back whole and in order, the last ones put", func(t *testing.T, s Store) {
		replaced(t, s, s.PutClaims, s.Claims, func(c *plumb.Claim, i int) { c.ID = fmt.Sprintf("claim_%d", 1000-i) })
	}},
	{"two claims of one name are refused", func(t *testing.T, s Store) {
		create(t, s, "a")
		is(t, "claims", s.PutClaims(ctx, "a", claims("c1", "c2", "c1")), engine.ErrExists)
		equal(t, "claims", got(s.Claims(ctx, "a"))(t), nil)
	}},
	{"verdicts come back whole, in the order of the claims", func(t *testing.T, s Store) {
		create(t, s, "a", "b")
		for _, id := range []string{"a", "b"} {
			must(t, s.PutClaims(ctx, id, claims("c9", "c1", "c5", "unchecked")))
		}
		var vs []plumb.Verdict
		for i, c := range []string{"c9", "c1", "c5"} {
			v := filled[plumb.Verdict](i)
			v.ClaimID = c
			vs = append(vs, v)
		}
		must(t, s.PutVerdicts(ctx, "a", vs[2:]))
		must(t, s.PutVerdicts(ctx, "a", []plumb.Verdict{vs[1], vs[0]}))
		equal(t, "verdicts", got(s.Verdicts(ctx, "a"))(t), vs)
		equal(t, "verdicts of another run", got(s.Verdicts(ctx, "b"))(t), nil)
	}},
	{"a batch of verdicts replaces only those of its claims", func(t *testing.T, s Store) {
		create(t, s, "a")
		must(t, s.PutClaims(ctx, "a", claims("c1", "c2", "c3")))
		must(t, s.PutVerdicts(ctx, "a", verdicts(plumb.NotFound, "c1", "c2", "c3")))
		for range 2 {
			must(t, s.PutVerdicts(ctx, "a", verdicts(plumb.Supported, "c2")))
			want := append(verdicts(plumb.NotFound, "c1"), append(verdicts(plumb.Supported, "c2"), verdicts(plumb.NotFound, "c3")...)...)
			equal(t, "verdicts", got(s.Verdicts(ctx, "a"))(t), want)
		}
		must(t, s.PutVerdicts(ctx, "a", nil))
		equal(t, "number of verdicts", len(got(s.Verdicts(ctx, "a"))(t)), 3)
	}},
	{"a verdict on a claim that is not there is refused with its batch", func(t *testing.T, s Store) {
		create(t, s, "a")
		must(t, s.PutClaims(ctx, "a", claims("c1")))
		is(t, "verdicts", s.PutVerdicts(ctx, "a", verdicts(plumb.Supported, "c1", "c2")), engine.ErrNotFound)
		equal(t, "verdicts", got(s.Verdicts(ctx, "a"))(t), nil)
	}},
	{"verdicts go with their claims and stay with those put again", func(t *testing.T, s Store) {
		create(t, s, "a")
		must(t, s.PutClaims(ctx, "a", claims("c1", "c2")))
		must(t, s.PutVerdicts(ctx, "a", verdicts(plumb.Supported, "c1", "c2")))
		must(t, s.PutClaims(ctx, "a", claims("c2", "c3")))
		equal(t, "verdicts", got(s.Verdicts(ctx, "a"))(t), verdicts(plumb.Supported, "c2"))
		must(t, s.PutClaims(ctx, "a", claims("c1", "c2", "c3")))
		equal(t, "verdicts afterwards", got(s.Verdicts(ctx, "a"))(t), verdicts(plumb.Supported, "c2"))
	}},
}

func claims(names ...string) (cs []plumb.Claim) {
	for _, id := range names {
		cs = append(cs, plumb.Claim{ID: id, Text: "text of " + id})
	}
	return cs
}

func verdicts(status plumb.Status, names ...string) (vs []plumb.Verdict) {
	for _, id := range names {
		vs = append(vs, plumb.Verdict{ClaimID: id, Status: status})
	}
	return vs
}

// replaced holds a list of a run to coming back as it was last put, whatever was there before.
func replaced[T any](t *testing.T, s Store, put func(c context.Context, run string, vs []T) error, list func(c context.Context, run string) ([]T, error),
	number func(v *T, i int)) {
	t.Helper()
	create(t, s, "a", "b")
	some := func(seed, n int) (vs []T) {
		for i := range n {
			v := filled[T](seed + i)
			number(&v, i)
			vs = append(vs, v)
		}
		return vs
	}
	other := some(500, 2)
	must(t, put(ctx, "b", other))
	for _, want := range [][]T{some(1, 30), some(1, 30), some(100, 3), nil, some(200, 5)} {
		must(t, put(ctx, "a", want))
		equal(t, "as put", got(list(ctx, "a"))(t), want)
	}
	equal(t, "another run's", got(list(ctx, "b"))(t), other)
}
