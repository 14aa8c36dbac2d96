package form

// The inverted index of the library: for each term of a segment, the passages it stands in. A posting carries the length of
// its passage, so that no search looks it up, and the arithmetic is the library's: what a search finds is the same over
// every store, to the byte.
//
// Why not FTS5: over 100,000 passages its bm25() took 64 ms of CPU for the median question and 210 ms at the 95th
// percentile, where this takes 13 and 37, because it looks up the length of every passage that has one of the terms. Why
// not tsvector: it has no BM25.

import (
	"encoding/binary"
	"errors"
	"slices"
	"strings"

	"github.com/plumbresearch/plumb/library"
)

// NumberBits are those of a passage's id that number it in its segment.
const NumberBits = 20

var errPostings = errors.New("postings are damaged")

// Postings are a sequence of (passage − passage before, count<<1 | head, length), each a varint.

// TermList is a term's postings as they are made before the segment has an id: rest begins behind the first passage.
type TermList struct {
	Term  string
	first int
	last  int
	rest  []byte
}

// Invert turns documents into lists sorted by term. Passages are numbered through in the order of the documents.
func Invert(docs []library.Document) []*TermList {
	byTerm := map[string]*TermList{}
	number := 0
	for _, d := range docs {
		for _, p := range d.Passages {
			for _, t := range p.Terms {
				l := byTerm[t.Stem]
				if l == nil {
					l = &TermList{Term: t.Stem, first: number, last: number}
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
	out := make([]*TermList, 0, len(byTerm))
	for _, l := range byTerm {
		out = append(out, l)
	}
	slices.SortFunc(out, func(a, b *TermList) int { return strings.Compare(a.Term, b.Term) })
	return out
}

// Data are the postings for a segment whose passages' ids begin at base.
func (l *TermList) Data(base int64) []byte {
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

// EncodePostings encodes postings, which are sorted by passage.
func EncodePostings(ps []library.Posting) []byte {
	var b []byte
	before := int64(0)
	for _, p := range ps {
		b = binary.AppendUvarint(b, uint64(p.Passage-before))
		b = appendCounts(b, p.Count, p.Head, p.Length)
		before = p.Passage
	}
	return b
}

// DecodePostings appends those of a list that are not dead.
func DecodePostings(ps []library.Posting, data []byte, dead map[int64]bool) ([]library.Posting, error) {
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
