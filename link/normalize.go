// The one written form of an address. URLs are taken apart by hand rather than
// by net/url, because reports contain URLs that net/url refuses ("100%.html")
// and because decoding a path loses the difference between %2F and a slash.

package link

import (
	"slices"
	"strings"

	"golang.org/x/net/idna"
)

// Normalize returns the form of an address in which equal pages are mostly equal
// strings and which can still be fetched:
//
//   - scheme and host lower-case, IDN hosts in ASCII, default port and the dot
//     at the end of a host dropped, "www." kept (Same and Identity ignore it);
//   - dot segments resolved, an empty path is "/", any other trailing slash is
//     dropped;
//   - percent-encoding only where needed, in upper case;
//   - tracking parameters (utm_*, gclid, fbclid, …) dropped, the others sorted;
//   - the fragment dropped, unless it begins with "!" or "/" and so names a page
//     of a site that routes in the browser.
//
// A bare "www." address, DOI or arXiv id becomes an https URL, a DOI resolver's
// URL that of https://doi.org. doc: URLs, other schemes and what is no address
// come back as they are, without the white space around them.
func Normalize(raw string) string {
	s := strings.TrimSpace(raw)
	if isDoc(s) {
		return s
	}
	p, ok := split(s)
	if !ok {
		return normalizeBare(s)
	}
	if d, ok := resolverDOI(p); ok {
		return doiURL(d)
	}
	return p.String()
}

func normalizeBare(s string) string {
	if hasFold(s, "www.") && len(s) > len("www.") {
		if p, ok := split("https://" + s); ok {
			return p.String()
		}
		return s
	}
	if id, ok := ArXiv(s); ok {
		return arXivURL(id)
	}
	if d, ok := DOI(s); ok {
		return doiURL(d)
	}
	return s
}

// parts is a web address taken apart and normalised.
type parts struct {
	scheme, user, host, port, path, query, fragment string
}

func (p parts) String() string {
	var b strings.Builder
	b.WriteString(p.scheme + "://")
	if p.user != "" {
		b.WriteString(p.user + "@")
	}
	b.WriteString(p.host)
	if p.port != "" {
		b.WriteString(":" + p.port)
	}
	b.WriteString(p.path)
	if p.query != "" {
		b.WriteString("?" + p.query)
	}
	if p.fragment != "" {
		b.WriteString("#" + p.fragment)
	}
	return b.String()
}

