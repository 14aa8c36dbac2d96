package verify

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWhatAMentionCovers(t *testing.T) {
	const list = "\n\n## Sources\n\n[1] https://one.example\n[2] https://two.example\n"
	const one, two, none = " <https://one.example/>", " <https://two.example/>", " <>"
	for in, want := range map[string][]string{
		// Behind the full stop it stands for the paragraph, up to the one before it.
		"The port is old. The quay is new. Ships come in daily. All is very busy. [1]":     {"The port is old." + one, "The quay is new." + one, "Ships come in daily." + one, "All is very busy." + one},
		"The port is old. [2] The quay is new. Ships come in daily. All is very busy. [1]": {"The port is old." + two, "The quay is new." + one, "Ships come in daily." + one, "All is very busy." + one},
		"港口非常古老。码头是新的建筑。船只每天都会到来。这里一直非常繁忙。[1]":                                             {"港口非常古老。" + one, "码头是新的建筑。" + one, "船只每天都会到来。" + one, "这里一直非常繁忙。" + one},
		// Parts of one sentence share its mentions.
		"The port is old; the quay is new [1]. Ships come in daily. All is very busy. It is loud here.": {"The port is old;" + one, "the quay is new." + one, "Ships come in daily." + none, "All is very busy." + none, "It is loud here." + none},
		// A lead-in covers its list, but not what cites for itself.
		"The port has three parts: [1]\n\n- the old quay of 1860\n- a yard for repairs [2]\n- the new quay of 1990\n":                        {"The port has three parts:" + one, "the old quay of 1860" + one, "a yard for repairs" + two, "the new quay of 1990" + none},
		"The port has these parts: [1]\n\n| Part | Year |\n| --- | --- |\n| old quay | 1860 |\n| new quay | 1990 |\n\nThe rest is sand now.": {"The port has these parts:" + one, "old quay; Year: 1860" + one, "new quay; Year: 1990" + one, "The rest is sand now." + none},
		// A line that names the source covers what is above it.
		"The port is very old.\n\nSource: https://two.example":                                                                {"The port is very old." + two},
		"| Part | Year |\n| --- | --- |\n| old quay | 1860 |\n| new quay | 1990 |\n\n*Source: [Survey](https://two.example)*": {"old quay; Year: 1860" + two, "new quay; Year: 1990" + two},
		"The port is very old. It is a busy place.\n\n[1][2]":                                                                 {"The port is very old. <https://one.example/ https://two.example/>", "It is a busy place. <https://one.example/ https://two.example/>"},
		"The port is very old [1].\n\nSource: https://two.example":                                                            {"The port is very old." + one},
		"The port is very old.\n\n## Next\n\nSource: https://two.example":                                                     {"The port is very old." + none},
	} {
		if d := cmp.Diff(want, texts(Split(in+list))); d != "" {
			t.Errorf("%q (-want +got):\n%s", in, d)
		}
	}
}

func TestMentionHasItsSpan(t *testing.T) {
	draft := "One is old here. Two is new here. [1] Three is loud here [2].\n\n## Sources\n\n[1] https://one.example\n[2] https://two.example\n"
	var got []string
	for _, m := range Mentions(draft) {
		got = append(got, draft[m.CoverStart:m.CoverEnd])
	}
	if d := cmp.Diff([]string{"One is old here. Two is new here. [1]", "Three is loud here [2]."}, got); d != "" {
		t.Error(d)
	}
}
