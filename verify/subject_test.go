package verify

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestClaimsStandAlone(t *testing.T) {
	for _, c := range []struct{ draft, want string }{
		{"Taiwan made a name for itself in electronics. Today, it is a leader in chips.", "Today, Taiwan is a leader in chips."},
		{"The Harbour Board was founded in 1862. Its members meet every week.", "The Harbour Board’s members meet every week."},
		{"Ports and Quays are busy this year. They handle more grain.", "Ports and Quays handle more grain."},
		{"Kombucha is a fermented drink. It is made of tea. It contains some sugar.", "Kombucha contains some sugar."},
		{"结构化教学（TEACCH）是广泛应用的体系。该方法可应用于家庭干预。", "结构化教学（TEACCH）可应用于家庭干预。"},
		{"受电弓碳滑板是重要的受流部件。其主要功能是获取电能。", "受电弓碳滑板的主要功能是获取电能。"},
		{"## Karpenter\n\n- Supports several cloud providers\n", "Karpenter: Supports several cloud providers"},
		{"# Report\n\n## 2. Karpenter (beta)\n\n### Strengths\n\n- Supports several cloud providers\n", "Karpenter: Supports several cloud providers"},
		{"# 报告\n\n## Figure AI\n\n- 成立/总部：2022/硅谷Sunnyvale\n", "Figure AI: 成立/总部：2022/硅谷Sunnyvale"},
		{"# R\n\n## Tools\n\n- Karpenter\n  - Supports several cloud providers\n", "Karpenter: Supports several cloud providers"},

		// What may mean another thing, or nothing, stays.
		{"The United Nations created the Commission. It includes many members.", "It includes many members."},
		{"The Commission met in May. It is clear that prices rose.", "It is clear that prices rose."},
		{"Ports and Quays are busy this year. It is a good year.", "It is a good year."},
		{"Prices rose in all the ports. It was a good year.", "It was a good year."},
		{"Karl is the chair of it all. They handle more grain.", "They handle more grain."},
		{"该公司成立于2012年，总部在深圳。其中大部分员工是工程师。", "其中大部分员工是工程师。"},
		{"# R\n\n## Overview\n\n- Supports several cloud providers\n", "Supports several cloud providers"},
		{"# R\n\n## What does it do?\n\n- Supports several cloud providers\n", "Supports several cloud providers"},
		{"## Karpenter\n\n- Node groups are not needed any more\n", "Node groups are not needed any more"},
	} {
		claims := Split(c.draft)
		if len(claims) == 0 {
			t.Errorf("%q: no claims", c.draft)
			continue
		}
		last := claims[len(claims)-1]
		if last.Text != c.want {
			t.Errorf("%q: %q, want %q", c.draft, last.Text, c.want)
		}
		valid(t, c.draft)
	}
}

// TestClaimKeepsItsSpan: the text may change, the place it was said at does not.
func TestClaimKeepsItsSpan(t *testing.T) {
	draft := "Taiwan made a name for itself in electronics. Today, it is a leader in chips. [1]"
	claims := Split(draft)
	if got := draft[claims[1].Start:claims[1].End]; got != "Today, it is a leader in chips. [1]" {
		t.Errorf("%q", got)
	}
}

func TestClauses(t *testing.T) {
	for in, want := range map[string][]string{
		"The port is old; the quay is new.":                       {"The port is old;", "the quay is new."},
		"In 1950 it was 27%; in 1980 it was 29%; then it fell.":   {"In 1950 it was 27%;", "in 1980 it was 29%;", "then it fell."},
		"港口非常古老；码头是新的建筑。":                                         {"港口非常古老；", "码头是新的建筑。"},
		"It has parts (a quay; a yard; a crane) and a long wall.": {"It has parts (a quay; a yard; a crane) and a long wall."},
		"It sells grain; ore; and coal.":                          {"It sells grain; ore; and coal."},
		"Short; the rest of it is a longer statement.":            {"Short; the rest of it is a longer statement."},
		"No semicolon at all in here.":                            {"No semicolon at all in here."},
	} {
		var got []string
		for _, c := range clauses(in) {
			got = append(got, in[c[0]:c[1]])
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%q (-want +got):\n%s", in, d)
		}
	}
}
