package provider

import (
	"math"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// maxWait bounds what a provider may ask for: limits by the day are the longest there are.
const maxWait = 24 * time.Hour

// waitInText finds Google's hints: "retryDelay": "36s" and "Please retry in 36.4s".
var waitInText = regexp.MustCompile(`(?i)(?:retryDelay"\s*:\s*"|retry in |try again in )([0-9.]+(?:ms|s|m[0-9.]+s|m))\b`)

// retryAfter is how long a provider asks to wait, 0 when it does not say. The exact headers come first, then the
// budgets that are used up, then what the text says.
func retryAfter(h http.Header, body string, now time.Time) time.Duration {
	if d, ok := number(h.Get("Retry-After-Ms"), time.Millisecond); ok {
		return d
	}
	if v := h.Get("Retry-After"); v != "" {
		if d, ok := number(v, time.Second); ok {
			return d
		}
		if at, err := http.ParseTime(v); err == nil {
			return bound(at.Sub(now))
		}
	}
	if d := resets(h, now); d > 0 {
		return d
	}
	if m := waitInText.FindStringSubmatch(body); m != nil {
		if d, err := time.ParseDuration(m[1]); err == nil {
			return bound(d)
		}
	}
	return 0
}

// resets reads x-ratelimit-reset and its kin. Of several budgets the one that is used up counts; when none says so, the
// one that takes longest.
func resets(h http.Header, now time.Time) time.Duration {
	var used, any time.Duration
	for _, kind := range []string{"", "-requests", "-tokens"} {
		d := reset(h.Get("X-Ratelimit-Reset"+kind), now)
		any = max(any, d)
		if strings.TrimSpace(h.Get("X-Ratelimit-Remaining"+kind)) == "0" {
			used = max(used, d)
		}
	}
	if used > 0 {
		return used
	}
	return any
}

// reset reads a duration ("6m0s"), a time, seconds from now, or a Unix time in seconds or milliseconds.
func reset(v string, now time.Time) time.Duration {
	v = strings.TrimSpace(v)
	if d, err := time.ParseDuration(v); err == nil {
		return bound(d)
	}
	if at, err := time.Parse(time.RFC3339, v); err == nil {
		return bound(at.Sub(now))
	}
	n, err := strconv.ParseFloat(v, 64)
	switch {
	case err != nil || math.IsNaN(n) || n < 0 || n > 1e14:
		return 0
	case n > 1e11:
		return bound(time.UnixMilli(int64(n)).Sub(now))
	case n > 1e9:
		return bound(time.Unix(int64(n), 0).Sub(now))
	}
	d, _ := number(v, time.Second)
	return d
}

func number(v string, unit time.Duration) (time.Duration, bool) {
	n, err := strconv.ParseFloat(strings.TrimSpace(v), 64)
	if err != nil || math.IsNaN(n) || n < 0 {
		return 0, false
	}
	if n > float64(maxWait/unit) {
		return maxWait, true
	}
	return time.Duration(n * float64(unit)), true
}

func bound(d time.Duration) time.Duration { return min(max(d, 0), maxWait) }
