package lab

// Lies planted among truths: cited claims made from the sentences of documents, some of them spoiled on purpose, to see
// which a check of citations lets pass. Everything follows from the seed.

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"

	"github.com/plumbresearch/plumb/text"
)

// Lie is the way in which a claim is untrue.
type Lie string

// The ways, and Truth for a claim that its source bears out.
const (
	Truth             Lie = "truth"
	NumberChanged     Lie = "number changed"
	NameFromSource    Lie = "name swapped within the source"
	NameFromElsewhere Lie = "name from elsewhere"
	Negated           Lie = "negated"
	WrongSource       Lie = "wrong source"
	InventedSource    Lie = "invented source"
	Invented          Lie = "invented statement"
)

// Lies are all but Truth.
var Lies = []Lie{NumberChanged, NameFromSource, NameFromElsewhere, Negated, WrongSource, InventedSource, Invented}

// Planted is a claim with what is known of it.
type Planted struct {
	Lie   Lie
	Claim string
	URL   string // what it cites
	From  string // the sentence that it was made of
}

// Plant makes claims from texts by address: each of every kind of lie and three times as many truths, fewer where the
// texts do not give as many. A truth is a sentence as it stands or reworded; a lie is spoiled after that.
func Plant(texts map[string]string, each int, seed uint64) []Planted {
	p := newPlanter(texts, seed)
	out := p.collect(Truth, 3*each, func(s saying) (string, string) { return p.reworded(s), s.url })
	for _, kind := range Lies {
		out = append(out, p.collect(kind, each, p.maker(kind))...)
	}
	return out
}

// PlantedReport is a report in Markdown that makes the claims, each a paragraph that cites its source by number.
func PlantedReport(claims []Planted) string {
	var body, list strings.Builder
	number := map[string]int{}
	for _, c := range claims {
		if number[c.URL] == 0 {
			number[c.URL] = len(number) + 1
			fmt.Fprintf(&list, "[%d] %s\n", number[c.URL], c.URL)
		}
		fmt.Fprintf(&body, "%s [%d].\n\n", strings.TrimSuffix(c.Claim, "."), number[c.URL])
	}
	return "# What was found\n\n## Findings\n\n" + body.String() + "## Sources\n\n" + list.String()
}

// TrueTexts are pages of the simulated web by address, three for each subject.
func TrueTexts(seed uint64, subjects int) map[string]string {
	out := map[string]string{}
	for _, d := range newWorld(seed, subjects*len(genres), 0).docs {
		if slices.Contains([]string{"wiki", "news", "minutes"}, d.genre) {
			out[d.url()] = d.title + "\n" + d.text()
		}
	}
	return out
}

// saying is a sentence of a text.
type saying struct {
	url, text, next string // next follows it in the same paragraph; "": nothing does
	names           []string
}

type planter struct {
	rng     *rand.Rand
	texts   map[string]string
	urls    []string
	sayings []saying
	names   map[string][]string // by address
}

func newPlanter(texts map[string]string, seed uint64) *planter {
	p := &planter{rng: rand.New(rand.NewPCG(seed, 0x6c696573)), texts: texts, urls: slices.Sorted(maps.Keys(texts)), names: map[string][]string{}}
	for _, url := range p.urls {
		said := sayingsOf(url, texts[url])
		for i := range said {
			said[i].names = namesIn(said[i].text)
			for _, n := range said[i].names {
				if !slices.Contains(p.names[url], n) {
					p.names[url] = append(p.names[url], n)
				}
			}
		}
		p.sayings = append(p.sayings, said...)
	}
	return p
}

// collect makes n claims of different sentences in an order of its own.
func (p *planter) collect(kind Lie, n int, of func(saying) (claim, url string)) []Planted {
	var out []Planted
	seen := map[string]bool{}
	for range 3 { // a sentence may serve again where there are too few, spoiled otherwise
		for _, i := range p.rng.Perm(len(p.sayings)) {
			if len(out) == n {
				return out
			}
			s := p.sayings[i]
			claim, url := of(s)
			if claim == "" || url == "" || seen[claim] || kind != Truth && kind != WrongSource && kind != InventedSource && strings.Contains(p.texts[url], strings.TrimSuffix(claim, ".")) {
				continue
			}
			seen[claim] = true
			out = append(out, Planted{Lie: kind, Claim: claim, URL: url, From: s.text})
		}
	}
	return out
}

