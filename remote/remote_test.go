package remote_test

// The services against servers that speak their formats on the loopback.

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/lab"
	"github.com/plumbresearch/plumb/remote"
	"github.com/plumbresearch/plumb/verify"
)

const key = "sk-lab-0123456789-secret"

// at gives services whose accounts are all at one server.
func at(url string) *remote.Services {
	return remote.New(remote.Options{Accounts: map[string]remote.Account{
		"openai": {Key: key, BaseURL: url + "/v1"}, "gemini": {Key: key, BaseURL: url + "/v1beta/openai"}, "perplexity": {Key: key, BaseURL: url}}})
}

func serve(t *testing.T, m *lab.Remote) *remote.Services {
	t.Helper()
	m.Key = key
	url, stop := m.Serve()
	t.Cleanup(stop)
	return at(url)
}

func ordered(t *testing.T, s *remote.Services, via string) string {
	t.Helper()
	job, err := s.Order(t.Context(), via, plumb.Order{Text: "What burned?", Key: "run1.order.1"})
	if err != nil {
		t.Fatal(err)
	}
	return job
}

func TestAReportIsOrderedAndCollected(t *testing.T) {
	for _, via := range remote.Names() {
		t.Run(via, func(t *testing.T) {
			m := &lab.Remote{Looks: 2}
			s := serve(t, m)
			job := ordered(t, s, via)
			for range 2 {
				d, err := s.Collect(t.Context(), via, job)
				if err != nil || d.Done || d.Status != "in_progress" || d.Report != "" {
					t.Fatalf("at work: %+v, %v", d, err)
				}
			}
			d, err := s.Collect(t.Context(), via, job)
			if err != nil || !d.Done {
				t.Fatalf("done: %+v, %v", d, err)
			}
			name, err := s.Name(via)
			if err != nil || d.By != name {
				t.Errorf("written by %s, want %s", d.By, name)
			}
			checkReport(t, d.Report)
			jobs := m.Jobs()
			if len(jobs) != 1 || jobs[0].Text != "What burned?" || jobs[0].Service+":"+jobs[0].Model != name {
				t.Errorf("the service has %+v", jobs)
			}
		})
	}
}

// checkReport finds the three claims of the lab's report and what each cites.
func checkReport(t *testing.T, md string) {
	t.Helper()
	claims := verify.Split(md)
	want := []string{"https://news.example/mill", "https://paper.example/mill_(new)", "https://news.example/mill"}
	if len(claims) != len(want) || strings.Contains(md, "think") {
		t.Fatalf("%d claims in:\n%s", len(claims), md)
	}
	for i, c := range claims {
		if !slices.Equal(c.Citations, want[i:i+1]) {
			t.Errorf("%q cites %q, want %s:\n%s", c.Text, c.Citations, want[i], md)
		}
	}
}

func TestWhatAServiceSaysOfItsCost(t *testing.T) {
	for via, want := range map[string]plumb.Bill{
		"openai":     {Input: 60_000, Cached: 20_000, Output: 9_000},
		"gemini":     {Input: 45_000, Output: 9_000},
		"perplexity": {Input: 20_030, Output: 86_000, USD: 0.83, Priced: true},
	} {
		s := serve(t, &lab.Remote{})
		d, err := s.Collect(t.Context(), via, ordered(t, s, via))
		if err != nil || d.Bill != want {
			t.Errorf("%s: %+v, %v", via, d.Bill, err)
		}
	}
}

func TestAnotherModelAndLanguage(t *testing.T) {
	m := &lab.Remote{}
	s := serve(t, m)
	if _, err := s.Order(t.Context(), "openai:o4-mini-deep-research", plumb.Order{Text: "Was brannte?", Language: "de", Key: "k"}); err != nil {
		t.Fatal(err)
	}
	j := m.Jobs()[0]
	if j.Model != "o4-mini-deep-research" || !strings.HasPrefix(j.Text, "Was brannte?\n\n") || !strings.HasSuffix(j.Text, "code de.") || j.Key != "k" {
		t.Errorf("%+v", j)
	}
}

