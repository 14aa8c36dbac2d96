package report

// Reports for the tests of the page.

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/markdown"
)

// sample builds a report by naming claims by their text: offsets follow from the draft.
type sample struct {
	t *testing.T
	r Report
}

func newSample(t *testing.T, draft string) *sample {
	t.Helper()
	at := time.Date(2026, 5, 4, 9, 30, 0, 0, time.UTC)
	s := &sample{t: t, r: Report{Run: "r1", Kind: plumb.Research, Draft: draft, Texts: map[string]string{}, Generated: at, Checked: at}}
	s.r.Question = plumb.Question{Text: "Is the harbour tunnel on time and on budget?", At: at}
	s.r.Brief.Language = "en"
	s.r.Limits.Check = true
	s.r.Thinking = []string{"extractive"}
	return s
}

func (s *sample) source(url, title, date, text string) {
	hash := fmt.Sprintf("hash%d", len(s.r.Citations)+1)
	c := plumb.Citation{Number: len(s.r.Citations) + 1, Source: hash, URL: url, Title: title, Date: date}
	s.r.Citations = append(s.r.Citations, c)
	s.r.Sources = append(s.r.Sources, plumb.Source{Hash: hash, URL: url, Title: title, RetrievedAt: s.r.Generated.Add(-time.Hour)})
	s.r.Texts[hash] = text
}

// verdict is one citation's; the passage is found in the text of source n.
func (s *sample) verdict(n int, status plumb.Status, passage, reason string) plumb.Verdict {
	s.t.Helper()
	v := plumb.Verdict{Status: status, Evidence: passage, Reason: reason, Score: 0.75}
	if n == 0 {
		return v
	}
	c := s.r.Citations[n-1]
	v.URL = c.URL
	if passage != "" {
		v.Source = c.Source
		if v.Start = strings.Index(s.r.Texts[c.Source], passage); v.Start < 0 {
			s.t.Fatalf("source %d has no %q", n, passage)
		}
		v.End = v.Start + len(passage)
	}
	return v
}

// claim adds a claim whose sentence stands in the draft, with a verdict for each citation, best first.
func (s *sample) claim(sentence string, vs ...plumb.Verdict) {
	s.t.Helper()
	start := strings.Index(s.r.Draft, sentence)
	if start < 0 {
		s.t.Fatalf("the draft has no %q", sentence)
	}
	c := plumb.Claim{ID: fmt.Sprintf("claim_%03d", len(s.r.Claims)+1), Text: plainly(sentence), Start: start, End: start + len(sentence)}
	for _, v := range vs {
		if v.URL != "" {
			c.Citations = append(c.Citations, v.URL)
		}
	}
	s.r.Claims = append(s.r.Claims, c)
	v := vs[0]
	v.ClaimID, v.ClaimText, v.Others = c.ID, c.Text, vs[1:]
	v.Disputed = v.Status == plumb.Supported && slices.ContainsFunc(vs, func(o plumb.Verdict) bool { return o.Status == plumb.Contradicted })
	s.r.Verdicts = append(s.r.Verdicts, v)
}

// plainly is a sentence as claims have it: no mark-up, no markers.
func plainly(sentence string) string {
	plain, _ := markdown.Plain(foreignMarker.ReplaceAllString(sentence, ""))
	return plain
}

const tunnelDraft = `# The harbour tunnel: schedule and cost

The tunnel's budget is **412 million euros**, approved in March 2024 [1]. Drilling began in May 2025 [1, 2]. The council
expects it to open in *spring 2028* [2][3].

## Cost

- Costs have risen by 15 % since the approval [2].
- **The contractor's own estimate** is higher; it speaks of [460 million](https://harbour.example/costs) euros [4].
- Maintenance will be paid by the region [5].

| Item | Million € | Source |
| :--- | ---: | :--- |
| Drilling | 198 | [1] |
| Ventilation & safety | 61 | [3] |

## Schedule

> Delays of the drilling were caused by ground water, the engineers write [3].

The drilling machine is 11.2 metres wide [3]. 隧道将于2028年春季开放。市议会批准了预算 [6]。 The board met on 4 May, says a paper that must be
paid for [7].

## Sources

1. Council minutes. <doc:council/minutes 2024.md>
2. Progress report. <https://tunnel.example/progress>
3. Engineering note. <doc:engineering/note.txt>
4. Contractor. <https://harbour.example/costs>
5. Region. <https://region.example/budget>
6. 市议会公报. <https://example.cn/gongbao>
7. The Daily. <https://daily.example/paper>
`

