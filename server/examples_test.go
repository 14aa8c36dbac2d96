package server_test

// The clients of examples/clients are run as they stand against a real server. A program that is missing is installed
// by .ci/run; elsewhere its client is not run.

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/plumbresearch/plumb/front"
	"github.com/plumbresearch/plumb/server"
)

// runClient runs an example with a key of a tenant that has documents, and gives what it printed.
func runClient(t *testing.T, program string, args ...string) (stdout, stderr string) {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatalf("%s is missing: .ci/run installs it", program)
		}
		t.Skipf("%s is not installed", program)
	}
	h := newHouse(t, nil)
	h.shelve("ada", 3)
	key, secret, err := front.NewKey("ada", "", time.Now())
	if err != nil {
		t.Fatal(err)
	}
	if err := h.db.AddKey(context.Background(), key); err != nil {
		t.Fatal(err)
	}
	s := h.serve(func(o *server.Options) { o.Open = false })
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = filepath.Join("..", "examples", "clients")
	cmd.Env = append(os.Environ(), "PLUMB_URL="+s.URL, "PLUMB_KEY="+secret, "NO_PROXY=*", "no_proxy=*")
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s %v: %v\n%s%s", program, args, err, out.String(), errs.String())
	}
	return out.String(), errs.String()
}

func TestExampleInShell(t *testing.T) {
	if _, err := exec.LookPath("curl"); err != nil && os.Getenv("CI") == "" {
		t.Skip("curl is not installed")
	}
	out, errs := runClient(t, "sh", "curl.sh", question+` And "quotes"?`)
	if !strings.HasPrefix(out, "# ") || !strings.Contains(errs, "WORKFLOW_COMPLETED") || !strings.Contains(errs, "done") {
		t.Errorf("%.200s\n%s", out, errs)
	}
}

func TestExampleInPython(t *testing.T) {
	out, errs := runClient(t, "python3", "client.py", question)
	if !strings.Contains(out, "claims supported by a source") || !strings.Contains(out, "   supported  ") || !strings.Contains(errs, "WORKFLOW_STARTED") {
		t.Errorf("%s\n%s", out, errs)
	}
}

func TestExampleInNode(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"report.md": strings.ReplaceAll(audited, "notes/march.md", "march.md"), "march.md": notes} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	out, _ := runClient(t, "node", "client.mjs", filepath.Join(dir, "report.md"), filepath.Join(dir, "march.md"))
	if !strings.HasPrefix(out, "1 of 2 claims supported") || !strings.Contains(out, "contradicted  The repair cost 99 million euros") {
		t.Error(out)
	}
}
