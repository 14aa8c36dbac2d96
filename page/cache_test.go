package page

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/plumbresearch/plumb"
)

// shelf is a Cache that keeps what a store would: JSON.
type shelf struct {
	mu   sync.Mutex
	kept map[string][]byte
	fail error
}

func (s *shelf) Page(_ context.Context, url string) (k Kept, ok bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b, ok := s.kept[url]
	if !ok || s.fail != nil {
		return Kept{}, false, s.fail
	}
	return k, true, json.Unmarshal(b, &k)
}

func (s *shelf) PutPage(_ context.Context, url string, k Kept) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	b, err := json.Marshal(k)
	if s.kept == nil {
		s.kept = map[string][]byte{}
	}
	s.kept[url] = b
	return errors.Join(err, s.fail)
}

func TestKeptPagesAreUsedAndAskedAfter(t *testing.T) {
	body, tag := article(900), `"1"`
	l := newLab(t, map[string]http.Handler{"k.test": routes(map[string]http.HandlerFunc{"/a": func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", tag)
		if r.Header.Get("If-None-Match") == tag {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		page("text/html", body)(w, r)
	}})})
	now := readAt
	cache := &shelf{}
	read := func() Page {
		t.Helper()
		r := l.reader()
		r.Cache, r.Now = cache, func() time.Time { return now }
		p, err := r.Read(context.Background(), "http://k.test/a#part")
		if err != nil || p.Depth != plumb.FullScrape || p.Source.URL != "http://k.test/a#part" || p.Source.Hash != hashOf(p.Text) {
			t.Fatalf("%+v, %v", p, err)
		}
		return p
	}
	first := read()
	now = now.Add(time.Hour)
	young := read()
	if !young.Cached || young.Text != first.Text || !young.Source.RetrievedAt.Equal(readAt) || len(l.requests()) != 1 {
		t.Errorf("%+v after %v", young.Source, l.requests())
	}
	now = now.Add(48 * time.Hour)
	old := read()
	if !old.Cached || old.Text != first.Text || !old.Source.RetrievedAt.Equal(now) || len(l.requests()) != 2 {
		t.Errorf("%+v after %v", old.Source, l.requests())
	}
	if again := read(); !again.Cached || len(l.requests()) != 2 {
		t.Error("a page that was asked after is young again")
	}
	now = now.Add(48 * time.Hour)
	body, tag = article(1800), `"2"`
	if changed := read(); changed.Cached || changed.Text == first.Text || len(l.requests()) != 3 {
		t.Errorf("%+v after %v", changed.Source, l.requests())
	}
}

func TestFailuresAndSnippetsAreNotKept(t *testing.T) {
	l := newLab(t, map[string]http.Handler{"k.test": routes(map[string]http.HandlerFunc{"/little": page("text/html", "<!doctype html><p>Hi.</p>")})})
	cache := &shelf{}
	r := l.reader()
	r.Cache = cache
	for _, path := range []string{"/little", "/missing"} {
		if p, err := r.Read(context.Background(), "http://k.test"+path); err == nil && p.Depth != plumb.Snippet {
			t.Error(p)
		}
	}
	if len(cache.kept) != 0 {
		t.Errorf("%d kept", len(cache.kept))
	}
}

func TestBrokenCacheKeepsNothingFromBeingRead(t *testing.T) {
	l := newLab(t, map[string]http.Handler{"k.test": page("text/html", article(900))})
	var told []error
	r := l.reader()
	r.Cache, r.Trouble = &shelf{fail: errors.New("disk full")}, func(err error) { told = append(told, err) }
	if p, err := r.Read(context.Background(), "http://k.test/"); err != nil || p.Depth != plumb.FullScrape || len(told) != 2 {
		t.Errorf("%v, %v", err, told)
	}
}

func TestAPageIsFetchedOnceWhereverOneComesFrom(t *testing.T) {
	fetched := 0
	l := newLab(t, map[string]http.Handler{"k.test": routes(map[string]http.HandlerFunc{
		"/old":   func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/new", http.StatusMovedPermanently) },
		"/older": func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/old", http.StatusFound) },
		"/new":   func(w http.ResponseWriter, r *http.Request) { fetched++; page("text/html", article(900))(w, r) },
	})})
	r := l.reader()
	r.Cache = &shelf{}
	var hash string
	for _, path := range []string{"/old", "/new", "/older"} {
		p, err := r.Read(t.Context(), "http://k.test"+path)
		if err != nil || p.Source.URL != "http://k.test"+path || p.Source.FinalURL != "http://k.test/new" {
			t.Fatalf("%s: %+v, %v", path, p.Source, err)
		}
		if hash = either(hash, p.Source.Hash); p.Source.Hash != hash {
			t.Errorf("%s is another text", path)
		}
	}
	if fetched != 1 {
		t.Errorf("fetched %d times", fetched)
	}
}

func TestAPageThatCantBeReadIsSparedForAWhile(t *testing.T) {
	asked := map[string]int{}
	l := newLab(t, map[string]http.Handler{"k.test": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked[r.URL.Path]++
		if r.URL.Path == "/empty" {
			page("text/html", "<p>Hello.</p>")(w, r)
			return
		}
		w.WriteHeader(http.StatusNotFound)
	})})
	now := readAt
	r := l.reader()
	r.Now = func() time.Time { return now }
	read := func(path string) (Page, error) { return r.Read(t.Context(), "http://k.test"+path) }
	for range 3 {
		if _, err := read("/gone"); err == nil {
			t.Error("read what is not there")
		}
		if p, err := read("/empty"); err != nil || p.Depth != plumb.Snippet {
			t.Errorf("%s, %v", p.Depth, err)
		}
	}
	if asked["/gone"] != 1 || asked["/empty"] != 1 {
		t.Errorf("asked %v", asked)
	}
	now = now.Add(sparedFor)
	if _, err := read("/gone"); err == nil || asked["/gone"] != 2 {
		t.Errorf("later: %v, asked %v", err, asked)
	}
}
