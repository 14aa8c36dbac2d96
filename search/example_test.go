package search_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"

	"github.com/plumbresearch/plumb/search"
)

func Example() {
	// A SearXNG of one's own.
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"results": [
			{"url": "https://ferry.example/", "title": "Ferry", "content": "Boats."},
			{"url": "https://post.example/bridge", "title": "Marrowgate Bridge reopens", "content": "Open since <b>3 May 2024</b>."}]}`)
	}))
	defer server.Close()

	engines, err := search.New(search.Options{Web: "searxng", Services: map[string]search.Service{"searxng": {BaseURL: server.URL}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	leads, news, err := engines.Web().Find(context.Background(), search.Query{Text: "When did the Marrowgate Bridge reopen?", Exclude: []string{"ferry.example"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, l := range leads {
		fmt.Printf("%s <%s>: %s\n", l.Title, l.URL, l.Snippet)
	}
	fmt.Printf("%d found, %d kept, asked %v\n", news.Found, news.Kept, news.Engines)
	// Output:
	// Marrowgate Bridge reopens <https://post.example/bridge>: Open since 3 May 2024.
	// 2 found, 1 kept, asked [searxng]
}

func ExampleEngines_Choose() {
	engines, err := search.New(search.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = engines.Choose(search.Papers, "arxiv,scholar")
	fmt.Println(err)
	_, err = engines.Choose(search.Web, "tavily")
	fmt.Println(err)
	// Output:
	// papers search "scholar" is unknown: use auto, none, or some of arxiv, openalex, crossref, pubmed, semantic_scholar
	// tavily needs TAVILY_API_KEY: set it, or choose others
}
