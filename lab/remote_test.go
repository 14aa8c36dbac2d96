package lab_test

// The scripted services stand where the program looks for them when plumb lab serves everything.

import (
	"strings"
	"testing"
	"time"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/lab"
	"github.com/plumbresearch/plumb/remote"
)

func TestServicesStandBesideModelsAndSearches(t *testing.T) {
	web := &lab.Web{Pages: 64}
	m := &lab.Remote{Web: web}
	models := &lab.Models{Remote: m}
	web.Remote = m
	webURL, stop, err := web.Listen(0)
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	modelURL, stopModels := lab.Serve(models)
	defer stopModels()
	s := remote.New(remote.Options{Accounts: map[string]remote.Account{"openai": {Key: "lab", BaseURL: modelURL + "/v1"},
		"gemini": {Key: "lab", BaseURL: modelURL + "/v1beta/openai"}, "perplexity": {Key: "lab", BaseURL: webURL + "/perplexity"}}})
	for _, question := range []string{web.Questions()[0].Text, "what is known of the works and their owners"} {
		for _, via := range remote.Names() {
			job, err := s.Order(t.Context(), via, plumb.Order{Text: question, Key: via + question})
			if err != nil {
				t.Fatal(err)
			}
			d, err := s.Collect(t.Context(), via, job)
			if err != nil || !d.Done || !strings.Contains(d.Report, ".test/") {
				t.Errorf("%s of %s: %+v, %v", question, via, d, err)
			}
		}
	}
	if len(m.Jobs()) != 6 {
		t.Errorf("%d jobs", len(m.Jobs()))
	}
}

func TestAJobTakesItsTime(t *testing.T) {
	m := &lab.Remote{Takes: time.Hour}
	url, stop := m.Serve()
	defer stop()
	s := remote.New(remote.Options{Accounts: map[string]remote.Account{"openai": {Key: "k", BaseURL: url + "/v1"}}})
	job, err := s.Order(t.Context(), "openai", plumb.Order{Text: "Why?"})
	if err != nil {
		t.Fatal(err)
	}
	if d, err := s.Collect(t.Context(), "openai", job); err != nil || d.Done {
		t.Errorf("%+v, %v", d, err)
	}
	if env := strings.Join(m.Environ(url), " "); !strings.Contains(env, "OPENAI_API_KEY=lab OPENAI_BASE_URL="+url+"/v1 ") {
		t.Error(env)
	}
}
