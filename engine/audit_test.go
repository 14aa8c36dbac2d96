package engine_test

// Audits: what a report cites is read once, wherever it is, and nothing that could not be read is held against a claim.

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/engine"
	"github.com/plumbresearch/plumb/gather"
	"github.com/plumbresearch/plumb/report"
	"github.com/plumbresearch/plumb/verify"
)

// audit starts an audit of a draft and gives it the sources.
func (d *desk) audit(id, draft string, with []engine.Stored, change func(*plumb.Run)) {
	d.t.Helper()
	l, err := plumb.Preset("standard")
	if err != nil {
		d.t.Fatal(err)
	}
	q := plumb.Question{Text: "Audit of mill.md", At: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC), Where: plumb.Where{Cited: true}}
	run := engine.NewAudit(id, q, l)
	if change != nil {
		change(run)
	}
	startRun(d.t, d.bench, run)
	if err := engine.Give(context.Background(), d.db, id, draft, with); err != nil {
		d.t.Fatal(err)
	}
}

// verdicts of a run by the beginning of their claims, up to the first comma or full stop.
func (d *desk) verdicts(id string) map[string]plumb.Verdict {
	d.t.Helper()
	vs, err := d.db.Verdicts(context.Background(), id)
	if err != nil {
		d.t.Fatal(err)
	}
	out := map[string]plumb.Verdict{}
	for _, v := range vs {
		out[v.ClaimText[:strings.IndexAny(v.ClaimText+".", ",.")]] = v
	}
	return out
}

func stored(url, text string) engine.Stored {
	sum := sha256.Sum256([]byte(text))
	return engine.Stored{Text: text, Source: plumb.Source{Hash: hex.EncodeToString(sum[:]), URL: url, FinalURL: url, Title: "Of " + url, Key: url,
		RetrievedAt: time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC)}}
}

// walled is an outside in which a site wants money and another never answers.
type walled struct {
	*town
	slow bool
}

type paid struct{ error }

func (paid) Paywalled() bool { return true }

func (w walled) Read(ctx context.Context, url string) (gather.Page, error) {
	switch {
	case strings.Contains(url, "paper.example"):
		return gather.Page{}, paid{errors.New("page is behind a paywall")}
	case w.slow && strings.Contains(url, "slow.example"):
		<-ctx.Done()
		return gather.Page{}, ctx.Err()
	}
	return w.town.Read(ctx, url)
}

const millDraft = `# The Oxley mill

The Oxley mill burned down on 9 March 2022 because a bearing ran hot [1]. The insurer pays 7.4 million euros for the Oxley mill [1].
The old mill had stood since 1871, as [the museum](https://museum.example/mill) says. The new mill employs 40 people [2].

The council voted to rebuild the mill on 10 March 2022 ([minutes](doc:a.md)). The excess is 50,000 euros [3]. Nobody paid for it in the end.

## Sources

1. News. https://news.example/mill
2. The Paper. https://paper.example/mill
3. Gone. https://gone.example/mill
`

