package page

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/plumbresearch/plumb"
)

func chromium(t *testing.T) string {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("no chromium on this machine: pages that need JavaScript are not rendered here")
	return ""
}

// profiles are the temporary folders that browsers leave while they run.
func profiles(t *testing.T) []string {
	found, err := filepath.Glob(filepath.Join(os.TempDir(), "chromedp-runner*"))
	if err != nil {
		t.Fatal(err)
	}
	return found
}

const shell = `<!doctype html><html lang="en"><head><title>Shell</title></head><body><div id="root"></div><noscript>You need to enable JavaScript to run this app.</noscript>
<script>
const attempts = %s;
const log = [];
async function run() {
  for (const u of attempts) {
    try { await fetch(u, {mode: "no-cors"}); } catch (e) {}
    try { const i = new Image(); i.src = u; } catch (e) {}
    try { new WebSocket(u.replace("http", "ws")); } catch (e) {}
    const f = document.createElement("iframe"); f.src = u; document.body.appendChild(f);
  }
  try {
    const pc = new RTCPeerConnection({iceServers: [{urls: "stun:127.0.0.1:%d"}]});
    pc.createDataChannel("x");
    await pc.setLocalDescription(await pc.createOffer());
  } catch (e) {}
  const data = await (await fetch("/data.json")).json();
  document.title = data.title;
  document.getElementById("root").innerHTML = "<article><h1>" + data.title + "</h1><p>" + data.text + "</p></article>";
}
run();
</script></body></html>`

