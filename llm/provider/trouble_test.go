package provider

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/plumbresearch/plumb/llm"
)

// failing completes a request that must fail, and gives its error after checking what holds for every one.
func failing(t *testing.T, m llm.Model, r *llm.Request) *llm.Error {
	t.Helper()
	a, err := m.Complete(t.Context(), r)
	var e *llm.Error
	if !errors.As(err, &e) {
		t.Fatalf("%+v, %v, want an *llm.Error", a, err)
	}
	if e.Model != m.Name() || e.Host == "" {
		t.Errorf("the error names %q at %q", e.Model, e.Host)
	}
	noKeys(t, e)
	return e
}

func noKeys(t *testing.T, e *llm.Error) {
	t.Helper()
	for _, s := range []string{e.Error(), e.Safe(), fmt.Sprintf("%+v", *e), fmt.Sprintf("%v", e.Err)} {
		if strings.Contains(s, testKey) || strings.Contains(s, oddKey) || strings.Contains(s, "sk-") {
			t.Errorf("a key in %q", s)
		}
	}
	if n := len([]rune(e.Text)); n > 300 {
		t.Errorf("%d characters of text", n)
	}
}

func TestRefusalsAreToldApart(t *testing.T) {
	openAI := func(message, kind, code string) string {
		return fmt.Sprintf(`{"error":{"message":%q,"type":%q,"param":null,"code":%q}}`, message, kind, code)
	}
	claude := func(kind, message string) string {
		return fmt.Sprintf(`{"type":"error","error":{"type":%q,"message":%q},"request_id":"req_1"}`, kind, message)
	}
	google := func(code int, status, message string) string {
		return fmt.Sprintf(`[{"error":{"code":%d,"message":%q,"status":%q}}]`, code, message, status)
	}
	const page = "<!doctype html><html><head><title>502</title></head><body>Bad gateway</body></html>"
	for _, c := range []struct {
		what   string
		model  string
		status int
		body   string
		want   llm.Trouble
		cure   string // what Safe must hold
	}{
		{"wrong key", "openai:m", 401, openAI("Incorrect API key provided: "+testKey+".", "invalid_request_error", "invalid_api_key"), llm.BadKey, "OPENAI_API_KEY"},
		{"masked key", "openai:m", 401, openAI("Incorrect API key provided: sk-test-********cdef.", "invalid_request_error", "invalid_api_key"), llm.BadKey, "OPENAI_API_KEY"},
		{"wrong key", "anthropic:m", 401, claude("authentication_error", "invalid x-api-key"), llm.BadKey, "ANTHROPIC_API_KEY"},
		{"no permission", "anthropic:m", 403, claude("permission_error", "Your API key does not have permission"), llm.BadKey, "ANTHROPIC_API_KEY"},
		{"wrong key as 400", "gemini:m", 400, google(400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key."), llm.BadKey, "GEMINI_API_KEY"},
		{"echoed key", "compatible:m", 403, `{"detail":"key ` + oddKey + ` is not known here"}`, llm.BadKey, "COMPATIBLE_API_KEY"},
		{"HTML", "compatible:m", 403, page, llm.BadKey, "COMPATIBLE_API_KEY"},

		{"no such model", "openai:m", 404, openAI("The model `m` does not exist or you do not have access to it.", "invalid_request_error", "model_not_found"), llm.UnknownModel, "--model"},
		{"no such model", "anthropic:m", 404, claude("not_found_error", "model: m"), llm.UnknownModel, "--model"},
		{"no such model", "gemini:m", 404, google(404, "NOT_FOUND", "models/m is not found for API version v1main"), llm.UnknownModel, "--model"},
		{"no such model", "ollama:m:8b", 404, `{"error":{"message":"model \"m:8b\" not found, try pulling it first","type":"not_found_error","param":null,"code":null}}`, llm.UnknownModel, "ollama pull m:8b"},
		{"no such model", "compatible:m", 404, "{\"object\":\"error\",\"message\":\"The model `m` does not exist.\",\"type\":\"NotFoundError\",\"param\":null,\"code\":404}", llm.UnknownModel, "--model"},
		{"no such model as 400", "compatible:m", 400, `{"error":{"message":"m is not a valid model ID","code":400}}`, llm.UnknownModel, "--model"},
		{"wrong base", "openai:m", 404, openAI("Invalid URL (POST /v2/chat/completions)", "invalid_request_error", ""), llm.Unreachable, "OPENAI_BASE_URL"},
		{"wrong base", "anthropic:m", 404, claude("not_found_error", "Not Found"), llm.Unreachable, "ANTHROPIC_BASE_URL"},
		{"wrong base", "compatible:m", 404, `{"detail":"Not Found"}`, llm.Unreachable, "COMPATIBLE_BASE_URL"},
		{"wrong base", "compatible:m", 404, "404 page not found", llm.Unreachable, "COMPATIBLE_BASE_URL"},
		{"wrong base", "ollama:m", 405, page, llm.Unreachable, "OLLAMA_HOST"},

		{"too fast", "openai:m", 429, openAI("Rate limit reached for m on requests per min (RPM): Limit 3, Used 3. Please try again in 20s.", "requests", "rate_limit_exceeded"), llm.RateLimited, "resume"},
		{"too fast", "anthropic:m", 429, claude("rate_limit_error", "This request would exceed your organization's rate limit"), llm.RateLimited, "resume"},
		{"too fast, in words of quota", "gemini:m", 429, google(429, "RESOURCE_EXHAUSTED", "You exceeded your current quota. Quota exceeded for metric: x, limit: 15, model: m\nPlease retry in 36.4s."), llm.RateLimited, "resume"},
		{"not in this plan", "gemini:m", 429, google(429, "RESOURCE_EXHAUSTED", "You exceeded your current quota. Quota exceeded for metric: x, limit: 0, model: m"), llm.Quota, "add credit"},
		{"no money", "openai:m", 429, openAI("You exceeded your current quota, please check your plan and billing details.", "insufficient_quota", "insufficient_quota"), llm.Quota, "add credit"},
		{"no money", "anthropic:m", 400, claude("invalid_request_error", "Your credit balance is too low to access the Anthropic API."), llm.Quota, "add credit"},
		{"no money", "compatible:m", 402, `{"error":{"message":"Insufficient Balance","type":"unknown_error","code":"invalid_request_error"}}`, llm.Quota, "add credit"},

		{"broken", "openai:m", 500, openAI("The server had an error", "server_error", ""), llm.Overloaded, "resume"},
		{"gateway", "compatible:m", 502, page, llm.Overloaded, "resume"},
		{"busy", "openai:m", 503, openAI("The engine is currently overloaded", "server_error", ""), llm.Overloaded, "resume"},
		{"late", "anthropic:m", 504, claude("timeout_error", "Request timed out"), llm.Overloaded, "resume"},
		{"busy", "anthropic:m", 529, claude("overloaded_error", "Overloaded"), llm.Overloaded, "resume"},
		{"loading", "ollama:m", 503, `{"error":"server busy, please try again. maximum pending requests exceeded"}`, llm.Overloaded, "resume"},
		{"late", "compatible:m", 408, `{}`, llm.Stalled, "resume"},

		{"long", "openai:m", 400, openAI("This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens.", "invalid_request_error", "context_length_exceeded"), llm.TooLong, "too long"},
		{"long", "anthropic:m", 400, claude("invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"), llm.TooLong, "too long"},
		{"large", "anthropic:m", 413, claude("request_too_large", "Request exceeds the maximum size"), llm.TooLong, "too long"},
		{"long", "gemini:m", 400, google(400, "INVALID_ARGUMENT", "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."), llm.TooLong, "too long"},
		{"long", "compatible:m", 400, `{"error":{"code":400,"message":"the request exceeds the available context size. try increasing the context size","type":"exceed_context_size_error"}}`, llm.TooLong, "too long"},
		{"more than a minute's", "openai:m", 429, openAI("Request too large for m on tokens per min (TPM): Limit 30000, Requested 50000. The input or output tokens must be reduced in order to run successfully.", "tokens", "rate_limit_exceeded"), llm.TooLong, "too long"},

		{"no tools", "ollama:m", 400, `{"error":{"message":"registry.ollama.ai/library/m does not support tools","type":"api_error","param":null,"code":null}}`, llm.Unsupported, "can't do"},
		{"no tools", "compatible:m", 400, `{"object":"error","message":"\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set","type":"BadRequestError","code":400}`, llm.Unsupported, "can't do"},
		{"no tools", "compatible:m", 404, `{"error":{"message":"No endpoints found that support tool use.","code":404}}`, llm.Unsupported, "can't do"},
		{"no schema", "openai:m", 400, openAI("Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model.", "invalid_request_error", ""), llm.Unsupported, "can't do"},
		{"no schema", "anthropic:m", 400, claude("invalid_request_error", "output_config.format: structured outputs are not supported by this model"), llm.Unsupported, "can't do"},
		{"odd schema", "gemini:m", 400, google(400, "INVALID_ARGUMENT", `Invalid JSON payload received. Unknown name "additionalProperties" at 'generation_config.response_schema'`), llm.Unsupported, "can't do"},

		{"bad", "openai:m", 400, openAI("Unsupported value: 'temperature'", "invalid_request_error", "unsupported_value"), llm.BadRequest, "can't be used"},
		{"bad", "compatible:m", 422, `{"detail":[{"loc":["body"],"msg":"field required"}]}`, llm.BadRequest, "can't be used"},

		{"HTML for an answer", "openai:m", 200, page, llm.Garbled, "can't be used"},
		{"broken JSON", "anthropic:m", 200, `{"content":[{"type":"te`, llm.Garbled, "can't be used"},
		{"other JSON", "openai:m", 200, `{"hello":"world"}`, llm.Garbled, "can't be used"},
		{"other JSON", "anthropic:m", 200, `{"hello":"world"}`, llm.Garbled, "can't be used"},
		{"a list", "openai:m", 200, `[1,2]`, llm.Garbled, "can't be used"},
		{"nothing", "openai:m", 200, ``, llm.Garbled, "can't be used"},
		{"error as an answer", "compatible:m", 200, `{"error":{"message":"Rate limited upstream","code":429}}`, llm.RateLimited, "resume"},
		{"error as an answer", "compatible:m", 200, `{"error":"upstream exploded"}`, llm.Overloaded, "resume"},
	} {
		t.Run(fmt.Sprintf("%s %d %s", c.model, c.status, c.what), func(t *testing.T) {
			s := says(t, c.status, c.body)
			for _, stream := range []bool{false, true} {
				r := research()
				if stream {
					r.Delta = func(string) { t.Error("something was shown") }
				}
				e := failing(t, open(t, at(s), c.model), r)
				if e.Trouble != c.want || !strings.Contains(e.Safe(), c.cure) {
					t.Errorf("stream %v: %v (%s), want %s with %q", stream, e, e.Safe(), c.want, c.cure)
				}
				if want := c.status; want >= 400 && e.Status != want {
					t.Errorf("status %d, want %d", e.Status, want)
				}
			}
			if n := len(s.seen()); n != 2 {
				t.Errorf("%d requests for 2 calls: nothing may be tried again here", n)
			}
		})
	}
}

func TestPlainRequestsAreNeverUnsupported(t *testing.T) {
	s := says(t, 400, `{"error":{"message":"tool_choice is odd","type":"invalid_request_error"}}`)
	if e := failing(t, open(t, at(s), "openai:m"), say("hi")); e.Trouble != llm.BadRequest {
		t.Errorf("%v: a request without tools can't be made easier", e)
	}
}

func TestWaitsAreReadFromRefusals(t *testing.T) {
	s := says(t, 429, `{"error":{"message":"slow down","type":"rate_limit_error"}}`, "Retry-After", "7")
	for _, name := range []string{"openai:m", "anthropic:m"} {
		if e := failing(t, open(t, at(s), name), say("hi")); e.RetryAfter != 7*time.Second {
			t.Errorf("%s: %v", name, e.RetryAfter)
		}
	}
	s = says(t, 429, `[{"error":{"code":429,"status":"RESOURCE_EXHAUSTED","details":[{"retryDelay":"36s"}]}}]`)
	if e := failing(t, open(t, at(s), "gemini:m"), say("hi")); e.RetryAfter != 36*time.Second {
		t.Errorf("%v", e.RetryAfter)
	}
}

func TestErrorsWithinStreams(t *testing.T) {
	for _, c := range []struct {
		name, model string
		events      []string
		want        llm.Trouble
		used        llm.Usage
	}{
		{"chat", "openai:m", []string{`data: {"choices":[{"delta":{"content":"x"}}],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}`,
			`data: {"error":{"message":"The server had an error, key ` + testKey + `","type":"server_error"}}`}, llm.Overloaded, llm.Usage{Input: 9, Output: 1}},
		{"chat, limited", "compatible:m", []string{`data: {"error":{"message":"too fast","code":429}}`}, llm.RateLimited, llm.Usage{}},
		{"messages", "anthropic:m", []string{"event: message_start\n" + `data: {"type":"message_start","message":{"usage":{"input_tokens":9,"output_tokens":1}}}`,
			"event: error\n" + `data: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded ` + testKey + `"}}`}, llm.Overloaded, llm.Usage{Input: 9, Output: 1}},
		{"chat, broken JSON", "openai:m", []string{`data: {"choices":[{"del`}, llm.Garbled, llm.Usage{}},
		{"messages, broken JSON", "anthropic:m", []string{"event: message_start\ndata: {\"type\""}, llm.Garbled, llm.Usage{}},
		{"chat that ends early", "openai:m", []string{`data: {"choices":[{"delta":{"content":"x"}}],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}`}, llm.Garbled, llm.Usage{Input: 9, Output: 1}},
		{"chat that says it ended early", "openai:m", chunks(`{"choices":[{"delta":{"content":"x"}}]}`), llm.Garbled, llm.Usage{}},
		{"messages that end early", "anthropic:m", []string{"event: message_start\n" + `data: {"type":"message_start","message":{"usage":{"input_tokens":9,"cache_read_input_tokens":4,"output_tokens":1}}}`}, llm.Garbled, llm.Usage{Input: 13, Cached: 4, Output: 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := say("hi")
			r.Delta = func(string) {}
			e := failing(t, open(t, at(streams(t, c.events...)), c.model), r)
			if e.Trouble != c.want || e.Usage != c.used || !e.Passing() {
				t.Errorf("%v with usage %+v, want %s with %+v", e, e.Usage, c.want, c.used)
			}
		})
	}
}

func TestNobodyThereIsUnreachable(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	gone := "http://" + l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	tls := httptest.NewUnstartedServer(http.NotFoundHandler())
	tls.Config.ErrorLog = log.New(io.Discard, "", 0)
	tls.StartTLS() // with a certificate that nobody trusts
	defer tls.Close()
	for _, c := range []struct{ name, model, url, cure string }{
		{"refused", "openai:m", gone, "OPENAI_BASE_URL"},
		{"refused", "anthropic:m", gone, "ANTHROPIC_BASE_URL"},
		{"refused", "gemini:m", gone, "GEMINI_BASE_URL"},
		{"refused", "compatible:m", gone, "COMPATIBLE_BASE_URL"},
		{"refused", "ollama:m", gone, "ollama serve"},
		{"no such name", "compatible:m", "http://nowhere.invalid", "COMPATIBLE_BASE_URL"},
		{"certificate", "openai:m", tls.URL, "OPENAI_BASE_URL"},
		{"no TLS", "anthropic:m", "https" + strings.TrimPrefix(says(t, 200, "{}").URL, "http"), "not https: begin ANTHROPIC_BASE_URL"},
	} {
		t.Run(c.name+" "+c.model, func(t *testing.T) {
			p := New(Options{OpenAIKey: testKey, AnthropicKey: testKey, GeminiKey: testKey, OpenAIURL: c.url, AnthropicURL: c.url, GeminiURL: c.url, CompatibleURL: c.url, OllamaHost: c.url})
			e := failing(t, open(t, p, c.model), say("hi"))
			if e.Trouble != llm.Unreachable || !strings.Contains(e.Safe(), c.cure) || e.Status != 0 {
				t.Errorf("%v (%s)", e, e.Safe())
			}
			if strings.Contains(e.Safe(), e.Host) {
				t.Errorf("an address in what users see: %s", e.Safe())
			}
		})
	}
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	other := says(t, 200, chatHello)
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL+r.URL.Path, http.StatusTemporaryRedirect)
	})
	p := at(s, func(o *Options) {
		o.HTTP = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return nil }}
	})
	for _, name := range []string{"openai:m", "anthropic:m"} {
		e := failing(t, open(t, p, name), say("hi"))
		if e.Trouble != llm.Unreachable || !strings.Contains(e.Safe(), "_BASE_URL") {
			t.Errorf("%v (%s)", e, e.Safe())
		}
	}
	if n := len(other.seen()); n != 0 {
		t.Errorf("%d requests went on to the other host", n)
	}
}

