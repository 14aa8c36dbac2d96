package page

// The public collection of addresses that a fetcher must refuse, when it lies beside the project.

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/net/idna"
)

type refusal struct {
	URL    string `json:"url"`
	Expect string `json:"expect"`
	CIDR   string `json:"cidr"`
}

func refusals(t *testing.T, name string) []refusal {
	t.Helper()
	path := filepath.Join("..", "..", "shared", "data", "ssrf", name)
	f, err := os.Open(path)
	if err != nil {
		t.Skipf("the public addresses are not there (%s): the tables of this package stand alone", path)
	}
	defer func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}()
	var out []refusal
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		var r refusal
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		out = append(out, r)
	}
	if err := lines.Err(); err != nil || len(out) == 0 {
		t.Fatal(len(out), err)
	}
	return out
}

// sealed is a reader whose names resolve as told and who can't dial.
func sealed(t *testing.T, resolve func(host string, look int) netip.Addr) *Reader {
	looks := map[string]int{}
	return &Reader{Outside: Outside{
		Resolve: func(_ context.Context, host string) ([]netip.Addr, error) {
			looks[host]++
			return []netip.Addr{resolve(host, looks[host])}, nil
		},
		Dial: func(_ context.Context, _, address string) (net.Conn, error) {
			t.Errorf("dialled %s", address)
			return nil, errors.New("sealed")
		},
	}}
}

func TestEveryAddressOfThePublicCollectionIsRefused(t *testing.T) {
	public := netip.MustParseAddr("93.184.216.34")
	blocked, resolved := 0, 0
	var names []string
	for _, r := range refusals(t, "urls.jsonl") {
		if r.Expect != "block" {
			names = append(names, r.URL)
			continue
		}
		blocked++
		_, err := sealed(t, func(string, int) netip.Addr { return public }).Read(t.Context(), r.URL)
		var e *Error
		if !errors.As(err, &e) || e.Kind != Address {
			t.Errorf("%s: %v", r.URL, err)
		}
	}
	for _, c := range refusals(t, "blocked_cidrs.jsonl") {
		inner := netip.MustParsePrefix(c.CIDR).Masked().Addr()
		if next := inner.Next(); netip.MustParsePrefix(c.CIDR).Contains(next) {
			inner = next
		}
		for _, name := range names {
			resolved++
			_, err := sealed(t, func(string, int) netip.Addr { return inner }).Read(t.Context(), name)
			var e *Error
			if !errors.As(err, &e) || e.Kind != Address {
				t.Errorf("%s at %s: %v", name, inner, err)
			}
		}
	}
	t.Logf("%d addresses refused at once, %d names in %d networks after they were resolved", blocked, len(names), resolved/max(len(names), 1))
	if blocked < 100 || resolved < 100 {
		t.Errorf("%d and %d: the collection has shrunk", blocked, resolved)
	}
}

// The same names behind a redirect, and on a second look that gives another address than the first.
func TestNamesOfThePublicCollectionAreRefusedLaterToo(t *testing.T) {
	nets := refusals(t, "blocked_cidrs.jsonl")
	for i, r := range refusals(t, "urls.jsonl") {
		u, err := url.Parse(r.URL)
		if r.Expect == "block" || err != nil {
			continue
		}
		host, err := idna.Lookup.ToASCII(u.Hostname()) // as a resolver is asked for it
		if err != nil {
			host = u.Hostname()
		}
		inner := netip.MustParsePrefix(nets[i%len(nets)].CIDR).Masked().Addr().Next()
		hit := 0
		l := newLab(t, map[string]http.Handler{
			"start.test": http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) { http.Redirect(w, q, r.URL, http.StatusFound) }),
			"*":          http.HandlerFunc(func(http.ResponseWriter, *http.Request) { hit++ }),
		})
		l.names[host] = [][]netip.Addr{{inner}}
		if _, err := l.reader().Read(t.Context(), "http://start.test/"); err == nil || hit > 0 {
			t.Errorf("%s behind a redirect: %v, reached %d times", r.URL, err, hit)
		}
		l.names[host] = [][]netip.Addr{{netip.MustParseAddr("93.184.216.34")}, {inner}}
		if _, err := l.reader().Read(t.Context(), r.URL); err == nil && hit > 0 {
			for _, d := range l.dialled {
				if host, _, err := net.SplitHostPort(d); err == nil && host == inner.String() {
					t.Errorf("%s: the second answer was dialled", r.URL)
				}
			}
		}
	}
}
