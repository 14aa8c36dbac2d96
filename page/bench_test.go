package page

import (
	"context"
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"
)

// BenchmarkRead is the plain path: a page of 20 KB over loopback, with the robots.txt of its host known.
func BenchmarkRead(b *testing.B) {
	l := newLab(b, map[string]http.Handler{"bench.test": page("text/html", article(20000))})
	r := l.reader()
	r.Limits.AtOnce = 64
	if _, err := r.Read(context.Background(), "http://bench.test/"); err != nil {
		b.Fatal(err)
	}
	var n atomic.Int64
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, err := r.Read(context.Background(), fmt.Sprintf("http://bench.test/%d", n.Add(1))); err != nil {
				b.Error(err)
			}
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "pages/s")
}

func BenchmarkAdmit(b *testing.B) {
	g := newGuard(nil)
	for b.Loop() {
		if _, err := g.admit("https://www.example.co.uk/a/b?c=d"); err != nil {
			b.Fatal(err)
		}
	}
}
