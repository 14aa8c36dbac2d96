package main

// Audits as users run them: over documents, a run's own sources, and a simulated web.

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/lab"
	"github.com/plumbresearch/plumb/verify"
)

func writeTo(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// bridgeReport tells the truth about the example documents but for what its last section says.
const bridgeReport = `# The Marrowgate Bridge

## Executive Summary

The City of Halvermouth closed the Marrowgate Bridge to all traffic at 18:40 on Tuesday, 14 February 2023 [1].

## True

- The council approved Option B for the repair of the Marrowgate Bridge with a budget of EUR 43.6 million [2].
- The council postponed the retrofit of the Marrowgate Bridge to the budget of 2023 by 22 votes to 14 ([minutes](doc:2020-10-06-council-minutes.md)).

## Planted

- The council approved Option B for the repair of the Marrowgate Bridge with a budget of EUR 49.6 million [2].
- Chief Warden Ottilie Brandt presented the three options of the report of 12 May 2023 [2].
- The replacement ferry is not free of charge for pedestrians and cyclists [1].
- The replacement ferry carried 4,150 passengers on its first day [1].
- The ferry Eelpool sank in the harbour on 3 March 2024 [3].
- The bridge will be replaced by a tunnel in 2041.

## Sources

1. Press release, doc:press/2023-02-15-press-release-closure.md
2. Minutes, doc:council/2023-06-20-council-minutes.md
3. A study, doc:studies/eelpool-2024.md
`

// statuses of a folder's claims, by their text.
func statuses(t *testing.T, dir string) map[string]plumb.Verdict {
	t.Helper()
	f := readJSON[verify.VerificationFile](t, filepath.Join(dir, "verification.json"))
	s := f.Summary
	if n := s.Supported + s.Partial + s.NotFound + s.Contradicted + s.Inaccessible + s.Paywall; n != len(f.Results) || f.Total != n {
		t.Errorf("the summary has %d claims, the results %d", n, len(f.Results))
	}
	out := map[string]plumb.Verdict{}
	for _, v := range f.Results {
		out[v.ClaimText] = v
	}
	return out
}

// of finds the verdict of the claim that has these words.
func of(t *testing.T, vs map[string]plumb.Verdict, words string) plumb.Verdict {
	t.Helper()
	for text, v := range vs {
		if strings.Contains(text, words) {
			return v
		}
	}
	t.Fatalf("no claim says %q", words)
	return plumb.Verdict{}
}

func TestAnAuditFindsPlantedLies(t *testing.T) {
	s := newShell(t)
	writeTo(t, "report.md", bridgeReport)
	r := s.must(0, "audit", "--docs", corpus, "--offline", "--out", "out", "report.md")
	vs := statuses(t, "out")
	for words, want := range map[string]plumb.Status{
		"at 18:40": plumb.Supported, "EUR 43.6 million": plumb.Supported, "22 votes to 14": plumb.Supported,
		"EUR 49.6 million": plumb.Contradicted, "Eelpool sank": plumb.Inaccessible, "a tunnel": plumb.NotFound,
	} {
		if v := of(t, vs, words); v.Status != want {
			t.Errorf("%s: %s (%s), want %s", words, v.Status, v.Reason, want)
		}
	}
	for _, lie := range []string{"Ottilie Brandt", "not free of charge", "4,150 passengers"} {
		if v := of(t, vs, lie); v.Status == plumb.Supported {
			t.Errorf("%s: supported (%s)", lie, v.Reason)
		}
	}
	if v := of(t, vs, "a tunnel"); v.Notes != "No citation provided" || v.URL != "" {
		t.Errorf("without a citation: %+v", v)
	}
	if v := of(t, vs, "EUR 49.6"); !strings.Contains(v.Reason, "43.6") || !strings.Contains(v.Evidence, "43.6") {
		t.Errorf("contradicted: %q, %q", v.Reason, v.Evidence)
	}
	if readFile(t, "out/report.md") != bridgeReport {
		t.Error("report.md is not the report")
	}
	if !strings.Contains(r.out, "speak against the report") || !strings.Contains(r.out, "What Each Source Bears") || !strings.Contains(r.err, "studies/eelpool-2024.md") {
		t.Errorf("%s\n%s", r.out, r.err)
	}
	var runs []struct{ Kind, State string }
	if err := json.Unmarshal([]byte(s.must(0, "runs", "--json").out), &runs); err != nil || len(runs) != 1 || runs[0].Kind != "audit" || runs[0].State != "done" {
		t.Errorf("%v: %+v", err, runs)
	}
	if r := s.must(0, "replay", "last"); !strings.Contains(r.err, "byte for byte") {
		t.Error(r.err)
	}
	s.must(0, "replay", "--quiet", "--model", "none", "--judge-model", "none", "--out", "again", "last")
	if readFile(t, "again/verification.json") == "" || !strings.Contains(readFile(t, "again/final.md"), "This is an audit") {
		t.Error("an audit done again is none")
	}
}

func TestAStrictAuditDropsWhatIsNotSupported(t *testing.T) {
	s := newShell(t)
	writeTo(t, "report.md", bridgeReport)
	r := s.must(0, "audit", "--quiet", "--docs", corpus, "--offline", "--strict", "--out", "out", "report.md")
	if strings.Contains(r.out, "49.6") || !strings.Contains(r.out, "43.6") {
		t.Error(r.out)
	}
}

func TestFailUnder(t *testing.T) {
	s := newShell(t)
	writeTo(t, "report.md", bridgeReport)
	r := s.must(5, "audit", "--quiet", "--docs", corpus, "--offline", "--fail-under", "0.8", "--out", "out", "report.md")
	if !strings.Contains(r.err, "below --fail-under 0.8") || strings.Count(r.err, "\n") != 1 {
		t.Error(r.err)
	}
	s.must(0, "audit", "--quiet", "--docs", corpus, "--offline", "--fail-under", "0.2", "--out", "out2", "report.md")
	for _, args := range [][]string{{"compile", "out"}, {"verify", "--offline", "out/claims.json"}} {
		s.must(5, append(args, "--fail-under", "0.8")...)
		s.must(0, append(args, "--fail-under", "0.2")...)
	}
	writeTo(t, "empty.md", "# Nothing\n\nNothing here.\n")
	s.must(5, "audit", "--quiet", "--offline", "--fail-under", "0.1", "empty.md")
}

func TestARunsOwnReportIsAuditedFromItsFolder(t *testing.T) {
	s := newShell(t)
	s.must(0, "research", "--quiet", "--docs", corpus, "--out", "run", headline)
	before := statuses(t, "run")
	for i, args := range [][]string{{"run"}, {"--sources", "run", "run/report.md"}} {
		out := fmt.Sprintf("out%d", i)
		s.must(0, append([]string{"audit", "--quiet", "--offline", "--out", out}, args...)...)
		after := statuses(t, out)
		if len(after) != len(before) {
			t.Errorf("%v: %d claims, the run had %d", args, len(after), len(before))
		}
		for text, v := range before {
			if after[text].Status != v.Status {
				t.Errorf("%v: %s: %s, in the run %s", args, text, after[text].Status, v.Status)
			}
		}
	}
	if r := s.must(0, "audit", "--quiet", "--offline", "run/report.md"); !strings.Contains(r.out, "VERIFIED") && !strings.Contains(r.out, "SOURCE N/A") {
		t.Error(r.out) // documents that the library knows are found without --docs
	}
}

func TestTheStepsAreTheAudit(t *testing.T) {
	s := newShell(t)
	writeTo(t, "report.md", bridgeReport)
	s.must(0, "audit", "--quiet", "--docs", corpus, "--offline", "--out", "out", "report.md")
	at := readJSON[verify.ClaimsFile](t, "out/claims.json").ExtractedAt.Format(time.RFC3339)
	for _, c := range []struct {
		file string
		args []string
	}{
		{"claims.json", []string{"claims", "--at", at, "out/report.md"}},
		{"verification.json", []string{"verify", "--offline", "--at", at, "out/claims.json"}},
		{"final.md", []string{"compile", "out"}},
		{"final.html", []string{"compile", "--html", "out"}},
	} {
		want := readFile(t, filepath.Join("out", c.file))
		if got := s.must(0, c.args...).out; got != want {
			t.Errorf("%v is not the %s of the audit:\n%s", c.args, c.file, got)
		}
		target := "x" + filepath.Ext(c.file)
		s.must(0, append(c.args, "-o", target)...)
		if readFile(t, target) != want {
			t.Errorf("%v -o %s differs", c.args, target)
		}
	}
}

func TestTheStepsGiveTheSameBytesAgain(t *testing.T) {
	s := newShell(t)
	if err := os.Mkdir("by-hand", 0o755); err != nil {
		t.Fatal(err)
	}
	writeTo(t, "by-hand/report.md", bridgeReport)
	if err := os.Chtimes("by-hand/report.md", time.Time{}, time.Date(2026, 1, 22, 10, 30, 0, 0, time.UTC)); err != nil {
		t.Fatal(err)
	}
	steps := [][]string{
		{"citations", "-o", "by-hand/citations.json", "by-hand/report.md"},
		{"claims", "-o", "by-hand/claims.json", "by-hand/report.md"},
		{"verify", "--docs", corpus, "--offline", "--at", "2026-01-22T10:45:00Z", "-o", "by-hand/verification.json", "by-hand/claims.json"},
		{"compile", "-o", "by-hand/final.md", "by-hand"},
		{"compile", "-o", "by-hand/final.html", "by-hand"},
	}
	all := func() map[string]string {
		out := map[string]string{}
		for _, args := range steps {
			s.must(0, args...)
			for i, a := range args {
				if a == "-o" {
					out[args[i+1]] = readFile(t, args[i+1])
				}
			}
		}
		return out
	}
	first, second := all(), all()
	for name, want := range first {
		if second[name] != want {
			t.Errorf("%s differs the second time", name)
		}
		if here, err := os.Getwd(); err != nil || strings.Contains(want, here) {
			t.Errorf("%s names a path of this machine (%v)", name, err)
		}
	}
	f := readJSON[verify.CitationsFile](t, "by-hand/citations.json")
	if f.SourceFile != "report.md" || !f.ExtractedAt.Equal(time.Date(2026, 1, 22, 10, 30, 0, 0, time.UTC)) || len(f.Sources) != 4 || f.Sources[3].URL != "doc:2020-10-06-council-minutes.md" {
		t.Errorf("%+v", f)
	}
	if md := first["by-hand/final.md"]; !strings.Contains(md, "Generated: 2026-01-22T10:45:00Z") || !strings.Contains(md, "[DISPUTED]") {
		t.Error(md)
	}
}

func TestReportsOfEveryFormatAreAudited(t *testing.T) {
	s := newShell(t)
	closed := "The City of Halvermouth closed the Marrowgate Bridge to all traffic at 18:40 on Tuesday, 14 February 2023"
	address := "doc:press/2023-02-15-press-release-closure.md"
	writeTo(t, "r.html", `<html><body><h1>Bridge</h1><p>`+closed+` (<a href="`+address+`">press release</a>).</p></body></html>`)
	writeTo(t, "r.txt", closed+" [1].\n\nSources:\n\n[1] "+address+"\n")
	writeTo(t, "r.docx", docxOf(t, closed, address))
	writeTo(t, "r.pdf", pdfOf(closed+" [1].", "Sources", "[1] Press release, "+address))
	for _, name := range []string{"r.html", "r.txt", "r.docx", "r.pdf"} {
		s.must(0, "audit", "--quiet", "--docs", corpus, "--offline", "--out", "out-"+name, name)
		if v := of(t, statuses(t, "out-"+name), "closed the Marrowgate Bridge"); v.Status != plumb.Supported {
			t.Errorf("%s: %s (%s)\n%s", name, v.Status, v.Reason, readFile(t, filepath.Join("out-"+name, "report.md")))
		}
	}
}

// docxOf is a document of one sentence that links to an address.
func docxOf(t *testing.T, sentence, address string) string {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for name, body := range map[string]string{
		"word/document.xml": `<w:document xmlns:w="w" xmlns:r="r"><w:body><w:p><w:r><w:t xml:space="preserve">` + sentence + ` (</w:t></w:r>` +
			`<w:hyperlink r:id="rId1"><w:r><w:t>press release</w:t></w:r></w:hyperlink><w:r><w:t>).</w:t></w:r></w:p></w:body></w:document>`,
		"word/_rels/document.xml.rels": `<Relationships><Relationship Id="rId1" Type="http://schemas/hyperlink" Target="` + address + `"/></Relationships>`,
	} {
		f, err := w.Create(name)
		if err == nil {
			_, err = f.Write([]byte(body))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// pdfOf is a page with lines far apart.
func pdfOf(lines ...string) string {
	var content strings.Builder
	content.WriteString("BT /F1 7 Tf 40 780 Td\n")
	for _, l := range lines {
		fmt.Fprintf(&content, "(%s) Tj 0 -40 Td\n", strings.NewReplacer("(", `\(`, ")", `\)`).Replace(l))
	}
	content.WriteString("ET")
	objects := []string{"<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
		"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 842] /Contents 5 0 R /Resources << /Font << /F1 4 0 R >> >> >>",
		"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
		fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", content.Len(), content.String())}
	var b strings.Builder
	b.WriteString("%PDF-1.4\n")
	var at []int
	for i, o := range objects {
		at = append(at, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	xref := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, n := range at {
		fmt.Fprintf(&b, "%010d 00000 n \n", n)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, xref)
	return b.String()
}

func TestAnAuditReadsTheWebOnce(t *testing.T) {
	web := &lab.Web{Pages: 120}
	url, stop, err := web.Listen(0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	s := newShell(t)
	s.env = append(web.Environ(url), "BROWSER_PATH=none")
	var draft strings.Builder
	var pages []string
	for _, q := range web.Questions()[:6] {
		for _, st := range q.Statements {
			fmt.Fprintf(&draft, "- %s [page](%s)\n", st.Text, st.Pages[0])
			pages = append(pages, st.Pages[0])
		}
	}
	fmt.Fprintf(&draft, "- The harbour of the moon was opened by nobody in 1871 [page](%s).\n", lab.TrapURL("none"))
	writeTo(t, "report.md", draft.String())
	r := s.must(0, "audit", "--out", "out", "report.md")
	vs := statuses(t, "out")
	good := 0
	for text, v := range vs {
		switch {
		case strings.Contains(text, "harbour of the moon"):
			if v.Status != plumb.Inaccessible {
				t.Errorf("a page that is not there: %s (%s)", v.Status, v.Reason)
			}
		case v.Status == plumb.Supported:
			good++
		default:
			t.Logf("%s: %s (%s)", text, v.Status, v.Reason)
		}
	}
	if good < len(vs)*8/10 {
		t.Errorf("%d of %d claims that stand word for word in their pages are supported", good, len(vs))
	}
	if !strings.Contains(r.err, "requests for the pages that the report cites") {
		t.Error(r.err)
	}
	slices.Sort(pages)
	if got := len(readLines[plumb.Source](t, "out/sources.jsonl")); got != len(slices.Compact(pages)) {
		t.Errorf("%d sources, %d pages", got, len(slices.Compact(pages)))
	}
	// Checked again from what was kept, nothing is fetched.
	stop()
	s.must(0, "audit", "--quiet", "--sources", "out", "--out", "again", "report.md")
	for text, v := range statuses(t, "again") {
		if v.Status != vs[text].Status {
			t.Errorf("%s: %s, at first %s", text, v.Status, vs[text].Status)
		}
	}
}

func TestVerifyKeepsWhatItFetched(t *testing.T) {
	web := &lab.Web{Pages: 64}
	url, stop, err := web.Listen(0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	s := newShell(t)
	s.env = append(web.Environ(url), "BROWSER_PATH=none")
	st := web.Questions()[0].Statements[0]
	writeTo(t, "report.md", st.Text+" [page]("+st.Pages[0]+")\n")
	s.must(0, "claims", "-o", "claims.json", "report.md")
	s.must(0, "verify", "-o", "verification.json", "claims.json")
	first := readFile(t, "verification.json")
	if !strings.Contains(first, `"supported": 1`) {
		t.Fatal(first)
	}
	stop()
	if got := s.must(0, "verify", "--offline", "claims.json").out; got != first {
		t.Errorf("offline:\n%s\nat first:\n%s", got, first)
	}
	if md := s.must(0, "compile", ".").out; !strings.Contains(md, "[VERIFIED]") || !strings.Contains(md, "1/1 claims verified") {
		t.Error(md)
	}
}

func TestAModelJudgesWhatRulesLeaveOpen(t *testing.T) {
	m := &lab.Models{Key: "sk-lab-secret"}
	s := newShell(t).withModels(m)
	writeTo(t, "report.md", bridgeReport)
	r := s.must(0, "audit", "--docs", corpus, "--offline", "--model", "openai:gpt-5", "--out", "out", "report.md")
	if !strings.Contains(r.err, "the report's claims and passages of what it cites") || !strings.Contains(r.out, "was judged by openai:gpt-5") {
		t.Errorf("%s\n%s", r.err, r.out)
	}
	for _, row := range readJSON[struct {
		Rows []plumb.LedgerRow `json:"rows"`
	}](t, "out/usage.json").Rows {
		if row.Role == "worker" {
			t.Errorf("a worker was paid in an audit: %+v", row)
		}
	}
	if strings.Contains(readFile(t, "out/events.jsonl"), "sk-lab-secret") {
		t.Error("the key is in the events")
	}
}

func TestWrongUseOfAuditsIsOneLine(t *testing.T) {
	s := newShell(t)
	writeTo(t, "good.md", bridgeReport)
	writeTo(t, "empty.md", " \n")
	writeTo(t, "picture.png", "\x89PNG\r\n\x1a\n0000000000000000000")
	writeTo(t, "other.json", `{"a":1}`)
	writeTo(t, "occupied.md", "x")
	for _, dir := range []string{"folder", "taken"} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	writeTo(t, "taken/report.md", "mine")
	for _, c := range []struct {
		want string
		args []string
	}{
		{"one report", []string{"audit"}},
		{"one report", []string{"audit", "good.md", "empty.md"}},
		{"nowhere.md is not there", []string{"audit", "nowhere.md"}},
		{"a folder without a report.md", []string{"audit", "folder"}},
		{"empty.md can't be read as a report", []string{"audit", "empty.md"}},
		{"picture.png can't be read as a report", []string{"audit", "picture.png"}},
		{"--docs nowhere is not there", []string{"audit", "--docs", "nowhere", "good.md"}},
		{"--sources folder lacks sources.jsonl", []string{"audit", "--sources", "folder", "good.md"}},
		{"--fail-under 80", []string{"audit", "--fail-under", "80", "good.md"}},
		{"name another folder", []string{"audit", "--offline", "--out", "taken", "good.md"}},
		{"name it provider:model", []string{"audit", "--model", "gpt", "good.md"}},
		{"see plumb audit --help", []string{"audit", "--search", "auto", "good.md"}},
		{"nowhere.md is not there", []string{"citations", "nowhere.md"}},
		{"--at \"noon\" is no time", []string{"claims", "--at", "noon", "good.md"}},
		{"-o nowhere/x.json can't be written", []string{"claims", "-o", "nowhere/x.json", "good.md"}},
		{"plumb claims -o claims.json", []string{"verify", "claims.json"}},
		{"other.json is no claims.json", []string{"verify", "other.json"}},
		{"good.md is no claims.json", []string{"verify", "good.md"}},
		{"no report.md", []string{"compile", "folder"}},
		{"claims.json", []string{"compile", "taken"}},
		{"no report.md", []string{"compile", "nowhere"}},
	} {
		r := s.must(2, c.args...)
		if !strings.Contains(r.err, c.want) || strings.Count(r.err, "\n") != 1 || r.out != "" {
			t.Errorf("%v: %q, want %q", c.args, r.err, c.want)
		}
	}
}

func TestTheCommandsOfTheAuditPageAreValid(t *testing.T) {
	seen := 0
	for line := range strings.Lines(readFile(t, filepath.Join(module, "docs", "audit.md"))) {
		args := words(strings.TrimPrefix(line, "    "))
		if !strings.HasPrefix(line, "    ") || len(args) == 0 || args[0] != "plumb" {
			continue
		}
		if seen++; valid(args[1:]) != nil {
			t.Errorf("%s: %v", line, valid(args[1:]))
		}
	}
	if seen < 7 {
		t.Errorf("%d commands", seen)
	}
}
