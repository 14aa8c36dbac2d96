package verify

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestFormsOfReports has one report for each way of citing that systems and
// people use; each resolves to the same addresses.
func TestFormsOfReports(t *testing.T) {
	const a, b = "https://a.example/one", "https://b.example/two"
	both := []string{"1 " + a, "2 " + b}
	text := "It rose [1]. It fell [2].\n\n"
	for _, c := range []struct {
		name, draft string
		want        []string
	}{
		{"address on the next line", text + "Sources:\n1. One\n   " + a + "\n2. Two\n   " + b + "\n", both},
		{"bold heading, bullets", text + "**References**\n\n- [1] Smith, J. (2023). One. " + a + ".\n- [2] Two, " + b + "\n", both},
		{"German, with a remark", text + "## Quellen\n\n[1] Eins, " + a + ", abgerufen am 1. Mai 2024\n[2] Zwei, " + b + " (Stand: 2024)\n", both},
		{"Chinese, full-width signs", "上升【1】，下降[2]。\n\n参考：\n1、标题一，" + a + "。\n2、标题二（" + b + "）。\n", both},
		{"Chinese standard references", "上升[1]，下降[2]。\n\n参考文献\n[1]张三.标题[J].期刊,2023." + a + "\n[2]李四.标题[EB/OL].(2023-01-02)[2024-05-06]." + b + ".\n", both},
		{"chat markers", "It rose【1†source】 and fell【2†L1-L5】.\n\n【1】" + a + "\n【2】" + b + "\n", both},
		{"superscript signs", "It was rising¹ and falling² by 4 m².\n\n## Notes\n\n¹ " + a + "\n² " + b + "\n", both},
		{"superscript tags", "It rose.<sup>1,2</sup>\n\n## Sources\n\n1. " + a + "\n2. " + b + "\n", both},
		{"words before the number", "It rose [Source 1] [来源2].\n\n### Sources\n\nSource 1: One " + a + "\nSource 2: Two " + b + "\n", both},
		{"round brackets", "It rose (1). It fell (2).\n\nSources:\n(1) " + a + "\n(2) " + b + "\n", both},
		{"names", "It rose [S1] and fell [S1, S2].\n\nSources:\n[S1] " + a + "\n[S2] " + b + "\n", []string{"1 " + a, "1 " + a, "2 " + b}},
		{"table", "It rose ([1]; [2]).\n\nSources\n\n| # | Title | URL |\n|---|---|---|\n| 1 | One | " + a + " |\n| 2 | Two | [link](" + b + ") |\n", both},
		{"list on one line", text + "**Sources:** [1] One – " + a + "; [2] Two – " + b + "\n", both},
		{"folded away", text + "<details><summary>Sources</summary>\n\n1. " + a + "\n2. " + b + "\n\n</details>\n", both},
		{"numbered list without a heading", text + "---\n1. [One](" + a + ")\n2. [Two](" + b + ")\n", both},
		{"numbers glued to the full stop", "It rose.1 It fell three times.2\n\n#### **Works cited**\n\n1. One, accessed May 1, 2025, " + a + "\n2. Two, " + b + "\n", both},
		{"links to the list", "It rose [[1]](#r1) and fell [2](#sources).\n\n## Sources\n\n1. <a id=\"r1\"></a> One " + a + "\n2. Two " + b + "\n", both},
		{"from marker to marker", "It rose [1]–[3].\n\n## Sources\n\n1. " + a + "\n2. " + b + "\n3. https://c.example/three\n", []string{"1 " + a, "2 " + b, "3 https://c.example/three"}},
		{"a list under each chapter", "# A\n\nIt rose here [1].\n\nSources:\n[1] " + a + "\n\n# B\n\nIt fell there [1].\n\nSources:\n[1] " + b + "\n", []string{"1 " + a, "1 " + b}},
		{"a chapter that names its sources by number", "## One\n\n### Sources\n\n- Letters of the port [1].\n\n## Sources\n\n[1] " + a + "\n", []string{"1 " + a}},
		{"anchors in HTML", `It rose.<a href="` + a + `">1</a> <a class="x" href='` + b + `'>[2]</a>`, both},
		{"numbered links of a chat", "It rose [oai_citation:1‡a.example](" + a + ") and [oai_citation:2‡b.example](" + b + ").", both},
		{"footnote on two lines", "It rose[^n].\n\n[^n]: See\n    " + a + "\n", []string{"0 " + a}},
		{"wide range", "All of it [1-60].\n\n## Sources\n\n" + numberedList(60), wideRange(60)},

		{"range wider than the list", "Bits [1-60] of it.\n\n## Sources\n\n[1] " + a + "\n", nil},
		{"parameters of a code", "The [[48,4,7]] code is good.\n\n## Sources\n\n[1] " + a + "\n", nil},
		{"raw markers of a chat", "It rose citeturn0search1turn0news2 and fell\ue200cite\ue202turn1view0\ue201 :contentReference[oaicite:3]{index=3}.", []string{"0 ", "0 ", "0 "}},
		{"powers", "A field of 10⁷ m² and 4 km² [1].\n\n## Sources\n\n[1] " + a + "\n[2] " + b + "\n[7] " + b + "\n", []string{"1 " + a}},
		{"enumeration in round brackets", "It has (1) a quay and (2) a crane.\n\nSources:\n(1) " + a + "\n(2) " + b + "\n", nil},
	} {
		var got []string
		for _, m := range Mentions(c.draft) {
			got = append(got, fmt.Sprintf("%d %s", m.Number, m.URL))
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, d)
		}
		for _, claim := range Split(c.draft) {
			if strings.Contains(claim.Text, "https://") || strings.Contains(claim.Text, "Sources") {
				t.Errorf("%s: the list is a claim: %q", c.name, claim.Text)
			}
		}
		valid(t, c.draft)
	}
}