func TestAnswersAreBounded(t *testing.T) {
	big := strings.Repeat("x", 1<<20)
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for r.Context().Err() == nil {
			if _, err := fmt.Fprintf(w, ": %s\n\n", big); err != nil {
				return
			}
		}
	})
	for _, name := range []string{"openai:m", "anthropic:m"} {
		r := say("hi")
		r.Delta = func(string) {}
		if e := failing(t, open(t, at(s), name), r); e.Trouble != llm.Garbled {
			t.Errorf("%v", e)
		}
	}
}

func TestCallersOwnEndIsTheirs(t *testing.T) {
	for _, name := range []string{"openai:m", "anthropic:m"} {
		for _, stream := range []bool{false, true} {
			here := make(chan struct{}, 1)
			s := serve(t, func(_ http.ResponseWriter, r *http.Request) {
				here <- struct{}{}
				<-r.Context().Done()
			})
			ctx, cancel := context.WithCancel(t.Context())
			r := say("hi")
			if stream {
				r.Delta = func(string) {}
			}
			context.AfterFunc(t.Context(), cancel)
			done := make(chan error, 1)
			go func() {
				_, err := open(t, at(s), name).Complete(ctx, r)
				done <- err
			}()
			<-here
			cancel()
			err := <-done
			var e *llm.Error
			if !errors.Is(err, context.Canceled) || errors.As(err, &e) {
				t.Errorf("%s, stream %v: %v", name, stream, err)
			}
		}
	}
}

