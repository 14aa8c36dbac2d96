package library

// Adding a folder: what is new is read, what changed is read again, what is gone
// goes.

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/extract"
)

// AddOptions say who is told what while a folder is read. The functions are
// called from the goroutine that called Add.
type AddOptions struct {
	// Progress is told how far it is: at the beginning, now and then (some ten times a second at most), at the end.
	Progress func(plumb.DocumentsNews)
	// Skipped is told of each file that can't be read.
	Skipped func(Skip)
	// Cut is told of each new document of which only the beginning was read, because its text is too long.
	Cut func(path string)
}

// Report is what came of an Add.
type Report struct {
	Folder   string
	Files    plumb.DocumentsNews
	Skipped  []Skip // sorted by path
	Passages int    // new
	Bytes    int    // of text that was read
}

// Bounds of what is written in one go. A kill loses no more than one batch, and
// the next Add goes on behind it.
const (
	batchBytes = 4 << 20 // of text
	batchFiles = 256
	slowFiles  = 16 // PDFs, which may take a second each
)

// Add brings the library up to date with a folder, or a single file: unchanged
// files (by size and time, else by their bytes) are not read again, changed ones
// are replaced, and those that are gone or can't be read any more go. Documents
// are written in the order of their paths, whoever of the workers is quickest.
func (l *Library) Add(ctx context.Context, folder string, o AddOptions) (Report, error) {
	name, err := Folder(folder)
	if err != nil {
		return Report{}, err
	}
	w, err := walk(ctx, name)
	if err != nil {
		return Report{}, fmt.Errorf("documents %s: %w", folder, err)
	}
	known, err := l.Index.Files(ctx, name)
	if err != nil {
		return Report{}, err
	}
	a := adding{l: l, o: o, known: map[string]File{}, at: l.now()}
	a.report.Folder = name
	a.report.Files = plumb.DocumentsNews{Folder: name, Total: len(w.files) + len(w.skips)}
	for _, f := range known {
		a.known[f.Path] = f
	}
	err = a.run(ctx, w, known)
	slices.SortFunc(a.report.Skipped, func(a, b Skip) int { return strings.Compare(a.Path, b.Path) })
	return a.report, err // of the index, which names the folder, or of the context
}

// adding is an Add under way.
type adding struct {
	l      *Library
	o      AddOptions
	known  map[string]File
	at     time.Time
	report Report
	batch  Batch
	slow   int // PDFs in the batch
	bytes  int // of text in the batch
	effort int // since progress was told
	// writing answers when the batch before is written; nil when none is
	writing chan error
}

