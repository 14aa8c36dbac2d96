package rank

// How much the address of a source speaks for it, before a word of it is read.

import (
	"strings"

	"github.com/plumbresearch/plumb/link"
)

// Grades of authority. Own documents and papers come first, what anybody may
// write last; an unknown address stands in the middle.
const (
	authorityOwn      = 0.9  // the user chose these documents
	authorityWork     = 0.9  // a DOI or arXiv id: a work with authors and a date that can be cited
	authorityOfficial = 0.85 // governments, universities, international bodies speak for themselves
	authorityEdited   = 0.7  // encyclopaedias, standards bodies, agencies and papers with an editor
	authorityUnknown  = 0.5
	authorityAnybody  = 0.3 // forums, video and social sites: anybody, unedited
)

// officialSuffixes are parts of host names that only such bodies can register.
var officialSuffixes = []string{
	"gov", "mil", "edu", "int", "europa.eu", "who.int", "un.org", "oecd.org", "worldbank.org", "imf.org",
	"gc.ca", "gov.uk", "ac.uk", "nhs.uk", "gouv.fr", "admin.ch", "bund.de", "go.jp", "ac.jp", "gob.es", "gob.mx",
}

// secondLevel are the second-level labels that countries keep for government
// and universities: gov.au, ac.nz, edu.cn.
var secondLevel = map[string]bool{"gov": true, "ac": true, "edu": true, "mil": true, "govt": true, "gob": true, "gouv": true, "go": true}

var editedDomains = map[string]bool{
	"wikipedia.org": true, "britannica.com": true, "nature.com": true, "science.org": true, "sciencedirect.com": true,
	"springer.com": true, "acm.org": true, "ieee.org": true, "ietf.org": true, "w3.org": true, "iso.org": true, "nist.gov": true,
	"reuters.com": true, "apnews.com": true, "bbc.co.uk": true, "bbc.com": true, "ft.com": true, "economist.com": true,
	"nytimes.com": true, "theguardian.com": true, "lemonde.fr": true, "faz.net": true, "zeit.de": true, "spiegel.de": true,
	"semanticscholar.org": true, "openalex.org": true, "plos.org": true, "biorxiv.org": true, "medrxiv.org": true, "ssrn.com": true,
}

var openDomains = map[string]bool{
	"reddit.com": true, "quora.com": true, "stackexchange.com": true, "stackoverflow.com": true, "ycombinator.com": true,
	"twitter.com": true, "x.com": true, "facebook.com": true, "instagram.com": true, "tiktok.com": true, "youtube.com": true,
	"pinterest.com": true, "tumblr.com": true, "linkedin.com": true, "medium.com": true, "4chan.org": true, "fandom.com": true,
	"answers.com": true, "weibo.com": true, "zhihu.com": true, "vk.com": true, "discord.com": true, "t.me": true,
}

// Authority grades an address from 0 to 1.
func Authority(url string) float64 {
	if strings.HasPrefix(url, "doc:") {
		return authorityOwn
	}
	if key := link.Key(url); strings.HasPrefix(key, "doi:") || strings.HasPrefix(key, "arxiv:") {
		return authorityWork
	}
	host := link.Host(url)
	domain := link.Domain(url)
	switch {
	case host == "":
		return authorityUnknown
	case openDomains[domain] || isForum(host):
		return authorityAnybody
	case official(host):
		return authorityOfficial
	case editedDomains[domain]:
		return authorityEdited
	}
	return authorityUnknown
}

func official(host string) bool {
	for _, s := range officialSuffixes {
		if host == s || strings.HasSuffix(host, "."+s) {
			return true
		}
	}
	labels := strings.Split(host, ".")
	n := len(labels)
	return n >= 3 && len(labels[n-1]) == 2 && secondLevel[labels[n-2]]
}

// isForum knows boards by the label they usually live under.
func isForum(host string) bool {
	for _, label := range strings.Split(host, ".") {
		switch label {
		case "forum", "forums", "board", "boards", "community", "discuss":
			return true
		}
	}
	return false
}
