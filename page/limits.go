package page

// Every bound of a reading, each with its default.

import "time"

// Limits bound what reading a page may cost. Zero values mean the defaults named.
type Limits struct {
	Body      int64         // bytes of a document after decompression; 10 MB
	Header    int64         // bytes of a response's header; 256 KB
	Redirects int           // followed for one document; 5
	Connect   time.Duration // to resolve, connect and shake hands, each; 10 s
	Total     time.Duration // for one document with its redirects and second tries, without waiting in line; 20 s
	Wait      time.Duration // the longest Retry-After that is waited for; 5 s
	Pause     time.Duration // before a second try after a server's error; 500 ms
	Gap       time.Duration // between two requests to one host; 200 ms, negative: none
	AtOnce    int           // requests to one host; 2
	Delay     time.Duration // the longest Crawl-delay of robots.txt that is kept; 10 s
	Browser   time.Duration // for a page that needs a browser; 20 s
	Traffic   int64         // bytes that a page may load in the browser; 50 MB
}

func (l Limits) withDefaults() Limits {
	l.Body = either(l.Body, 10<<20)
	l.Header = either(l.Header, 256<<10)
	l.Redirects = either(l.Redirects, 5)
	l.Connect = either(l.Connect, 10*time.Second)
	l.Total = either(l.Total, 20*time.Second)
	l.Wait = either(l.Wait, 5*time.Second)
	l.Pause = either(l.Pause, 500*time.Millisecond)
	l.Gap = either(l.Gap, 200*time.Millisecond)
	l.AtOnce = either(l.AtOnce, 2)
	l.Delay = either(l.Delay, 10*time.Second)
	l.Browser = either(l.Browser, 20*time.Second)
	l.Traffic = either(l.Traffic, 50<<20)
	return l
}

func either[T comparable](value, otherwise T) T {
	var zero T
	if value == zero {
		return otherwise
	}
	return value
}
