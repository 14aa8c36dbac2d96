package server

// Idempotency keys: a client that does not know whether its request arrived sends it again, and gets the answer that the
// first one got.

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"strings"
	"time"

	"github.com/plumbresearch/plumb/front"
)

// Times of answers under idempotency keys.
const (
	replyLife = 24 * time.Hour
	// claimLife is how long a request may be on its way before its key is free again: whoever had it has died.
	claimLife = 10 * time.Minute
)

var validReplyKey = regexp.MustCompile(`^[!-~]{1,255}$`)

// idempotent answers a POST that was answered before as it was answered then.
func (g *guard) idempotent(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		key := r.Header.Get("Idempotency-Key")
		if key == "" || r.Method != http.MethodPost || !strings.HasPrefix(r.URL.Path, "/api/v1/") {
			next.ServeHTTP(w, r)
			return
		}
		claim, err := g.claimOf(r, key)
		if err != nil {
			g.s.refuse(w, r, err)
			return
		}
		kept, mine, err := g.s.o.Replies.ClaimReply(r.Context(), claim, claim.At.Add(-claimLife), claim.At.Add(-replyLife))
		switch {
		case err != nil:
			g.s.refuse(w, r, err)
		case mine:
			g.answerOnce(w, r, next, claim)
		case kept.Asked != claim.Asked:
			g.s.refuse(w, r, fail(http.StatusConflict, "This Idempotency-Key was used for another request"))
		case kept.Status == 0:
			g.s.refuse(w, r, fail(http.StatusConflict, "A request with this Idempotency-Key is in progress"))
		default:
			g.repeat(w, r, kept)
		}
	})
}

// claimOf reads the request, which next can read again.
func (g *guard) claimOf(r *http.Request, key string) (front.Reply, error) {
	if !validReplyKey.MatchString(key) {
		return front.Reply{}, fail(http.StatusBadRequest, "Idempotency-Key is not allowed: use 1 to 255 printable characters without spaces")
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return front.Reply{}, unread(err)
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	h := sha256.New()
	h.Write([]byte(r.Method + "\n" + r.URL.EscapedPath() + "\n" + r.URL.RawQuery + "\n")) // a hash never fails
	h.Write(body)
	return front.Reply{Tenant: tenant(r.Context()).Name(), Key: key, Asked: hex.EncodeToString(h.Sum(nil)), At: g.s.o.Now().UTC()}, nil
}

// answerOnce keeps the answer before it is sent. One that is no success gives the key back, as a panic does.
func (g *guard) answerOnce(w http.ResponseWriter, r *http.Request, next http.Handler, claim front.Reply) {
	ctx := context.WithoutCancel(r.Context()) // a client that went away comes back and asks
	said := &draft{to: w, header: http.Header{}, body: &bytes.Buffer{}}
	kept := false
	defer func() {
		if kept {
			return
		}
		if err := g.s.o.Replies.DropReply(ctx, claim.Tenant, claim.Key); err != nil {
			g.s.o.Log.ErrorContext(ctx, "idempotency key can't be given back", "error", err)
		}
	}()
	next.ServeHTTP(said, r)
	if said.through {
		return
	}
	if said.status == 0 {
		said.status = http.StatusOK
	}
	if said.status/100 == 2 {
		header, err := json.Marshal(said.header)
		if err == nil {
			claim.Status, claim.Header, claim.Body = said.status, string(header), said.body.Bytes()
			err = g.s.o.Replies.KeepReply(ctx, claim)
		}
		if kept = err == nil; err != nil {
			g.s.o.Log.ErrorContext(ctx, "answer can't be kept", "error", err)
		}
	}
	said.send()
}

// repeat gives a kept answer again.
func (g *guard) repeat(w http.ResponseWriter, r *http.Request, kept front.Reply) {
	var header http.Header
	if err := json.Unmarshal([]byte(kept.Header), &header); err != nil {
		g.s.refuse(w, r, err)
		return
	}
	header.Set("X-Idempotency-Cached", "true")
	(&draft{to: w, header: header, status: kept.Status, body: bytes.NewBuffer(kept.Body)}).send()
}

// maxKept is how large an answer may be that is held back to be kept.
const maxKept = 1 << 20

// draft holds an answer back until it is whole. One that streams, or is large, goes through as it comes.
type draft struct {
	to      http.ResponseWriter
	header  http.Header
	status  int
	body    *bytes.Buffer
	through bool
}

func (d *draft) Header() http.Header { return d.header }

func (d *draft) WriteHeader(status int) {
	if d.status == 0 {
		d.status = status
	}
	if d.to != nil && strings.HasPrefix(d.header.Get("Content-Type"), "text/event-stream") {
		d.open()
	}
}

func (d *draft) Write(b []byte) (int, error) {
	if d.status == 0 {
		d.WriteHeader(http.StatusOK)
	}
	if d.to != nil && !d.through && d.body.Len()+len(b) > maxKept {
		d.open()
	}
	if d.through {
		return d.to.Write(b)
	}
	return d.body.Write(b)
}

// open sends what was held back, and lets through what follows.
func (d *draft) open() {
	if !d.through {
		d.through = true
		d.send()
	}
}

// send sends what was held back.
func (d *draft) send() {
	h := d.to.Header()
	for name, values := range d.header {
		h[name] = values
	}
	d.to.WriteHeader(d.status)
	_, err := d.to.Write(d.body.Bytes())
	d.body.Reset()
	if err != nil {
		return // the client is gone
	}
}

// Flush ends the holding back: whoever flushes streams.
func (d *draft) Flush() {
	if d.status == 0 {
		d.WriteHeader(http.StatusOK)
	}
	if d.to == nil {
		return
	}
	d.open()
	if err := http.NewResponseController(d.to).Flush(); err != nil {
		return // the client is gone
	}
}

// Unwrap lets deadlines through to the connection.
func (d *draft) Unwrap() http.ResponseWriter { return d.to }
