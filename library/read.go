package library

// One file: bytes, text, source, passages with their terms.

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/extract"
	"github.com/plumbresearch/plumb/link"
	"github.com/plumbresearch/plumb/text"
)

// MaxFile is the size in bytes beyond which a file is not read.
const MaxFile = 50 << 20

// load reads the bytes of a file and hashes them. A file that grows while it is
// read is cut off at MaxFile and refused.
func load(name string) (data []byte, hash string, err error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, "", reason(err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	data, err = io.ReadAll(io.LimitReader(f, MaxFile+1))
	if err != nil {
		return nil, "", reason(err)
	}
	if len(data) > MaxFile {
		return nil, "", fmt.Errorf("larger than %d MB", MaxFile>>20)
	}
	return data, hashOf(data), nil
}

func hashOf[T string | []byte](s T) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}

// read makes a document of a file's bytes.
func (l *Library) read(ctx context.Context, f File, data []byte, at time.Time) (Document, error) {
	x, err := l.Extract.Extract(ctx, f.Path, "", data)
	if err != nil {
		return Document{}, err
	}
	d := Document{File: f, Text: x.Text, Cut: x.Truncated, Source: sourceOf(x, f.Path, at)}
	lang := stemLanguage(d.Source.Language)
	title := text.Terms(x.Title, lang)
	for _, c := range chunks(x, lang) {
		if p := passageOf(x.Text, c, title, lang); p.Length > 0 {
			d.Passages = append(d.Passages, p)
		}
	}
	return d, nil
}

// sourceOf describes a document. Its date is its own, never the file's: that one
// says when somebody copied it.
func sourceOf(x extract.Document, path string, at time.Time) plumb.Source {
	url := "doc:" + path
	s := plumb.Source{
		Hash: hashOf(x.Text), URL: url, FinalURL: url, Key: url, Title: x.Title, Authors: x.Authors, Date: x.Date,
		RetrievedAt: at, Language: x.Language, Format: x.Format, Chars: utf8.RuneCountInString(x.Text),
	}
	if s.Title == "" {
		s.Title = path[strings.LastIndexByte(path, '/')+1:]
	}
	if s.Language == "" {
		s.Language = text.Language(cut(x.Text, languageSample))
	}
	s.DOI = doiOf(x)
	if r := x.References; r != nil {
		s.References = &plumb.Passage{Source: s.Hash, Start: r.Start, End: r.End}
	}
	return s
}

// maxFirstPage is how many bytes of a PDF are its first page at most.
const maxFirstPage = 10_000

// doiOf is the DOI of a paper: the only one on the first page of a PDF. One of a
// paper that it cites would be one of several, or stand in the references.
func doiOf(x extract.Document) string {
	if x.Format != extract.PDF {
		return ""
	}
	page := cut(x.Text, maxFirstPage)
	if len(x.Pages) > 1 {
		page = page[:min(len(page), x.Pages[1])]
	}
	if x.References != nil {
		page = page[:min(len(page), x.References.Start)]
	}
	only := ""
	for _, f := range link.Find(page) {
		doi, ok := link.DOI(f.URL)
		if !ok {
			continue
		}
		if only != "" && doi != only || brokenOff.MatchString(page[f.Start:min(len(page), f.End+4)]) {
			return ""
		}
		only = doi
	}
	return only
}

// brokenOff: an address that ends its line in the middle goes on in the next.
var brokenOff = regexp.MustCompile(`[-/_.]\n[a-z0-9]`)

// languageSample is how many bytes of a text tell its language.
const languageSample = 2000

// stemLanguage is the language by whose rules a document of a language is
// indexed: that without its region ("pt-BR" → "pt"). What is too short or too
// much of a table to tell is taken for English; other scripts are told by script.
func stemLanguage(lang string) string {
	lang, _, _ = strings.Cut(strings.ToLower(lang), "-")
	if lang == "" {
		return "en"
	}
	return lang
}

func passageOf(s string, c chunk, title []string, lang string) Passage {
	terms := text.Terms(s[c.start:c.end], lang)
	p := Passage{Start: c.start, End: c.end, Heading: c.heading, Length: len(terms)}
	all := make([]Term, 0, len(terms)+len(title))
	for _, t := range terms {
		all = append(all, Term{Stem: t, Count: 1})
	}
	for _, t := range title {
		all = append(all, Term{Stem: t, Head: true})
	}
	for _, t := range text.Terms(c.heads, lang) {
		all = append(all, Term{Stem: t, Head: true})
	}
	p.Terms = counted(all)
	return p
}

// counted sorts terms and adds up equal ones.
func counted(all []Term) []Term {
	slices.SortFunc(all, func(a, b Term) int { return strings.Compare(a.Stem, b.Stem) })
	out := all[:0]
	for _, t := range all {
		if n := len(out); n > 0 && out[n-1].Stem == t.Stem {
			out[n-1].Count += t.Count
			out[n-1].Head = out[n-1].Head || t.Head
			continue
		}
		out = append(out, t)
	}
	return out
}
