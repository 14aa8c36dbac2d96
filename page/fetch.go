package page

// One document over HTTP: redirects checked hop by hop, second tries, time and size limits, decompression.

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/publicsuffix"

	"github.com/plumbresearch/plumb/link"
)

// accept says what extract reads, best first.
const accept = "text/html,application/xhtml+xml,application/pdf;q=0.9,text/markdown;q=0.9,text/plain;q=0.8,*/*;q=0.5"

// errorBody is how much of an error's page is read, in bytes: enough to recognise a wall.
const errorBody = 256 << 10

// document is an answer of a server.
type document struct {
	url    *url.URL // where it was found in the end
	status int
	header http.Header
	body   []byte
	kept   *Page // a copy that is young enough: nothing more was asked for
}

func (d *document) ok() bool { return d.status >= 200 && d.status < 300 }

// fetch is the fetching of one document.
type fetch struct {
	r       *Reader
	net     *network
	jar     *cookiejar.Jar
	budget  time.Duration // that is left
	hops    int           // redirects that are left
	max     int64         // bytes of the body
	cut     bool          // a longer body is cut at max, not refused
	unasked bool          // robots.txt is not asked
	known   validators    // for a copy that is there already
	reuse   bool          // a redirect to a page that is kept ends there
}

// validators ask a server whether a copy still holds.
type validators struct {
	etag, modified string
}

func (r *Reader) newFetch(n *network) *fetch {
	// The cookies of one fetch live as long as it does: some sites set one and redirect to the same place. New only
	// fails for options it does not know.
	jar, err := cookiejar.New(&cookiejar.Options{PublicSuffixList: publicsuffix.List})
	if err != nil {
		panic(err)
	}
	return &fetch{r: r, net: n, jar: jar, budget: r.limits.Total, hops: r.limits.Redirects, max: r.limits.Body}
}

// get fetches raw and follows its redirects. Any answer that is not a redirect comes back as a document.
func (f *fetch) get(ctx context.Context, raw string) (*document, error) {
	for {
		u, err := f.net.admit(raw)
		if err != nil {
			return nil, err
		}
		h := f.r.hosts.of(u.Scheme + "://" + u.Host)
		if !f.unasked {
			if err := f.r.mayRead(ctx, h, u); err != nil {
				return nil, failure(ctx, err)
			}
		}
		doc, err := f.try(ctx, h, u)
		if err != nil {
			return nil, failure(ctx, err)
		}
		if !isRedirect(doc.status) {
			return doc, nil
		}
		if f.hops--; f.hops < 0 {
			return nil, &Error{Kind: Redirects, Status: doc.status}
		}
		to, err := u.Parse(doc.header.Get("Location"))
		if err != nil || doc.header.Get("Location") == "" {
			return nil, &Error{Kind: Redirects, Status: doc.status, Detail: "redirect leads nowhere", cause: err}
		}
		raw = to.String()
		if k, fresh := f.r.kept(ctx, link.Normalize(raw)); fresh && f.reuse {
			return &document{url: to, kept: &k.Page}, nil
		}
	}
}

func isRedirect(status int) bool {
	return slices.Contains([]int{301, 302, 303, 307, 308}, status)
}

// try asks once, and a second time after a server's error or a short Retry-After.
func (f *fetch) try(ctx context.Context, h *host, u *url.URL) (*document, error) {
	for first := true; ; first = false {
		leave, err := h.enter(ctx, f.r.limits.Wait)
		if err != nil {
			return nil, err
		}
		doc, err := f.once(ctx, u)
		leave()
		if err != nil {
			return nil, err
		}
		if doc.status != http.StatusTooManyRequests && doc.status < 500 {
			return doc, nil
		}
		wait, told := retryAfter(doc.header, time.Now())
		if told {
			h.hush(wait)
		}
		if !told {
			wait = f.r.limits.Pause
		}
		if !first || wait > f.r.limits.Wait || !told && doc.status == http.StatusTooManyRequests || doc.status == http.StatusNotImplemented {
			return doc, nil
		}
		if err := pause(ctx, wait); err != nil {
			return nil, err
		}
	}
}

