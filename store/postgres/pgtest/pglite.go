package pgtest

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// Lite names the variable for a folder with the npm packages that pglite.mjs needs.
const Lite = "PLUMB_TEST_PGLITE"

// WithVectors gives the address of an empty database with pgvector that goes when the test ends: of PGlite, which is
// PostgreSQL compiled to WebAssembly. Without it the test is skipped, because pgvector is an addition that few servers
// have: what works without it is tested on all.
func WithVectors(t testing.TB) string {
	t.Helper()
	dir := os.Getenv(Lite)
	if dir == "" {
		t.Skipf("set %s to a folder with the npm packages @electric-sql/pglite, -socket and -pgvector: see bench/pgvector.sh", Lite)
	}
	_, here, _, ok := runtime.Caller(0)
	if !ok {
		t.Fatal("no path to this file")
	}
	cmd := exec.CommandContext(context.Background(), "node", filepath.Join(filepath.Dir(here), "pglite.mjs"), dir)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := in.Close(); err != nil {
			t.Error(err)
		}
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("PGlite does not start: %v", err)
	}
	return strings.TrimSpace(line)
}
