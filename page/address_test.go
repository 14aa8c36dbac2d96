package page

import (
	"net/netip"
	"net/url"
	"strings"
	"testing"
)

func TestPublicAddresses(t *testing.T) {
	for _, s := range []string{
		"8.8.8.8", "1.1.1.1", "93.184.216.34", "100.63.255.255", "100.128.0.0", "172.15.255.255", "172.32.0.0", "192.0.1.0", "198.17.255.255", "198.20.0.0",
		"223.255.255.255", "168.63.129.15", "2606:4700:4700::1111", "2a00:1450:4001:80b::200e", "2001:4860:4860::8888", "2001:200::1",
	} {
		if !Public(netip.MustParseAddr(s)) {
			t.Errorf("%s is public", s)
		}
	}
}

func TestAddressesThatAreNotPublic(t *testing.T) {
	for _, s := range []string{
		"0.0.0.0", "0.1.2.3", "10.0.0.0", "10.255.255.255", "100.64.0.0", "100.100.100.200", "100.127.255.255", "127.0.0.1", "127.255.255.254",
		"169.254.0.1", "169.254.169.254", "169.254.170.2", "172.16.0.0", "172.31.255.255", "192.0.0.1", "192.0.0.192", "192.0.2.7", "192.88.99.1",
		"192.168.0.1", "198.18.0.1", "198.19.255.255", "198.51.100.9", "203.0.113.9", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255", "168.63.129.16",
		"::", "::1", "::2", "::ffff:127.0.0.1", "::ffff:8.8.8.8", "::7f00:1", "64:ff9b::7f00:1", "64:ff9b::808:808", "64:ff9b:1::1", "100::1",
		"2001::1", "2001:0:4136:e378:8000:63bf:3fff:fdd2", "2001:2::1", "2001:10::1", "2001:20::1", "2001:db8::1", "2002:7f00:1::", "2002:808:808::1", "3fff::1",
		"5f00::1", "fc00::1", "fd00:ec2::254", "fdff::1", "fe80::1", "fe80::1%eth0", "fec0::1", "ff02::1", "4000::1",
	} {
		if Public(netip.MustParseAddr(s)) {
			t.Errorf("%s is not public", s)
		}
	}
	if Public(netip.Addr{}) {
		t.Error("no address is public")
	}
}

func TestRefusedURLs(t *testing.T) {
	for _, raw := range []string{
		// addresses, plain and in every notation that some resolver takes
		"http://127.0.0.1/", "http://127.0.0.1:8080/", "https://10.1.2.3/", "http://169.254.169.254/latest/meta-data/", "http://[::1]/", "http://[::]:80/",
		"http://[fd00:ec2::254]/", "http://[::ffff:169.254.169.254]/", "http://[::ffff:a9fe:a9fe]/", "http://[0:0:0:0:0:ffff:127.0.0.1]/", "http://[64:ff9b::a00:1]/",
		"http://[fe80::1%25eth0]/", "http://[::127.0.0.1]/", "http://[2002:a00:1::]/",
		"http://2130706433/", "http://017700000001/", "http://0x7f000001/", "http://0x7f.0.0.1/", "http://0177.0.0.1/", "http://127.1/", "http://127.0.1/", "http://0/",
		"http://0x/", "http://0X7F.1/", "http://127.0.0.1./", "http://7147006462/", "http://0x41414141A9FEA9FE/", "http://425.510.425.510/", "http://0251.00376.000251.0000376/",
		"http://08.08.08.08/", "http://8.8.8/", "http://1.2.3.4.5/", "http://①②⑦.⓪.⓪.①/", "http://127。0。0。1/", "http://１２７.0.0.1/",
		// names of this machine and its network
		"http://localhost/", "http://LOCALHOST:22/", "http://localhost./", "http://foo.localhost/", "http://printer.local/", "http://metadata.google.internal/x",
		"http://db.internal/", "http://nas.lan/", "http://router.home.arpa/", "http://wiki.corp/", "http://ip6-localhost/", "http://ip6-loopback/", "http://localhost.localdomain/",
		"http://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ/",
		// forms
		"ftp://example.com/", "file:///etc/passwd", "gopher://example.com/", "jar:http://127.0.0.1!/", "data:text/plain,x", "javascript:alert(1)", "dict://a:1/", "ldap://a/",
		"http://user@example.com/", "http://user:pw@example.com/", "http://example.com@127.0.0.1/", "http://127.1.1.1:80\\@example.com/", "http:127.0.0.1/", "http:/example.com", "//example.com/",
		"http://", "https:///path", "http://exa mple.com/", "http://example.com:0/", "http://example.com:65536/", "http://example.com:80x/", "http://a..b/", "http://.example.com/",
		"http://[::1/", "http://::1/", "http://exam%70le.com/", "http://ex\x00ample.com/", "http://${HOST}/", "", "example", "http://" + strings.Repeat("a", 300) + ".com/",
		"http://example.com/" + strings.Repeat("a", maxURL),
	} {
		u, err := newGuard(nil).admit(raw)
		if kindOf(err) != Address {
			t.Errorf("%q admitted as %v, %v", raw, u, err)
		}
	}
}