// once sends one request and reads the answer within what is left of the time.
func (f *fetch) once(ctx context.Context, u *url.URL) (*document, error) {
	start := time.Now()
	defer func() { f.budget -= time.Since(start) }()
	ctx, cancel := context.WithTimeout(ctx, f.budget)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, &Error{Kind: Address, Detail: "not a valid web address", cause: err}
	}
	req.Header.Set("User-Agent", UserAgent)
	req.Header.Set("Accept", accept)
	req.Header.Set("Accept-Encoding", "gzip, deflate")
	if f.known.etag != "" {
		req.Header.Set("If-None-Match", f.known.etag)
	}
	if f.known.modified != "" {
		req.Header.Set("If-Modified-Since", f.known.modified)
	}
	for _, c := range f.jar.Cookies(u) {
		req.AddCookie(c)
	}
	res, err := f.net.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	f.jar.SetCookies(u, res.Cookies())
	doc := &document{url: u, status: res.StatusCode, header: res.Header}
	doc.body, err = f.body(res, doc)
	return doc, errors.Join(err, res.Body.Close())
}

// body reads what an answer carries. Redirects and answers of kinds that can't be read are not read.
func (f *fetch) body(res *http.Response, doc *document) ([]byte, error) {
	limit, cut := f.max, f.cut
	switch {
	case isRedirect(doc.status):
		return nil, nil
	case !doc.ok():
		limit, cut = min(limit, errorBody), true
	default:
		if kind := refusedType(doc); kind != "" {
			return nil, &Error{Kind: Unsupported, Status: doc.status, Detail: "unsupported content: " + kind}
		}
	}
	if !cut && res.ContentLength > limit {
		return nil, tooLarge(limit)
	}
	plain, err := decompress(res.Header.Get("Content-Encoding"), res.Body)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(plain, limit+1))
	if int64(len(data)) > limit {
		if !cut {
			return nil, tooLarge(limit)
		}
		return data[:limit], nil
	}
	if err != nil && !doc.ok() {
		return data, nil //nolint:nilerr // the status says enough; what there is of its page may tell of a wall
	}
	return data, err
}

func tooLarge(limit int64) error {
	return &Error{Kind: TooLarge, Detail: fmt.Sprintf("document is larger than %.3g MB", float64(limit)/(1<<20))}
}

// decompress undoes a content encoding that was offered.
func decompress(encoding string, body io.Reader) (io.Reader, error) {
	switch strings.ToLower(strings.TrimSpace(encoding)) {
	case "", "identity":
		return body, nil
	case "gzip", "x-gzip":
		z, err := gzip.NewReader(body)
		if errors.Is(err, io.EOF) {
			return bytes.NewReader(nil), nil // an empty body is not compressed at all
		}
		if err != nil {
			return nil, &Error{Kind: Unreadable, Detail: "compressed content is damaged", cause: err}
		}
		return z, nil
	case "deflate":
		return inflate(body)
	}
	return nil, &Error{Kind: Unsupported, Detail: "unsupported content: compressed in a way that was not asked for"}
}

// inflate reads both things that servers call deflate: with zlib's header, as it should be, and without.
func inflate(body io.Reader) (io.Reader, error) {
	head := make([]byte, 2)
	n, err := io.ReadFull(body, head)
	if n < 2 {
		if errors.Is(err, io.EOF) {
			err = nil
		}
		return bytes.NewReader(nil), err
	}
	whole := io.MultiReader(bytes.NewReader(head), body)
	if head[0]&0x0f == 8 && (uint(head[0])<<8|uint(head[1]))%31 == 0 {
		return zlib.NewReader(whole)
	}
	return flate.NewReader(whole), nil
}

// refusedType names the kind of a document that holds no text, by what the server says of it; "" when it may. Names of
// documents are trusted more: servers send DOCX files as zip archives.
func refusedType(d *document) string {
	if slices.Contains([]string{".pdf", ".docx", ".md", ".csv", ".txt", ".html"}, strings.ToLower(path.Ext(d.url.Path))) {
		return ""
	}
	t, _, err := mime.ParseMediaType(d.header.Get("Content-Type"))
	if err != nil {
		return ""
	}
	class, name, _ := strings.Cut(t, "/")
	if slices.Contains([]string{"image", "video", "audio", "font", "model"}, class) {
		return t
	}
	name = strings.TrimPrefix(name, "x-")
	if class == "application" && slices.Contains([]string{
		"zip", "gzip", "tar", "gtar", "bzip", "bzip2", "xz", "7z-compressed", "rar", "rar-compressed", "vnd.rar", "zstd",
		"java-archive", "msdownload", "msdos-program", "dosexec", "executable", "iso9660-image", "apple-diskimage",
		"vnd.android.package-archive", "wasm", "shockwave-flash", "epub+zip", "debian-package", "redhat-package-manager",
	}, name) {
		return t
	}
	return ""
}