func (a *adding) run(ctx context.Context, w walker, known []File) error {
	a.progress(0)
	for _, s := range w.skips {
		a.skip(s)
	}
	seen := make(map[string]bool, len(w.files))
	for _, f := range w.files {
		seen[f.path] = true
	}
	for _, f := range known {
		if !seen[f.Path] {
			a.batch.Remove = append(a.batch.Remove, f.Path)
			a.report.Files.Removed++
		}
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	results, wait := a.start(ctx, w)
	defer wait()
	defer stop() // before waiting: those that still read are told to stop
	for r := range results {
		if err := a.take(ctx, <-r); err != nil {
			return a.end(err)
		}
	}
	err := ctx.Err()
	if err == nil {
		err = a.flush(ctx)
	}
	if err = a.end(err); err != nil {
		return err
	}
	a.progress(effortOfNews)
	return nil
}

// result is what came of a candidate.
type result struct {
	file candidate
	same bool // as the index has it, size and time included
	doc  Document
	err  error
}

// start sets workers to read the files. Results come in the order of the files;
// no more than a few files per worker are in memory at once. The function that
// it returns waits for the workers to end.
func (a *adding) start(ctx context.Context, w walker) (<-chan chan result, func()) {
	workers := a.l.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	type job struct {
		file candidate
		to   chan result
	}
	jobs := make(chan job)
	results := make(chan chan result, 4*workers)
	var wg sync.WaitGroup
	wg.Go(func() {
		defer close(results)
		defer close(jobs)
		for _, f := range w.files {
			to := make(chan result, 1)
			select {
			case results <- to:
			case <-ctx.Done():
				return
			}
			if a.unchanged(f) {
				to <- result{file: f, same: true}
				continue
			}
			jobs <- job{f, to}
		}
	})
	for range workers {
		wg.Go(func() {
			for j := range jobs {
				j.to <- a.read(ctx, w, j.file)
			}
		})
	}
	return results, wg.Wait
}

func (a *adding) unchanged(f candidate) bool {
	k, ok := a.known[f.path]
	return ok && k.Size == f.size && k.ModTime.Equal(f.modTime)
}

// read runs on a worker. What it looks at in a is not changed while workers run.
func (a *adding) read(ctx context.Context, w walker, f candidate) result {
	r := result{file: f}
	if r.err = ctx.Err(); r.err != nil {
		return r
	}
	data, hash, err := load(w.name(f))
	if err != nil {
		r.err = err
		return r
	}
	file := File{Path: f.path, Size: f.size, ModTime: f.modTime, Hash: hash}
	if k, ok := a.known[f.path]; ok && k.Hash == hash {
		r.doc.File = file
		return r
	}
	r.doc, r.err = a.l.read(ctx, file, data, a.at)
	return r
}

// take counts a result and puts it into the batch.
func (a *adding) take(ctx context.Context, r result) error {
	n := &a.report.Files
	_, had := a.known[r.file.path]
	switch {
	case r.same:
		n.Same++
	case r.err != nil:
		if ctx.Err() != nil { // told to stop: the file is not to blame
			return ctx.Err()
		}
		if had {
			a.batch.Remove = append(a.batch.Remove, r.file.path)
			n.Removed++
		}
		a.skip(Skip{Path: r.file.path, Reason: oneLine(r.err)})
		return a.flushIfFull(ctx)
	case r.doc.Source.Hash == "":
		a.batch.Touch = append(a.batch.Touch, r.doc.File)
		n.Same++
	default:
		if had {
			n.Changed++
		} else {
			n.Added++
		}
		a.put(r.doc)
		if r.doc.Cut && a.o.Cut != nil {
			a.o.Cut(r.file.path)
		}
	}
	n.Done++
	a.progress(effortOf(r))
	return a.flushIfFull(ctx)
}

func (a *adding) put(d Document) {
	a.batch.Put = append(a.batch.Put, d)
	a.bytes += len(d.Text)
	a.report.Bytes += len(d.Text)
	a.report.Passages += len(d.Passages)
	if d.Source.Format == extract.PDF {
		a.slow++
	}
}

func (a *adding) flushIfFull(ctx context.Context) error {
	if a.bytes < batchBytes && a.slow < slowFiles && len(a.batch.Put)+len(a.batch.Touch)+len(a.batch.Remove) < batchFiles {
		return nil
	}
	return a.flush(ctx)
}

// flush hands the batch to the index as soon as the one before is written, and
// goes on reading meanwhile.
func (a *adding) flush(ctx context.Context) error {
	if err := a.written(); err != nil {
		return err
	}
	b := a.batch
	if len(b.Put)+len(b.Touch)+len(b.Remove) == 0 {
		return nil
	}
	a.batch, a.slow, a.bytes = Batch{}, 0, 0
	a.writing = make(chan error, 1)
	done := a.writing
	go func() { done <- a.l.Index.WriteDocuments(ctx, a.report.Folder, b) }()
	return nil
}

// written waits for the batch that is being written.
func (a *adding) written() error {
	if a.writing == nil {
		return nil
	}
	err := <-a.writing
	a.writing = nil
	return err
}

// end waits for the last batch. The first error is the one that counts.
func (a *adding) end(err error) error {
	if last := a.written(); err == nil {
		err = last
	}
	return err
}

func (a *adding) skip(s Skip) {
	a.report.Skipped = append(a.report.Skipped, s)
	a.report.Files.Skipped++
	a.report.Files.Done++
	if a.o.Skipped != nil {
		a.o.Skipped(s)
	}
	a.progress(effortOfFile)
}

// Efforts are rough microseconds, so that progress is told by what was done and
// not by a clock.
const (
	effortOfNews = 100_000 // between two tellings
	effortOfSame = 10
	effortOfFile = 200
	effortOfPDF  = 50_000
	bytesPerTick = 4 // of text
)

func effortOf(r result) int {
	switch {
	case r.same:
		return effortOfSame
	case r.doc.Source.Format == extract.PDF:
		return effortOfPDF
	}
	return effortOfFile + len(r.doc.Text)/bytesPerTick
}

func (a *adding) progress(effort int) {
	a.effort += effort
	if a.o.Progress != nil && (effort == 0 || a.effort >= effortOfNews) {
		a.effort = 0
		a.o.Progress(a.report.Files)
	}
}

// oneLine is an error as users are told.
func oneLine(err error) string {
	if errors.Is(err, context.DeadlineExceeded) {
		return "took too long"
	}
	return cut(strings.Join(strings.Fields(err.Error()), " "), 200)
}
