package main

// The documentation is held to the program: variables, files, commands.

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/engine"
	"github.com/plumbresearch/plumb/llm"
	"github.com/plumbresearch/plumb/search"
	"github.com/plumbresearch/plumb/verify"
)

// module is the folder of the module, found before any test changes its folder.
var module = filepath.Dir(filepath.Dir(corpus))

// variables lists the environment variables of a config struct.
func variables(t reflect.Type, prefix string) []string {
	var out []string
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Type.Kind() == reflect.Struct {
			out = append(out, variables(f.Type, prefix+f.Tag.Get("envPrefix"))...)
		} else if name := f.Tag.Get("env"); name != "" {
			out = append(out, prefix+name)
		}
	}
	return out
}

var code = regexp.MustCompile("`([^`]+)`")

// column gives what the first column of the tables of a page has in code style.
func column(md string) []string {
	var out []string
	for line := range strings.Lines(md) {
		cells := strings.Split(line, "|")
		if len(cells) < 3 || cells[0] != "" {
			continue
		}
		for _, m := range code.FindAllStringSubmatch(cells[1], -1) {
			out = append(out, m[1])
		}
	}
	return out
}

func same(t *testing.T, what string, documented, real []string) {
	t.Helper()
	for _, d := range documented {
		if !slices.Contains(real, d) {
			t.Errorf("%s: %s is documented and does not exist", what, d)
		}
	}
	for _, r := range real {
		if !slices.Contains(documented, r) {
			t.Errorf("%s: %s is not documented", what, r)
		}
	}
}

func TestEveryVariableIsDocumented(t *testing.T) {
	page := readFile(t, filepath.Join(module, "docs", "configuration.md"))
	want := variables(reflect.TypeFor[config](), "")
	for _, p := range search.Providers() {
		for _, v := range []string{p.KeyVar, p.BaseVar} {
			if v != "" {
				want = append(want, v)
			}
		}
	}
	same(t, "configuration.md", column(page), want)
}

// fields lists the paths of the JSON fields of a type. A type inside itself is not entered again.
func fields(t reflect.Type, prefix string, inside ...reflect.Type) []string {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice && t != reflect.TypeFor[json.RawMessage]() {
		if t.Kind() == reflect.Slice {
			prefix += "[]"
		}
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || t == reflect.TypeFor[time.Time]() || slices.Contains(inside, t) {
		return []string{strings.TrimSuffix(prefix, "[]")}
	}
	var out []string
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		if name != "" && name != "-" {
			out = append(out, fields(t.Field(i).Type, strings.TrimPrefix(prefix+"."+name, "."), append(inside, t)...)...)
		}
	}
	return out
}

// strict reads a file, or each line of it, into a T and refuses fields that T does not have.
func strict[T any](t *testing.T, dir, name string) {
	t.Helper()
	dec := json.NewDecoder(strings.NewReader(readFile(t, filepath.Join(dir, name))))
	dec.DisallowUnknownFields()
	for n := 0; dec.More(); n++ {
		var v T
		if err := dec.Decode(&v); err != nil {
			t.Fatalf("%s, object %d: %v", name, n, err)
		}
	}
}

func TestTheFilesOfARunAreDocumented(t *testing.T) {
	s := newShell(t)
	s.must(0, "research", "--quiet", "--docs", corpus, "--out", "a", headline)
	s.must(0, "research", "--quiet", "--docs", corpus, "--out", "b", "--thread", "last", "--reuse", "Also, when did the Marrowgate Bridge reopen?")
	page := readFile(t, filepath.Join(module, "docs", "files.md"))
	parts := strings.Split(page, "\n## ")
	of := map[string][]string{}
	for _, p := range parts[1:] {
		name, body, _ := strings.Cut(p, "\n")
		of[name] = column(body)
	}
	for _, dir := range []string{"a", "b"} {
		strict[plumb.Brief](t, dir, "brief.json")
		strict[plumb.Plan](t, dir, "plan.json")
		strict[plumb.Source](t, dir, "sources.jsonl")
		strict[plumb.Finding](t, dir, "findings.jsonl")
		strict[verify.CitationsFile](t, dir, "citations.json")
		strict[verify.ClaimsFile](t, dir, "claims.json")
		strict[verify.VerificationFile](t, dir, "verification.json")
		strict[engine.About](t, dir, "run.json")
		strict[engine.Usage](t, dir, "usage.json")
		strict[plumb.Event](t, dir, "events.jsonl")
		var names []string
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			name := e.Name()
			if e.IsDir() {
				name += "/<hash>.txt"
			}
			names = append(names, name)
		}
		same(t, "the folder", column(parts[0]), names)
	}
	for name, typ := range map[string]reflect.Type{
		"brief.json": reflect.TypeFor[plumb.Brief](), "plan.json": reflect.TypeFor[plumb.Plan](),
		"sources.jsonl": reflect.TypeFor[plumb.Source](), "findings.jsonl": reflect.TypeFor[plumb.Finding](),
		"citations.json": reflect.TypeFor[verify.CitationsFile](), "claims.json": reflect.TypeFor[verify.ClaimsFile](),
		"verification.json": reflect.TypeFor[verify.VerificationFile](), "usage.json": reflect.TypeFor[engine.Usage](),
		"events.jsonl": reflect.TypeFor[plumb.Event](),
	} {
		same(t, name, of[name], fields(typ, ""))
		delete(of, name)
	}
	var outer []string // of run.json only the outer fields are documented
	for _, f := range fields(reflect.TypeFor[engine.About](), "") {
		name, _, _ := strings.Cut(f, ".")
		outer = append(outer, name)
	}
	same(t, "run.json", of["run.json"], outer)
	delete(of, "run.json")
	if len(of) > 0 {
		t.Errorf("sections of files that are not there: %v", of)
	}
}

