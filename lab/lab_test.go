package lab

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/engine"
)

func readTree(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		out[path[len(dir):]] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestACorpusIsMadeFromItsSeed(t *testing.T) {
	make250 := func(seed uint64) map[string]string {
		dir := t.TempDir()
		if err := Corpus(dir, 250, seed); err != nil {
			t.Fatal(err)
		}
		return readTree(t, dir)
	}
	a, b, c := make250(1), make250(1), make250(2)
	same, total := 0, 0
	for path, body := range a {
		if b[path] != body {
			t.Fatalf("%s differs for the same seed", path)
		}
		if c[path] == body {
			same++
		}
		total += len(body)
	}
	if len(a) != 250 || same > 10 {
		t.Errorf("%d documents, %d the same for another seed", len(a), same)
	}
	if mean := total / len(a); mean < 1000 || mean > 4000 {
		t.Errorf("documents have %d bytes on average", mean)
	}
}

func TestStepsFollowTheScript(t *testing.T) {
	s := &Steps{Units: []string{"a", "b:a"}, Findings: 2, Claims: 7, Ask: true, Fail: map[string]int{"scope.1": 1}}
	do := func(id string, kind plumb.StepKind) (*plumb.Outcome, error) {
		task := &engine.Task{Step: plumb.Step{ID: id, Kind: kind, Round: 1, Unit: "a"}, Attempt: 1, Emit: func(plumb.Event) {}}
		return s.Do(context.Background(), task)
	}
	if _, err := do("scope.1", plumb.StepScope); !errors.Is(err, ErrScripted) {
		t.Fatalf("the first attempt gave %v", err)
	}
	if o, err := do("scope.1", plumb.StepScope); err != nil || o.Refs.Ask == "" {
		t.Fatalf("the second gave %+v, %v", o, err)
	}
	o, err := do("plan.1", plumb.StepPlan)
	if err != nil || len(o.Units) != 2 || o.Units[1].Needs[0] != "a" {
		t.Fatalf("the plan is %+v, %v", o, err)
	}
	if o, err := do("unit.a", plumb.StepUnit); err != nil || o.Counts.Findings != 2 || len(o.Keys) != 2 {
		t.Fatalf("the unit is %+v, %v", o, err)
	}
	if o, err := do("claims.1", plumb.StepClaims); err != nil || o.Counts.Claims != 7 {
		t.Fatalf("the claims are %+v, %v", o, err)
	}
	if done := s.Done(); len(done) != 4 {
		t.Fatalf("done: %v", done)
	}
}