func numberedList(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "[%d] https://s.example/%d\n", i+1, i+1)
	}
	return b.String()
}

func wideRange(n int) []string {
	var out []string
	for i := range n {
		out = append(out, fmt.Sprintf("%d https://s.example/%d", i+1, i+1))
	}
	return out
}

func TestAuthorsAndYears(t *testing.T) {
	const list = "\n\n## References\n\n" +
		"- Doe, A., & Roe, B. (2021a). Falling. https://b.example/a\n" +
		"- Doe, A., & Roe, B. (2021b). Falling again. https://b.example/b\n" +
		"- Lee, C., Kim, D., & Park, E. (2020). Third. https://c.example/three\n" +
		"- World Bank. (2023). Ports. https://w.example/ports\n" +
		"- Lindqvist, K. (2019). Quays. A book.\n" +
		"- 张三, 李四. 港口. 2022. https://z.example/gang\n"
	for in, want := range map[string][]string{
		"It rose (Lee et al., 2020).":                       {"(Lee et al., 2020) https://c.example/three"},
		"It rose (see Doe & Roe 2021b, p. 4; Lee, 2020).":   {"(see Doe & Roe 2021b, p. 4; Lee, 2020) https://b.example/b", "(see Doe & Roe 2021b, p. 4; Lee, 2020) https://c.example/three"},
		"Doe and Roe (2021) say that it rose.":              {"(2021) https://b.example/a"},
		"It rose [World Bank, 2023].":                       {"[World Bank, 2023] https://w.example/ports"},
		"It rose (Lindqvist, 2019).":                        {"(Lindqvist, 2019) "},
		"It rose (Nowhere et al., 2018).":                   {"(Nowhere et al., 2018) "},
		"上升（张三等，2022）。":                                     {"（张三等，2022） https://z.example/gang"},
		"张三等（2022）认为港口正在上升。":                                {"（2022） https://z.example/gang"},
		"It opened (Lin, 2019) and closed (in May 2023).":   nil, // Lin is not Lindqvist
		"The law (Harbour Act, 1847) stands (Apple, 2024).": nil,
	} {
		var got []string
		draft := in + list
		for _, m := range Mentions(draft) {
			got = append(got, draft[m.Start:m.End]+" "+m.URL)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", in, d)
		}
	}
	// Where numbers cite, names in brackets are words.
	if ms := Mentions("It rose (Lee, 2020) by far [1].\n\n## Sources\n\n[1] Lee (2020). Third. https://c.example/three\n"); len(ms) != 1 || ms[0].Number != 1 {
		t.Errorf("%+v", ms)
	}
}

func TestSameBytesInParallel(t *testing.T) {
	drafts := []string{draft, "It rose (Lee, 2020).\n\n## References\n\nLee, C. (2020). A. https://c.example/three\n\nRoe, D. (2021). B. https://d.example/four\n", "上升【1】。\n\n参考：\n1、一，https://a.example/one。\n"}
	write := func(d string) []byte {
		at := time.Unix(0, 0)
		x, err := Marshal(NewCitationsFile("", Mentions(d), nil, at))
		if err != nil {
			t.Error(err)
		}
		y, err := Marshal(NewClaimsFile(Split(d), at))
		if err != nil {
			t.Error(err)
		}
		return append(x, y...)
	}
	var group sync.WaitGroup
	for _, d := range drafts {
		want := write(d)
		for range 8 {
			group.Go(func() {
				if !bytes.Equal(want, write(d)) {
					t.Error("other bytes in parallel")
				}
			})
		}
	}
	group.Wait()
}