func TestAdmittedURLs(t *testing.T) {
	for raw, want := range map[string]string{
		"http://example.com":                      "http://example.com",
		" HTTPS://Example.COM:443/A?b=C#frag ":    "https://example.com/A?b=C",
		"http://example.com:80/":                  "http://example.com/",
		"http://example.com.:8080/x/":             "http://example.com:8080/x/",
		"http://münchen.de/":                      "http://xn--mnchen-3ya.de/",
		"http://under_score.example.com/":         "http://under_score.example.com/",
		"http://8.8.8.8/":                         "http://8.8.8.8/",
		"http://[2606:4700:4700::1111]:8443/":     "http://[2606:4700:4700::1111]:8443/",
		"https://[2606:4700:4700::1111]/":         "https://[2606:4700:4700::1111]/",
		"http://localhost.example.com/":           "http://localhost.example.com/",
		"http://127.0.0.1.nip.io/":                "http://127.0.0.1.nip.io/", // its address decides
		"http://metadata/":                        "http://metadata/",         // its address decides
		"http://example.com/?u=http://127.0.0.1/": "http://example.com/?u=http://127.0.0.1/",
		"http://1and1.com/":                       "http://1and1.com/",
		"http://0xcafe.org/":                      "http://0xcafe.org/",
	} {
		u, err := newGuard(nil).admit(raw)
		if err != nil || u.String() != want {
			t.Errorf("%q: %v, %v; want %s", raw, u, err, want)
		}
	}
}

func TestAllowedHostsAreTheOnlyException(t *testing.T) {
	g := newGuard([]string{"Wiki.Corp", "127.0.0.1:8080", " [::1]:9000", "[fd00::1]", ""})
	for raw, want := range map[string]bool{
		"http://wiki.corp/": true, "https://WIKI.corp:9999/": true, "http://127.0.0.1:8080/": true, "http://[::1]:9000/": true, "http://[fd00::1]:77/": true,
		"http://127.0.0.1/": false, "http://127.0.0.1:8081/": false, "http://127.1:8080/": false, "http://other.corp/": false, "http://[::1]/": false, "http://a.wiki.corp/": false,
		"ftp://wiki.corp/": false, "http://me@wiki.corp/": false,
	} {
		if _, err := g.admit(raw); (err == nil) != want {
			t.Errorf("%s: %v", raw, err)
		}
	}
}

// What is admitted is admitted again as it is, is http or https, has no user, and is not an address that is not public.
func FuzzAdmit(f *testing.F) {
	for _, s := range []string{
		"http://example.com/", "https://[2606:4700::1]:8443/a?b#c", "http://127.1/", "http://0x7f.1/", "http://①②⑦.1/", "http://a@b/", "http:\\\\example.com",
		"http://localhost.", "http://ⓔⓧⓐⓜⓟⓛⓔ.ⓒⓞⓜ", "http://[fe80::1%25x]/", "http://test???test.com", "http://xn--a/", "http://a.0x", "HTTP://EXAMPLE.COM:0080/",
		"http://a/?b \u00a0#c", "http://a/? #c",
		"http://a/" + strings.Repeat("\x9d", maxURL-20),
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		g := newGuard(nil)
		u, err := g.admit(raw)
		if err != nil {
			if kindOf(err) != Address {
				t.Fatalf("%q: %v", raw, err)
			}
			return
		}
		again, err := g.admit(u.String())
		if err != nil || again.String() != u.String() {
			t.Fatalf("%q became %q, then %v, %v", raw, u, again, err)
		}
		parsed, err := url.Parse(u.String())
		if err != nil || parsed.User != nil || parsed.Scheme != "http" && parsed.Scheme != "https" || parsed.Host != u.Host {
			t.Fatalf("%q became %q", raw, u)
		}
		host := parsed.Hostname()
		if a, err := netip.ParseAddr(host); err == nil && !Public(a) || localName(host) || strings.HasSuffix(host, ".") {
			t.Fatalf("%q became %q", raw, u)
		}
	})
}
