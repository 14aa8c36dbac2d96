package verify

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/text"
)

func TestDump(t *testing.T) {
	f, _ := os.Create("/tmp/verify_feats.tsv")
	defer f.Close()
	for _, set := range []string{"wice-dev", "attributionbench-dev", "scifact-train", "fm2-dev"} {
		for _, row := range rows[labelled](t, "claims/"+set+".jsonl.gz") {
			p := newPage(plumb.Source{}, strings.Join(row.Evidence, "\n"))
			q := p.query(row.Claim)
			ms := p.masks(q)
			var r1, r2, r3, pg float64
			var all uint64
			for i, m := range ms {
				all |= m
				r1 = max(r1, q.recall(m))
				if i+1 < len(ms) {
					r2 = max(r2, q.recall(m|ms[i+1]))
				}
				if i+2 < len(ms) {
					r3 = max(r3, q.recall(m|ms[i+1]|ms[i+2]))
				}
			}
			r2 = max(r1, r2)
			r3 = max(r2, r3)
			var g uint64
			for k := 0; k < 2; k++ {
				b := g
				for _, m := range ms {
					if q.recall(g|m) > q.recall(b) {
						b = g | m
					}
				}
				g = b
			}
			pg = q.recall(all)
			want := text.Quantities(row.Claim)
			ws := p.windows(row.Claim, q)
			wm := len(want)
			br := 0.0
			if len(ws) > 0 {
				wm = len(ws[0].missing)
				br = ws[0].recall
			}
			_, quote := p.find(strings.TrimRight(row.Claim, ". "))
			fmt.Fprintln(f, strings.Join([]string{set, row.Label, fmt.Sprintf("%.4f\t%.4f\t%.4f\t%.4f\t%.4f\t%.4f\t%d\t%d\t%d\t%v\t%d", r1, r2, r3, q.recall(g), pg, br, len(want), wm, len(absent(want, p.quantities)), quote, len(p.sentences))}, "\t"))
		}
	}
}