func TestSilenceIsStalled(t *testing.T) {
	wait := func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	first := func(event string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			sendEvents(w, event)
			<-r.Context().Done()
		}
	}
	start := "event: message_start\n" + `data: {"type":"message_start","message":{"usage":{"input_tokens":9,"output_tokens":1}}}`
	for _, c := range []struct {
		name, model    string
		answer         http.HandlerFunc
		stream         bool
		timeout, stall time.Duration
		used           llm.Usage
	}{
		{"no answer", "openai:m", wait, false, 30 * time.Millisecond, time.Hour, llm.Usage{}},
		{"no answer", "anthropic:m", wait, false, 30 * time.Millisecond, time.Hour, llm.Usage{}},
		{"no first byte", "openai:m", wait, true, time.Hour, 10 * time.Millisecond, llm.Usage{}},
		{"no first byte", "ollama:m", wait, true, 30 * time.Millisecond, time.Millisecond, llm.Usage{}},
		{"no second", "openai:m", first(`data: {"choices":[{"delta":{"content":"x"}}]}`), true, time.Hour, 30 * time.Millisecond, llm.Usage{}},
		{"no second", "ollama:m", first(`data: {"choices":[{"delta":{"content":"x"}}]}`), true, time.Hour, 30 * time.Millisecond, llm.Usage{}},
		{"no second", "anthropic:m", first(start), true, time.Hour, 30 * time.Millisecond, llm.Usage{Input: 9, Output: 1}},
		{"never an end", "anthropic:m", first(start), true, 100 * time.Millisecond, time.Hour, llm.Usage{Input: 9, Output: 1}},
	} {
		t.Run(c.name+" "+c.model, func(t *testing.T) {
			p := at(serve(t, c.answer), func(o *Options) { o.Timeout, o.Stall = c.timeout, c.stall })
			r := say("hi")
			if c.stream {
				r.Delta = func(string) {}
			}
			if e := failing(t, open(t, p, c.model), r); e.Trouble != llm.Stalled || e.Usage != c.used {
				t.Errorf("%v with %+v", e, e.Usage)
			}
		})
	}
}

