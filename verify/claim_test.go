package verify

import (
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
	for _, c := range got {
		t.Logf("%s %q", c.ID, draft[c.Start:c.End])
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

func TestOffsets(t *testing.T) { valid(t, draft) }
