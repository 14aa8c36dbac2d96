package postgres

// The inverted index of the library: for each term of a segment, the passages it stands in.
//
// Why not tsvector: it has no BM25, and what a search finds must be the same over every store, to the byte. The arithmetic
// is the library's; a posting carries the length of its passage, so that no search looks it up.

import (
	"encoding/binary"
	"errors"
	"slices"
	"strings"

	"github.com/plumbresearch/plumb/library"
)

// numberBits are those of a passage's id that number it in its segment.
const numberBits = 20

var errPostings = errors.New("postings are damaged")

// Postings are a sequence of (passage − passage before, count<<1 | head, length), each a varint.

// termList is a term's postings as they are made before the segment has an id: rest begins behind the first passage.
type termList struct {
	term  string
	first int
	last  int
	rest  []byte
}

// invert turns documents into lists sorted by term. Passages are numbered through in the order of the documents.
func invert(docs []library.Document) []*termList {
	byTerm := map[string]*termList{}
	number := 0
	for _, d := range docs {
		for _, p := range d.Passages {
			for _, t := range p.Terms {
				l := byTerm[t.Stem]
				if l == nil {
					l = &termList{term: t.Stem, first: number, last: number}
					byTerm[t.Stem] = l
				} else {
					l.rest = binary.AppendUvarint(l.rest, uint64(number-l.last))
					l.last = number
				}
				l.rest = appendCounts(l.rest, int32(t.Count), t.Head, int32(p.Length))
			}
			number++
		}
	}
	out := make([]*termList, 0, len(byTerm))
	for _, l := range byTerm {
		out = append(out, l)
	}
	slices.SortFunc(out, func(a, b *termList) int { return strings.Compare(a.term, b.term) })
	return out
}

// data are the postings for a segment whose passages' ids begin at base.
func (l *termList) data(base int64) []byte {
	b := make([]byte, 0, binary.MaxVarintLen64+len(l.rest))
	return append(binary.AppendUvarint(b, uint64(base+int64(l.first))), l.rest...)
}

func appendCounts(b []byte, count int32, head bool, length int32) []byte {
	n := uint64(count) << 1
	if head {
		n |= 1
	}
	return binary.AppendUvarint(binary.AppendUvarint(b, n), uint64(length))
}

// encodePostings encodes postings, which are sorted by passage.
func encodePostings(ps []library.Posting) []byte {
	var b []byte
	before := int64(0)
	for _, p := range ps {
		b = binary.AppendUvarint(b, uint64(p.Passage-before))
		b = appendCounts(b, p.Count, p.Head, p.Length)
		before = p.Passage
	}
	return b
}

// decodePostings appends those of a list that are not dead.
func decodePostings(ps []library.Posting, data []byte, dead map[int64]bool) ([]library.Posting, error) {
	ps = slices.Grow(ps, len(data)/3) // nearly every value is one byte
	id := int64(0)
	for len(data) > 0 {
		var v [3]uint64
		for i := range v {
			if data[0] < 0x80 { // most are one byte, for which the call costs more than the work
				v[i], data = uint64(data[0]), data[1:]
			} else {
				n := 0
				if v[i], n = binary.Uvarint(data); n <= 0 {
					return nil, errPostings
				}
				data = data[n:]
			}
			if len(data) == 0 && i < 2 {
				return nil, errPostings
			}
		}
		id += int64(v[0])
		if len(dead) > 0 && dead[id] {
			continue
		}
		ps = append(ps, library.Posting{Passage: id, Count: int32(v[1] >> 1), Head: v[1]&1 == 1, Length: int32(v[2])})
	}
	return ps, nil
}
