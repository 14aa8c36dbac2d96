package library

// Scores of passages: a sparse array, as a map would cost more than all the
// arithmetic, and the selection of its largest values.

import "slices"

const pageBits = 12

// scores adds up by passage. Passages of a folder have ids close together, so
// that few pages are needed.
type scores struct {
	pages map[int64]*[1 << pageBits]float64
	last  int64 // the page that was used last
	page  *[1 << pageBits]float64
}

func (s *scores) add(id int64, v float64) {
	at := id >> pageBits
	if s.page == nil || at != s.last {
		if s.pages == nil {
			s.pages = map[int64]*[1 << pageBits]float64{}
		}
		p := s.pages[at]
		if p == nil {
			p = new([1 << pageBits]float64)
			s.pages[at] = p
		}
		s.page, s.last = p, at
	}
	s.page[id&(1<<pageBits-1)] += v
}

func (s *scores) get(id int64) float64 {
	if p := s.pages[id>>pageBits]; p != nil {
		return p[id&(1<<pageBits-1)]
	}
	return 0
}

// top returns the n largest scores, by id, with all that equal the smallest of
// them; and whether these are all.
func (s *scores) top(n int) (top map[int64]float64, all bool) {
	heap := make([]float64, 0, n) // ascending from heap[0], a binary heap
	count := 0
	for _, p := range s.pages {
		for _, v := range p {
			if v == 0 {
				continue
			}
			count++
			switch {
			case len(heap) < n:
				heap = append(heap, v)
				if len(heap) == n {
					slices.Sort(heap) // a sorted slice is a heap
				}
			case v > heap[0]:
				heap[0] = v
				sink(heap)
			}
		}
	}
	least := 0.0
	if len(heap) == n {
		least = heap[0]
	}
	top = make(map[int64]float64, n)
	for at, p := range s.pages {
		for i, v := range p {
			if v != 0 && v >= least {
				top[at<<pageBits+int64(i)] = v
			}
		}
	}
	return top, len(top) == count
}

// sink restores the heap after its first value grew.
func sink(heap []float64) {
	for i := 0; ; {
		least := i
		for c := 2*i + 1; c <= 2*i+2 && c < len(heap); c++ {
			if heap[c] < heap[least] {
				least = c
			}
		}
		if least == i {
			return
		}
		heap[i], heap[least] = heap[least], heap[i]
		i = least
	}
}
