package verify

import (
	"strings"
	"testing"

	"github.com/plumbresearch/plumb"
)

func TestQuotations(t *testing.T) {
	s := `The mayor of Ostmark, Jana Vogel, spoke on Monday. “We will not close the eﬃcient old har-
bour before the summer ends,” she told the council. The council of 24 members agreed.`
	for _, c := range []struct {
		claim  string
		want   plumb.Status
		reason string
	}{
		{`Vogel said: "We will not close the efficient old harbour before the summer ends."`, plumb.Supported, "quotation is in the source"},
		{`“We will not close the efficient old harbour before the summer ends,” said Vogel.`, plumb.Supported, "quotation is in the source"},
		{`«We will not close the efficient old harbour before the summer ends», said Vogel.`, plumb.Supported, "quotation is in the source"},
		{`In 2019 Vogel said "We will not close the efficient old harbour before the summer ends".`, plumb.Partial, "but not 2019"},
		{`Physicists measuring neutrino oscillations in Antarctica wrote "We will not close the efficient old harbour before the summer ends".`, plumb.Partial, "words around it"},
		{`The mayor of Ostmark, Jana Vogel, told the council "We shall close that inefficient old harbour before summer".`, plumb.Partial, "quotation is not in the source"},
		{`Plan: We will not close the efficient old harbour before the summer ends.`, plumb.Supported, "quotation is in the source"},
		{`The "council" of 24 members agreed.`, plumb.Supported, "in these words"},
	} {
		v := check(t, c.claim, s)
		if v.Status != c.want || !strings.Contains(v.Reason, c.reason) {
			t.Errorf("%s: %s, %s", c.claim, v.Status, v.Reason)
		}
		if strings.Contains(c.claim, "efficient old harbour before") && !strings.Contains(v.Evidence, "har-\nbour") {
			t.Errorf("%s: evidence %q is not as the source has it", c.claim, v.Evidence)
		}
	}
}

func TestOneInventedQuotationOfTwo(t *testing.T) {
	s := "She said that the bridge would be closed for repairs in spring. He said that nobody had asked the people of the town."
	real := `"the bridge would be closed for repairs in spring"`
	made := `"the bridge has never been in a better state"`
	for _, claim := range []string{"She said " + real + " and " + made + ".", "She said " + made + " and " + real + "."} {
		if v := check(t, claim, s); v.Status == plumb.Supported {
			t.Errorf("%s: %s", claim, v.Reason)
		}
	}
}

func TestChineseQuotation(t *testing.T) {
	s := "市长表示，旧港口在夏天结束之前不会关闭。议会有二十四名成员。"
	if v := check(t, "市长说「旧港口在夏天结束之前不会关闭」。", s); v.Status != plumb.Supported {
		t.Errorf("%s %s", v.Status, v.Reason)
	}
	if v := check(t, "旧港口在夏天结束之前不会关闭。", s); v.Status != plumb.Supported || v.Score != 1 {
		t.Errorf("%s %s", v.Status, v.Reason)
	}
	if v := check(t, "企鹅在智利南部海岸繁殖。", s); v.Status != plumb.NotFound {
		t.Errorf("%s %s", v.Status, v.Reason)
	}
}