// words splits a line as a shell would, up to a pipe or a comment.
func words(line string) []string {
	var out []string
	for _, m := range regexp.MustCompile(`"([^"]*)"|'([^']*)'|(\S+)`).FindAllStringSubmatch(line, -1) {
		if m[3] == "|" || strings.HasPrefix(m[3], "#") {
			break
		}
		out = append(out, m[1]+m[2]+m[3])
	}
	return out
}

// valid checks that a line of an example names a command of ours with flags that it has.
func valid(args []string) error {
	c := newRoot(stdio{}, nil).command(nil)
	args = withResearch(args, func(flag string) bool { return true })
	cmd, rest, err := c.Find(args)
	if err != nil || cmd == c {
		return fmt.Errorf("no command in %q: %w", args, err)
	}
	return cmd.ParseFlags(rest)
}

func TestEveryCommandHasAnExampleThatIsValid(t *testing.T) {
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		if c.Short == "" || c.Example == "" {
			t.Errorf("%s: %q, example %q", c.CommandPath(), c.Short, c.Example)
		}
		for line := range strings.Lines(c.Example) {
			args := words(line)
			if len(args) < 2 || args[0] != "plumb" {
				t.Errorf("%s: the example %q is none", c.CommandPath(), line)
			} else if err := valid(args[1:]); err != nil {
				t.Errorf("%s: %v", c.CommandPath(), err)
			}
		}
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(newRoot(stdio{}, nil).command(nil))
}

func TestTheCommandsOfTheREADME(t *testing.T) {
	var first []string
	seen := 0
	for line := range strings.Lines(readFile(t, filepath.Join(module, "README.md"))) {
		args := words(strings.TrimPrefix(line, "    "))
		if !strings.HasPrefix(line, "    ") || len(args) == 0 {
			continue
		}
		switch {
		case args[0] == "./plumb":
			args = args[1:]
		case len(args) > 2 && args[0] == "go" && args[1] == "run":
			args = args[3:]
			first = args
		default:
			continue
		}
		seen++
		if err := valid(args); err != nil {
			t.Error(err)
		}
	}
	if seen < 5 || first == nil {
		t.Fatalf("%d commands in the README", seen)
	}
	s := newShell(t)
	out := filepath.Join(s.home, "..", "out")
	t.Chdir(module)
	r := s.must(0, append(first, "--out", out)...)
	if !strings.Contains(r.out, "[VERIFIED]") || !strings.Contains(r.out, "[1]") {
		t.Errorf("the first command of the README prints\n%s", r.out)
	}
	checkFolder(t, out)
}

func TestThePricesFileOfTheDocumentationIsRead(t *testing.T) {
	md, err := os.ReadFile(filepath.Join(module, "docs", "models.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, text, found := strings.Cut(string(md), `      {"as_of"`)
	text, _, ended := strings.Cut(text, "\n\n")
	if !found || !ended {
		t.Fatal("docs/models.md shows no file")
	}
	prices, err := llm.LoadPrices(strings.NewReader(`{"as_of"` + text))
	if err != nil {
		t.Fatal(err)
	}
	if usd, known := prices.Cost("compatible:my-model", llm.Usage{Input: 1e6}); usd != 0.2 || !known {
		t.Errorf("a million tokens cost $%v, %v", usd, known)
	}
}
