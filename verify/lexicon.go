// How rare words are in texts at large, in a small table by hash.

package verify

import (
	"hash/fnv"
	"math"
)

// lexicon holds a level from 0 (in nearly every text) to 15 (unknown) for each
// of its buckets, two to a byte.
type lexicon []byte

const (
	lexiconBits = 15
	// LexiconSize is the number of bytes of a lexicon.
	LexiconSize = 1 << (lexiconBits - 1)
	maxLevel    = 15
)

func bucket(stem string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(stem)) //nolint:errcheck // a hash takes everything
	v := h.Sum32()
	return (v ^ v>>lexiconBits) & (1<<lexiconBits - 1)
}

// rarity of a stem, from 0.1 to 1.
func (l lexicon) rarity(stem string) float64 {
	if len(l) != LexiconSize {
		return 1
	}
	b := bucket(stem)
	level := l[b/2] >> (4 * (b % 2)) & 15
	return 0.1 + 0.9*float64(level)/maxLevel
}

// newLexicon makes a table of how many of n texts have each stem.
func newLexicon(df map[string]int, n int) lexicon {
	var counts [1 << lexiconBits]int
	for stem, c := range df {
		counts[bucket(canon(stem))] += c
	}
	l := make(lexicon, LexiconSize)
	for b, c := range counts {
		level := maxLevel * math.Log(float64(n+1)/float64(max(c, 1))) / math.Log(float64(n+1))
		l[b/2] |= byte(min(max(math.Round(level), 0), maxLevel)) << (4 * (b % 2))
	}
	return l
}