func TestAnAuditReadsWhatAReportCites(t *testing.T) {
	d := newDesk(t, millDocs)
	w := newTown()
	w.put("https://news.example/mill", "https://news.example/mill", "2024-05-02", millStory)
	d.Outside = walled{town: w}
	given := stored("https://museum.example/mill", "The old mill had stood since 1871 and was the last of its kind, the museum says.")
	d.audit("a1", millDraft, []engine.Stored{given}, func(r *plumb.Run) { r.Asked.Where.Folders = []string{d.docs} })
	run := workUntil(t, d.bench, "a1", plumb.Finished)
	if run.Kind != plumb.Audit || run.Claims != 7 {
		t.Fatalf("kind %s, %d claims", run.Kind, run.Claims)
	}
	got := d.verdicts("a1")
	for claim, want := range map[string]plumb.Status{
		"The Oxley mill burned down on 9 March 2022 because a bearing ran hot": plumb.Supported,
		"The insurer pays 7":                plumb.Contradicted,
		"The old mill had stood since 1871": plumb.Supported,
		"The new mill employs 40 people":    plumb.Paywall,
		"The excess is 50":                  plumb.Inaccessible,
		"Nobody paid for it in the end":     plumb.NotFound,
	} {
		if got[claim].Status != want {
			t.Errorf("%s: %s (%s), want %s", claim, got[claim].Status, got[claim].Reason, want)
		}
	}
	if v := got["Nobody paid for it in the end"]; v.Notes != "No citation provided" {
		t.Errorf("without a citation: %q", v.Notes)
	}
	if v := got["The excess is 50"]; !strings.Contains(v.Reason, "HTTP 404") {
		t.Errorf("a page that is gone: %q", v.Reason)
	}
	if w.read["https://news.example/mill"] != 1 || w.read["https://museum.example/mill"] != 0 {
		t.Errorf("fetched: %v", w.read)
	}
	md := d.published("a1")
	for _, want := range []string{"Where sources speak against the report", "7 claims verified", "This is an audit", "Hosts that the run talked to: gone.example, news.example, paper.example", "[4]"} {
		if !strings.Contains(md, want) {
			t.Errorf("the report lacks %q:\n%s", want, md)
		}
	}
	if !slices.Contains(d.kinds(), plumb.HostsNamed) || !slices.Contains(d.kinds(), plumb.LeadSkipped) {
		t.Errorf("events: %v", d.kinds())
	}
}

func TestAnAuditIsReplayedWithoutTheWorldItSaw(t *testing.T) {
	d := newDesk(t, millDocs)
	w := newTown()
	w.put("https://news.example/mill", "", "2024-05-02", millStory)
	d.Outside = walled{town: w}
	d.audit("a1", millDraft, []engine.Stored{stored("https://museum.example/mill", "The old mill had stood since 1871.")}, func(r *plumb.Run) { r.Asked.Where.Folders = []string{d.docs} })
	workUntil(t, d.bench, "a1", plumb.Finished)
	want := t.TempDir()
	writeFolder(t, d, "a1", want)
	if err := os.RemoveAll(d.docs); err != nil {
		t.Fatal(err)
	}
	w.put("https://news.example/mill", "", "", "")
	_, other, err := d.again("a1")
	if err != nil {
		t.Fatal(err)
	}
	got := t.TempDir()
	writeFolder(t, other, "a1", got)
	for _, name := range []string{"sources.jsonl", "report.md", "citations.json", "claims.json", "verification.json", "final.md", "final.html", "run.json"} {
		if a, b := readFile(t, filepath.Join(want, name)), readFile(t, filepath.Join(got, name)); a != b {
			t.Errorf("%s differs:\n%s\nreplayed:\n%s", name, a, b)
		}
	}
	if readFile(t, filepath.Join(want, "report.md")) != millDraft {
		t.Error("report.md is not the draft that was given")
	}
}

// dying is an outside that ends the work after a number of pages.
type dying struct {
	*town
	mu   sync.Mutex
	left int
	kill context.CancelFunc
}

func (o *dying) Read(ctx context.Context, url string) (gather.Page, error) {
	o.mu.Lock()
	o.left--
	dead := o.left < 0
	o.mu.Unlock()
	if dead && o.kill != nil {
		o.kill()
		return gather.Page{}, context.Canceled
	}
	return o.town.Read(ctx, url)
}

func TestAKilledAuditFetchesNothingTwice(t *testing.T) {
	d := newDesk(t, nil)
	w := newTown()
	var draft strings.Builder
	for i := range 45 { // three batches of claims over nine pages
		url := fmt.Sprintf("https://site%d.example/page", i%9)
		w.put(url, url, "", fmt.Sprintf("The mill number %d of the valley has %d wheels and %d stones, as the survey of the year 1911 found.", i%9, i%9+3, i%9+5))
		fmt.Fprintf(&draft, "- The mill number %d of the valley has %d wheels <%s>.\n", i%9, i%9+3, url)
	}
	ctx, kill := context.WithCancel(context.Background())
	defer kill()
	o := &dying{town: w, left: 4, kill: kill}
	d.Outside = o
	d.audit("a1", draft.String(), nil, nil)
	if _, err := d.Work(ctx, "a1"); err == nil {
		t.Fatal("the work was not interrupted")
	}
	o.kill = nil
	run := workUntil(t, d.bench, "a1", plumb.Finished)
	if run.Claims != 45 {
		t.Fatalf("%d claims", run.Claims)
	}
	for url, n := range w.read {
		if n != 1 {
			t.Errorf("%s was fetched %d times", url, n)
		}
	}
	vs, err := d.db.Verdicts(context.Background(), "a1")
	if err != nil {
		t.Fatal(err)
	}
	sum := verify.Summarise(vs)
	if sum.Supported != 45 {
		t.Errorf("%+v", sum)
	}
}

