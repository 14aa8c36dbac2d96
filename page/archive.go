package page

// Dead links: what the public web archive kept of them. The wire format is that of its availability API.

import (
	"context"
	"encoding/json"
	"net/url"
	"regexp"
	"strings"
	"time"
)

// stamp is how the archive writes times.
const stamp = "20060102150405"

type availability struct {
	Snapshots struct {
		Closest struct {
			Available bool   `json:"available"`
			URL       string `json:"url"`
			Timestamp string `json:"timestamp"`
			Status    string `json:"status"` // of the page when it was kept
		} `json:"closest"`
	} `json:"archived_snapshots"`
}

// snapshot is a copy that the archive has.
type snapshot struct {
	url string
	at  time.Time
}

// parseAvailability reads the archive's answer; ok is false when it has no usable copy.
func parseAvailability(body []byte) (snapshot, bool) {
	var a availability
	if err := json.Unmarshal(body, &a); err != nil {
		return snapshot{}, false
	}
	c := a.Snapshots.Closest
	at, err := time.Parse(stamp, c.Timestamp)
	if err != nil || !c.Available || c.URL == "" || !strings.HasPrefix(c.Status, "2") {
		return snapshot{}, false
	}
	return snapshot{c.URL, at}, true
}

// archived reads the archive's copy of a page that is gone; without one the answer is why it is gone.
func (t *task) archived(ctx context.Context, gone error) (Page, error) {
	if t.r.Archive == "" || !t.r.knownInPublic(t.address) {
		return Page{}, gone
	}
	snap, ok := t.askArchive(ctx)
	if !ok {
		return Page{}, gone
	}
	for _, copyURL := range []string{original(snap.url), snap.url} {
		f := t.archiveFetch()
		doc, err := f.get(ctx, copyURL)
		if err != nil {
			t.r.trouble(err)
			continue
		}
		p, err := t.understand(ctx, f, doc)
		if err != nil {
			t.r.trouble(err)
			continue
		}
		p.Archived = true
		p.Source.FinalURL = snap.url
		p.Source.Key = keyOf(t.address, t.address, p.Source.DOI)
		p.Note = strings.TrimSuffix("archived copy of "+snap.at.Format(time.DateOnly)+", the page itself is gone; "+p.Note, "; ")
		return p, nil
	}
	return Page{}, gone
}

func (t *task) askArchive(ctx context.Context) (snapshot, bool) {
	q := url.Values{"url": {t.address}, "timestamp": {t.r.now().UTC().Format(stamp)}}
	doc, err := t.archiveFetch().get(ctx, strings.TrimSuffix(t.r.Archive, "/")+"/wayback/available?"+q.Encode())
	if err != nil {
		t.r.trouble(err)
		return snapshot{}, false
	}
	if !doc.ok() {
		return snapshot{}, false
	}
	snap, ok := parseAvailability(doc.body)
	if secure, plain := strings.HasPrefix(t.r.Archive, "https://"), strings.HasPrefix(snap.url, "http://"); secure && plain {
		snap.url = "https://" + strings.TrimPrefix(snap.url, "http://") // the API still writes http
	}
	return snap, ok
}

// archiveFetch asks no robots.txt: the archive's API hands these addresses out to be read.
func (t *task) archiveFetch() *fetch {
	f := t.r.newFetch(t.r.vault)
	f.unasked = true
	return f
}

var snapshotTime = regexp.MustCompile(`/web/([0-9]{14})/`)

// original is the address of a copy as the page was, without what the archive adds around it.
func original(copyURL string) string {
	return snapshotTime.ReplaceAllString(copyURL, "/web/${1}id_/")
}