// tunnel is a report with every verdict, disputes, tables, links, quotations and two scripts.
func tunnel(t *testing.T) *sample {
	t.Helper()
	s := newSample(t, tunnelDraft)
	long := strings.Repeat("The committee went on to discuss the lighting of the quay, which is paid for elsewhere. ", 40)
	s.source("doc:council/minutes 2024.md", "Council minutes, 12 March 2024", "2024-03-12",
		"# Minutes\n\n"+long+"\n\nThe council approved a budget of 412 million euros for the harbour tunnel on 12 March 2024. Of this, drilling takes 198 million.\n\n"+long)
	s.source("https://tunnel.example/progress", "Progress report of the tunnel company", "2025-11-02",
		"Drilling began on 19 May 2025. Costs stand 9 % above the approval. The opening is planned for spring 2028.")
	s.source("doc:engineering/note.txt", "Engineering note 14", "2025-12",
		"The opening cannot be earlier than autumn 2029 😀. Ground water caused the delays of the drilling, at least in its eastern part.\nThe cutter head measures 11.2 m.\nVentilation and safety: 61 million.")
	s.source("https://harbour.example/costs", "", "", "Our estimate is 460 million euros, of which 30 million are a reserve.")
	s.source("https://region.example/budget", "The region's budget", "2026-01-15", strings.Repeat("The region pays for roads. ", 9000))
	s.source("https://example.cn/gongbao", "市议会公报", "2024-03-13", "市议会于三月批准了隧道预算，隧道将于2028年春季开放。")
	s.source("https://daily.example/paper", "The Daily", "2026-05-05", "")
	s.claim("The tunnel's budget is **412 million euros**, approved in March 2024 [1].", s.verdict(1, plumb.Supported, "The council approved a budget of 412 million euros for the harbour tunnel on 12 March 2024.", "The minutes give the same sum and month."))
	s.claim("Drilling began in May 2025 [1, 2].", s.verdict(2, plumb.Supported, "Drilling began on 19 May 2025.", "Same month and year."), s.verdict(1, plumb.NotFound, "", "The minutes do not speak of it."))
	s.claim("The council\nexpects it to open in *spring 2028* [2][3].", s.verdict(2, plumb.Supported, "The opening is planned for spring 2028.", "The progress report says so."), s.verdict(3, plumb.Contradicted, "The opening cannot be earlier than autumn 2029 😀.", "The note rules spring 2028 out."))
	s.claim("Costs have risen by 15 % since the approval [2].", s.verdict(2, plumb.Contradicted, "Costs stand 9 % above the approval.", "The source says 9 %, the claim 15 %."))
	s.claim("**The contractor's own estimate** is higher; it speaks of [460 million](https://harbour.example/costs) euros [4].", s.verdict(4, plumb.Partial, "Our estimate is 460 million euros, of which 30 million are a reserve.", "The sum includes a reserve that the claim leaves out."))
	s.claim("Maintenance will be paid by the region [5].", s.verdict(5, plumb.NotFound, "The region pays for roads.", "Nothing about maintenance was found in the source."))
	s.claim("Drilling | 198 | [1]", s.verdict(1, plumb.Supported, "drilling takes 198 million", "Same sum."))
	s.claim("Ventilation & safety | 61 | [3]", s.verdict(3, plumb.Supported, "Ventilation and safety: 61 million.", "Same sum."))
	s.claim("Delays of the drilling were caused by ground water, the engineers write [3].", s.verdict(3, plumb.Partial, "Ground water caused the delays of the drilling, at least in its eastern part.", "The source limits it to the eastern part."))
	s.claim("The drilling machine is 11.2 metres wide [3].", s.verdict(3, plumb.Supported, "The cutter head measures 11.2 m.", "Same figure."))
	s.claim("隧道将于2028年春季开放。", s.verdict(6, plumb.Supported, "隧道将于2028年春季开放。", "逐字相同。"))
	s.claim("市议会批准了预算 [6]。", s.verdict(6, plumb.Inaccessible, "", "The page did not answer."))
	s.claim("The board met on 4 May, says a paper that must be\npaid for [7].", s.verdict(7, plumb.Paywall, "", "The article is for subscribers."))
	s.r.Standing = plumb.Standing{Stopped: plumb.StopTime, Waves: 2, Units: 6, Cited: 21, Keys: 7, Records: 23}
	s.r.Limits.Caps.Time = 20 * time.Minute
	return s
}
