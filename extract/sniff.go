// Which format a document has: its first bytes, then what the server said,
// then the extension of its name.
package extract

import (
	"archive/zip"
	"bytes"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"path"
	"strings"
)

var formatOfExtension = map[string]string{
	".md": Markdown, ".markdown": Markdown,
	".txt": Text, ".text": Text,
	".html": HTML, ".htm": HTML, ".xhtml": HTML,
	".pdf":  PDF,
	".docx": DOCX,
	".csv":  CSV, ".tsv": CSV,
}

var formatOfContentType = map[string]string{
	"text/html": HTML, "application/xhtml+xml": HTML,
	"text/markdown": Markdown, "text/x-markdown": Markdown,
	"text/csv": CSV, "text/tab-separated-values": CSV, "application/csv": CSV,
	"application/pdf": PDF, "application/x-pdf": PDF,
	"application/vnd.openxmlformats-officedocument.wordprocessingml.document": DOCX,
}

// Supported reports whether a file of this name is one that Extract reads, by
// its extension.
func Supported(name string) bool {
	return formatOfExtension[extension(name)] != ""
}

// extension of a file name or URL, lower case with its dot.
func extension(name string) string {
	if strings.Contains(name, "://") {
		if u, err := url.Parse(name); err == nil {
			name = u.Path
		}
	}
	return strings.ToLower(path.Ext(strings.ReplaceAll(name, `\`, "/")))
}

// baseName is the name without folders and extension, for titles.
func baseName(name string) string {
	base := path.Base(strings.ReplaceAll(name, `\`, "/"))
	base = strings.TrimSuffix(base, path.Ext(base))
	return strings.Join(strings.FieldsFunc(base, func(r rune) bool { return r == '_' || r == '-' || r == ' ' }), " ")
}

// sniffed is how far into a document its signature is looked for.
const sniffed = 1024

func sniff(name, contentType string, data []byte) (string, error) {
	head := data[:min(len(data), sniffed)]
	if bytes.Contains(head, []byte("%PDF-")) {
		return PDF, nil
	}
	if bytes.HasPrefix(head, []byte("PK\x03\x04")) {
		if isDOCX(data) {
			return DOCX, nil
		}
		return "", fmt.Errorf("%w: a zip archive that is not a DOCX", ErrUnsupported)
	}
	byName := formatOfExtension[extension(name)]
	byType := formatOfContentType[mediaType(contentType)]
	if kind := binaryKind(head); kind != "" {
		return "", fmt.Errorf("%w: %s", ErrUnsupported, kind)
	}
	if looksHTML(head) && byName != Markdown {
		return HTML, nil
	}
	for _, format := range []string{byType, byName} {
		switch format {
		case "":
		case PDF, DOCX:
			if byName == format {
				return "", fmt.Errorf("%w: named %s but it is not one", ErrUnsupported, extension(name))
			}
		default:
			return format, nil
		}
	}
	if t := mediaType(contentType); t != "" && !textual(t) && byName == "" {
		return "", fmt.Errorf("%w: %s", ErrUnsupported, t)
	}
	return Text, nil
}

func mediaType(contentType string) string {
	t, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		t, _, _ = strings.Cut(contentType, ";")
	}
	return strings.ToLower(strings.TrimSpace(t))
}

// textual content types carry text whatever their name; PDF and DOCX are here
// because servers claim them for error pages that are plain text.
func textual(mediaType string) bool {
	if strings.HasPrefix(mediaType, "text/") || formatOfContentType[mediaType] != "" {
		return true
	}
	switch mediaType {
	case "application/json", "application/xml", "application/octet-stream", "application/x-ndjson", "application/rtf":
		return true
	}
	return strings.HasSuffix(mediaType, "+xml") || strings.HasSuffix(mediaType, "+json")
}

// binaryKind names what kind of binary data head is, "" for text. UTF-16 and
// UTF-32 are told from binary data by their byte order mark or their pattern.
func binaryKind(head []byte) string {
	if utf16Order(head) != nil {
		return ""
	}
	t, _, _ := strings.Cut(http.DetectContentType(head), ";")
	switch {
	case strings.HasPrefix(t, "text/"):
		return ""
	case t == "application/octet-stream":
		return "binary data"
	}
	return t
}

// looksHTML: a doctype, an html, head or body element begins the document,
// after comments and an XML declaration at most.
func looksHTML(head []byte) bool {
	s := strings.ToLower(string(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf"))))
	if order := utf16Order(head); order != nil {
		s = strings.ToLower(strings.ReplaceAll(string(head), "\x00", ""))
		s = strings.TrimPrefix(strings.TrimPrefix(s, "\xfe\xff"), "\xff\xfe")
	}
	for {
		s = strings.TrimSpace(s)
		skipped := ""
		switch {
		case strings.HasPrefix(s, "<!--"):
			_, skipped, _ = strings.Cut(s, "-->")
		case strings.HasPrefix(s, "<?xml"):
			_, skipped, _ = strings.Cut(s, "?>")
		default:
			for _, tag := range []string{"<!doctype html", "<html", "<head>", "<body", "<title>"} {
				if strings.HasPrefix(s, tag) {
					return true
				}
			}
			return false
		}
		s = skipped
	}
}

func isDOCX(data []byte) bool {
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return false
	}
	for i, f := range archive.File {
		if i >= maxZipEntries {
			return false
		}
		if f.Name == docxBody {
			return true
		}
	}
	return false
}
