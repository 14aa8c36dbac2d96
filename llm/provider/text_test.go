package provider

import (
	"net/http"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

func TestWaitsInEveryForm(t *testing.T) {
	now := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name string
		h    map[string]string
		body string
		want time.Duration
	}{
		{"nothing said", nil, "", 0},
		{"seconds", map[string]string{"Retry-After": "12"}, "", 12 * time.Second},
		{"parts of seconds", map[string]string{"Retry-After": "0.5"}, "", 500 * time.Millisecond},
		{"date", map[string]string{"Retry-After": "Sun, 15 Nov 2026 12:01:30 GMT"}, "", 90 * time.Second},
		{"date gone by", map[string]string{"Retry-After": "Sun, 15 Nov 2026 11:00:00 GMT"}, "", 0},
		{"milliseconds come first", map[string]string{"Retry-After-Ms": "250", "Retry-After": "9"}, "", 250 * time.Millisecond},
		{"no sense", map[string]string{"Retry-After": "soon"}, "", 0},
		{"negative", map[string]string{"Retry-After": "-5"}, "", 0},
		{"not a number", map[string]string{"Retry-After": "NaN"}, "", 0},
		{"a thousand years", map[string]string{"Retry-After": "1e12"}, "", 24 * time.Hour},
		{"infinite", map[string]string{"Retry-After": "Inf"}, "", 24 * time.Hour},
		{"the budget that is used up", map[string]string{"X-Ratelimit-Reset-Requests": "6m0s", "X-Ratelimit-Remaining-Requests": "4",
			"X-Ratelimit-Reset-Tokens": "20ms", "X-Ratelimit-Remaining-Tokens": "0"}, "", 20 * time.Millisecond},
		{"the longer one", map[string]string{"X-Ratelimit-Reset-Requests": "1s", "X-Ratelimit-Reset-Tokens": "1m2s"}, "", 62 * time.Second},
		{"Unix milliseconds", map[string]string{"X-Ratelimit-Reset": "1794744010000"}, "", 10 * time.Second},
		{"Unix seconds", map[string]string{"X-Ratelimit-Reset": "1794744010"}, "", 10 * time.Second},
		{"RFC 3339", map[string]string{"X-Ratelimit-Reset": "2026-11-15T12:00:07Z"}, "", 7 * time.Second},
		{"bare seconds", map[string]string{"X-Ratelimit-Reset": "59"}, "", 59 * time.Second},
		{"Google's detail", nil, `{"details":[{"retryDelay": "36s"}]}`, 36 * time.Second},
		{"Google's text", nil, `Please retry in 36.5s.`, 36500 * time.Millisecond},
		{"OpenAI's text", nil, `Please try again in 1m30s. Visit`, 90 * time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := http.Header{}
			for k, v := range c.h {
				h.Set(k, v)
			}
			if got := retryAfter(h, c.body, now); got != c.want {
				t.Errorf("%v, want %v", got, c.want)
			}
		})
	}
}

func FuzzRetryAfter(f *testing.F) {
	f.Add("12", "6m0s", "retry in 3s")
	f.Add("Sun, 15 Nov 2026 12:01:30 GMT", "1794744010000", `"retryDelay":"1e9s"`)
	f.Add("-1e400", "2026-11-15T12:00:07Z", "try again in 9999999999999999999m")
	f.Fuzz(func(t *testing.T, after, reset, body string) {
		h := http.Header{"Retry-After": {after}, "X-Ratelimit-Reset-Tokens": {reset}}
		if d := retryAfter(h, body, time.Unix(1794744000, 0)); d < 0 || d > maxWait {
			t.Errorf("%v", d)
		}
	})
}

func TestKeysNeverStayInTexts(t *testing.T) {
	s := newScrubber(testKey, oddKey, "", "ab", oddKey+"longer")
	for _, c := range []struct{ raw, want string }{
		{"key " + oddKey + " is wrong", "key [key] is wrong"},
		{"url?key=" + oddKey + "&x", "url?key=[key]&x"},
		{oddKey + "longer", "[key]"},
		{"Incorrect API key provided: sk-proj-*****abcd. Find yours", "Incorrect API key provided: [key] Find yours"},
		{`{"authorization":"Bearer abc.def"}`, `{"authorization":"[key]"}`},
		{"AIzaSyA1234567890abcdef", "[key]"},
		{"a risk-adjusted task", "a risk-adjusted task"},
		{"two\nlines\x00\tand\u202e more", "two lines and more"},
		{"abc ab", "abc ab"},
	} {
		if got := s.text(c.raw); got != c.want {
			t.Errorf("%q became %q, want %q", c.raw, got, c.want)
		}
	}
	if got := []rune(s.text(strings.Repeat("ä", 1000))); len(got) != 300 || got[299] != '…' {
		t.Errorf("%d characters", len(got))
	}
}

func FuzzScrub(f *testing.F) {
	f.Add("key "+oddKey, 3)
	f.Add(strings.Repeat("x", 295)+oddKey, 0)
	f.Add("Bearer \n"+oddKey+"\xff", 1)
	f.Fuzz(func(t *testing.T, text string, at int) {
		if at >= 0 && at <= len(text) {
			text = text[:at] + oddKey + text[at:]
		}
		got := newScrubber(oddKey).text(text)
		if strings.Contains(got, oddKey) || !utf8.ValidString(got) || utf8.RuneCountInString(got) > maxText || strings.ContainsAny(got, "\n\r") {
			t.Errorf("%q became %q", text, got)
		}
	})
}

func FuzzComplaint(f *testing.F) {
	for _, s := range []string{`{"error":{"message":"m","code":429}}`, `{"error":"x"}`, `[{"error":{"status":"S"}}]`, `[]`, `null`, `{"error":null}`,
		`{"detail":[{"msg":"x"}]}`, `<html>`, ``, `{"error":{"message":1}}`, `{"error":[1]}`, `"x"`} {
		f.Add([]byte(s), 400, true)
	}
	f.Fuzz(func(t *testing.T, body []byte, status int, extras bool) {
		c := readComplaint(body)
		c.status = status
		if c.trouble(extras) == "" {
			t.Errorf("%s: no trouble", body)
		}
	})
}
