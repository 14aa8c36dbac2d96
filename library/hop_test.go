package library_test

import (
	"slices"
	"testing"

	"github.com/plumbresearch/plumb/library"
)

// harbour is a small library in which the answer to a question stands in a
// document that has none of its words.
var harbour = map[string]string{
	"ferry.md":   "# Lowen ferry\n\nThe ferry of Lowen was designed by Marta Quill, an engineer from the coast, and crossed the river for sixty years.\n",
	"quill.md":   "# Marta Quill\n\nShe was born at Saltmere in 1921 and studied at the naval college there.\n",
	"quilt.md":   "# Quilts of the coast\n\nThey are sewn of wool and linen in the winter months.\n",
	"college.md": "# Engineer\n\nWhoever builds boats learns the trade for four years.\n",
	"bridge.md":  "# Lowen bridge\n\nThe bridge was opened in 2014, and the crossing takes a minute.\n",
	"boats.md":   "# Boats\n\nSome crossed the sea, some were a ferry only in name.\n",
}

func searchHarbour(t *testing.T, q library.Query) []string {
	t.Helper()
	l, dir := newLibrary(t), folder(t, harbour)
	add(t, l, dir)
	q.Folders = []string{dir}
	return urls(find(t, l, q))
}

func TestADocumentNamedByTheBestPassageIsFoundToo(t *testing.T) {
	found := searchHarbour(t, library.Query{Text: "Where did the designer of the Lowen ferry study?"})
	first, second := slices.Index(found, "doc:ferry.md"), slices.Index(found, "doc:quill.md")
	if first != 0 || second < 1 || second > 2 {
		t.Errorf("found %q", found)
	}
	for _, other := range []string{"doc:quilt.md", "doc:college.md"} { // words of the passage, but no names
		if slices.Contains(found, other) {
			t.Errorf("%s found: %q", other, found)
		}
	}
}

func TestADocumentThatIsNotWantedIsNotFollowed(t *testing.T) {
	found := searchHarbour(t, library.Query{Text: "Where did the designer of the Lowen ferry study?", Exclude: []string{"doc:quill.md"}})
	if slices.Contains(found, "doc:quill.md") || len(found) == 0 {
		t.Errorf("found %q", found)
	}
}

func TestTheBestPassageStaysFirst(t *testing.T) {
	found := searchHarbour(t, library.Query{Text: "When was the Lowen bridge opened?", Limit: 1})
	if len(found) != 1 || found[0] != "doc:bridge.md" {
		t.Errorf("found %q", found)
	}
}