func TestBrokenConnectionsAreNotUnreachable(t *testing.T) {
	hangUp := func(before string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			conn, _, err := w.(http.Hijacker).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			fmt.Fprint(conn, before)
			if err := conn.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	const head = "HTTP/1.1 200 OK\r\nContent-Type: "
	for _, c := range []struct {
		name, before string
		stream       bool
	}{
		{"before the answer", "", false},
		{"within the answer", head + "application/json\r\nContent-Length: 500\r\n\r\n{\"choices\":", false},
		{"within the stream", head + "text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n40\r\ndata: {", true},
	} {
		for _, name := range []string{"openai:m", "anthropic:m"} {
			t.Run(c.name+" "+name, func(t *testing.T) {
				r := say("hi")
				if c.stream {
					r.Delta = func(string) {}
				}
				if e := failing(t, open(t, at(serve(t, hangUp(c.before))), name), r); e.Trouble != llm.Stalled {
					t.Errorf("%v, want stalled: the host is there", e)
				}
			})
		}
	}
}

func TestRefusalsThatBreakOffAreStillRefusals(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		fmt.Fprint(conn, "HTTP/1.1 401 Unauthorized\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{\"error\":\"key "+testKey)
		if err := conn.Close(); err != nil {
			t.Error(err)
		}
	})
	for _, name := range []string{"openai:m", "anthropic:m"} {
		if e := failing(t, open(t, at(s), name), say("hi")); e.Trouble != llm.BadKey || e.Status != 401 {
			t.Errorf("%v", e)
		}
	}
}
