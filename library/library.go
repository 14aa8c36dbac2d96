package library

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/plumbresearch/plumb/extract"
)

// Library is the user's documents. Its methods may be called from several
// goroutines.
type Library struct {
	Index   Index
	Extract extract.Extractor
	// Workers read files at the same time. Zero: one per CPU.
	Workers int
	// Now is when documents are read. Nil: time.Now.
	Now func() time.Time

	texts cache
}

func (l *Library) now() time.Time {
	if l.Now != nil {
		return l.Now()
	}
	return time.Now().UTC()
}

// Folder is the name under which a folder is known to the index: its absolute
// path without links. A path that is not there is taken as it is.
func Folder(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("folder %s: %w", path, err)
	}
	real, err := filepath.EvalSymlinks(abs)
	if errors.Is(err, fs.ErrNotExist) {
		return abs, nil
	}
	if err != nil {
		return "", fmt.Errorf("folder %s: %w", path, reason(err))
	}
	return real, nil
}

// List returns the documents of a folder sorted by path; with "", those of all
// folders, sorted by folder and path.
func (l *Library) List(ctx context.Context, folder string) ([]Entry, error) {
	folders, err := l.folders(ctx, folder)
	if err != nil {
		return nil, err
	}
	var out []Entry
	for _, f := range folders {
		entries, err := l.Index.Documents(ctx, f)
		if err != nil {
			return nil, err
		}
		out = append(out, entries...)
	}
	return out, nil
}

func (l *Library) folders(ctx context.Context, some ...string) ([]string, error) {
	var out []string
	for _, f := range some {
		if f == "" {
			continue
		}
		if OnShelf(f) {
			out = append(out, f)
			continue
		}
		name, err := Folder(f)
		if err != nil {
			return nil, err
		}
		out = append(out, name)
	}
	if len(out) > 0 {
		return out, nil
	}
	all, err := l.Index.Folders(ctx)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(all, func(f string) bool { return OnShelf(f) && f != Shelf("") }), nil
}

// ErrNotInLibrary: neither a folder of the library nor a document in one.
var ErrNotInLibrary = errors.New("not in the library")

// Remove takes a folder, a folder inside one or a single file out of the
// library, and says how many documents went. Files on disk stay.
func (l *Library) Remove(ctx context.Context, path string) (int, error) {
	name, err := Folder(path)
	if err != nil {
		return 0, err
	}
	folders, err := l.Index.Folders(ctx)
	if err != nil {
		return 0, err
	}
	removed := 0
	for _, f := range folders {
		n, err := l.removeFrom(ctx, f, name)
		if err != nil {
			return removed, err
		}
		removed += n
	}
	if removed == 0 {
		return 0, fmt.Errorf("%s: %w: see `plumb library list`", path, ErrNotInLibrary)
	}
	return removed, nil
}

// removeFrom removes from one folder what stands at or below name.
func (l *Library) removeFrom(ctx context.Context, folder, name string) (int, error) {
	if within(name, folder) {
		return l.Index.DropFolder(ctx, folder)
	}
	if !within(folder, name) {
		return 0, nil
	}
	files, err := l.Index.Files(ctx, folder)
	if err != nil {
		return 0, err
	}
	var b Batch
	for _, f := range files {
		if within(name, filepath.Join(folder, filepath.FromSlash(f.Path))) {
			b.Remove = append(b.Remove, f.Path)
		}
	}
	if len(b.Remove) == 0 {
		return 0, nil
	}
	return len(b.Remove), l.Index.WriteDocuments(ctx, folder, b)
}

// within reports whether path is dir or stands below it.
func within(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// reason is what was wrong with a file, without its path, which stands beside it
// anyway.
func reason(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// Folders of the library, other tenants' shelves left out.
func (l *Library) Folders(ctx context.Context) ([]string, error) { return l.folders(ctx) }
