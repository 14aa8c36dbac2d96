package main

// Reports that somebody else's service writes, at the command line.

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/lab"
)

const viaKey = "sk-lab-0123456789-secret"

// withRemote points the program at a simulated web and at services that write of it.
func (s *shell) withRemote(m *lab.Remote) *lab.Web {
	s.t.Helper()
	web := &lab.Web{Pages: 120}
	url, stop, err := web.Listen(0)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(stop)
	m.Key, m.Web = viaKey, web
	services, stopServices := m.Serve()
	s.t.Cleanup(stopServices)
	s.env = append(append(web.Environ(url), "BROWSER_PATH=none"), m.Environ(services)...)
	return web
}

func TestResearchViaEachService(t *testing.T) {
	for service, host := range map[string]string{"gemini": "gemini:deep-research-preview-04-2026", "openai": "openai:o3-deep-research", "perplexity": "perplexity:sonar-deep-research"} {
		t.Run(service, func(t *testing.T) {
			s, m := newShell(t), &lab.Remote{}
			question := s.withRemote(m).Questions()[0]
			r := s.must(0, "research", "--via", service, "--out", "out", question.Text)
			for _, want := range []string{"the text of your question, for a report by " + host, "requests for the pages that the report cites", "by " + host + ", "} {
				if !strings.Contains(r.err, want) {
					t.Errorf("standard error lacks %q:\n%s", want, r.err)
				}
			}
			supported, against := 0, 0
			for _, v := range statuses(t, "out") {
				switch v.Status {
				case plumb.Supported:
					supported++
				case plumb.Contradicted, plumb.NotFound, plumb.Partial:
					against++
				}
			}
			if supported < len(question.Statements)*3/4 || against == 0 {
				t.Errorf("%d of %d sentences are supported, %d others:\n%s", supported, len(question.Statements), against, r.out)
			}
			if !strings.Contains(r.out, "The draft was written by "+host+", a deep-research service") {
				t.Error(r.out)
			}
			rows := readJSON[struct {
				Rows []plumb.LedgerRow `json:"rows"`
			}](t, "out/usage.json").Rows
			if len(rows) != 1 || rows[0].Role != "remote" || rows[0].Priced != (service == "perplexity") {
				t.Errorf("usage: %+v", rows)
			}
			if md := readFile(t, "out/report.md"); len(m.Jobs()) != 1 || m.Jobs()[0].Text != question.Text || !strings.HasPrefix(md, "# Über die Frage") {
				t.Errorf("%+v\n%s", m.Jobs(), md)
			}
			if all := r.out + r.err + readFile(t, "out/events.jsonl") + readFile(t, "out/final.html"); strings.Contains(all, viaKey) {
				t.Error("the key is shown")
			}
			if again := s.must(0, "replay", "--out", "again", "last"); !strings.Contains(again.err, "the same, byte for byte") || len(m.Jobs()) != 1 {
				t.Error(again.err)
			}
		})
	}
}

func TestAnInterruptedWaitGoesOnWithTheSameJob(t *testing.T) {
	s, m := newShell(t), &lab.Remote{End: "never"}
	question := s.withRemote(m).Questions()[0]
	ctx, stop := context.WithCancelCause(context.Background())
	errs := &watcher{word: "wait ", then: func() { stop(errInterrupted) }}
	code := run(ctx, []string{"research", "--via", "openai:o4-mini-deep-research", "--out", "out", question.Text}, stdio{in: strings.NewReader(""), out: &bytes.Buffer{}, err: errs}, s.environ())
	if code != exitInterrupted || m.Jobs()[0].Cancelled || !strings.Contains(errs.String(), "openai:o4-mini-deep-research: in progress") {
		t.Fatalf("exit %d, jobs %+v\n%s", code, m.Jobs(), errs)
	}
	m.SetEnd("")
	r := s.must(0, "resume", "last")
	if jobs := m.Jobs(); len(jobs) != 1 || jobs[0].Model != "o4-mini-deep-research" || !strings.Contains(r.err, "resumed at stage collect") {
		t.Errorf("jobs %+v\n%s", jobs, r.err)
	}
}

func TestACancelledWaitIsCalledOffAlsoWhenNobodyWaits(t *testing.T) {
	s, m := newShell(t), &lab.Remote{End: "never"}
	question := s.withRemote(m).Questions()[0]
	ctx, stop := context.WithCancelCause(context.Background())
	errs := &watcher{word: "wait ", then: func() { stop(errInterrupted) }}
	run(ctx, []string{"research", "--via", "gemini", question.Text}, stdio{in: strings.NewReader(""), out: &bytes.Buffer{}, err: errs}, s.environ())
	if r := s.must(0, "cancel", "last"); !m.Jobs()[0].Cancelled || !strings.Contains(r.err, "is cancelled") {
		t.Errorf("jobs %+v\n%s", m.Jobs(), r.err)
	}
}

func TestAServiceThatFailsIsOneLine(t *testing.T) {
	for end, want := range map[string]string{"failed": "openai did not finish the report: The model gave up. [key]", "vanished": "openai no longer knows the job openai_job-1: ask the question again"} {
		s, m := newShell(t), &lab.Remote{End: end}
		s.withRemote(m)
		r := s.must(1, "research", "--via", "openai", "--quiet", "Why?")
		if strings.Count(strings.TrimSpace(r.err), "\n") > 1 || !strings.Contains(r.err, want) || strings.Contains(r.err, viaKey) {
			t.Errorf("%s: %s", end, r.err)
		}
	}
}

func TestWrongUseOfViaIsOneLine(t *testing.T) {
	s := newShell(t)
	s.env = []string{"OPENAI_API_KEY=k123456", "PERPLEXITY_API_KEY=k123456", "PERPLEXITY_BASE_URL=nowhere"}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--via", "bing", "Why?"}, `"bing" is no deep-research service: use gemini, openai, perplexity`},
		{[]string{"--via", "", "Why?"}, `is no deep-research service`},
		{[]string{"--via", "gemini", "Why?"}, "gemini needs GEMINI_API_KEY: set it"},
		{[]string{"--via", "perplexity", "Why?"}, "PERPLEXITY_BASE_URL is no URL"},
		{[]string{"--via", "openai:x y", "Why?"}, "names no model of openai"},
		{[]string{"--via", "openai"}, "there is no question"},
		{[]string{"--via", "openai", "--docs", ".", "Why?"}, "--docs means nothing with --via"},
		{[]string{"--via", "openai", "--preset", "deep", "Why?"}, "--preset means nothing with --via"},
		{[]string{"--via", "openai", "--thread", "last", "Why?"}, "--thread means nothing with --via"},
		{[]string{"--via", "openai", "--no-verify", "Why?"}, "--no-verify means nothing with --via"},
		{[]string{"--via", "openai", "--language", "english", "Why?"}, "--language"},
	} {
		r := s.must(2, append([]string{"research"}, c.args...)...)
		if !strings.Contains(r.err, c.want) || strings.Count(r.err, "\n") != 1 {
			t.Errorf("%q: %s", c.args, r.err)
		}
	}
	s.env = nil
	if r := s.must(0, "runs"); strings.Contains(r.out+r.err, "Why?") {
		t.Errorf("a run was begun: %s", r.out)
	}
}
