package library

// Which files of a folder are read.

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/plumbresearch/plumb/extract"
)

// Skip is a file that was not read, and why in one line.
type Skip struct {
	Path   string `json:"path"` // relative to the folder, with slashes
	Reason string `json:"reason"`
}

// candidate is a file that may be read.
type candidate struct {
	path    string // relative to the folder, with slashes
	size    int64
	modTime time.Time
}

var (
	// ErrNoFolder: nothing is there.
	ErrNoFolder = errors.New("no such file or folder")
	// ErrNoDocuments: nothing in there can be read.
	ErrNoDocuments = errors.New("no documents: files ending in .md, .txt, .html, .pdf, .docx and .csv are read")
)

// walker collects the candidates below a root in the order of their paths.
type walker struct {
	root  string // without links
	alone bool   // root is a file
	files []candidate
	skips []Skip
}

// walk lists what a folder, or a single file, holds. Hidden files and folders,
// node_modules, folders of runs, and files of other kinds are passed over. A link is not followed:
// what it leads to is read where it stands, or said to be outside.
func walk(ctx context.Context, root string) (w walker, err error) {
	info, err := os.Stat(root)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return w, ErrNoFolder
	case err != nil:
		return w, reason(err)
	}
	w.root = root
	if !info.IsDir() {
		return w, w.single(info)
	}
	err = filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return w.visit(p, d, err)
	})
	if err == nil && len(w.files) == 0 && len(w.skips) == 0 {
		err = ErrNoDocuments
	}
	// WalkDir puts a/b before a.md, the index the other way round.
	slices.SortFunc(w.files, func(a, b candidate) int { return strings.Compare(a.path, b.path) })
	return w, err
}

func (w *walker) single(info fs.FileInfo) error {
	if !info.Mode().IsRegular() {
		return errors.New("is neither a file nor a folder")
	}
	if !extract.Supported(w.root) {
		return fmt.Errorf("%q files are not read: %w", filepath.Ext(w.root), ErrNoDocuments)
	}
	w.alone = true
	w.files = []candidate{{path: filepath.Base(w.root), size: info.Size(), modTime: info.ModTime()}}
	return nil
}

func (w *walker) visit(p string, d fs.DirEntry, err error) error {
	if p == w.root {
		if err != nil {
			return reason(err)
		}
		return nil
	}
	if hidden(d.Name()) {
		if d.IsDir() {
			return fs.SkipDir
		}
		return nil
	}
	switch {
	case err != nil: // a folder that can't be listed
		w.skip(p, reason(err).Error())
		return fs.SkipDir
	case d.IsDir() && RunFolder(p):
		return fs.SkipDir
	case d.IsDir():
		return nil
	case d.Type()&fs.ModeSymlink != 0:
		w.link(p)
	case d.Type().IsRegular() && extract.Supported(d.Name()):
		w.file(p, d)
	}
	return nil
}

// RunFolder reports whether a run has written its files into dir: they quote documents, and are none themselves.
func RunFolder(dir string) bool {
	for _, name := range []string{"prompt.txt", "events.jsonl"} {
		if info, err := os.Lstat(filepath.Join(dir, name)); err != nil || !info.Mode().IsRegular() {
			return false
		}
	}
	return true
}

func hidden(name string) bool { return strings.HasPrefix(name, ".") || name == "node_modules" }

func (w *walker) file(p string, d fs.DirEntry) {
	info, err := d.Info()
	if err != nil {
		w.skip(p, reason(err).Error())
		return
	}
	w.files = append(w.files, candidate{path: w.rel(p), size: info.Size(), modTime: info.ModTime()})
}

// link says why a link to a folder or a document leads nowhere we read. Loops
// can't be entered, as links are not followed.
func (w *walker) link(p string) {
	target, err := filepath.EvalSymlinks(p)
	if err != nil {
		if extract.Supported(p) {
			w.skip(p, "link that leads nowhere")
		}
		return
	}
	info, err := os.Stat(target)
	if err != nil || !info.IsDir() && !extract.Supported(target) {
		return
	}
	if !within(w.root, target) {
		w.skip(p, "link that leads out of the folder")
	}
}

func (w *walker) skip(p, why string) { w.skips = append(w.skips, Skip{Path: w.rel(p), Reason: why}) }

func (w *walker) rel(p string) string {
	rel, err := filepath.Rel(w.root, p)
	if err != nil {
		return p
	}
	return filepath.ToSlash(rel)
}

// name is where a candidate stands on disk.
func (w *walker) name(f candidate) string {
	if w.alone {
		return w.root
	}
	return filepath.Join(w.root, filepath.FromSlash(f.path))
}
