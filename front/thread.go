package front

import (
	"context"
	"slices"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/engine"
	"github.com/plumbresearch/plumb/library"
)

// Threads of the tenant, the one touched last first, and how many there are.
func (t *Tenant) Threads(ctx context.Context, limit, offset int) ([]Thread, int, error) {
	return t.h.Store.Threads(ctx, t.name, limit, offset)
}

// Thread gives a thread with its runs, oldest first.
func (t *Tenant) Thread(ctx context.Context, id string) (Thread, []engine.Summary, error) {
	th, err := t.h.Store.Thread(ctx, t.name, id)
	if err != nil {
		return th, nil, err
	}
	runs, err := t.h.Store.Runs(ctx, engine.Filter{Tenant: &t.name, Thread: id})
	for i, j := 0, len(runs)-1; i < j; i, j = i+1, j-1 {
		runs[i], runs[j] = runs[j], runs[i]
	}
	return th, runs, err
}

// TitleThread names a thread.
func (t *Tenant) TitleThread(ctx context.Context, id, title string) error {
	return t.h.Store.TitleThread(ctx, t.name, id, title)
}

// DeleteThread deletes all its runs.
func (t *Tenant) DeleteThread(ctx context.Context, id string) error {
	_, runs, err := t.Thread(ctx, id)
	if err != nil {
		return err
	}
	for _, r := range runs {
		if err := t.Delete(ctx, r.ID); err != nil {
			return err
		}
	}
	return nil
}

// reach is what of the library a question may search, and how many documents that is: the tenant's shelf; for the person
// at this machine also the folders that were added to the library.
func (t *Tenant) reach(ctx context.Context) (plumb.Where, int, error) {
	shelf := library.Shelf(t.name)
	of := shelf
	if t.name == "" {
		of = "" // all but others' shelves
	}
	docs, err := t.h.Library.List(ctx, of)
	if err != nil || len(docs) == 0 {
		return plumb.Where{}, 0, err
	}
	if slices.ContainsFunc(docs, func(e library.Entry) bool { return e.Folder != shelf }) {
		return plumb.Where{Library: true}, len(docs), nil
	}
	return plumb.Where{Folders: []string{shelf}}, len(docs), nil
}

// Documents on the tenant's shelf, sorted by name.
func (t *Tenant) Documents(ctx context.Context) ([]library.Entry, error) {
	return t.h.Library.List(ctx, library.Shelf(t.name))
}

// AddDocument puts a document on the shelf, in place of one with the same name.
func (t *Tenant) AddDocument(ctx context.Context, name string, data []byte) (library.Entry, error) {
	return t.h.Library.Put(ctx, library.Shelf(t.name), name, data)
}

// RemoveDocument takes one off, or answers library.ErrNotInLibrary.
func (t *Tenant) RemoveDocument(ctx context.Context, name string) error {
	return t.h.Library.Take(ctx, library.Shelf(t.name), name)
}

// SearchDocuments finds passages in what a question may search.
func (t *Tenant) SearchDocuments(ctx context.Context, query string, limit int) ([]plumb.Hit, error) {
	reach, n, err := t.reach(ctx)
	if err != nil || n == 0 {
		return nil, err
	}
	return t.h.Library.Search(ctx, library.Query{Text: query, Folders: reach.Folders, Limit: limit})
}
