// Package remote orders reports from the deep-research services of others: OpenAI, Gemini, Perplexity. An order is a
// question; the service works on it for minutes up to an hour and is asked every now and then how it stands; what it
// delivers is its report as Markdown, its citations as numbers with a list of sources at the end.
//
// A service is named as service:model. Everything it sends is untrusted: answers are bounded in size, redirects are not
// followed, and errors are told in this package's own words, without keys.
package remote

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/plumbresearch/plumb"
)

// Options configure the services. Those without a key can't be asked.
type Options struct {
	Accounts  map[string]Account // by the name of the service
	Transport http.RoundTripper  // nil: http.DefaultTransport
}

// Account is what a user has at a service.
type Account struct {
	Key     string
	BaseURL string // empty: the service's own. Gemini's may be that of its OpenAI-compatible endpoint
}

// Services are those that exist, with the accounts of a user.
type Services struct {
	accounts map[string]Account
	client   *http.Client
}

// New makes the services. What is wrong with an account shows when its service is named.
func New(o Options) *Services {
	return &Services{accounts: o.Accounts, client: &http.Client{
		Transport:     o.Transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }, // the key goes nowhere else
	}}
}

// wire is the format of one service.
type wire interface {
	// order is the request by which a report is ordered, below the base URL.
	order(model string, o plumb.Order) request
	// sign puts the key into a request.
	sign(h http.Header, key string)
	// look and cancel are the paths of a job; "" where a service knows no such thing.
	look(job string) string
	cancel(job string) string
	// read takes an answer about a job apart.
	read(body []byte) (answer, error)
}

// request is what is posted.
type request struct {
	path   string
	header map[string]string
	body   any
}

// answer is how a job stands, and why there will be no report.
type answer struct {
	plumb.Delivery
	failed string // "" unless it has failed for good; what the service says, not cleaned
}

// maker is a service as its makers describe it.
type maker struct {
	name, model    string // the model that is asked unless another is named
	keyVar, urlVar string
	url            string
	repeats        bool // documents that an order with the same key is the same order
	base           func(path string) string
	wire           wire
}

var makers = []maker{
	{name: "gemini", model: "deep-research-preview-04-2026", keyVar: "GEMINI_API_KEY", urlVar: "GEMINI_BASE_URL",
		url: "https://generativelanguage.googleapis.com", base: geminiBase, wire: gemini{}},
	{name: "openai", model: "o3-deep-research", keyVar: "OPENAI_API_KEY", urlVar: "OPENAI_BASE_URL",
		url: "https://api.openai.com/v1", base: openAIBase, wire: openAI{}},
	{name: "perplexity", model: "sonar-deep-research", keyVar: "PERPLEXITY_API_KEY", urlVar: "PERPLEXITY_BASE_URL",
		url: "https://api.perplexity.ai", repeats: true, base: perplexityBase, wire: perplexity{}},
}

// Names are the services that exist.
func Names() []string {
	var out []string
	for _, m := range makers {
		out = append(out, m.name)
	}
	return out
}

// service is one model of a maker, as the user reaches it.
type service struct {
	maker
	key  string
	root string // URL without a slash at its end
	host string
}

// maxModel bounds the name of a model.
const maxModel = 100

// find reads a name and finds the account that serves it. Its errors name the cure.
func (s *Services) find(via string) (service, error) {
	name, model, _ := strings.Cut(via, ":")
	i := slices.IndexFunc(makers, func(m maker) bool { return m.name == name })
	if i < 0 {
		return service{}, fmt.Errorf("%q is no deep-research service: use %s, with a model of its own as openai:o4-mini-deep-research", via, strings.Join(Names(), ", "))
	}
	at := service{maker: makers[i], key: s.accounts[name].Key}
	if model != "" {
		at.model = model
	}
	if len(at.model) > maxModel || strings.ContainsFunc(at.model, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return service{}, fmt.Errorf("%q names no model of %s: write it like %s:%s", via, name, name, makers[i].model)
	}
	if at.key == "" {
		return service{}, fmt.Errorf("%s needs %s: set it", name, at.keyVar)
	}
	if strings.ContainsFunc(at.key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return service{}, fmt.Errorf("%s holds characters that no key has: copy it again", at.keyVar)
	}
	raw := s.accounts[name].BaseURL
	if raw == "" {
		raw = at.url
	}
	u, err := url.Parse(raw)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return service{}, fmt.Errorf("%s is no URL: write it like %s", at.urlVar, at.url)
	}
	at.host = u.Host
	at.root = u.Scheme + "://" + u.Host + at.base(strings.TrimRight(u.EscapedPath(), "/"))
	return at, nil
}

