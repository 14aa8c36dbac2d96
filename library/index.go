package library

// What a library needs of a store.

import (
	"context"
	"time"

	"github.com/plumbresearch/plumb"
)

// Index is where documents, passages and findings are kept. The stores implement it.
type Index interface {
	Documents
	Passages
	Findings
}

// Documents are the files of folders. A folder is known by its absolute path.
type Documents interface {
	// WriteDocuments applies a batch: all of it is durable when it returns, or nothing of it is.
	WriteDocuments(ctx context.Context, folder string, b Batch) error
	// Files of a folder, sorted by path; none of a folder that is unknown.
	Files(ctx context.Context, folder string) ([]File, error)
	// Documents of a folder, sorted by path.
	Documents(ctx context.Context, folder string) ([]Entry, error)
	// Folders that hold documents, sorted.
	Folders(ctx context.Context) ([]string, error)
	// DropFolder removes a folder and says how many documents it held.
	DropFolder(ctx context.Context, folder string) (int, error)
}

// Passages are what searches look for. Their ids mean nothing and order nothing.
type Passages interface {
	// Statistics of folders taken together.
	Statistics(ctx context.Context, folders []string) (Statistics, error)
	// Postings says where terms stand in folders: a list for each term, in no particular order.
	Postings(ctx context.Context, folders, terms []string) ([][]Posting, error)
	// Located tells the passages of folders with these ids, in no particular order; those that are gone are left out.
	Located(ctx context.Context, folders []string, ids []int64) ([]Located, error)
	// Text of a source.
	Text(ctx context.Context, hash string) (string, error)
}

// Findings are what earlier runs learned.
type Findings interface {
	// SaveFindings replaces those of a run.
	SaveFindings(ctx context.Context, run string, fs []plumb.Finding) error
	// SavedFindings of all runs of notRun's tenant, but that one, whose sources' texts are still there, sorted by time, run and position. Those of
	// own documents count only if a document of the folders still has that text.
	SavedFindings(ctx context.Context, folders []string, notRun string) ([]Saved, error)
}

// File is a file as it was when it was read.
type File struct {
	Path    string // relative to the folder, with slashes
	Size    int64
	ModTime time.Time
	Hash    string // SHA-256 of its bytes, in hex
}

// Document is a file with what was read from it.
type Document struct {
	File     File
	Source   plumb.Source
	Text     string
	Cut      bool // Text is only the beginning of what the file says
	Passages []Passage
}

// Passage is a part of a document that searches find.
type Passage struct {
	Start, End int
	Heading    string // nearest heading above it
	Length     int    // in terms, without those of the headings
	Terms      []Term // each once, sorted
}

// Term is a stem and how often a passage has it.
type Term struct {
	Stem  string
	Count int  // in the passage itself
	Head  bool // in the title of the document or a heading above the passage
}

// Batch is a change of a folder.
type Batch struct {
	Remove []string   // paths
	Touch  []File     // read again and found the same: only size and time changed
	Put    []Document // new, or in place of the one with the same path
}

// Entry is a document in a list.
type Entry struct {
	Folder   string       `json:"folder"`
	Path     string       `json:"path"`
	Size     int64        `json:"size"`
	Passages int          `json:"passages"`
	Source   plumb.Source `json:"document"`
}

// Statistics are what BM25 needs to know of folders.
type Statistics struct {
	Passages  int
	Terms     int      // sum of the passages' lengths
	Languages []string // of the documents, most frequent first, then by code; "" is unknown
}

// Posting says that a term stands in a passage.
type Posting struct {
	Passage int64
	Length  int32 // of the passage, in terms
	Count   int32
	Head    bool
}

// Located is a passage with its document.
type Located struct {
	ID         int64
	Folder     string
	Path       string
	Shared     bool // another of the folders has another text at the same path
	Source     plumb.Source
	Start, End int
	Heading    string
}

// Saved is a finding with the run that made it.
type Saved struct {
	Run     string
	Finding plumb.Finding
}
