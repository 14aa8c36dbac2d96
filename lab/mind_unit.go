package lab

// How the mind researches a unit and reads a source.

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/plumbresearch/plumb/llm"
	"github.com/plumbresearch/plumb/text"
)

type queryArguments struct {
	Query string `json:"query"`
}

type urlArguments struct {
	URL string `json:"url"`
}

// unitSources is how many sources the mind reads in a unit, unitTries how many it opens for that at most.
const (
	unitSources = 3
	unitTries   = 9
)

// research searches, opens what looks best, and ends with two sentences. What can't be read is made up for by the next
// best, and a search that brought nothing is made once more in other words.
func research(r *llm.Request, p prompt) *llm.Answer {
	question := oneLine(p.one("unit"))
	there, _ := tools(r)
	searched, opened := map[string]int{}, []string{}
	for _, c := range calls(r) {
		var u urlArguments
		if c.Name != "fetch_url" {
			searched[c.Name]++
		} else if json.Unmarshal([]byte(c.Arguments), &u) == nil {
			opened = append(opened, u.URL)
		}
	}
	vain := told(r, "The search could not be made.", "Nothing was found.") > 0
	if list := searches(question, there, searched, p, vain); len(list) > 0 && len(opened) == 0 {
		return ask(r, "Let me look what there is.", list...)
	}
	read := len(opened) - told(r, "It could not be read", "It was not opened")
	var fetch []llm.Call
	if slices.Contains(there, "fetch_url") {
		for _, url := range unread(question, p, opened, min(unitSources-read, unitTries-len(opened))) {
			fetch = append(fetch, llm.Call{Name: "fetch_url", Arguments: string(encode(urlArguments{url}))})
		}
	}
	if len(fetch) > 0 {
		return ask(r, "These look promising.", fetch...)
	}
	return end(r, fmt.Sprintf("The sources that were opened (%d) speak to the question: %s What they state with figures is well established; the rest stays open.", max(read, 0), question))
}

// told is how many lines of what tools have said begin with one of these words.
func told(r *llm.Request, words ...string) int {
	n := 0
	for i, m := range r.Messages {
		if m.From != llm.ToolReply && (m.From != llm.User || i < 2) {
			continue
		}
		for l := range strings.Lines(m.Text) {
			if slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(l, w) }) {
				n++
			}
		}
	}
	return n
}

// searches are the ways of searching that were not tried yet. What stands in the prompt already is searched for once
// more in other words, and so is the web when a search was in vain.
func searches(question string, there []string, searched map[string]int, p prompt, vain bool) []llm.Call {
	var out []llm.Call
	for _, name := range []string{"search_library", "search_web", "search_papers"} {
		again := name == "search_web" && vain && searched[name] == 1
		if !slices.Contains(there, name) || searched[name] > 0 && !again {
			continue
		}
		query := question
		if again || name == "search_library" && strings.Contains(p.user, `label="passages"`) {
			query = strings.Join(weighty(question), " ")
		}
		out = append(out, llm.Call{Name: name, Arguments: string(encode(queryArguments{query}))})
	}
	return out
}

var listed = regexp.MustCompile(`(?m)^\d+\. .*?<((?:doc:|https?://)[^<>\n]+)>`)

// unread are the n best addresses of the results that were not opened.
func unread(question string, p prompt, opened []string, n int) []string {
	visited := p.one("visited")
	words := weighty(question)
	type lead struct {
		url   string
		score int
	}
	var leads []lead
	for _, results := range append(p.all("passages"), p.all("leads")...) {
		marks := listed.FindAllStringSubmatchIndex(results, -1)
		for i, at := range marks {
			last := len(results)
			if i+1 < len(marks) {
				last = marks[i+1][0]
			}
			url := results[at[2]:at[3]]
			entry, _, _ := strings.Cut(results[at[0]:last], "\n")
			known := strings.HasSuffix(entry, "(opened already)") || slices.Contains(opened, url) || strings.Contains(visited, url) || slices.ContainsFunc(leads, func(l lead) bool { return l.url == url })
			if !known {
				leads = append(leads, lead{url, overlap(words, results[at[0]:last])})
			}
		}
	}
	slices.SortStableFunc(leads, func(a, b lead) int { return cmp.Compare(b.score, a.score) })
	var out []string
	for _, l := range leads[:min(len(leads), max(0, n))] {
		out = append(out, l.url)
	}
	return out
}

type extractAnswer struct {
	Snippet  string           `json:"snippet"`
	Findings []extractFinding `json:"findings"`
}

type extractFinding struct {
	Fact       string `json:"fact"`
	Quote      string `json:"quote"`
	Confidence string `json:"confidence"`
	Date       string `json:"date"`
}

// Bounds of a sentence that is worth quoting, in bytes.
const (
	shortestQuote = 25
	longestQuote  = 600
	mostFindings  = 4
)

// extract quotes the sentences that share most with the question, in the order of the source.
func extract(_ *llm.Request, p prompt) *llm.Answer {
	a := extractAnswer{Snippet: "none", Findings: []extractFinding{}}
	source := p.one("source")
	for _, quote := range quotable(source, oneLine(p.one("unit"))) {
		quote = strings.TrimLeft(quote, "-*• ") // the mark of a list is no part of what it says
		f := extractFinding{Fact: oneLine(quote), Quote: quote, Confidence: "medium", Date: dateOf(quote)}
		if len(text.Quantities(quote)) > 0 {
			f.Confidence = "high"
		}
		a.Findings = append(a.Findings, f)
	}
	if snippet := p.one("snippet"); snippet != "" && len(a.Findings) > 0 {
		a.Snippet = "supported"
	}
	return say(a)
}

// quotable are the sentences of a source that speak most of the question. One shared word is too little where the
// question has several.
func quotable(source, question string) []string {
	type sentence struct {
		text      string
		at, score int
	}
	words := weighty(question)
	least := min(2, len(words))
	var all []sentence
	for part := range strings.SplitSeq(source, "[…]") { // what stands between was left out
		for _, span := range text.Sentences(part, "en") {
			s := strings.TrimSpace(span.Of(part))
			n := overlap(words, s)
			if len(s) < shortestQuote || len(s) > longestQuote || !strings.ContainsAny(s[len(s)-1:], ".!?\"") || n < least {
				continue
			}
			if slices.ContainsFunc(all, func(o sentence) bool { return o.text == s }) {
				continue
			}
			score := 2 * n
			if len(text.Quantities(s)) > 0 {
				score++
			}
			all = append(all, sentence{s, len(all), score})
		}
	}
	slices.SortStableFunc(all, func(a, b sentence) int { return cmp.Compare(b.score, a.score) })
	all = all[:min(len(all), mostFindings)]
	slices.SortFunc(all, func(a, b sentence) int { return cmp.Compare(a.at, b.at) })
	var out []string
	for _, s := range all {
		out = append(out, s.text)
	}
	return out
}

// dateOf is the first full date, month or year of a sentence, as ISO 8601.
func dateOf(s string) string {
	for _, q := range text.Quantities(s) {
		year, month, day := int(q.Value)/10000, int(q.Value)/100%100, int(q.Value)%100
		if q.Kind != text.KindDate || year < 1000 || q.High != q.Value {
			continue
		}
		switch q.Precision {
		case "day":
			return fmt.Sprintf("%04d-%02d-%02d", year, month, day)
		case "month":
			return fmt.Sprintf("%04d-%02d", year, month)
		case "year":
			return fmt.Sprintf("%04d", year)
		}
	}
	return ""
}
