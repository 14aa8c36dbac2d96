package report

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"

	"golang.org/x/net/html"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/link"
)

var pagesTo = flag.String("pages", "", "write the sample pages into this folder, to look at them")

// rendered is a page, taken apart.
type rendered struct {
	raw  []byte
	root *html.Node
	data evidence
}

func render(t *testing.T, r Report) rendered {
	t.Helper()
	raw, err := HTML(r)
	if err != nil {
		t.Fatal(err)
	}
	root, err := html.Parse(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	p := rendered{raw: raw, root: root}
	if err := json.Unmarshal([]byte(textIn(p.one(t, "script", "id", "data"))), &p.data); err != nil {
		t.Fatal(err)
	}
	return p
}

// all are the elements with a tag ("" for any) and an attribute.
func (p rendered) all(tag, key, val string) []*html.Node {
	var out []*html.Node
	for n := range p.root.Descendants() {
		if n.Type == html.ElementNode && (tag == "" || n.Data == tag) && (key == "" || attr(n, key) == val) {
			out = append(out, n)
		}
	}
	return out
}

func (p rendered) one(t *testing.T, tag, key, val string) *html.Node {
	t.Helper()
	found := p.all(tag, key, val)
	if len(found) != 1 {
		t.Fatalf("%d elements <%s %s=%q>", len(found), tag, key, val)
	}
	return found[0]
}

func attr(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

func textIn(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return b.String()
}

// passage is what the page's script highlights.
func (p rendered) passage(c check) string {
	if c.End == 0 {
		return ""
	}
	u := utf16.Encode([]rune(p.data.Texts[c.Text].Pieces[c.Piece].Text))
	return string(utf16.Decode(u[c.Start:c.End]))
}

// looked saves a page for looking at when -pages asks for it.
func looked(t *testing.T, name string, p rendered) {
	t.Helper()
	if *pagesTo != "" {
		if err := os.WriteFile(filepath.Join(*pagesTo, name+".html"), p.raw, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func TestEveryClaimHasItsElementAndVerdict(t *testing.T) {
	s := tunnel(t)
	p := render(t, s.r)
	looked(t, "tunnel", p)
	want := []string{"supported", "supported", "disputed", "contradicted", "partial", "not_found", "supported", "supported", "partial", "supported", "supported", "inaccessible", "paywall"}
	for i, c := range s.r.Claims {
		first := p.one(t, "", "id", c.ID)
		if attr(first, "data-verdict") != want[i] || attr(first, "data-claim") != strconv.Itoa(i) {
			t.Errorf("%s: %v", c.ID, first.Attr)
		}
		shown := ""
		for _, part := range p.all("span", "data-claim", strconv.Itoa(i)) {
			shown += textIn(part) + " "
		}
		for _, word := range strings.FieldsFunc(c.Text, func(r rune) bool { return r == ' ' || r == '|' || r == '\n' }) {
			if !strings.Contains(shown, strings.TrimRight(word, ".。")) {
				t.Errorf("%s: %q is not in %q", c.ID, word, shown)
			}
		}
		button := p.one(t, "button", "data-open", strconv.Itoa(i))
		l := lookOf(want[i])
		if !strings.Contains(textIn(button), l.Mark) || !strings.Contains(textIn(button), l.Short) || !strings.Contains(attr(button, "aria-label"), l.Label) {
			t.Errorf("%s: mark %q, label %q", c.ID, textIn(button), attr(button, "aria-label"))
		}
		if !strings.HasPrefix(button.PrevSibling.Data, "\u2060") {
			t.Errorf("%s: nothing keeps the mark on its line", c.ID)
		}
	}
	if got := len(p.all("section", "class", "unplaced")); got != 0 {
		t.Error("a claim found no place")
	}
}

func TestHighlightedTextIsTheStoredPassage(t *testing.T) {
	s := tunnel(t)
	p := render(t, s.r)
	seen := 0
	for i, v := range s.r.Verdicts {
		for k, one := range append([]plumb.Verdict{v}, v.Others...) {
			c := p.data.Claims[i].Checks[k]
			want := ""
			if one.Source != "" {
				want = s.r.Texts[one.Source][one.Start:one.End]
				seen++
			}
			if got := p.passage(c); got != want {
				t.Errorf("%s, citation %d: highlighted %q, stored %q", v.ClaimID, k+1, got, want)
			}
			if c.Look != string(one.Status) || c.Reason != one.Reason || *c.Score != one.Score {
				t.Errorf("%s, citation %d: %+v", v.ClaimID, k+1, c)
			}
			src := p.data.Sources[c.Source]
			if cited := s.r.Citations[src.Number-1]; cited.URL != one.URL || src.Read != "4 May 2026" {
				t.Errorf("%s, citation %d: source %+v", v.ClaimID, k+1, src)
			}
		}
	}
	if seen < 11 {
		t.Errorf("only %d passages", seen)
	}
}

func TestThePolicyNamesTheBlocksOfThePage(t *testing.T) {
	p := render(t, tunnel(t).r)
	policy := attr(p.one(t, "meta", "http-equiv", "Content-Security-Policy"), "content")
	for _, tag := range []string{"style", "script"} {
		blocks := slices.DeleteFunc(p.all(tag, "", ""), func(n *html.Node) bool { return attr(n, "type") == "application/json" })
		if len(blocks) != 1 || len(blocks[0].Attr) > 0 {
			t.Fatalf("%d blocks <%s>", len(blocks), tag)
		}
		sum := sha256.Sum256([]byte(textIn(blocks[0])))
		if want := tag + "-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"; !strings.Contains(policy, want) {
			t.Errorf("no %s in %s", want, policy)
		}
	}
	if !strings.HasPrefix(policy, "default-src 'none';") || strings.Contains(policy, "unsafe") {
		t.Error(policy)
	}
}

func TestThePageNeedsNothingFromOutside(t *testing.T) {
	p := render(t, tunnel(t).r)
	for n := range p.root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		if slices.Contains([]string{"img", "link", "iframe", "object", "embed", "video", "audio", "base", "picture"}, n.Data) {
			t.Errorf("<%s>", n.Data)
		}
		for _, a := range n.Attr {
			if a.Key == "src" || a.Key == "style" || a.Key == "srcset" || strings.HasPrefix(a.Key, "on") {
				t.Errorf("<%s %s>", n.Data, a.Key)
			}
			if a.Key == "href" && !strings.HasPrefix(a.Val, "#") && !strings.HasPrefix(a.Val, "https://") {
				t.Errorf("link to %s", a.Val)
			}
		}
	}
	if bytes.Contains([]byte(pageStyle), []byte("url(")) || strings.Contains(pageStyle, "@import") {
		t.Error("the stylesheet fetches something")
	}
	if strings.Contains(pageScript, "innerHTML") || strings.Contains(pageScript, "insertAdjacentHTML") || strings.Contains(pageScript, "</") {
		t.Error("the script makes HTML of text")
	}
}

func TestTheSameReportGivesTheSameBytes(t *testing.T) {
	first, err := HTML(tunnel(t).r)
	if err != nil {
		t.Fatal(err)
	}
	for range 5 {
		again, err := HTML(tunnel(t).r)
		if err != nil || !bytes.Equal(first, again) {
			t.Fatal("other bytes", err)
		}
	}
}

// Names of elements are unique, and every reference within the page has its target.
func TestReferencesWithinThePageResolve(t *testing.T) {
	p := render(t, tunnel(t).r)
	ids := map[string]int{}
	for n := range p.root.Descendants() {
		if id := attr(n, "id"); id != "" {
			ids[id]++
			if ids[id] > 1 {
				t.Errorf("id %s stands twice", id)
			}
		}
	}
	links := 0
	for n := range p.root.Descendants() {
		for _, key := range []string{"href", "aria-labelledby", "aria-controls"} {
			to := attr(n, key)
			if key == "href" {
				to = strings.TrimPrefix(to, "#")
			}
			if to != "" && (key != "href" || attr(n, key) != to) {
				links++
				if ids[to] != 1 {
					t.Errorf("<%s %s=%q> leads nowhere", n.Data, key, to)
				}
			}
		}
	}
	if links < 40 {
		t.Errorf("only %d references", links)
	}
}

func TestTheHeadOfThePage(t *testing.T) {
	p := render(t, tunnel(t).r)
	if got := textIn(p.one(t, "h1", "", "")); got != "The harbour tunnel: schedule and cost" {
		t.Errorf("title %q", got)
	}
	head := textIn(p.one(t, "header", "", ""))
	for _, want := range []string{"Is the harbour tunnel on time and on budget?", "4 May 2026", "13 claims", "7 sources",
		"Gathering was cut short: the time cap (20m) was reached.", "7 of 13 claims supported by a source that it cites, 1 of them disputed by another."} {
		if !strings.Contains(head, want) {
			t.Errorf("no %q in %q", want, head)
		}
	}
	box := p.one(t, "section", "class", "against")
	items := strings.Split(strings.TrimSpace(textIn(box)), "\n")
	if !strings.Contains(items[len(items)-2], "spring 2028") || !strings.Contains(items[len(items)-2], "rules spring 2028 out") || !strings.Contains(items[len(items)-1], "15 %") {
		t.Errorf("against: %q", items)
	}
	total := 0
	for _, b := range p.all("button", "class", "filter") {
		n, err := strconv.Atoi(textIn(b.LastChild))
		if err != nil {
			t.Fatal(err)
		}
		total += n
		if row := fmt.Sprintf("%s%d", lookOf(attr(b, "data-filter")).Label, n); !strings.Contains(head, row) {
			t.Errorf("the table lacks %q", row)
		}
	}
	if total != 13 {
		t.Errorf("the bar counts %d claims", total)
	}
}

func TestSourcesSayWhatTheyBear(t *testing.T) {
	p := render(t, tunnel(t).r)
	for number, want := range map[int][]string{
		1: {"council/minutes 2024.md", "cited by 3 claims", "2 supported", "1 not found", "as read on 4 May 2026", "dated 2024-03-12", "1✓ 2? 7✓"},
		3: {"cited by 4 claims", "1 contradicted", "1 partly", "2 supported", "3✕ 8✓ 9≈ 10✓"},
		4: {"harbour.example/costs", "1 partly"},
		7: {"1 paywall", spoken(unreadReason(tunnel(t).r, 7))},
	} {
		li := p.one(t, "li", "id", fmt.Sprintf("source-%d", number))
		for _, w := range want {
			if !strings.Contains(textIn(li), w) {
				t.Errorf("source %d: no %q in %q", number, w, textIn(li))
			}
		}
	}
	if a := p.all("a", "href", "https://tunnel.example/progress"); len(a) != 1 || textIn(a[0]) != "Progress report of the tunnel company" {
		t.Error("the web source is not linked")
	}
	if bytes.Contains(p.raw, []byte(`href="doc:`)) {
		t.Error("a document's path is a link")
	}
}

// unreadReason is why the source with a number could not be read.
func unreadReason(r Report, number int) string {
	for _, v := range r.Verdicts {
		for _, one := range append([]plumb.Verdict{v}, v.Others...) {
			if (one.Status == plumb.Paywall || one.Status == plumb.Inaccessible) && link.Same(one.URL, r.Citations[number-1].URL) {
				return one.Reason
			}
		}
	}
	return "no source like that"
}

func TestThePageOfAnAuditNamesTheReport(t *testing.T) {
	r := foreignReport(t)
	r.Question.Text = "Audit of ferries.md"
	r.Citations = append(r.Citations, plumb.Citation{Number: 4, Title: "A letter"})
	p := render(t, r)
	head := textIn(p.one(t, "header", "", ""))
	if !strings.Contains(head, "Audit of ferries.md") || strings.Contains(head, "Question") {
		t.Errorf("head: %q", head)
	}
	if md := mustCompile(t, r); !strings.Contains(md, "4. A letter. (no address) (cited by 0 claims, supports 0)") {
		t.Error(md)
	}
}
