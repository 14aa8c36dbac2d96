package server

// The web page: files in the binary, and the headers that let it run nothing but its own scripts and talk to nobody but
// this server.

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"
	"time"
)

//go:embed web
var webFiles embed.FS

// pagePolicy is the page's content security policy. There is no inline script and no style attribute in its files.
const pagePolicy = "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

// pageFile is a file of the page as it is served.
type pageFile struct {
	name string
	data []byte
	tag  string // ETag
}

// isPage reports whether a path is one of the page's files. They hold no data, and whoever has no key yet needs them to
// enter one.
func isPage(path string) bool { return path == "/" || strings.HasPrefix(path, "/web/") }

func (s *Server) pageRoutes() {
	files, err := pageFiles()
	if err != nil { // the files are in the binary: only a broken build comes here
		panic(err)
	}
	s.mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) { servePage(w, r, files["web/index.html"]) })
	s.mux.HandleFunc("GET /web/{file...}", func(w http.ResponseWriter, r *http.Request) {
		f, ok := files["web/"+r.PathValue("file")]
		if !ok {
			http.NotFound(w, r)
			return
		}
		servePage(w, r, f)
	})
}

// pageFiles reads the files of the page, by their names.
func pageFiles() (map[string]pageFile, error) {
	out := map[string]pageFile{}
	err := fs.WalkDir(webFiles, "web", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := webFiles.ReadFile(name)
		if err != nil {
			return fmt.Errorf("page file %s: %w", name, err)
		}
		sum := sha256.Sum256(data)
		out[name] = pageFile{name: name, data: data, tag: `"` + hex.EncodeToString(sum[:8]) + `"`}
		return nil
	})
	return out, err
}

// pageTypes are named here, since those of the machine may be wrong: a browser runs no script that comes as text/plain.
var pageTypes = map[string]string{
	".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8",
	".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml",
}

// servePage answers with a file. Browsers ask each time whether it has changed, so that a new version of the program
// never meets scripts of the old one.
func servePage(w http.ResponseWriter, r *http.Request, f pageFile) {
	kind := pageTypes[path.Ext(f.name)]
	if kind == "" {
		kind = mime.TypeByExtension(path.Ext(f.name))
	}
	h := w.Header()
	h.Set("Content-Type", kind)
	h.Set("Content-Security-Policy", pagePolicy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cache-Control", "no-cache")
	h.Set("ETag", f.tag)
	http.ServeContent(w, r, f.name, time.Time{}, bytes.NewReader(f.data))
}
