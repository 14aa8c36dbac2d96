package report

import (
	"fmt"
	"strings"
	"testing"

	"github.com/plumbresearch/plumb"
)

// BenchmarkWriteLarge writes from 1,500 findings, the most that 60 units of 25 bring.
func BenchmarkWriteLarge(b *testing.B) {
	var fs []plumb.Finding
	for i := range 1500 {
		s := testSources[i%len(testSources)]
		fs = append(fs, found(fmt.Sprintf("f%d", i), s, i%3, 0.5+float64(i%50)/100, plumb.High, fmt.Sprintf("The Sandling pool had %d swimmers and %d bathers in the season of its year %d.", i*37%9973, i, i%90)))
	}
	m := testMaterial(fs)
	for b.Loop() {
		if _, err := (Extractive{}).Write(b.Context(), m); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkCompileLarge compiles a report of 5,000 claims in 500 sections.
func BenchmarkCompileLarge(b *testing.B) {
	var d strings.Builder
	var claims []plumb.Claim
	d.WriteString("# T\n")
	for i := range 5000 {
		if i%10 == 0 {
			fmt.Fprintf(&d, "\n## Section %d\n\n", i/10)
		}
		start := d.Len() + 2
		fmt.Fprintf(&d, "- Thing %d is so and not otherwise. [%d]", i, i%3+1)
		claims = append(claims, plumb.Claim{ID: fmt.Sprint(i), Text: "Thing is so", Start: start, End: d.Len(), Citations: []string{threeCitations()[i%3].URL}})
		d.WriteString("\n")
	}
	r := Report{Run: "r", Draft: d.String(), Claims: claims, Verdicts: verdictsOf(claims, map[int]plumb.Verdict{7: {Status: plumb.NotFound}}), Citations: threeCitations(), Limits: plumb.Limits{Check: true}}
	r.Question.Strict = true
	for b.Loop() {
		if _, err := Compile(r); err != nil {
			b.Fatal(err)
		}
	}
}
