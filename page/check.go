package page

// The light look at an address: is it there, and what is its real title?

import (
	"context"
	"errors"
	"net/http"
	"strings"
)

// checkBody is how much of a document a Check reads, in bytes; titles stand at the beginning.
const checkBody = 64 << 10

// Check is what a light look found.
type Check struct {
	Status   int    // of HTTP
	Title    string // of an HTML page, as the page has it; "" for other documents
	FinalURL string
	Type     string // content type, as the server says
	Problem  Kind   // what a Read would fail of, as far as one can see; "" when nothing stands in the way
}

// Check asks for an address under the rules of Read and reads no more than 64 KB. An answer with any status is no error.
func (r *Reader) Check(ctx context.Context, address string) (Check, error) {
	r.start()
	f := r.newFetch(r.web)
	f.max, f.cut = min(checkBody, f.max), true
	doc, err := f.get(ctx, fetchable(address))
	var e *Error
	if errors.As(err, &e) && e.Status != 0 {
		return Check{Status: e.Status, Problem: e.Kind}, nil
	}
	if err != nil {
		return Check{}, err
	}
	m := look(doc)
	c := Check{Status: doc.status, Title: m.title, FinalURL: doc.url.String(), Type: contentType(doc.header)}
	if err := m.wall(doc); errors.As(err, &e) {
		c.Problem = e.Kind
	}
	return c, nil
}

func contentType(h http.Header) string {
	t, _, _ := strings.Cut(h.Get("Content-Type"), ";")
	return strings.ToLower(strings.TrimSpace(t))
}
