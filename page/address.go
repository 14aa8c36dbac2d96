package page

// Which addresses may be read at all: the form of a URL, names that mean this machine or its network, and the ranges of
// IP addresses that are not the public internet's.

import (
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/net/idna"
)

// maxURL bounds an address in bytes; longer ones are data, not addresses.
const maxURL = 8 << 10

// notPublic4 are the ranges of IPv4 that the IANA special-purpose registry keeps from the public internet, and one address
// of a cloud's inner network that looks public.
var notPublic4 = prefixes(
	"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
	"192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
	"224.0.0.0/4", "240.0.0.0/4", // multicast; reserved, with broadcast
	"168.63.129.16/32", // Azure's wire server
)

// global6 is all of IPv6 that is routed in public; notPublic6 are the exceptions within. Loopback, mapped IPv4, NAT64,
// unique local, link-local, site-local and multicast addresses are outside global6.
var (
	global6    = netip.MustParsePrefix("2000::/3")
	notPublic6 = prefixes(
		"2001::/23",                  // protocol assignments: Teredo, benchmarking, ORCHID
		"2001:db8::/32", "3fff::/20", // documentation
		"2002::/16", // 6to4
	)
)

// localSuffixes are the ends of names that belong to a machine or a private network.
var localSuffixes = []string{
	"localhost", "local", "internal", "localdomain", "lan", "home", "home.arpa", "corp", "intranet", "private",
	"ip6-localhost", "ip6-loopback",
}

func prefixes(list ...string) []netip.Prefix {
	out := make([]netip.Prefix, len(list))
	for i, s := range list {
		out[i] = netip.MustParsePrefix(s)
	}
	return out
}

// Public reports whether a belongs to the public internet. IPv4 written as IPv6 does not: unmap it first if it comes from a
// resolver, which may write all addresses so.
func Public(a netip.Addr) bool {
	in := func(p netip.Prefix) bool { return p.Contains(a) }
	switch {
	case !a.IsValid() || a.Zone() != "":
		return false
	case a.Is4():
		return !slices.ContainsFunc(notPublic4, in)
	}
	return global6.Contains(a) && !slices.ContainsFunc(notPublic6, in)
}

// guard holds what may be asked for against the rules. allow are hosts that the user named: host or host:port.
type guard struct {
	allow []string
}

func newGuard(allow []string) guard {
	var g guard
	for _, h := range allow {
		h = strings.ToLower(strings.TrimSpace(h))
		if strings.HasPrefix(h, "[") && strings.HasSuffix(h, "]") {
			h = h[1 : len(h)-1] // IPv6 without a port
		}
		if h != "" {
			g.allow = append(g.allow, h)
		}
	}
	return g
}

// allows reports whether the user named this host.
func (g guard) allows(host, port string) bool {
	return slices.Contains(g.allow, host) || slices.Contains(g.allow, net.JoinHostPort(host, port))
}

// admit returns raw as a URL that may be resolved: its host is in ASCII and lower case and is neither a local name nor an
// address that is not public, unless the user allowed it.
func (g guard) admit(raw string) (*url.URL, error) {
	raw = strings.TrimSpace(raw)
	if len(raw) > maxURL {
		return nil, &Error{Kind: Address, Detail: "address is too long"}
	}
	u, err := url.Parse(raw)
	if err != nil {
		return nil, &Error{Kind: Address, Detail: "not a valid web address", cause: err}
	}
	u.Scheme = strings.ToLower(u.Scheme)
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, &Error{Kind: Address, Detail: "only http and https addresses can be read"}
	case u.User != nil:
		return nil, &Error{Kind: Address, Detail: "addresses with a user name are refused"}
	case u.Opaque != "" || u.Host == "":
		return nil, &Error{Kind: Address, Detail: "not a valid web address"}
	}
	host, port, err := hostPort(u)
	if err != nil {
		return nil, err
	}
	if !g.allows(host, port) {
		if err := checkHost(host); err != nil {
			return nil, err
		}
	}
	u.Host = host
	if strings.Contains(host, ":") {
		u.Host = "[" + host + "]"
	}
	if port != defaultPort(u.Scheme) {
		u.Host = net.JoinHostPort(host, port)
	}
	u.Fragment, u.RawFragment = "", ""
	u.RawQuery = strings.TrimRightFunc(u.RawQuery, unicode.IsSpace) // stood before the fragment
	if len(u.String()) > maxURL {                                   // escaping makes it longer
		return nil, &Error{Kind: Address, Detail: "address is too long"}
	}
	return u, nil
}

func defaultPort(scheme string) string {
	if scheme == "https" {
		return "443"
	}
	return "80"
}

// hostPort takes the authority of a URL apart: the host in ASCII and lower case without brackets and final dot.
func hostPort(u *url.URL) (host, port string, err error) {
	host, port = strings.ToLower(u.Hostname()), u.Port()
	if port == "" {
		port = defaultPort(u.Scheme)
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil || n == 0 {
		return "", "", &Error{Kind: Address, Detail: "not a valid web address", cause: err}
	}
	port = strconv.FormatUint(n, 10)
	if !ascii(host) {
		// Digits, dots and letters of other scripts become plain ones here, before anything looks at them.
		if host, err = idna.Lookup.ToASCII(host); err != nil {
			return "", "", &Error{Kind: Address, Detail: "not a valid web address", cause: err}
		}
	}
	host = strings.TrimSuffix(host, ".")
	if strings.Contains(host, ":") {
		return host, port, nil // IPv6, which checkHost parses
	}
	if host == "" || len(host) > 253 || strings.HasPrefix(host, ".") || strings.Contains(host, "..") ||
		strings.ContainsFunc(host, func(r rune) bool { return !nameRune(r) }) {
		return "", "", &Error{Kind: Address, Detail: "not a valid web address"}
	}
	return host, port, nil
}

func ascii(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r >= 0x80 })
}

func nameRune(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-' || r == '_' || r == '.'
}

// checkHost refuses local names and addresses that are not public, in any notation.
func checkHost(host string) error {
	if a, err := netip.ParseAddr(host); err == nil {
		if !Public(a) {
			return notPublic(nil)
		}
		return nil
	}
	if strings.Contains(host, ":") || oddIPv4(host) || localName(host) {
		return notPublic(nil)
	}
	return nil
}

// oddIPv4 reports whether resolvers may take a name for a number: its last label is one, decimal or hexadecimal. A proper
// dotted quad has been parsed before.
func oddIPv4(host string) bool {
	last := host[strings.LastIndexByte(host, '.')+1:]
	digits := "0123456789"
	if strings.HasPrefix(last, "0x") {
		last, digits = last[2:], digits+"abcdef"
	}
	return strings.Trim(last, digits) == ""
}

func localName(host string) bool {
	return slices.ContainsFunc(localSuffixes, func(s string) bool { return host == s || strings.HasSuffix(host, "."+s) })
}

// notPublic is the error for an address outside the public internet. It names neither the address nor where it came from.
func notPublic(cause error) error {
	return &Error{Kind: Address, Detail: "address is not public", cause: cause}
}
