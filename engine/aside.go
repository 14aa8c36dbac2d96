package engine

import "runtime"

// deep bounds the goroutines of aside.
var deep = make(chan struct{}, 2*runtime.GOMAXPROCS(0))

// aside runs f on another stack and waits. Folding an outcome and making its JSON take 16 KB of stack, which a
// goroutine would keep: with 10,000 runs at work that is 160 MB, and as much again for the collector.
func aside(f func()) {
	done := make(chan struct{})
	deep <- struct{}{}
	go func() {
		defer close(done)
		defer func() { <-deep }()
		f()
	}()
	<-done
}