// Name is the full name of a service, as service:model. It fails, with the cure, when there is none of that name, or no
// key for it.
func (s *Services) Name(via string) (string, error) {
	at, err := s.find(via)
	return at.name + ":" + at.model, err
}

// Host is where the orders of a service go; "" when it can't be asked.
func (s *Services) Host(via string) string {
	at, err := s.find(via)
	if err != nil {
		return ""
	}
	return at.host
}

// Repeats says whether a service knows an order by its key when it comes again.
func (s *Services) Repeats(via string) bool {
	at, err := s.find(via)
	return err == nil && at.repeats
}

// Order asks for a report, once, and gives the name of the job.
func (s *Services) Order(ctx context.Context, via string, o plumb.Order) (job string, err error) {
	at, err := s.find(via)
	if err != nil {
		return "", &Fault{Service: via, What: "can't be asked: " + err.Error()}
	}
	req := at.wire.order(at.model, o)
	body, err := json.Marshal(req.body)
	if err != nil {
		return "", at.fault("can't be asked", err)
	}
	res, err := s.call(ctx, at, http.MethodPost, req.path, body, req.header)
	if err != nil {
		return "", at.unordered(err, res.sent)
	}
	if res.status/100 != 2 {
		return "", at.refused(res)
	}
	var accepted struct {
		ID string `json:"id"`
	}
	if err := json.Unmarshal(res.body, &accepted); err != nil || !goodJob(accepted.ID) {
		return "", at.doubtful("took the order and named no job", err)
	}
	return accepted.ID, nil
}

// goodJob refuses names that no path can hold.
func goodJob(id string) bool {
	return id != "" && id != "." && id != ".." && len(id) <= 500 && !strings.ContainsFunc(id, func(r rune) bool { return r <= ' ' || r > '~' })
}

// Collect looks once how a job stands. A job that failed is an error; what it has cost is given all the same.
func (s *Services) Collect(ctx context.Context, via, job string) (plumb.Delivery, error) {
	at, err := s.find(via)
	if err != nil {
		return plumb.Delivery{}, &Fault{Service: via, What: "can't be asked: " + err.Error()}
	}
	res, err := s.call(ctx, at, http.MethodGet, at.wire.look(job), nil, nil)
	if err != nil {
		return plumb.Delivery{}, at.unseen(err)
	}
	if res.status/100 != 2 {
		return plumb.Delivery{}, at.lost(res, job)
	}
	a, err := at.wire.read(res.body)
	if err != nil {
		return plumb.Delivery{}, at.garbled(err)
	}
	if a.By = at.name + ":" + at.model; a.Pause == 0 {
		a.Pause = res.pause
	}
	a.Status = at.clean(a.Status)
	if a.failed != "" {
		a.Report = ""
		return a.Delivery, at.gaveUp(a.failed)
	}
	return a.Delivery, nil
}

// Cancel tells a service that a report is no longer wanted. A service that can't be told is no error.
func (s *Services) Cancel(ctx context.Context, via, job string) error {
	at, err := s.find(via)
	if err != nil {
		return &Fault{Service: via, What: "can't be asked: " + err.Error()}
	}
	path := at.wire.cancel(job)
	if path == "" {
		return nil
	}
	res, err := s.call(ctx, at, http.MethodPost, path, nil, nil)
	if err != nil {
		return at.unseen(err)
	}
	if res.status/100 != 2 {
		return at.lost(res, job)
	}
	return nil
}
