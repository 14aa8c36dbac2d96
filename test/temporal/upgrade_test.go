package temporal_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/engine/enginetest"
)

// newer is the program with one more version of the rules, which does what the present one does. It still has the old one.
func newer(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	for file, change := range map[string][2]string{
		"run.go":         {"const RulesVersion = 1\n", "const RulesVersion = 2\n"},
		"next.go":        {"r.Rules != RulesVersion", "r.Rules > RulesVersion"},
		"apply.go":       {"r.Rules != RulesVersion", "r.Rules > RulesVersion"},
		"engine/fold.go": {"run.Rules == plumb.RulesVersion", "run.Rules <= plumb.RulesVersion"},
	} {
		path, err := filepath.Abs(filepath.Join("..", "..", filepath.FromSlash(file)))
		if err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(path)
		if err != nil || strings.Count(string(b), change[0]) != 1 {
			t.Fatalf("%s has %q %d times: %v", file, change[0], strings.Count(string(b), change[0]), err)
		}
		to := filepath.Join(dir, strings.ReplaceAll(file, "/", "-"))
		if err := os.WriteFile(to, []byte(strings.Replace(string(b), change[0], change[1], 1)), 0o600); err != nil {
			t.Fatal(err)
		}
		overlay.Replace[path] = to
	}
	b, err := json.Marshal(overlay)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(file, b, 0o600); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "worker")
	build(t, out, "-overlay", file)
	return out
}

func TestRulesAreUpgradedWhileOldRunsLive(t *testing.T) {
	i := slices.IndexFunc(enginetest.Scenarios, func(s enginetest.Scenario) bool { return s.Name == "a plan is sent back, then approved" })
	upgraded := newer(t)
	b := newBench(t, enginetest.Scenarios[i])
	b.spawn(t)
	approval := func(r *plumb.Run) { r.Limits.Approve = true }
	waiting := func(v enginetest.View) bool { return v.Run.State() == plumb.Waiting }
	b.start(t, "old1", approval)
	b.start(t, "old2", approval)
	b.await(t, "old1", waiting)
	b.await(t, "old2", waiting)

	// A run of the new rules comes while only an old worker is there: it waits, and harms nobody.
	b.start(t, "new1", func(r *plumb.Run) { r.Rules = 2 })
	b.send(t, "old1", plumb.SigApprove)
	v := b.await(t, "old1", enginetest.Over)
	if v.Run.State() != plumb.Finished || v.Run.Rules != 1 {
		t.Error(v)
	}
	if v, err := enginetest.Look(b.db, "new1"); err != nil || len(v.Journal) > 0 || v.Owner == "" {
		t.Error(v, err)
	}

	b.stop(t)
	b.bin = upgraded
	b.spawn(t)
	b.send(t, "old2", plumb.SigApprove)
	v = b.await(t, "old2", enginetest.Over)
	if v.Run.State() != plumb.Finished || v.Run.Rules != 1 {
		t.Error(v)
	}
	b.await(t, "new1", func(v enginetest.View) bool { return v.Owner == "" }) // its rules are not ours: only the newer program can fold it
	run, err := b.client.Run(ctx, "new1")
	if err != nil || run.State() != plumb.Finished || run.Rules != 2 {
		t.Errorf("%v, %+v", err, run)
	}
	b.stop(t)
}