func TestAnOfflineAuditFetchesNothing(t *testing.T) {
	d := newDesk(t, nil)
	w := newTown()
	w.put("https://news.example/mill", "", "", millStory)
	d.Outside = w
	d.audit("a1", millDraft, nil, func(r *plumb.Run) { r.Asked.Where.Cited = false })
	workUntil(t, d.bench, "a1", plumb.Finished)
	if len(w.read) > 0 {
		t.Errorf("fetched: %v", w.read)
	}
	vs, err := d.db.Verdicts(context.Background(), "a1")
	if err != nil {
		t.Fatal(err)
	}
	sum := verify.Summarise(vs)
	if sum.Inaccessible != 6 || sum.NotFound != 1 {
		t.Errorf("%+v", sum)
	}
	if md := d.published("a1"); !strings.Contains(md, "Nothing left this machine") {
		t.Error(md)
	}
}

func TestAnAuditThatWasNeverGivenItsReportSaysSo(t *testing.T) {
	d := newDesk(t, nil)
	l, err := plumb.Preset("quick")
	if err != nil {
		t.Fatal(err)
	}
	startRun(t, d.bench, engine.NewAudit("a1", plumb.Question{Text: "Audit of x.md"}, l))
	run := workUntil(t, d.bench, "a1", plumb.FailedState)
	if !strings.Contains(run.Fail, "audit it again") {
		t.Error(run.Fail)
	}
}

func TestWhereACitedSourceIsFound(t *testing.T) {
	one, two := stored("doc:council/minutes.md", "one"), stored("doc:archive/minutes.md", "two")
	web, moved := stored("https://a.example/x", "three"), stored("https://short.example/1", "four")
	moved.FinalURL = "https://long.example/the-story"
	texts := map[string]string{}
	for _, s := range []engine.Stored{one, two, web, moved} {
		texts[s.Hash] = s.Text
	}
	f := engine.Finder{Text: func(_ context.Context, hash string) (string, error) { return texts[hash], nil }}
	cases := []struct {
		name             string
		given, documents []plumb.Source
		url, want, fail  string
	}{
		{"by its address", []plumb.Source{web.Source}, nil, "https://a.example/x", "three", ""},
		{"by an address that means the same", []plumb.Source{web.Source}, nil, "http://www.a.example/x?utm_source=y", "three", ""},
		{"where it was moved to", []plumb.Source{moved.Source}, nil, "https://long.example/the-story", "four", ""},
		{"a document", nil, []plumb.Source{one.Source, two.Source}, "doc:archive/minutes.md", "two", ""},
		{"a document by its name", nil, []plumb.Source{one.Source}, "doc:minutes.md", "one", ""},
		{"a name that two have", nil, []plumb.Source{one.Source, two.Source}, "doc:minutes.md", "", "none of the documents"},
		{"given comes first", []plumb.Source{two.Source}, []plumb.Source{one.Source}, "doc:minutes.md", "", "none of the documents"},
		{"nowhere", nil, nil, "https://a.example/x", "", "nothing was fetched"},
		{"no address", nil, nil, "ftp://a.example/x", "", "none that can be read"},
	}
	for _, c := range cases {
		f.Given, f.Documents = c.given, c.documents
		_, text, err := f.Source(context.Background(), c.url)
		if text != c.want || (err == nil) != (c.fail == "") || err != nil && !strings.Contains(err.Error(), c.fail) {
			t.Errorf("%s: %q, %v", c.name, text, err)
		}
		if err != nil && !errors.Is(err, verify.ErrInaccessible) {
			t.Errorf("%s: %v is not inaccessible", c.name, err)
		}
	}
	f.Outside = walled{town: newTown()}
	if _, _, err := f.Source(context.Background(), "https://paper.example/x"); !errors.Is(err, verify.ErrPaywall) {
		t.Errorf("behind a paywall: %v", err)
	}
}

func TestAPageThatNeverAnswersIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := engine.Finder{Outside: walled{town: newTown(), slow: true}}
		begun := time.Now()
		_, _, err := f.Source(context.Background(), "https://slow.example/x")
		if !errors.Is(err, verify.ErrInaccessible) || !strings.Contains(err.Error(), "no answer within 10s") || time.Since(begun) != 10*time.Second {
			t.Errorf("after %v: %v", time.Since(begun), err)
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if _, _, err := f.Source(ctx, "https://slow.example/x"); errors.Is(err, verify.ErrInaccessible) || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a run that was stopped: %v", err)
		}
	})
}

func TestTheReportOfAFolderIsCompiledAgain(t *testing.T) {
	d := newDesk(t, millDocs)
	d.ask("r1", "Why did the Oxley mill burn, and what did the insurer pay?", nil)
	dir := t.TempDir()
	writeFolder(t, d, "r1", dir)
	r, err := engine.ReadFolder(dir, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	md, err := report.Compile(r)
	if err != nil {
		t.Fatal(err)
	}
	page, err := report.HTML(r)
	if err != nil {
		t.Fatal(err)
	}
	if want := readFile(t, filepath.Join(dir, "final.md")); strings.TrimSpace(md) != strings.TrimSpace(want) {
		t.Errorf("final.md:\n%s\ncompiled:\n%s", want, md)
	}
	if want := readFile(t, filepath.Join(dir, "final.html")); strings.TrimSpace(string(page)) != strings.TrimSpace(want) {
		t.Error("final.html came out different")
	}
	if about := readFile(t, filepath.Join(dir, "run.json")); strings.Contains(about, d.docs) {
		t.Error("run.json names a folder of this machine")
	}
}

func TestFoldersThatCantBeReadBack(t *testing.T) {
	good := stored("https://a.example/", "text")
	row, err := json.Marshal(good.Source)
	if err != nil {
		t.Fatal(err)
	}
	claims := func(end int) string {
		return fmt.Sprintf(`{"claims":[{"id":"claim_001","text":"x","start":0,"end":%d}]}`, end)
	}
	text := filepath.Join("sources", good.Hash+".txt")
	cases := []struct {
		name  string
		files map[string]string
		want  string
	}{
		{"no report", nil, "report.md"},
		{"no claims", map[string]string{"report.md": "x"}, "claims.json"},
		{"no JSON", map[string]string{"report.md": "x", "claims.json": "{"}, "claims.json"},
		{"claims of another report", map[string]string{"report.md": "x", "claims.json": claims(9)}, "plumb claims"},
		{"a source without its text", map[string]string{"report.md": "x", "claims.json": claims(1), "sources.jsonl": string(row)}, ""},
		{"a text that was changed", map[string]string{"report.md": "x", "claims.json": claims(1), "sources.jsonl": string(row), text: "other"}, "was changed"},
		{"a hash that is a path", map[string]string{"report.md": "x", "claims.json": claims(1), "sources.jsonl": `{"source":"../../etc/passwd"}`}, "no hash"},
		{"all there", map[string]string{"report.md": "x", "claims.json": claims(1), "sources.jsonl": string(row), text: "text"}, ""},
	}
	for _, c := range cases {
		dir := t.TempDir()
		if err := os.Mkdir(filepath.Join(dir, "sources"), 0o755); err != nil {
			t.Fatal(err)
		}
		for name, body := range c.files {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(body), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := engine.ReadFolder(dir, time.Time{}); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

func TestSourcesAreAddedToAFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	a, b := stored("https://b.example/", "of b"), stored("https://a.example/", "of a")
	for _, fresh := range [][]engine.Stored{{a}, {b, a}, nil} {
		if err := engine.AddSources(dir, fresh); err != nil {
			t.Fatal(err)
		}
	}
	got, err := engine.ReadSources(dir)
	if err != nil || len(got) != 2 || got[0].URL != b.URL || got[0].Text != "of a" || got[1].URL != a.URL {
		t.Errorf("%v, %+v", err, got)
	}
}
