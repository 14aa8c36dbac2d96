package lab

// Topics are what the simulated web writes about: each file under web/topics is a kind of thing (a dam, a trial, a railway
// line …) with its facts in several wordings, some with a figure that disagrees, and each subject is one such thing with
// names and numbers thrown for it.

import (
	"embed"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

//go:embed web
var webFiles embed.FS

// topic is a kind of thing.
type topic struct {
	kind      string
	names     []string
	press     [2]string // host and name of whoever speaks for it
	field     string    // of science
	slots     []slot    // in the order in which they are thrown
	facts     []fact
	quotes    []string
	fills     []string
	rows      [][2]string
	questions []compound
	papers    []compound
}

// slot is a name in braces and what may stand for it.
type slot struct{ name, value string }

// fact is something that can be asked, and how it is told: the first wording is that of the record.
type fact struct {
	key, ask string
	says     []string
	err      string // another figure than the record's; "": nobody disputes it
}

// compound is a text about several facts.
type compound struct {
	keys []string
	text string
}

// topics are parsed once: they never change.
var topics = sync.OnceValue(func() []topic {
	entries, err := webFiles.ReadDir("web/topics")
	if err != nil {
		panic(err)
	}
	var out []topic
	for _, e := range entries {
		b, err := webFiles.ReadFile("web/topics/" + e.Name())
		if err != nil {
			panic(err)
		}
		t, err := parseTopic(string(b))
		if err != nil {
			panic(fmt.Errorf("%s: %w", e.Name(), err))
		}
		t.kind = strings.TrimSuffix(e.Name(), path.Ext(e.Name()))
		out = append(out, t)
	}
	return out
})

// parseTopic reads a file of a topic, line by line: a word that says what the line is, and the rest.
func parseTopic(s string) (topic, error) {
	var t topic
	for n, l := range strings.Split(s, "\n") {
		l = strings.TrimSpace(l)
		if l == "" || strings.HasPrefix(l, "#") {
			continue
		}
		word, rest, _ := strings.Cut(l, " ")
		if err := t.line(word, strings.TrimSpace(rest)); err != nil {
			return t, fmt.Errorf("line %d: %w", n+1, err)
		}
	}
	return t, nil
}

func (t *topic) line(word, rest string) error {
	switch word {
	case "name:":
		t.names = alternatives(rest)
	case "press:":
		host, name, _ := strings.Cut(rest, " | ")
		t.press = [2]string{host, name}
	case "field:":
		t.field = rest
	case "set":
		name, value, _ := strings.Cut(rest, ": ")
		t.slots = append(t.slots, slot{name, value})
	case "fact":
		t.facts = append(t.facts, fact{key: rest})
	case "ask", "say", "err":
		return t.told(word, rest)
	case "quote":
		t.quotes = append(t.quotes, rest)
	case "fill":
		t.fills = append(t.fills, rest)
	case "row":
		name, value, _ := strings.Cut(rest, " | ")
		t.rows = append(t.rows, [2]string{name, value})
	case "question", "paper":
		keys, text, _ := strings.Cut(rest, " | ")
		c := compound{strings.Fields(keys), text}
		if word == "paper" {
			t.papers = append(t.papers, c)
		} else {
			t.questions = append(t.questions, c)
		}
	default:
		return fmt.Errorf("unknown word %q", word)
	}
	return nil
}

// told adds a wording to the fact at hand.
func (t *topic) told(word, rest string) error {
	if len(t.facts) == 0 {
		return fmt.Errorf("%s before any fact", word)
	}
	f := &t.facts[len(t.facts)-1]
	switch word {
	case "ask":
		f.ask = rest
	case "say":
		f.says = append(f.says, rest)
	case "err":
		f.err = rest
	}
	return nil
}

func alternatives(s string) []string {
	parts := strings.Split(s, "|")
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	return parts
}

// subject is one thing of a kind, with its facts filled in.
type subject struct {
	topic  *topic
	name   string
	slug   string
	end    time.Time // when it was finished: its pages are dated from there
	people map[string]string
	facts  []fact
	quotes []string
	rows   [][2]string
	rng    *rand.Rand // for what its pages choose
	fill   func(string) string
}

var given = []string{"Ada", "Bram", "Clea", "Dario", "Edda", "Falk", "Greta", "Hanno", "Ines", "Jonas", "Kaja", "Levin", "Mirte", "Nils", "Oona", "Piet", "Runa", "Sven", "Thea", "Ulf"}
var family = []string{"Aldersson", "Brockmeer", "Castell", "Dunmore", "Ekberg", "Farrow", "Gallant", "Hestvik", "Ivarsen", "Jessop", "Kvale", "Lorimer", "Mossberg", "Nordahl", "Ostrander", "Pryde", "Quist", "Rennick", "Solheim", "Torvald"}

// before are put before names when all of them are taken.
var before = []string{"", "New ", "Upper ", "Lower ", "East ", "West ", "North ", "South ", "Inner ", "Outer "}

// newSubject makes the nth subject of a topic.
func newSubject(t *topic, seed uint64, n int) *subject {
	order := rand.New(rand.NewPCG(seed, hashOf(t.kind))).Perm(len(t.names))
	name := t.names[order[n%len(order)]]
	if round := n / len(order); round < len(before) {
		name = before[round] + name
	} else {
		name = fmt.Sprintf("%s %d", name, round)
	}
	s := &subject{topic: t, name: name, slug: slug(name), rng: rand.New(rand.NewPCG(seed, hashOf(t.kind+name))), people: map[string]string{}}
	values := map[string]string{"name": name}
	numbers := map[string]int{}
	for _, sl := range t.slots {
		values[sl.name] = s.throw(sl, numbers)
	}
	var pairs []string
	for k, v := range values {
		pairs = append(pairs, "{"+k+"}", v)
	}
	replace := strings.NewReplacer(pairs...) // no name in braces is part of another: their order does not matter
	s.fill = func(text string) string { return capital(replace.Replace(text)) }
	for _, f := range t.facts {
		f.ask, f.err, f.says = s.fill(f.ask), s.fill(f.err), slices.Clone(f.says)
		for i := range f.says {
			f.says[i] = s.fill(f.says[i])
		}
		s.facts = append(s.facts, f)
	}
	for _, q := range t.quotes {
		s.quotes = append(s.quotes, s.fill(q))
	}
	for _, r := range t.rows {
		s.rows = append(s.rows, [2]string{r[0], s.fill(r[1])})
	}
	return s
}

// throw chooses a value: "person", "day 2014..2015", "year 1966..1974", "380..520 by 10", "a + b",
// "a - b", "a less b" (percent), "this | that".
func (s *subject) throw(sl slot, numbers map[string]int) string {
	words := strings.Fields(sl.value)
	switch {
	case sl.value == "person":
		s.people[sl.name] = s.person()
		return s.people[sl.name]
	case words[0] == "day":
		from, to := bounds(words[1])
		day := time.Date(from, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, s.rng.IntN(365*(to-from+1)))
		if sl.name == "end" {
			s.end = day
		}
		return day.Format("2 January 2006")
	case words[0] == "year":
		from, to := bounds(words[1])
		return strconv.Itoa(from + s.rng.IntN(to-from+1))
	case strings.Contains(sl.value, " | "):
		return pick(s.rng, alternatives(sl.value))
	}
	numbers[sl.name] = s.number(words, numbers)
	return thousands(numbers[sl.name])
}

func (s *subject) number(words []string, numbers map[string]int) int {
	if strings.Contains(words[0], "..") {
		from, to := bounds(words[0])
		step := 1
		if len(words) == 3 {
			step = integer(words[2])
		}
		return from + step*s.rng.IntN((to-from)/step+1)
	}
	value := func(w string) int {
		if n, known := numbers[w]; known {
			return n
		}
		return integer(w)
	}
	a, b := value(words[0]), value(words[2])
	switch words[1] {
	case "-":
		return a - b
	case "less":
		return (a*(100-b) + 50) / 100
	}
	return a + b
}

// person is somebody whose family name nobody else about the subject has.
func (s *subject) person() string {
	for {
		name := pick(s.rng, family)
		taken := false
		for _, other := range s.people {
			taken = taken || strings.HasSuffix(other, " "+name)
		}
		if !taken {
			return pick(s.rng, given) + " " + name
		}
	}
}

// bounds reads "a..b".
func bounds(s string) (from, to int) {
	a, b, _ := strings.Cut(s, "..")
	return integer(a), integer(b)
}

// integer reads a number of our own files, where a wrong one is a mistake in the program.
func integer(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		panic(err)
	}
	return n
}

// thousands writes 12400 as 12,400 and leaves shorter numbers alone.
func thousands(n int) string {
	if n < 10000 {
		return strconv.Itoa(n)
	}
	return fmt.Sprintf("%d,%03d", n/1000, n%1000)
}

func capital(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// slug is a name as addresses have it.
func slug(s string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') }), "-")
}

func hashOf(s string) uint64 {
	h := fnv.New64a()
	write(h, []byte(s))
	return dice{h.Sum64()}.hash("")
}

// fact finds the first with one of these keys.
func (s *subject) fact(keys ...string) fact {
	i := slices.IndexFunc(s.facts, func(f fact) bool { return slices.Contains(keys, f.key) })
	return s.facts[i]
}

// say is a wording of the ith fact, the last one where there are fewer.
func (s *subject) say(i, wording int) string {
	f := s.facts[i%len(s.facts)]
	return f.says[min(wording, len(f.says)-1)]
}

// disputed are the facts for which another figure is about.
func (s *subject) disputed() []fact {
	return slices.DeleteFunc(slices.Clone(s.facts), func(f fact) bool { return f.err == "" })
}