func TestJavaScriptPagesThroughChromium(t *testing.T) {
	path := chromium(t)
	var touched atomic.Int32
	secret, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer secret.Close()
	go func() {
		for {
			c, err := secret.Accept()
			if err != nil {
				return
			}
			touched.Add(1)
			c.Close()
		}
	}()
	_, port, _ := net.SplitHostPort(secret.Addr().String())
	var attempts []string
	for _, host := range []string{"127.0.0.1", "localhost", "[::1]", "0x7f.1", "0", "inner.test", "127.0.0.1.nip.io", "foo.localhost"} {
		attempts = append(attempts, fmt.Sprintf("%q", "http://"+host+":"+port+"/secret"), fmt.Sprintf("%q", "https://"+host+":"+port+"/secret"))
	}
	udp, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer udp.Close()
	html := fmt.Sprintf(shell, "["+strings.Join(attempts, ",")+"]", udp.LocalAddr().(*net.UDPAddr).Port)
	l := newLab(t, map[string]http.Handler{"app.test": routes(map[string]http.HandlerFunc{
		"/": page("text/html", html), "/data.json": page("application/json", `{"title":"Rendered hall","text":"`+strings.Repeat(sentence, 8)+`"}`),
	})})
	l.name("inner.test", "127.0.0.1")
	l.name("127.0.0.1.nip.io", "127.0.0.1")
	r := l.reader()
	r.Allow = []string{"localhost", "127.0.0.1:" + port} // which is no page's business
	r.Chromium, r.Trouble = path, func(err error) { t.Log(err) }
	before := profiles(t)
	p, err := r.Read(context.Background(), "http://app.test/")
	if err != nil || !p.Rendered || p.Depth != plumb.FullScrape || p.Source.Title != "Rendered hall" || p.Note != "read with a browser" || !strings.Contains(p.Text, "turbine hall was closed") {
		t.Errorf("%+v, %v", p, err)
	}
	if n := touched.Load(); n != 0 {
		t.Errorf("the browser reached this machine %d times", n)
	}
	if err := udp.SetReadDeadline(time.Now().Add(50 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	if n, from, err := udp.ReadFrom(make([]byte, 1500)); err == nil {
		t.Errorf("%d bytes from %v", n, from)
	}
	for _, d := range l.dials() {
		if !strings.HasPrefix(d, "93.184.216.34:") {
			t.Errorf("dialled %s", d)
		}
	}
	if after := profiles(t); len(after) > len(before) {
		t.Errorf("profiles left: %v", after)
	}
}

func TestBrowserThatShowsNothingIsClosedInTime(t *testing.T) {
	path := chromium(t)
	l := newLab(t, map[string]http.Handler{"app.test": routes(map[string]http.HandlerFunc{
		"/":     page("text/html", `<!doctype html><title>x</title><div id="app"></div><script>for(;;){}</script>`),
		"/away": page("text/html", `<!doctype html><title>x</title><div id="app"></div><script>location = "http://127.0.0.1:1/"</script>`),
	})})
	r := l.reader()
	r.Chromium, r.Limits.Browser = path, 4*time.Second
	start := time.Now()
	for _, path := range []string{"/", "/away"} {
		p, err := r.Read(context.Background(), "http://app.test"+path)
		if err != nil || p.Rendered || p.Depth != plumb.Snippet || !strings.HasPrefix(p.Note, "page needs JavaScript, and") {
			t.Errorf("%s: %+v, %v", path, p, err)
		}
	}
	if took := time.Since(start); took > 2*time.Minute { // forever, if it were not stopped
		t.Errorf("took %v", took)
	}
}

func TestBrowserThatIsNoneLeavesThePage(t *testing.T) {
	l := newLab(t, map[string]http.Handler{"app.test": page("text/html", `<!doctype html><title>x</title><div id="app"></div><script src="/a.js"></script>`)})
	var told []error
	r := l.reader()
	r.Chromium, r.Trouble = filepath.Join(t.TempDir(), "none"), func(err error) { told = append(told, err) }
	p, err := r.Read(context.Background(), "http://app.test/")
	if err != nil || p.Depth != plumb.Snippet || p.Note != "page needs JavaScript, and the browser could not show it" || len(told) != 1 {
		t.Errorf("%+v, %v, %v", p, err, told)
	}
}

// The filter without a browser: what passes it, and what does not.
func TestFilterHoldsEveryRequestAgainstTheRules(t *testing.T) {
	l := newLab(t, map[string]http.Handler{"ok.test": page("text/html", article(900))})
	l.name("inner.test", "10.0.0.7")
	r := l.reader()
	r.start()
	f, err := startFilter(context.Background(), r.web, r.limits)
	if err != nil {
		t.Fatal(err)
	}
	proxy, err := url.Parse(f.address())
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Transport: &http.Transport{Proxy: http.ProxyURL(proxy), TLSClientConfig: r.Outside.TLS.Clone()}}
	get := func(u string) int {
		res, err := client.Get(u)
		if err != nil {
			return 0
		}
		defer res.Body.Close()
		if _, err := io.Copy(io.Discard, res.Body); err != nil {
			return -1
		}
		return res.StatusCode
	}
	for u, want := range map[string]int{
		"http://ok.test/": 200, "https://ok.test/": 200, "http://127.0.0.1/": 403, "http://inner.test/": 502, "http://nowhere.test/": 502, "http://metadata.google.internal/": 403,
		"https://127.0.0.1/": 0, "https://inner.test/": 0, "https://[::1]/": 0,
	} {
		if got := get(u); got != want {
			t.Errorf("%s: %d", u, got)
		}
	}
	f.left.Store(100)
	if got := get("http://ok.test/"); got == 200 {
		t.Error("a page may load more than its traffic")
	}
	if got := get("http://ok.test/"); got != 403 {
		t.Errorf("%d after the traffic was used up", got)
	}
	if err := f.close(); err != nil {
		t.Error(err)
	}
	for _, d := range l.dials() {
		if !strings.HasPrefix(d, "93.184.216.34:") {
			t.Errorf("dialled %s", d)
		}
	}
}

func TestAllowedHostsAreForTheirOwnPagesOnly(t *testing.T) {
	r := &Reader{Allow: []string{"wiki.corp"}}
	r.start()
	for page, want := range map[string]*network{"http://wiki.corp/a": r.web, "http://example.org/": r.strict, "http://wiki.corp.example.org/": r.strict} {
		u, err := url.Parse(page)
		if err != nil {
			t.Fatal(err)
		}
		n, err := r.reach(u)
		if err != nil || n != want {
			t.Errorf("%s: %v", page, err)
		}
		if _, err := n.admit("http://wiki.corp/"); (err == nil) != (want == r.web) {
			t.Errorf("%s: %v", page, err)
		}
	}
}

// Closing the filter ends tunnels that are open.
func TestFilterEndsItsTunnels(t *testing.T) {
	l := newLab(t, map[string]http.Handler{"ok.test": page("text/html", article(900))})
	r := l.reader()
	r.start()
	f, err := startFilter(context.Background(), r.web, r.limits)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := net.Dial("tcp", strings.TrimPrefix(f.address(), "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "CONNECT ok.test:443 HTTP/1.1\r\nHost: ok.test:443\r\n\r\n")
	answer := bufio.NewReader(conn)
	if line, err := answer.ReadString('\n'); err != nil || !strings.Contains(line, "200") {
		t.Fatalf("%q, %v", line, err)
	}
	if err := f.close(); err != nil {
		t.Error(err)
	}
	if _, err := io.ReadAll(answer); err != nil {
		t.Log(err) // closed or reset: either way it is over
	}
}
