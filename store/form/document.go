package form

import (
	"fmt"
	"slices"

	"github.com/plumbresearch/plumb/library"
)

// Documents are made ready before the transaction begins, which others wait for. They become a segment.
type Documents struct {
	Put      []library.Document
	Sources  []string // JSON
	Lists    []*TermList
	Passages int
}

// Prepare makes documents ready. Those whose hash is not their text's are refused.
func Prepare(docs []library.Document) (Documents, error) {
	n := Documents{Put: docs, Lists: Invert(docs)}
	for _, doc := range docs {
		body, err := JSON(doc.Source)
		if err == nil {
			err = CheckHash(doc.Source.Hash, doc.Text)
		}
		if err != nil {
			return n, AboutDocument(doc.File.Path, err)
		}
		n.Sources = append(n.Sources, body)
		n.Passages += len(doc.Passages)
	}
	if n.Passages >= 1<<NumberBits {
		return n, fmt.Errorf("%d passages in one batch are too many", n.Passages)
	}
	return n, nil
}

// List is the list of a term of the segment with that id.
func (n *Documents) List(segment int64) func(i int) (term string, data []byte) {
	return func(i int) (string, []byte) { return n.Lists[i].Term, n.Lists[i].Data(segment << NumberBits) }
}

// Gone are the paths of the documents that a batch takes away, or replaces.
func Gone(b library.Batch) []string {
	gone := slices.Clip(b.Remove)
	for _, doc := range b.Put {
		gone = append(gone, doc.File.Path)
	}
	return gone
}

// AboutFolder adds a folder of the library to an error.
func AboutFolder(folder string, err error) error { return Named("library "+folder, err) }

// AboutDocument adds a document to an error.
func AboutDocument(path string, err error) error { return Named("document "+path, err) }

// Segments are merged when there are many small ones, as changes of single files make. Large ones stay: to read a
// term in one more segment takes microseconds, to write a large one anew would keep other writers waiting.
const (
	SmallSegment  = 1000 // passages
	SmallSegments = 16   // so many small ones become one
)

// Merged are the lists of several segments that become one.
type Merged struct{ lists []mergedList }

type mergedList struct {
	term     string
	postings []library.Posting
}

// Add takes a list of one of the segments, without the dead. Lists come in the order of their terms.
func (m *Merged) Add(term string, data []byte, dead map[int64]bool) (err error) {
	if n := len(m.lists); n == 0 || m.lists[n-1].term != term {
		m.lists = append(m.lists, mergedList{term: term})
	}
	last := &m.lists[len(m.lists)-1]
	last.postings, err = DecodePostings(last.postings, data, dead)
	return err
}

// End sorts the lists by passage and lets go of empty ones. It says how many are left.
func (m *Merged) End() int {
	for _, l := range m.lists {
		slices.SortFunc(l.postings, func(a, b library.Posting) int { return int(a.Passage - b.Passage) })
	}
	m.lists = slices.DeleteFunc(m.lists, func(l mergedList) bool { return len(l.postings) == 0 })
	return len(m.lists)
}

// List is the i-th of them.
func (m *Merged) List(i int) (term string, data []byte) {
	return m.lists[i].term, EncodePostings(m.lists[i].postings)
}
