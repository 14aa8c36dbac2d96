package verify

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/plumbresearch/plumb"
)

const draft = `---
title: x
---
# Harbour report

Generated: 2024-05-01

*The documents do not answer the second part of the question.*

## Findings

Freight rose 12% in 2023 [1]. The port opened in 1962. [2] It handles [grain](https://a.example/grain) and ore.

- **Depth**: the basin is 14 metres deep ([Survey](https://s.example/x)).
- It was dredged twice. The work cost $4 million (https://d.example/cost).
- [Back to top](#top)

Did it pay off?

The main findings are:

| Year | Tonnes | Source |
| --- | --- | --- |
| 2021 | 10 million tonnes | [1] |
| 2022 | 11 million tonnes | [7] |

> Quoted words of the harbour master
> run over two lines [^n].

    code [1] is no claim at all here

## Sources

[1] Port authority, Annual report: https://port.example/annual?utm_source=x
[2] History: doc:notes/history of port.md

[^n]: Interview, https://i.example/talk
`

func texts(cs []plumb.Claim) []string {
	out := []string{}
	for _, c := range cs {
		out = append(out, c.Text+" <"+strings.Join(c.Citations, " ")+">")
	}
	return out
}

func TestSplit(t *testing.T) {
	want := []string{
		"Freight rose 12% in 2023. <https://port.example/annual>",
		"The port opened in 1962. <doc:notes/history of port.md>",
		"It handles grain and ore. <https://a.example/grain>",
		"Depth: the basin is 14 metres deep. <https://s.example/x>",
		"It was dredged twice. <https://d.example/cost>",
		"The work cost $4 million. <https://d.example/cost>",
		"2021; Tonnes: 10 million tonnes <https://port.example/annual>",
		"2022; Tonnes: 11 million tonnes <>",
		"Quoted words of the harbour master run over two lines. <https://i.example/talk>",
	}
	got := Split(draft)
	if d := cmp.Diff(want, texts(got)); d != "" {
		t.Error(d)
	}
	for i, want := range []string{"Freight rose 12% in 2023 [1].", "The port opened in 1962. [2]"} {
		if c := got[i]; draft[c.Start:c.End] != want || c.Section != "Findings" {
			t.Errorf("%q in %s, want %q", draft[c.Start:c.End], c.Section, want)
		}
	}
	if got[8].ID != "claim_009" {
		t.Errorf("id %s", got[8].ID)
	}
}

func TestClaimEndTakesABadge(t *testing.T) {
	for in, want := range map[string]string{
		"Freight rose to 12 tons in 2023 [1].":                                        "Freight rose to 12 tons in 2023 [1].#",
		"Freight rose to 12 tons in 2023. [1]":                                        "Freight rose to 12 tons in 2023. [1]#",
		"Freight rose to 12 tons in 2023 [1][2]":                                      "Freight rose to 12 tons in 2023 [1][2]#",
		"Freight rose to 12 tons.[1] It then fell to 9 tons.[2]":                      "Freight rose to 12 tons.[1]# It then fell to 9 tons.[2]#",
		"Freight rose to 12 tons. [1, 2] It then fell to 9 tons.":                     "Freight rose to 12 tons. [1, 2]# It then fell to 9 tons.#",
		"Freight rose, as Smith et al. [12] found.":                                   "Freight rose, as Smith et al. [12] found.#",
		"The port grew in the U.S. [1] Rotterdam shrank by 5%. [2]":                   "The port grew in the U.S. [1]# Rotterdam shrank by 5%. [2]#",
		"**The port grew last year. [1] It will shrink soon. [2]**":                   "**The port grew last year. [1]# It will shrink soon. [2]**#",
		"**Freight rose to 12 tons.** It then fell to 9 tons.":                        "**Freight rose to 12 tons.**# It then fell to 9 tons.#",
		"Freight rose, says the [port](https://p.example/x)":                          "Freight rose, says the [port](https://p.example/x)#",
		"Freight rose to 12 tons ([port](https://p.example/x), [city](doc:c.md)). Ok": "Freight rose to 12 tons ([port](https://p.example/x), [city](doc:c.md)).# Ok",
		"货运量在2023年上升了百分之十二。[1]随后又下降了。":                                                "货运量在2023年上升了百分之十二。[1]#随后又下降了。#",
		"- Freight rose to 12 tons [1]\n- It then fell to 9 tons [2]\n":               "- Freight rose to 12 tons [1]#\n- It then fell to 9 tons [2]#\n",
	} {
		out := in
		for _, c := range slices.Backward(Split(in)) {
			out = out[:c.End] + "#" + out[c.End:]
		}
		if out != want {
			t.Errorf("%q, want %q", out, want)
		}
	}
}

