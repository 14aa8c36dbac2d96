// DOCX: the parts of the package, their limits, styles and properties.
package extract

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

const (
	docxBody = "word/document.xml"

	// maxZipEntries and maxUnpacked bound an archive that was made to burst:
	// the entries it may list and the bytes that may be unpacked in all.
	maxZipEntries = 10_000
	maxUnpacked   = 100 << 20
)

// pack reads the parts of a DOCX under one budget of unpacked bytes.
type pack struct {
	files map[string]*zip.File
	left  int64
}

func openPack(data []byte) (*pack, error) {
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, err
	}
	if len(archive.File) > maxZipEntries {
		return nil, fmt.Errorf("%w: an archive of %d entries", ErrTooLarge, len(archive.File))
	}
	p := &pack{files: map[string]*zip.File{}, left: maxUnpacked}
	for _, f := range archive.File {
		if _, twice := p.files[f.Name]; !twice {
			p.files[f.Name] = f
		}
	}
	return p, nil
}

// walk decodes a part's XML and gives its tokens to visit, until visit says to
// stop. A missing part has no tokens.
func (p *pack) walk(name string, visit func(xml.Token) (more bool)) error {
	f := p.files[name]
	if f == nil {
		return nil
	}
	rc, err := f.Open()
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	in := &budgetReader{r: rc, left: &p.left}
	err = tokens(in, visit)
	if closeErr := rc.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

func tokens(r io.Reader, visit func(xml.Token) bool) error {
	d := xml.NewDecoder(r)
	d.Strict = false
	for {
		t, err := d.RawToken()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if !visit(t) {
			return nil
		}
	}
}

// budgetReader fails with ErrTooLarge when the shared budget is spent.
type budgetReader struct {
	r    io.Reader
	left *int64
}

func (b *budgetReader) Read(p []byte) (int, error) {
	if *b.left <= 0 {
		return 0, fmt.Errorf("%w: it unpacks to more than %d bytes", ErrTooLarge, int64(maxUnpacked))
	}
	n, err := b.r.Read(p[:min(int64(len(p)), *b.left)])
	*b.left -= int64(n)
	return n, err
}

func readDOCX(data []byte, maxText int) (Document, error) {
	p, err := openPack(data)
	if err != nil {
		return Document{}, err
	}
	if p.files[docxBody] == nil {
		return Document{}, fmt.Errorf("%w: no %s in it", ErrUnsupported, docxBody)
	}
	levels, err := p.styleLevels()
	if err != nil {
		return Document{}, err
	}
	w := &docxWriter{levels: levels, max: maxText}
	for _, part := range []string{docxBody, "word/footnotes.xml", "word/endnotes.xml"} {
		w.notes = part != docxBody
		if err := p.walk(part, w.token); err != nil {
			return Document{}, err
		}
		w.endPart()
	}
	doc := Document{Text: clean(w.out.String())}
	if err := p.properties(&doc); err != nil {
		return Document{}, err
	}
	if doc.Title == "" {
		doc.Title = w.title
	}
	if doc.Title == "" {
		doc.Title = firstHeading(doc.Text)
	}
	if doc.Title == "" {
		doc.Title = shortFirstLine(doc.Text)
	}
	return doc, nil
}

// titleLevel marks the Title style among heading levels 1 to 9.
const titleLevel = 0

// styleLevels maps style ids to heading levels. Ids are localised
// ("berschrift1"), names are not ("heading 1").
func (p *pack) styleLevels() (map[string]int, error) {
	levels := map[string]int{"Title": titleLevel}
	for i := 1; i <= 9; i++ {
		levels["Heading"+strconv.Itoa(i)] = i
	}
	var id string
	err := p.walk("word/styles.xml", func(t xml.Token) bool {
		e, ok := t.(xml.StartElement)
		if !ok {
			return true
		}
		switch e.Name.Local {
		case "style":
			id = attribute(e, "styleId")
		case "name":
			name := strings.ToLower(attribute(e, "val"))
			if name == "title" {
				levels[id] = titleLevel
			} else if n, ok := strings.CutPrefix(name, "heading "); ok {
				if level, err := strconv.Atoi(n); err == nil && level >= 1 && level <= 9 {
					levels[id] = level
				}
			}
		}
		return true
	})
	return levels, err
}

func attribute(e xml.StartElement, local string) string {
	for _, a := range e.Attr {
		if a.Name.Local == local {
			return a.Value
		}
	}
	return ""
}

// properties reads docProps/core.xml: title, authors, language and the date of
// the last change or, without one, of creation.
func (p *pack) properties(doc *Document) error {
	var text strings.Builder
	var created, modified string
	err := p.walk("docProps/core.xml", func(t xml.Token) bool {
		switch t := t.(type) {
		case xml.StartElement:
			text.Reset()
		case xml.CharData:
			if text.Len() < 4096 {
				text.Write(t)
			}
		case xml.EndElement:
			value := strings.TrimSpace(clean(text.String()))
			text.Reset()
			if value == "" {
				return true
			}
			switch t.Name.Local {
			case "title":
				doc.Title = value
			case "creator":
				doc.Authors = splitNames(value)
			case "language":
				doc.Language = language(value)
			case "created":
				created = isoDate(value)
			case "modified":
				modified = isoDate(value)
			}
		}
		return true
	})
	doc.Date = modified
	if doc.Date == "" {
		doc.Date = created
	}
	return err
}