// maker gives the way to make one kind of lie; "" where a sentence does not lend itself to it.
func (p *planter) maker(kind Lie) func(saying) (claim, url string) {
	spoiled := func(spoil func(saying, string) string) func(saying) (string, string) {
		return func(s saying) (string, string) { return spoil(s, p.reworded(s)), s.url }
	}
	switch kind {
	case NumberChanged:
		return spoiled(p.otherNumber)
	case NameFromSource:
		return spoiled(func(s saying, claim string) string { return p.swapped(s, claim, p.names[s.url]) })
	case NameFromElsewhere:
		return spoiled(func(s saying, claim string) string {
			elsewhere := p.names[pick(p.rng, p.urls)]
			return p.swapped(s, claim, slices.DeleteFunc(slices.Clone(elsewhere), func(n string) bool { return strings.Contains(p.texts[s.url], lastWord(n)) }))
		})
	case Negated:
		return func(s saying) (string, string) {
			was := noWord.MatchString(s.text)
			if s.text, s.next = negated(s.text), ""; s.text == "" {
				return "", ""
			}
			if claim := p.reworded(s); noWord.MatchString(claim) != was { // it was not cut off
				return claim, s.url
			}
			return "", ""
		}
	case WrongSource:
		return func(s saying) (string, string) { return p.reworded(s), p.otherSource(s) }
	case InventedSource:
		return func(s saying) (string, string) { return p.reworded(s), p.noSource(s.url) }
	}
	return func(s saying) (string, string) { return p.invented(s), s.url }
}

const fewestWords, mostWords = 8, 40 // of a sentence that claims are made of

// sayingsOf are the plain sentences of a text.
func sayingsOf(url, s string) []saying {
	var out []saying
	spans := text.Sentences(s, "en")
	for i, span := range spans {
		one := span.Of(s)
		if !plainSentence(one) {
			continue
		}
		next := ""
		if i+1 < len(spans) && !strings.Contains(s[span.End:spans[i+1].Start], "\n") && plainSentence(spans[i+1].Of(s)) {
			next = spans[i+1].Of(s)
		}
		out = append(out, saying{url: url, text: one, next: next})
	}
	return out
}

func plainSentence(s string) bool {
	n := len(strings.Fields(s))
	return n >= fewestWords && n <= mostWords && strings.HasSuffix(s, ".") && s[0] >= 'A' && s[0] <= 'Z' && !strings.ContainsAny(s, "\n\"“”|*#[]`;:<>?") &&
		!startsOpen.MatchString(s)
}

// startsOpen are beginnings that say nothing without the sentence before.
var startsOpen = regexp.MustCompile(`^(?:It|They|He|She|This|That|These|Those|Its|Their|His|Her|We|I|You|There|Both|Such|But|And)\b`)

var (
	nameWords = regexp.MustCompile(`\b\p{Lu}\p{Ll}[\p{L}’'-]*(?: (?:(?:of|for|&) )?\p{Lu}\p{Ll}[\p{L}’'-]*)*`)
	noName    = regexp.MustCompile(`^(?:January|February|March|April|May|June|July|August|September|October|November|December|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|Parliament|Every|Item|Table|Figure|Section|Insurers|Relapses|Patients|Cells|Production|Work|Construction|Water)\b`)
	numbered  = regexp.MustCompile(`^ \d`) // Pier 4 is a name by its number
)

// namesIn are the names in a sentence. A single word that begins it may be none.
func namesIn(s string) []string {
	var out []string
	for _, at := range nameWords.FindAllStringIndex(s, -1) {
		n := s[at[0]:at[1]]
		if at[0] == 0 {
			first, rest, _ := strings.Cut(n, " ")
			if rest == "" {
				continue
			}
			if text.Stopword(strings.ToLower(first), "en") {
				n = rest
			}
		}
		if text.Stopword(strings.ToLower(n), "en") || noName.MatchString(n) || slices.Contains(out, n) || numbered.MatchString(s[at[1]:]) {
			continue
		}
		out = append(out, n)
	}
	return out
}

func lastWord(s string) string { return s[strings.LastIndexByte(s, ' ')+1:] }