func TestLeftOut(t *testing.T) {
	for _, in := range []string{
		"# A heading that says that prices rose", "Did prices rise in 2023?", "Very short one.", "短句。", "Sources disagree:",
		"The report covers the following points:", "*The documents do not answer this question.*", "_No source says anything about it._",
		"**Market overview of the harbour**", "[Annual report of the port](https://p.example)", "https://p.example/annual-report", "Generated: 2024-05-01 by the tool",
		"## Methodology\n\nThis report was written by a program.", "## 7. References\n\nMiller wrote about the port in 1990.",
		"## Table of Contents\n\n- Prices and freight of the port", "```\nprices rose in all ports\n```", "Let me search for more data about this.", "现在我需要获取这些公司的更多详细信息。",
		"| Year | Freight |\n| --- | --- |\n| | |\n",
		"This research report examines the latest ideas for ports.", "本报告将深入探讨港口的发展，并介绍多种策略。", "（以下团队为缩略，完整清单见技术附表）", "- 图片时间表", "- 运用同伴支持模式",
		"为了给您提供关于港口的报告，我需要先收集最新的信息。", "Prices rose.\n\n参考：\n1、标题一，https://a.example/one。\n",
	} {
		if got := Split(in); len(got) != 0 {
			t.Errorf("%q: %v", in, texts(got))
		}
	}
}

func TestWhatAClaimCites(t *testing.T) {
	const list = "\n\n## Sources\n\n[1] https://one.example\n[2] https://two.example\n"
	const one, two = " <https://one.example/>", " <https://two.example/>"
	for in, want := range map[string][]string{
		"The port is old. The quay is new. Both are busy now [1].":                          {"The port is old." + one, "The quay is new." + one, "Both are busy now." + one},
		"The port is old [2]. The quay is new. Both look busy now [1].":                     {"The port is old." + two, "The quay is new." + one, "Both look busy now." + one},
		"The port is old [1]. The quay is new here.":                                        {"The port is old." + one, "The quay is new here. <>"},
		"The port is old. The quay is new. Ships come very often. All is very busy [1].":    {"The port is old. <>", "The quay is new. <>", "Ships come very often. <>", "All is very busy." + one},
		"- The port is old. The quay is new. Ships come in daily. All is very busy [1][9].": {"The port is old." + one, "The quay is new." + one, "Ships come in daily." + one, "All is very busy." + one},
		"The port is old [7].":                     {"The port is old. <>"},
		"The port is [UNCERTAIN] very old [1, 2].": {"The port is very old. <https://one.example/ https://two.example/>"},
	} {
		if d := cmp.Diff(want, texts(Split(in+list))); d != "" {
			t.Errorf("%q: %s", in, d)
		}
	}
	if c := Split("The port is [UNCERTAIN] very old.")[0]; c.Confidence != plumb.Uncertain {
		t.Errorf("%+v", c)
	}
}

// valid reads a draft and checks that what comes out lies in it, in order.
func valid(t *testing.T, s string) ([]plumb.Claim, []plumb.Mention) {
	t.Helper()
	last := 0
	claims, mentions := Split(s), Mentions(s)
	for _, c := range claims {
		if c.Start < last || c.End <= c.Start || c.End > len(s) || strings.TrimSpace(c.Text) == "" {
			t.Fatalf("claim %+v after %d in %q", c, last, s)
		}
		if utf8.ValidString(s) && !utf8.ValidString(s[c.Start:c.End]) {
			t.Fatalf("claim %+v cuts a character", c)
		}
		last = c.End
	}
	last = 0
	for _, m := range mentions {
		if m.Start < last || m.End <= m.Start || m.End > len(s) || m.Line < 1 || !strings.Contains(m.Context, s[m.Start:m.End]) {
			t.Fatalf("mention %+v after %d in %q", m, last, s)
		}
		last = m.Start
	}
	return claims, mentions
}

func FuzzDraft(f *testing.F) {
	for _, s := range []string{
		draft, "", "[1]", "[[1]](https://a.example) x", "> a [1]\n> b [2].", "a | b\n--- | ---\n1 [1] | 2 https://x.example", "*a*", "**", "__", "[a](doc:b c.md) d e f g.",
		"上升了【1】。\n\n参考文献\n[1] https://a.example/中文", "a [UNCERTAIN] b c d e", "- a\n  - b [^1]\n\n[^1]: c", "( [x](https://y.example) , [z](https://w.example) )", "\xff\xfe [1] a b c d",
		"Source: https://a.example. Next sentence is here [x][y].\n\n[y]: https://b.example",
		"It rose¹ (Lee, 2020; Roe et al. 2021) [S1, S2].\n\nSources: [1] https://a.example [2] https://b.example\n\n## References\n\n[S1] Lee 2020 https://c.example\n[S2] x",
		"a: [1]\n\n- b; c d e f; 港口非常古老；码头\n\nSource: <a href='https://a.example'>1</a>", "It rose.1 \ue200cite\ue202x\ue201 [[48,4,7]] [1]-[9]\n\n1. https://a.example\n2. https://b.example",
		"Taiwan is big. It is 其 old. 它是。该公司。\n\n## A\n\n- Supports it\n  - Has x",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if len(s) > 1<<14 {
			return
		}
		valid(t, s)
	})
}