func TestNamesThatCannotBeAsked(t *testing.T) {
	s := remote.New(remote.Options{Accounts: map[string]remote.Account{"openai": {Key: "k k"}, "perplexity": {Key: key, BaseURL: "ftp://x"}}})
	for via, want := range map[string]string{
		"bing":           `"bing" is no deep-research service: use gemini, openai, perplexity, with a model of its own as openai:o4-mini-deep-research`,
		"gemini":         "gemini needs GEMINI_API_KEY: set it",
		"openai":         "OPENAI_API_KEY holds characters that no key has: copy it again",
		"openai:a b":     `"openai:a b" names no model of openai: write it like openai:o3-deep-research`,
		"perplexity":     "PERPLEXITY_BASE_URL is no URL: write it like https://api.perplexity.ai",
		"perplexity:x\n": `"perplexity:x\n" names no model of perplexity: write it like perplexity:sonar-deep-research`,
	} {
		if _, err := s.Name(via); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", via, err, want)
		}
		if s.Host(via) != "" || s.Repeats(via) {
			t.Errorf("%s has a host", via)
		}
		if _, err := s.Order(t.Context(), via, plumb.Order{}); err == nil {
			t.Errorf("%s takes orders", via)
		}
	}
}

func TestHostsAreTheServicesOwnUnlessToldOtherwise(t *testing.T) {
	s := remote.New(remote.Options{Accounts: map[string]remote.Account{"openai": {Key: key}, "gemini": {Key: key}, "perplexity": {Key: key, BaseURL: "http://127.0.0.1:9/p"}}})
	for via, want := range map[string]string{"openai": "api.openai.com", "gemini:x": "generativelanguage.googleapis.com", "perplexity": "127.0.0.1:9"} {
		if got := s.Host(via); got != want {
			t.Errorf("%s: %s", via, got)
		}
	}
}

// hitch reads what a fault means, and sees to it that no key is in it.
func hitch(t *testing.T, err error) (string, plumb.Hitch) {
	t.Helper()
	var f *remote.Fault
	if !errors.As(err, &f) {
		t.Fatalf("%v is no fault", err)
	}
	if strings.Contains(err.Error(), "secret") || strings.ContainsAny(f.Safe(), "\n\r") || strings.Contains(f.Safe(), "127.0.0.1") || strings.Contains(err.Error(), "0123456789abcdef") {
		t.Errorf("shown: %q", err)
	}
	return f.Safe(), f.Hitch()
}

func TestOrdersThatAreNotTaken(t *testing.T) {
	again, doubtful := plumb.Hitch{Again: true}, plumb.Hitch{Doubtful: true}
	for fault, want := range map[string]struct {
		says  string
		hitch plumb.Hitch
	}{
		"400":      {"does not take the order (HTTP 400): Refused with 400", plumb.Hitch{}},
		"401":      {"refuses the key: set another in", plumb.Hitch{}},
		"402":      {"has no credit left", plumb.Hitch{}},
		"404":      {"name another model with --via", plumb.Hitch{}},
		"302":      {"redirects elsewhere", plumb.Hitch{}},
		"429":      {"limits the rate", again},
		"500":      {"is out of order", again},
		"503":      {"is out of order", again},
		"502":      {"may have taken the order", doubtful},
		"cut":      {"may have taken the order", doubtful},
		"garbled":  {"named no job", doubtful},
		"nameless": {"named no job", doubtful},
	} {
		for _, via := range remote.Names() {
			t.Run(via+" "+fault, func(t *testing.T) {
				s := serve(t, &lab.Remote{Orders: []string{fault}})
				_, err := s.Order(t.Context(), via, plumb.Order{Text: "Why?", Key: "k"})
				says, got := hitch(t, err)
				if want := want; want.hitch.Doubtful && via == "perplexity" { // it knows orders by their key
					if got != again {
						t.Errorf("%+v", got)
					}
				} else if got != want.hitch || !strings.Contains(says, want.says) {
					t.Errorf("%q, %+v", says, got)
				}
			})
		}
	}
}

func TestAServerThatIsNotThereHasTakenNothing(t *testing.T) {
	server := httptest.NewServer(nil)
	server.Close()
	for _, via := range remote.Names() {
		_, err := at(server.URL).Order(t.Context(), via, plumb.Order{Text: "Why?"})
		if says, got := hitch(t, err); got != (plumb.Hitch{Again: true}) || !strings.Contains(says, "can't be reached") {
			t.Errorf("%q, %+v", says, got)
		}
	}
}

func TestAnOrderThatIsSentAgainWithItsKeyIsOneJob(t *testing.T) {
	m := &lab.Remote{Orders: []string{"cut"}}
	s := serve(t, m)
	if _, err := s.Order(t.Context(), "perplexity", plumb.Order{Text: "Why?", Key: "k"}); err == nil {
		t.Fatal("the connection broke, and nobody noticed")
	}
	job := ordered(t, s, "perplexity") // another key
	again, err := s.Order(t.Context(), "perplexity", plumb.Order{Text: "Why?", Key: "k"})
	if err != nil || again == job || len(m.Jobs()) != 2 || !s.Repeats("perplexity") || s.Repeats("gemini") {
		t.Errorf("%s after %s, %v: %+v", again, job, err, m.Jobs())
	}
}

