package plumb

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/plumbresearch/plumb"

// allowed lists what each package of ours may import of ours. The order is that of doc.go: a package that is not here
// does not exist yet.
var allowed = map[string][]string{
	"": {},
	// leaves
	"text":     {},
	"link":     {},
	"markdown": {"link"},
	"extract":  {},
	"rank":     {"text", "link"},
	"llm":      {"", "text"},
	// stages: root and leaves, never each other, never an edge
	"gather": {"", "text", "link", "markdown", "rank", "llm"},
	"report": {"", "text", "link", "markdown", "rank", "llm"},
	"verify": {"", "text", "link", "markdown", "rank", "llm"},
	// edges: root and leaves; a store speaks the words of the packages whose interfaces it implements
	"library":               {"", "text", "link", "extract", "rank"},
	"llm/provider":          {"", "llm"},
	"search":                {"", "text", "link", "rank"},
	"page":                  {"", "text", "link", "extract"},
	"remote":                {"", "link", "llm"},
	"store/sqlite":          {"", "text", "llm", "engine", "library", "page", "front", "store/form"},
	"store/postgres":        {"", "text", "llm", "engine", "library", "page", "front", "store/form"},
	"store/form":            {"", "llm", "engine", "library"}, // what all stores do alike, without a database
	"store/postgres/pgtest": {},
	// the whole
	"engine":            {"", "link", "rank", "llm", "gather", "report", "verify", "library"},
	"engine/temporal":   {"", "engine"},
	"front":             {"", "text", "link", "engine", "library", "report", "verify"}, // what every front end talks to: a tenant's runs, threads and documents
	"server":            {"", "text", "link", "markdown", "engine", "library", "report", "verify", "front"},
	"watch":             {"", "engine", "llm"},
	"mcp":               {"", "text", "link", "llm", "engine", "library", "report", "front"},
	"engine/enginetest": {"", "engine", "lab"},
	"store/storetest":   {"", "engine", "library", "llm", "page", "front"},
	"eval":              {"", "text", "extract", "library", "rank", "store/sqlite", "verify"},
	"lab":               {"", "text", "llm", "engine"},
	"verify/train":      {"", "text", "verify", "eval"},
	"cmd/plumb":         {"*"},
	"examples/make":     {},
	"bench/kill9":       {"", "engine", "lab", "store/sqlite"},
	"bench/web":         {"", "lab"},
	"bench/load":        {"lab"},
	"bench/restart":     {"", "engine", "lab", "store/sqlite"},
	"bench/knobs":       {"", "engine", "lab", "library", "llm", "llm/provider", "store/sqlite"},
}

// homes says in which packages a third-party module may be used, so that it can be replaced in one place.
var homes = map[string][]string{
	"modernc.org/sqlite":                  {"store/sqlite"},
	"github.com/kljensen/snowball":        {"text"},
	"github.com/abadojack/whatlanggo":     {"text"},
	"github.com/yuin/goldmark":            {"markdown"},
	"codeberg.org/readeck/go-readability": {"extract"},
	"github.com/ledongthuc/pdf":           {"extract"},
	"github.com/gofrs/flock":              {"engine"},
	"github.com/spf13/cobra":              {"cmd/plumb"},
	"github.com/caarlos0/env":             {"cmd/plumb"},
	"github.com/joho/godotenv":            {"cmd/plumb"},
	"charm.land/":                         {"cmd/plumb"},
	"github.com/oklog/ulid":               {"cmd/plumb", "front"},
	"golang.org/x/net":                    {"link", "markdown", "extract", "page", "search", "cmd/plumb"},
	"golang.org/x/text":                   {"text", "extract", "link"},
	"golang.org/x/sys":                    {"extract", "store/sqlite"},
	"golang.org/x/term":                   {"cmd/plumb"},
	"github.com/google/go-cmp":            {"store/storetest"},
	"github.com/openai/openai-go":         {"llm/provider"},
	"github.com/anthropics/":              {"llm/provider"},
	"github.com/google/jsonschema-go":     {"llm"},
	"github.com/kaptinlin/jsonrepair":     {"llm"},
	"github.com/cenkalti/backoff":         {"llm"},
	"golang.org/x/time":                   {"llm", "search", "page", "server"},
	"golang.org/x/sync":                   {"llm", "search", "page"},
	"github.com/temoto/robotstxt":         {"page"},
	"github.com/chromedp/":                {"page"},
	"github.com/danielgtaylor/huma":       {"server"},
	"github.com/modelcontextprotocol/":    {"mcp"},
	"github.com/prometheus/":              {"watch"},
	"go.opentelemetry.io/":                {"watch"},
	"github.com/jackc/pgx":                {"store/postgres", "store/postgres/pgtest"},
	"github.com/pgvector/":                {"store/postgres"},
	"go.temporal.io/":                     {"engine/temporal"},
}

