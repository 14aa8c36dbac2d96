package library

// Shelves: documents that were handed in over the network, and stand in the library alone. A tenant has one, and
// nobody finds what stands on another's.

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/plumbresearch/plumb"
)

const shelfPrefix = "shelf:"

// Shelf is the folder name of a tenant's shelf; "" is the person at this machine.
func Shelf(tenant string) string { return shelfPrefix + tenant }

// OnShelf reports whether a folder is a shelf: there is nothing on disk to read.
func OnShelf(folder string) bool { return strings.HasPrefix(folder, shelfPrefix) }

// ErrName: a document needs a name that is a relative path.
var ErrName = errors.New("a document's name is a relative path of at most 200 bytes, as notes/march.md")

// ErrUnreadable: what was handed in has no text that can be read.
var ErrUnreadable = errors.New("cannot be read")

// Put places a document on a shelf, in place of one with the same name.
func (l *Library) Put(ctx context.Context, shelf, name string, data []byte) (Entry, error) {
	doc, err := l.take(ctx, name, data)
	if err != nil {
		return Entry{}, err
	}
	if err := l.Index.WriteDocuments(ctx, shelf, Batch{Put: []Document{doc}}); err != nil {
		return Entry{}, err
	}
	return Entry{Folder: shelf, Path: doc.File.Path, Size: doc.File.Size, Passages: len(doc.Passages), Source: doc.Source}, nil
}

// Read gives a document that is handed in and put nowhere, with its text.
func (l *Library) Read(ctx context.Context, name string, data []byte) (plumb.Source, string, error) {
	doc, err := l.take(ctx, name, data)
	return doc.Source, doc.Text, err
}

// take reads a document that is handed in.
func (l *Library) take(ctx context.Context, name string, data []byte) (Document, error) {
	name, err := shelfName(name)
	if err != nil {
		return Document{}, err
	}
	if len(data) > MaxFile {
		return Document{}, fmt.Errorf("document %s %w: it is larger than %d MB", name, ErrUnreadable, MaxFile>>20)
	}
	at := l.now()
	doc, err := l.read(ctx, File{Path: name, Size: int64(len(data)), ModTime: at, Hash: hashOf(data)}, data, at)
	if err != nil && ctx.Err() == nil {
		return doc, fmt.Errorf("document %s %w: %w", name, ErrUnreadable, err)
	}
	return doc, err
}

// Take removes a document from a shelf, or answers ErrNotInLibrary.
func (l *Library) Take(ctx context.Context, shelf, name string) error {
	files, err := l.Index.Files(ctx, shelf)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(files, func(f File) bool { return f.Path == name }) {
		return fmt.Errorf("document %s: %w", name, ErrNotInLibrary)
	}
	return l.Index.WriteDocuments(ctx, shelf, Batch{Remove: []string{name}})
}

// shelfName cleans a name and refuses what is no relative path.
func shelfName(name string) (string, error) {
	name = strings.TrimSpace(strings.ReplaceAll(name, `\`, "/"))
	bad := func(r rune) bool { return unicode.IsControl(r) || r == utf8.RuneError }
	if name == "" || len(name) > 200 || path.IsAbs(name) || strings.ContainsFunc(name, bad) {
		return "", ErrName
	}
	name = path.Clean(name)
	if name == "." || name == ".." || strings.HasPrefix(name, "../") {
		return "", ErrName
	}
	return name, nil
}