func TestJobsThatComeToNothing(t *testing.T) {
	for end, want := range map[string]struct {
		says string
		gone bool
	}{
		"failed":    {"did not finish the report: ", false},
		"cancelled": {"did not finish the report: ", false},
		"vanished":  {"no longer knows the job", true},
		"huge":      {"sent more than 10 MB", false},
	} {
		for _, via := range remote.Names() {
			t.Run(via+" "+end, func(t *testing.T) {
				s := serve(t, &lab.Remote{End: end})
				_, err := s.Collect(t.Context(), via, ordered(t, s, via))
				says, got := hitch(t, err)
				if !strings.Contains(says, want.says) || got != (plumb.Hitch{Gone: want.gone}) {
					t.Errorf("%q, %+v", says, got)
				}
			})
		}
	}
}

func TestAFailedJobIsBilledAllTheSame(t *testing.T) {
	s := serve(t, &lab.Remote{End: "failed"})
	d, err := s.Collect(t.Context(), "openai", ordered(t, s, "openai"))
	if err == nil || d.Bill.Output != 9_000 || d.By != "openai:o3-deep-research" {
		t.Errorf("%+v, %v", d, err)
	}
}

func TestLooksThatFailMayBeMadeAgain(t *testing.T) {
	for fault, again := range map[string]bool{"500": true, "502": true, "429": true, "garbled": true, "401": false, "400": false} {
		s := serve(t, &lab.Remote{Answers: []string{fault}})
		job := ordered(t, s, "gemini")
		_, err := s.Collect(t.Context(), "gemini", job)
		if _, got := hitch(t, err); got.Again != again {
			t.Errorf("%s: %+v", fault, got)
		}
		if d, err := s.Collect(t.Context(), "gemini", job); err != nil || !d.Done {
			t.Errorf("after %s: %+v, %v", fault, d, err)
		}
	}
}

func TestAJobIsCalledOff(t *testing.T) {
	for _, via := range remote.Names() {
		m := &lab.Remote{End: "never"}
		s := serve(t, m)
		if err := s.Cancel(t.Context(), via, ordered(t, s, via)); err != nil {
			t.Error(err)
		}
		if got := m.Jobs()[0].Cancelled; got != (via != "perplexity") { // which knows no such thing
			t.Errorf("%s: cancelled %v", via, got)
		}
	}
	s := serve(t, &lab.Remote{})
	_, got := hitch(t, s.Cancel(t.Context(), "openai", "nobody"))
	if !got.Gone {
		t.Errorf("%+v", got)
	}
}

func TestPausesThatAreAskedFor(t *testing.T) {
	for _, c := range []struct {
		header string
		want   time.Duration
	}{{"7", 7 * time.Second}, {"100000", 10 * time.Minute}, {"soon", 0}, {time.Now().Add(-time.Hour).UTC().Format(http.TimeFormat), 0}} {
		server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
			rw.Header().Set("Retry-After", c.header)
			rw.WriteHeader(http.StatusTooManyRequests)
		}))
		_, err := at(server.URL).Collect(t.Context(), "openai", "j")
		server.Close()
		if _, got := hitch(t, err); got.Pause != c.want || !got.Again {
			t.Errorf("%s: %+v", c.header, got)
		}
	}
}

func TestACallEndsWithItsContext(t *testing.T) {
	held := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-held }))
	defer server.Close()
	defer close(held)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, err := at(server.URL).Order(ctx, "gemini", plumb.Order{Text: "Why?"})
	if _, got := hitch(t, err); !got.Doubtful {
		t.Errorf("%+v", got)
	}
}

func TestJobsKeepTheirPlaceInAPath(t *testing.T) {
	var asked string
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		asked = r.URL.EscapedPath()
		rw.WriteHeader(http.StatusNotFound)
	}))
	defer server.Close()
	for _, via := range remote.Names() {
		if _, err := at(server.URL).Collect(t.Context(), via, "../v1/models?x#y"); err == nil || !strings.HasSuffix(asked, "/..%2Fv1%2Fmodels%3Fx%23y") {
			t.Errorf("%s: %s", via, asked)
		}
	}
}
