package main

// How runs are named, and how numbers of the environment change a preset.

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/engine"
	"github.com/plumbresearch/plumb/store/sqlite"
)

func TestARunIsFoundByPartsOfItsName(t *testing.T) {
	ctx := context.Background()
	db, err := sqlite.Open(ctx, filepath.Join(t.TempDir(), "p.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}()
	for i, id := range []string{"01abcdefgh", "01abcdxyzw", "01qrstuvwx"} {
		run := plumb.NewRun(id, plumb.Question{Text: "Why?", At: time.Date(2026, 1, i+1, 0, 0, 0, 0, time.UTC)}, plumb.Limits{})
		if err := db.CreateRun(ctx, run, engine.Lease{}); err != nil {
			t.Fatal(err)
		}
	}
	a := &app{db: db}
	for _, c := range []struct{ name, id, fail string }{
		{"01abcdefgh", "01abcdefgh", ""},
		{"last", "01qrstuvwx", ""},
		{"tuvw", "01qrstuvwx", ""},
		{"01abcdx", "01abcdxyzw", ""},
		{"01abcd", "", "could be 01abcdxyzw or 01abcdefgh"},
		{"tuv", "", "not in the store"}, // three letters fit too much
		{"", "", "not in the store"},
		{"%", "", "not in the store"},
	} {
		id, err := a.find(ctx, c.name)
		if id != c.id || (err == nil) != (c.fail == "") || err != nil && !strings.Contains(err.Error(), c.fail) {
			t.Errorf("%q is %q, %v; want %q, %q", c.name, id, err, c.id, c.fail)
		}
	}
}

func TestNumbersOfTheEnvironmentChangeThePreset(t *testing.T) {
	standard, err := plumb.Preset("standard")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		env  string
		get  func(plumb.Limits) int
		want int // 0: refused
	}{
		{"MAX_CONCURRENT_RESEARCH_UNITS=20", func(l plumb.Limits) int { return l.AtOnce }, 20},
		{"MAX_CONCURRENT_RESEARCH_UNITS=21", nil, 0},
		{"MAX_CONCURRENT_RESEARCH_UNITS=-1", nil, 0},
		{"MAX_CONCURRENT_RESEARCH_UNITS=0", func(l plumb.Limits) int { return l.AtOnce }, standard.AtOnce},
		{"MAX_RESEARCHER_ITERATIONS=7", func(l plumb.Limits) int { return l.InAll }, 7},
		{"MAX_REACT_TOOL_CALLS=9", func(l plumb.Limits) int { return l.Unit.ToolCalls }, 9},
		{"RESEARCHER_SEARCH_BUDGET=3", func(l plumb.Limits) int { return l.Unit.Searches }, 3},
		{"MIN_EVIDENCE_RECORDS=2", func(l plumb.Limits) int { return l.Gate.Records }, 2},
		{"MIN_EVIDENCE_RECORDS=2", func(l plumb.Limits) int { return l.Gate.Cited }, 2}, // as many can't be cited
		{"MIN_SOURCE_DOMAINS=1", func(l plumb.Limits) int { return l.Gate.Keys }, 1},
		{"MAX_EVIDENCE_CLAIMS_PER_RESEARCH_UNIT=4", func(l plumb.Limits) int { return l.Unit.Findings }, 4},
		{"MAX_EVIDENCE_CLAIMS_PER_RESEARCH_UNIT=26", nil, 0},
	} {
		cfg, _, err := loadConfig([]string{c.env, "PLUMB_ENV_FILE=" + os.DevNull}, t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		l, err := cfg.limits("standard")
		switch name, _, _ := strings.Cut(c.env, "="); {
		case c.want == 0 && (err == nil || !strings.Contains(err.Error(), name)):
			t.Errorf("%s: %v", c.env, err)
		case c.want > 0 && (err != nil || c.get(l) != c.want):
			t.Errorf("%s: %d, %v; want %d", c.env, c.get(l), err, c.want)
		}
	}
}

func TestTheStoreHasAPlaceForEverybody(t *testing.T) {
	for _, c := range []struct {
		environ []string
		want    string
	}{
		{[]string{"HOME=/h"}, "/h/.local/share/plumb"},
		{[]string{"HOME=/h", "XDG_DATA_HOME=/x"}, "/x/plumb"},
		{[]string{"HOME=/h", "PLUMB_HOME=/p"}, "/p"},
		{[]string{"LOCALAPPDATA=/w"}, "/w/plumb"},
		{nil, ".plumb"},
	} {
		got, _, err := loadConfig(append(c.environ, "PLUMB_ENV_FILE="+os.DevNull), t.TempDir())
		if err != nil || got.Home != filepath.FromSlash(c.want) {
			t.Errorf("%v: %s, %v", c.environ, got.Home, err)
		}
	}
}

func TestTheDoctorNamesTheSettings(t *testing.T) {
	s := newShell(t)
	if err := os.WriteFile(".env", []byte("NO_COLOR=1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := s.must(0, "doctor")
	for _, want := range []string{"ok   settings", ".env", "ok   store", "0 runs, 0 documents", "ok   runs", "nothing leaves this machine"} {
		if !strings.Contains(r.out, want) {
			t.Errorf("no %q in\n%s", want, r.out)
		}
	}
	left, err := filepath.Glob(".plumb-doctor-*")
	if err != nil || len(left) > 0 {
		t.Errorf("%v: the doctor leaves %v", err, left)
	}
}
