package report

// The published report as a page, final.html: one file that needs no network and no server. Everything that came from
// documents is escaped, and its policy lets nothing run but our own script.

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // the page's parts
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"slices"
	"strings"
	"time"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/markdown"
)

var (
	//go:embed assets/report.css
	pageStyle string
	//go:embed assets/report.js
	pageScript string
	//go:embed assets/report.tmpl
	pageSource   string
	pageTemplate = template.Must(template.New("report").Parse(pageSource))
)

// pageView is what the template shows. Of its fields only the typed ones are written as they are.
type pageView struct {
	Policy    string
	Style     template.CSS
	Script    template.JS
	Data      template.JS
	Lang, Dir string

	Title, Question string
	Generated       time.Time
	Kind            string
	Facts           []string
	Notices         []string
	Checked         bool
	Headline        string
	Bar             []segment
	Against         []claimView
	Article         template.HTML
	Unplaced        []template.HTML // claims of which the text shows nothing
	Sources         []sourceView
	Method          template.HTML
}

// HTML makes final.html. The same report gives the same bytes. It refuses what Compile refuses.
func HTML(r Report) ([]byte, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	p, err := newPage(r)
	if err != nil {
		return nil, fmt.Errorf("report %s: page: %w", r.Run, err)
	}
	var out bytes.Buffer
	if err := pageTemplate.Execute(&out, p); err != nil {
		return nil, fmt.Errorf("report %s: page: %w", r.Run, err)
	}
	return out.Bytes(), nil
}

func newPage(r Report) (pageView, error) {
	c := newCompiler(r)
	shown := shownClaims(r, len(c.gone) > 0)
	p := pageView{Policy: policy(), Style: template.CSS(pageStyle), Script: template.JS(pageScript), Lang: language(r), Dir: "ltr",
		Title: c.title(), Question: markdown.OneLine(r.Question.Text), Generated: r.Generated.UTC(), Kind: "Research report",
		Checked: r.checked(), Headline: headline(r, shown), Bar: verdictBar(shown), Facts: facts(r, shown), Notices: notices(c)}
	if r.Kind == plumb.Audit {
		p.Kind = "Audit of a report"
		if p.Question != "" {
			p.Kind, p.Question = p.Question, ""
		}
	}
	if slices.Contains([]string{"ar", "fa", "he", "ur"}, p.Lang) {
		p.Dir = "rtl"
	}
	ev := newEvidence(r, shown)
	data, err := json.Marshal(ev) // escapes <, >, &, U+2028 and U+2029
	if err != nil {
		return pageView{}, fmt.Errorf("evidence: %w", err)
	}
	p.Data = template.JS(data)
	article, unplaced, err := c.article(shown)
	if err != nil {
		return pageView{}, err
	}
	p.Article = template.HTML(article)
	for _, u := range unplaced {
		p.Unplaced = append(p.Unplaced, template.HTML(u))
	}
	p.Against = against(shown)
	p.Sources = sourceViews(r, shown)
	method, err := markdown.HTML(strings.Join(c.methodology(), "\n\n"), markdown.IDPrefix("method-"))
	p.Method = template.HTML(method)
	return p, err
}

// policy lets the page's own style and script be used and nothing else: no request leaves it.
func policy() string {
	return fmt.Sprintf("default-src 'none'; style-src '%s'; script-src '%s'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'",
		integrity(pageStyle), integrity(pageScript))
}

func integrity(s string) string {
	sum := sha256.Sum256([]byte(s))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// language is that of the report's text, "en" when unknown.
func language(r Report) string {
	for _, l := range []string{r.Brief.Language, r.Question.Language} {
		if l != "" && len(l) <= 12 && strings.Trim(strings.ToLower(l), "abcdefghijklmnopqrstuvwxyz-") == "" {
			return l
		}
	}
	return "en"
}

// facts are the numbers beside the title.
func facts(r Report, shown []claimView) []string {
	out := []string{count(len(shown), "claim"), count(len(r.Citations), "source")}
	if r.Spent.USD > 0 {
		out = append(out, cost(r))
	}
	return out
}

// notices are what a reader must know before she reads.
func notices(c *compiler) []string {
	r := c.r
	var out []string
	if !r.checked() {
		out = append(out, "The claims of this report were not checked: checking was turned off.")
	}
	if s := stopped(r); s != "" {
		text, _ := markdown.Plain(s)
		out = append(out, text)
	}
	if n := r.Standing.CheckFails; n > 0 {
		out = append(out, fmt.Sprintf("Batches of claims that could not be checked: %d. Their claims are marked as not accessible.", n))
	}
	if n := len(fellBack(r)); n > 0 {
		out = append(out, fmt.Sprintf("In %s a language model failed and sentences were quoted instead; the methodology names them.", count(n, "step")))
	}
	if n := len(c.gone); n > 0 {
		out = append(out, fmt.Sprintf("This report is strict: %s that no source was found to support were dropped from it.", count(n, "claim")))
	}
	if len(r.Citations) == 0 {
		out = append(out, "This report cites nothing.")
	}
	return out
}
