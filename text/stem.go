package text

// Stems: snowball behind a cache, so that indexing costs a map lookup a word.

import (
	"sync"

	"github.com/kljensen/snowball/english"
	"github.com/kljensen/snowball/french"
	"github.com/kljensen/snowball/hungarian"
	"github.com/kljensen/snowball/norwegian"
	"github.com/kljensen/snowball/russian"
	"github.com/kljensen/snowball/spanish"
	"github.com/kljensen/snowball/swedish"
)

var stemmers = map[string]func(word string, stopwords bool) string{
	"en": english.Stem, "fr": french.Stem, "es": spanish.Stem, "ru": russian.Stem,
	"sv": swedish.Stem, "no": norwegian.Stem, "nb": norwegian.Stem, "hu": hungarian.Stem,
}

// Stem reduces a word to its stem in en, fr, es, ru, sv, no and hu; in other
// languages it only folds it. It folds before and after stemming, so that words
// with and without their diacritics have the same stem.
func Stem(word, lang string) string {
	word = Fold(word)
	if stemmers[lang] == nil || word == "" {
		return word
	}
	c := stemsOf(lang)
	c.mu.RLock()
	known, ok := c.known[word]
	c.mu.RUnlock()
	if !ok {
		known = c.learn(word)
	}
	return known.stem
}

// maxStems bounds the words remembered per language (some 10 MB); a full cache
// is begun anew, which costs less than keeping track of what is old.
const maxStems = 1 << 17

type stemmed struct {
	stem string
	stop bool
}

type stems struct {
	lang  string
	mu    sync.RWMutex
	known map[string]stemmed
}

var stemCaches sync.Map // language → *stems

func stemsOf(lang string) *stems {
	if c, ok := stemCaches.Load(lang); ok {
		return c.(*stems)
	}
	c, _ := stemCaches.LoadOrStore(lang, &stems{lang: lang, known: map[string]stemmed{}})
	return c.(*stems)
}

// stem returns the stem of a folded word, "" for a stopword.
func (c *stems) stem(word []byte) string {
	c.mu.RLock()
	k, ok := c.known[string(word)]
	c.mu.RUnlock()
	if !ok {
		k = c.learn(string(word))
	}
	if k.stop {
		return ""
	}
	return k.stem
}

func (c *stems) learn(word string) stemmed {
	k := stemmed{stem: word, stop: stopwords[c.lang][word]}
	if f := stemmers[c.lang]; f != nil && stemmable(word) {
		if s := Fold(f(word, true)); s != "" {
			k.stem = s
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.known) >= maxStems {
		clear(c.known)
	}
	c.known[word] = k
	return k
}

// stemmable excludes numbers and what only looks like a word.
func stemmable(word string) bool {
	if len(word) > 64 {
		return false
	}
	for i := 0; i < len(word); i++ {
		if word[i] >= '0' && word[i] <= '9' {
			return false
		}
	}
	return true
}
