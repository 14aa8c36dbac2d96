// Names of papers: DOIs and arXiv ids, however they are written.

package link

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

var (
	doiAtStart = regexp.MustCompile(`^10\.[0-9]{4,9}(?:\.[0-9]+)*/[^\s"<>\x00-\x1f\x7f]+`)
	doiInPath  = regexp.MustCompile(`/(10\.[0-9]{4,9}(?:\.[0-9]+)*(?:/|%2[Ff])[^\s"<>?#]+)`)
	// What publishers append to a DOI in their own URLs.
	doiTail = regexp.MustCompile(`(?i)(?:/(?:full|fulltext|full-text|pdf|epdf|pdfdirect|abstract|abs|html|epub|meta|summary|references|cite|figures|tables|text|download|suppl_file.*))+$|\.pdf$|\.full(?:-text)?(?:\.pdf)?$`)
	// bioRxiv and medRxiv number the versions of a preprint after its DOI.
	rxivVersion = regexp.MustCompile(`^(10\.1101/[0-9.]+)v[0-9]+.*$`)

	arXivNew = regexp.MustCompile(`^([0-9]{2}(?:0[1-9]|1[0-2])\.[0-9]{4,5})(?:[vV][0-9]+)?$`)
	arXivOld = regexp.MustCompile(`^([a-zA-Z-]+(?:\.[a-zA-Z]{2})?/[0-9]{2}(?:0[1-9]|1[0-2])[0-9]{3})(?:[vV][0-9]+)?$`)
)

// DOI returns the DOI that s is: bare, with "doi:", as a resolver's URL or as a
// publisher's URL with the DOI in its path. The result is lower-case, since
// DOIs ignore case.
func DOI(s string) (string, bool) {
	s = strings.TrimSpace(s)
	if p, ok := split(s); ok {
		if d, ok := resolverDOI(p); ok {
			return d, true
		}
		return pathDOI(p)
	}
	if isDoc(s) {
		return "", false
	}
	for _, prefix := range []string{"doi:", "doi", "dx.doi.org/", "www.doi.org/", "doi.org/"} {
		if hasFold(s, prefix) && !strings.HasPrefix(s[len(prefix):], ".") {
			s = strings.TrimLeft(s[len(prefix):], ": ")
			break
		}
	}
	return cleanDOI(doiAtStart.FindString(s))
}

// resolverDOI returns the DOI of a URL of doi.org.
func resolverDOI(p parts) (string, bool) {
	switch strings.TrimPrefix(p.host, "www.") {
	case "doi.org", "dx.doi.org":
		path := strings.TrimPrefix(p.path, "/")
		if hasFold(path, "doi:") {
			path = path[4:]
		}
		return cleanDOI(doiAtStart.FindString(unescapePath(path)))
	}
	return "", false
}

func pathDOI(p parts) (string, bool) {
	m := doiInPath.FindStringSubmatch(p.path)
	if m == nil {
		return "", false
	}
	d := doiTail.ReplaceAllString(unescapePath(m[1]), "")
	if v := rxivVersion.FindStringSubmatch(d); v != nil {
		d = v[1]
	}
	return cleanDOI(d)
}

// cleanDOI takes off what running text leaves at the end of a DOI.
func cleanDOI(d string) (string, bool) {
	d = doiAtStart.FindString(d)
	for was := ""; d != was; { // as the path of a URL it would lose the same
		was = d
		d = strings.TrimPrefix(cleanPath(d[:trimEnd(d, 0, len(d))]), "/")
	}
	if !doiAtStart.MatchString(d) {
		return "", false
	}
	return strings.ToLower(d), true
}

// unescapePath decodes the escapes of all but control characters and spaces, or
// nothing if that gives no text.
func unescapePath(s string) string {
	if !strings.Contains(s, "%") {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) && isHex(s[i+1]) && isHex(s[i+2]) {
			if c := unhex(s[i+1])<<4 | unhex(s[i+2]); c > ' ' && c != 0x7f {
				b.WriteByte(c)
				i += 2
				continue
			}
		}
		b.WriteByte(s[i])
	}
	if !utf8.ValidString(b.String()) {
		return s
	}
	return b.String()
}

// ArXiv returns the arXiv id that s is, without its version: "arXiv:2301.01234v2",
// a bare id, a URL of arxiv.org or a mirror of it, or arXiv's own DOI.
func ArXiv(s string) (id string, ok bool) {
	s = strings.TrimSpace(s)
	if p, ok := split(s); ok {
		if d, ok := resolverDOI(p); ok {
			return arXivOfDOI(d)
		}
		return arXivOfPage(p)
	}
	switch {
	case hasFold(s, "arxiv.org/"):
		return ArXiv("https://" + s)
	case hasFold(s, "arxiv"):
		s = strings.TrimLeft(s[len("arxiv"):], ": ")
	case hasFold(s, "doi:") || strings.HasPrefix(s, "10."):
		d, _ := DOI(s)
		return arXivOfDOI(d)
	}
	return arXivID(s)
}

func arXivOfDOI(d string) (string, bool) {
	rest, ok := strings.CutPrefix(d, "10.48550/arxiv.")
	if !ok {
		return "", false
	}
	return arXivID(rest)
}

func arXivOfPage(p parts) (string, bool) {
	switch strings.TrimPrefix(p.host, "www.") {
	case "arxiv.org", "export.arxiv.org", "ar5iv.org", "ar5iv.labs.arxiv.org", "alphaxiv.org":
	default:
		return "", false
	}
	_, id, ok := strings.Cut(strings.TrimPrefix(p.path, "/"), "/") // abs, pdf, html, format, ps
	if !ok {
		return "", false
	}
	return arXivID(strings.TrimSuffix(id, ".pdf"))
}

func arXivID(s string) (string, bool) {
	for _, form := range []*regexp.Regexp{arXivNew, arXivOld} {
		if m := form.FindStringSubmatch(s); m != nil {
			return strings.ToLower(m[1]), true
		}
	}
	return "", false
}

func doiURL(doi string) string {
	return "https://doi.org/" + escape(strings.ReplaceAll(doi, "%", "%25"), pathSet)
}

func arXivURL(id string) string { return "https://arxiv.org/abs/" + id }