// split takes a web address apart, normalising each part; it is false for
// other schemes and where there is no host.
func split(s string) (parts, bool) {
	scheme, rest, ok := cutScheme(s)
	if !ok {
		return parts{}, false
	}
	p := parts{scheme: scheme}
	rest, fragment, _ := strings.Cut(rest, "#")
	rest, query, _ := strings.Cut(rest, "?")
	authority, path := rest, ""
	if i := strings.IndexAny(rest, `/\`); i >= 0 {
		authority, path = rest[:i], rest[i:]
	}
	if i := strings.LastIndexByte(authority, '@'); i >= 0 {
		p.user, authority = escape(authority[:i], userSet), authority[i+1:]
	}
	p.host, p.port = splitPort(authority)
	p.host = hostASCII(p.host)
	if p.port == "" { // it may have stood before a dot
		p.host, p.port = splitPort(p.host)
		p.host = hostASCII(p.host)
	}
	if p.host == "" {
		return parts{}, false
	}
	if p.scheme == "http" && p.port == "80" || p.scheme == "https" && p.port == "443" {
		p.port = ""
	}
	p.path = cleanPath(escape(path, pathSet))
	p.query = cleanQuery(query)
	if strings.HasPrefix(fragment, "!") || strings.HasPrefix(fragment, "/") {
		p.fragment = escape(fragment, querySet)
	}
	return p, true
}

func splitPort(authority string) (host, port string) {
	i := strings.LastIndexByte(authority, ':')
	if i < 0 || strings.Trim(authority[i+1:], "0123456789") != "" {
		return authority, ""
	}
	if strings.Count(authority, ":") > 1 && !strings.HasSuffix(authority[:i], "]") {
		return authority, "" // an IPv6 address without its brackets
	}
	return authority[:i], authority[i+1:]
}

// hostASCII lower-cases a host and writes international names in ASCII. Names
// that IDNA refuses (underscores, emoji, bad labels) are escaped instead.
func hostASCII(h string) string {
	h = strings.TrimRight(h, ".")
	if !isASCII(h) {
		a, err := idna.Lookup.ToASCII(h)
		if err != nil || a == "" {
			a = strings.ToLower(h)
		}
		h = a
	}
	return strings.TrimRight(strings.ToLower(escape(h, hostSet)), ".") // escape may have decoded a dot
}

// cleanPath resolves dot segments (RFC 3986, 5.2.4) and drops the slashes at
// the end of all but the root.
func cleanPath(path string) string {
	var out []string
	for _, segment := range strings.Split(strings.TrimPrefix(path, "/"), "/") {
		switch segment {
		case ".":
		case "..":
			if len(out) > 0 {
				out = out[:len(out)-1]
			}
		default:
			out = append(out, segment)
		}
	}
	return "/" + strings.TrimRight(strings.Join(out, "/"), "/")
}

func cleanQuery(query string) string {
	if query == "" {
		return ""
	}
	var kept []string
	for pair := range strings.SplitSeq(query, "&") {
		pair = escape(strings.TrimPrefix(pair, "amp;"), querySet)
		name, _, _ := strings.Cut(pair, "=")
		if pair != "" && !tracks(name) {
			kept = append(kept, pair)
		}
	}
	slices.Sort(kept)
	return strings.Join(kept, "&")
}

// tracks reports whether a query parameter only tells where a visitor came from.
func tracks(name string) bool {
	name = strings.ToLower(name)
	if _, ok := trackers[name]; ok {
		return true
	}
	for _, prefix := range []string{"utm_", "pk_", "piwik_", "mtm_", "matomo_", "hsa_", "_bta_", "at_recipient_"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

var trackers = func() map[string]struct{} {
	m := map[string]struct{}{}
	for name := range strings.FieldsSeq(`gclid gclsrc dclid gbraid wbraid gad_source gad_campaignid srsltid
		fbclid fb_action_ids fb_action_types fb_source igshid igsh msclkid yclid ysclid _openstat twclid ttclid
		li_fat_id rdt_cid epik scid irclickid s_kwcid ef_id cmpid icid mc_cid mc_eid _hsenc _hsmi
		__hssc __hstc __hsfp hsctatracking mkt_tok vero_id vero_conv oly_enc_id oly_anon_id wickedid _ga _gl
		rb_clickid ck_subscriber_id ref_src ref_url spm zanpid guce_referrer guce_referrer_sig guccounter
		__twitter_impression cndid ns_campaign ns_source ns_mchannel wt_mc wt.mc_id xtor trk_contact trk_msg`) {
		m[name] = struct{}{}
	}
	return m
}()

// Characters that stand for themselves in each part, beside letters and digits.
const (
	unreserved = "-._~"
	pathSet    = unreserved + "!$&'()*+,;=:@/"
	querySet   = pathSet + "?"
	userSet    = unreserved + "!$&'()*+,;=:"
	hostSet    = unreserved + "!$&'()*+,;=[]:"
)

// escape percent-encodes what is outside set, decodes escapes of unreserved
// characters, and writes the others in upper case. It is idempotent; a percent
// sign that begins no escape becomes %25.
func escape(s, set string) string {
	if plain(s, set) {
		return s
	}
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	b.Grow(len(s) + 16)
	for i := 0; i < len(s); i++ {
		c := s[i]
		encoded := false
		if c == '%' && i+2 < len(s) && isHex(s[i+1]) && isHex(s[i+2]) {
			c, encoded = unhex(s[i+1])<<4|unhex(s[i+2]), true
			i += 2
		}
		allowed := set
		if encoded {
			allowed = unreserved
		}
		if isAlnum(c) || strings.IndexByte(allowed, c) >= 0 {
			b.WriteByte(c)
			continue
		}
		b.WriteByte('%')
		b.WriteByte(hex[c>>4])
		b.WriteByte(hex[c&15])
	}
	return b.String()
}

func plain(s, set string) bool {
	for i := range len(s) {
		if !isAlnum(s[i]) && strings.IndexByte(set, s[i]) < 0 {
			return false
		}
	}
	return true
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
func isAlpha(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
func isAlnum(c byte) bool { return isDigit(c) || isAlpha(c) }
func isHex(c byte) bool   { return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f' }

func unhex(c byte) byte {
	if isDigit(c) {
		return c - '0'
	}
	return c | 0x20 - 'a' + 10
}