// powers says who may use parts of the standard library that reach outside.
var powers = map[string][]string{
	"os":           {"store/postgres/pgtest", "bench/load", "bench/restart", "verify/train", "eval", "engine", "library", "extract", "store/sqlite", "cmd/plumb", "examples/make", "bench/kill9", "bench/knobs", "bench/web", "lab"},
	"os/exec":      {"store/postgres/pgtest", "bench/load", "bench/restart", "extract", "mcp", "cmd/plumb", "bench/kill9", "bench/web"},
	"net/http":     {"bench/load", "bench/restart", "remote", "server", "watch", "mcp", "extract", "llm/provider", "search", "page", "lab", "cmd/plumb"}, // extract only tells kinds of content apart
	"net":          {"cmd/plumb", "bench/load", "bench/restart", "server", "llm/provider", "page", "lab"},
	"database/sql": {"store/sqlite"},
	"math/rand":    {},
}

// starters are the packages that may start goroutines: whoever starts them stops them.
var starters = []string{"bench/load", "bench/restart", "server", "mcp", "front", "store/postgres", "engine/temporal", "bench/knobs", "bench/web", "lab", "search", "page", "engine", "store/sqlite", "library", "extract", "gather", "verify", "cmd/plumb"}

// sourceFile is a file that ships.
type sourceFile struct {
	pkg, path string
	ast       *ast.File
}

func sourceFiles(t *testing.T) []sourceFile {
	t.Helper()
	var out []sourceFile
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || d.Name() == "runs" || (strings.HasPrefix(d.Name(), ".") && path != ".")) {
			return filepath.SkipDir
		}
		if _, err := os.Stat(filepath.Join(path, "go.mod")); d.IsDir() && path != "." && err == nil {
			return filepath.SkipDir // a module of its own
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		pkg := filepath.ToSlash(filepath.Dir(path))
		if pkg == "." {
			pkg = ""
		}
		out = append(out, sourceFile{pkg, filepath.ToSlash(path), f})
		return nil
	})
	if err != nil || len(out) < 10 {
		t.Fatalf("%d files, %v", len(out), err)
	}
	return out
}

func TestImportsFollowTheLayout(t *testing.T) {
	for _, f := range sourceFiles(t) {
		may, known := allowed[f.pkg]
		if !known {
			t.Errorf("%s: package %q is not in the table of arch_test.go", f.path, f.pkg)
			continue
		}
		for _, imp := range f.ast.Imports {
			path, err := strconv.Unquote(imp.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			if ours, ok := strings.CutPrefix(path, module); ok {
				ours = strings.TrimPrefix(ours, "/")
				if !slices.Contains(may, "*") && !slices.Contains(may, ours) {
					t.Errorf("%s imports %q, which %q may not", f.path, path, f.pkg)
				}
				continue
			}
			checkOutside(t, f, path)
		}
	}
}

// checkOutside holds imports that are not ours against homes and powers.
func checkOutside(t *testing.T, f sourceFile, path string) {
	t.Helper()
	if may, listed := powers[path]; listed && !slices.Contains(may, f.pkg) {
		t.Errorf("%s imports %s: only %v may", f.path, path, may)
	}
	if !strings.Contains(strings.SplitN(path, "/", 2)[0], ".") {
		return // standard library
	}
	if f.pkg == "" {
		t.Errorf("%s imports %s: the root is standard library only", f.path, path)
	}
	for prefix, may := range homes {
		if strings.HasPrefix(path, prefix) {
			if !slices.Contains(may, f.pkg) {
				t.Errorf("%s imports %s, whose home is %v", f.path, path, may)
			}
			return
		}
	}
	t.Errorf("%s imports %s, which has no home in the table of arch_test.go", f.path, path)
}

func TestGoroutinesClocksAndEnvironmentHaveTheirPlaces(t *testing.T) {
	for _, f := range sourceFiles(t) {
		ast.Inspect(f.ast, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt:
				if !slices.Contains(starters, f.pkg) {
					t.Errorf("%s starts a goroutine: only %v may", f.path, starters)
				}
			case *ast.CallExpr:
				sel, ok := n.Fun.(*ast.SelectorExpr)
				if !ok {
					return true
				}
				pkg, ok := sel.X.(*ast.Ident)
				if !ok {
					return true
				}
				switch call := pkg.Name + "." + sel.Sel.Name; call {
				case "time.Now", "time.Since", "time.Until":
					if f.pkg == "" || slices.Contains([]string{"text", "link", "markdown", "rank", "gather", "report", "verify"}, f.pkg) {
						t.Errorf("%s calls %s: the time comes in from outside", f.path, call)
					}
				case "os.Getenv", "os.LookupEnv", "os.Environ":
					if f.pkg != "cmd/plumb" && !strings.HasPrefix(f.pkg, "bench/") && f.pkg != "store/postgres/pgtest" { // the last two belong to tests
						t.Errorf("%s calls %s: the environment is read in cmd/plumb only", f.path, call)
					}
				}
			}
			return true
		})
	}
}
