package temporal_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/plumbresearch/plumb/store/postgres/pgtest"
)

const crackQuestion = "Why was the Marrowgate Bridge closed in 2023?"

// stamps are times in reports.
var stamps = regexp.MustCompile(`\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z`)

func timeless(report, id string) string {
	return stamps.ReplaceAllString(strings.ReplaceAll(report, id, "ID"), "TIME")
}

func TestTheReportIsTheSameWhereverItIsMade(t *testing.T) {
	sites := []struct {
		name   string
		answer func(t *testing.T) (report string)
	}{
		{"one process with a file", func(t *testing.T) string {
			return newSite(t, "").gateway().report()
		}},
		{"one process with PostgreSQL", func(t *testing.T) string {
			return newSite(t, pgtest.Database(t, "")).gateway().report()
		}},
		{"Temporal with PostgreSQL", func(t *testing.T) string {
			s := newSite(t, pgtest.Database(t, ""), onCluster(t)...)
			s.worker()
			s.worker()
			return s.gateway("--engine", "temporal").report()
		}},
	}
	want := ""
	for _, s := range sites {
		t.Run(s.name, func(t *testing.T) {
			got := s.answer(t)
			if want == "" {
				want = got
			}
			if len(got) < 2000 || got != want {
				t.Errorf("differs: %s", firstDifference(want, got))
			}
		})
	}
}

// report asks a question about the example dossier, and gives the answer without what differs from run to run.
func (n *node) report() string {
	n.t.Helper()
	n.shelve("")
	id := n.ask(crackQuestion, "standard", "")
	n.completed(id, "", 2*time.Minute)
	return timeless(n.must("GET", "/api/v1/tasks/"+id+"/report?format=md", "", nil, nil), id)
}

func firstDifference(want, got string) string {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range min(len(w), len(g)) {
		if w[i] != g[i] {
			return g[i] + "\nwant: " + w[i]
		}
	}
	return got[min(len(got), len(want)):]
}

func TestATenantsRunsAreItsOwnOnEveryNode(t *testing.T) {
	s := newSite(t, pgtest.Database(t, ""), onCluster(t)...)
	s.worker()
	one, two := s.gateway("--engine", "temporal"), s.gateway("--engine", "temporal")
	ann, ben := s.newKey("ann"), s.newKey("ben")
	one.shelve(ann)
	id := one.ask(crackQuestion, "quick", ann)
	two.completed(id, ann, time.Minute)
	for _, path := range []string{"", "/events", "/timeline", "/report?format=md"} {
		for who, key := range map[string]string{"ben": ben, "whoever has no key": ""} {
			if status, text := two.call("GET", "/api/v1/tasks/"+id+path, key, nil, nil); status != 404 {
				t.Errorf("%s is answered %s: %d %.200s", who, path, status, text)
			}
		}
		two.must("GET", "/api/v1/tasks/"+id+path, ann, nil, nil)
	}
	if status, text := two.call("GET", "/api/v1/stream/sse?workflow_id="+id, ben, nil, nil); status != 404 {
		t.Errorf("ben's stream: %d %.200s", status, text)
	}
	for key, want := range map[string]int{ann: 1, ben: 0, "": 0} {
		var tasks, shelf struct {
			Total int `json:"total_count"`
		}
		two.must("GET", "/api/v1/tasks", key, nil, &tasks)
		two.must("GET", "/api/v1/library/documents", key, nil, &shelf)
		if tasks.Total != want || (shelf.Total > 0) != (want > 0) {
			t.Errorf("%d tasks and %d documents, want %d tasks", tasks.Total, shelf.Total, want)
		}
	}
	if status, _ := two.call("GET", "/api/v1/tasks/"+id, "plumb_nobody's", nil, nil); status != 401 {
		t.Errorf("a key that nobody has: %d", status)
	}
}

// newKey makes a key for a tenant in the site's database.
func (s *site) newKey(tenant string) string {
	s.t.Helper()
	out, err := s.command("serve", "keys", "add", tenant).Output()
	if err != nil {
		s.t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}
