package lab

// The web archive of the lab, in the format of the public one: which copies there are, and the copies.

import (
	"bytes"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"
)

type availabilityAnswer struct {
	URL       string    `json:"url"`
	Snapshots snapshots `json:"archived_snapshots"`
}

type snapshots struct {
	Closest *snapshot `json:"closest,omitempty"`
}

type snapshot struct {
	Status    string `json:"status"`
	Available bool   `json:"available"`
	URL       string `json:"url"`
	Timestamp string `json:"timestamp"`
}

// copyPath is the path of a copy; id_ asks for it without the archive's banner.
var copyPath = regexp.MustCompile(`^/web/([0-9]{14})(id_)?/(?:https?:/{1,2})?(.+)$`)

// kept reports whether the archive has a copy: of half of what is gone, and of all of it on the names that are under a
// public suffix, since readers ask about no others.
func kept(d *doc) bool {
	if d == nil || d.bad != "missing" && d.bad != "gone" {
		return false
	}
	return strings.Contains(d.site.host, ".example.") || hashOf(d.url())%2 == 0
}

// keptAt is when the copy was made: ten days after the page was published.
func keptAt(d *doc) string { return d.date.AddDate(0, 0, 10).Format("20060102") + "120000" }

func (w *Web) serveArchive(rw http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/wayback/available" {
		asked := r.URL.Query().Get("url")
		a := availabilityAnswer{URL: asked}
		if d := w.find(asked); kept(d) {
			a.Snapshots.Closest = &snapshot{"200", true, "http://" + archiveHost + "/web/" + keptAt(d) + "/" + d.url(), keptAt(d)}
		}
		send(rw, r, "application/json", encode(a))
		return
	}
	m := copyPath.FindStringSubmatch(r.URL.Path)
	if m == nil {
		fails(http.StatusNotFound, "Not Found")(w, nil, rw, r)
		return
	}
	d := w.made.byURL[m[3]]
	if !kept(d) || m[1] != keptAt(d) {
		fails(http.StatusNotFound, "Not Found")(w, nil, rw, r)
		return
	}
	contentType, body := w.made.content(d)
	if m[2] == "" && d.format == formatHTML {
		banner := `<body><div id="archive-banner">A copy made on ` + d.date.AddDate(0, 0, 10).Format(time.DateOnly) + ` by the archive of the lab</div>`
		body = bytes.Replace(body, []byte("<body>"), []byte(banner), 1)
	}
	send(rw, r, contentType, body)
}

// find is the document at an address, with or without a scheme.
func (w *Web) find(address string) *doc {
	if !strings.Contains(address, "://") {
		address = "http://" + address
	}
	u, err := url.Parse(address)
	if err != nil {
		return nil
	}
	return w.world().byURL[hostOf(u.Host)+u.Path]
}
