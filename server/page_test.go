package server_test

// The page's files as any client gets them.

import (
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/plumbresearch/plumb/front"
	"github.com/plumbresearch/plumb/server"
)

func TestPageFilesComeWithTheirPolicy(t *testing.T) {
	s := newHouse(t, nil).serve(nil)
	for path, kind := range map[string]string{"/": "text/html; charset=utf-8", "/web/style.css": "text/css; charset=utf-8",
		"/web/js/main.js": "text/javascript; charset=utf-8", "/web/icon.svg": "image/svg+xml"} {
		res, err := http.Get(s.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(res.Body)
		if err != nil || res.Body.Close() != nil {
			t.Fatal(err)
		}
		h := res.Header
		if res.StatusCode != http.StatusOK || h.Get("Content-Type") != kind || len(body) == 0 {
			t.Errorf("%s: %s, %s, %d bytes", path, res.Status, h.Get("Content-Type"), len(body))
		}
		for _, part := range []string{"default-src 'self'", "script-src 'self'", "style-src 'self'", "img-src 'self' data:", "connect-src 'self'", "frame-ancestors 'none'", "object-src 'none'"} {
			if !strings.Contains(h.Get("Content-Security-Policy"), part) {
				t.Errorf("%s: the policy lacks %s", path, part)
			}
		}
		if h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Referrer-Policy") != "no-referrer" || h.Get("Cache-Control") != "no-cache" {
			t.Errorf("%s: headers %v", path, h)
		}
		req, err := http.NewRequest(http.MethodGet, s.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("If-None-Match", h.Get("ETag"))
		again, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		if err := again.Body.Close(); err != nil || again.StatusCode != http.StatusNotModified {
			t.Errorf("%s: asked again with its tag: %s, %v", path, again.Status, err)
		}
	}
}

func TestUnknownPageFilesAreNotFound(t *testing.T) {
	s := newHouse(t, nil).serve(nil)
	for _, path := range []string{"/web/", "/web/js", "/web/nothing.js", "/web/..%2fpage.go", "/nothing"} {
		res, err := http.Get(s.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		if err := res.Body.Close(); err != nil || res.StatusCode != http.StatusNotFound {
			t.Errorf("%s: %s, %v", path, res.Status, err)
		}
	}
}

// The page must be there for those who have no key yet; what it then asks for must not.
func TestPageIsOpenWhereDataIsNot(t *testing.T) {
	h := newHouse(t, nil)
	s := h.serve(func(o *server.Options) { o.Open = false })
	for path, want := range map[string]int{"/": 200, "/web/js/main.js": 200, "/api/v1/tasks": 401, "/api/v1/outlook": 401} {
		res, err := http.Get(s.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		if err := res.Body.Close(); err != nil || res.StatusCode != want {
			t.Errorf("%s: %s, want %d, %v", path, res.Status, want, err)
		}
	}
}

// maxScripts bounds what a browser must load before the page is there.
const maxScripts = 120 << 10

// The policy forbids scripts and styles within markup, and the page asks nobody else for anything.
func TestPageFilesAreSelfContained(t *testing.T) {
	inline := regexp.MustCompile(`(?i)<script(?:\s+type="module")?>|\son[a-z]+="|\sstyle="|innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|javascript:`)
	remote := regexp.MustCompile(`(?:src|href)="(?:https?:)?//|@import|url\(["']?(?:https?:)?//|from "https?:`)
	scripts := 0
	err := filepath.WalkDir("web", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if m := inline.FindString(string(data)); m != "" {
			t.Errorf("%s has %q", name, m)
		}
		if m := remote.FindString(string(data)); m != "" {
			t.Errorf("%s has %q", name, m)
		}
		if filepath.Ext(name) == ".js" {
			scripts += len(data)
			if !strings.HasPrefix(string(data), "//") {
				t.Errorf("%s does not say what it is for", name)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	index, err := os.ReadFile(filepath.Join("web", "index.html"))
	if err != nil {
		t.Fatal(err)
	}
	names, err := filepath.Glob(filepath.Join("web", "js", "*.js"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names { // else browsers find them one after the other
		if !strings.Contains(string(index), `"/`+filepath.ToSlash(name)+`"`) {
			t.Errorf("index.html does not name %s", name)
		}
	}
	if scripts > maxScripts {
		t.Errorf("%d bytes of scripts, at most %d", scripts, maxScripts)
	}
}

func TestKeyIsAskedForAndKeptInTheTab(t *testing.T) {
	h := newHouse(t, nil)
	key, secret, err := front.NewKey("ann", "", time.Now())
	if err != nil {
		t.Fatal(err)
	}
	if err := h.db.AddKey(t.Context(), key); err != nil {
		t.Fatal(err)
	}
	h.shelve("ann", 40)
	b := browse(t, h.serve(func(o *server.Options) { o.Open = false }).URL, 1000, 800)
	b.open("#/runs")
	b.see("This server needs a key")
	b.shoot("key")
	b.enterKey("plumb_wrong")
	b.see("That key does not open this server")
	b.enterKey(secret)
	b.see("Nothing has been asked yet")
	b.ask(question, "Quick")
	b.finished()
	if where := eval[string](b, `[sessionStorage.getItem("plumb-key") ? "tab" : "", Object.values(localStorage).join().includes("plumb_") ? "disk" : "", location.href.includes("plumb_") ? "address" : ""].join("")`); where != "tab" {
		t.Errorf("the key is kept in %q", where)
	}
	b.press("Key")
	b.see("This server needs a key")
	b.forgive("401")
}

func (b *browser) enterKey(secret string) {
	b.t.Helper()
	b.wait("the field", `document.querySelector("dialog[open] #key-field")`)
	eval[bool](b, `(() => { document.querySelector("#key-field").value = `+quote(secret)+`; return true })()`)
	b.press("Continue")
}
