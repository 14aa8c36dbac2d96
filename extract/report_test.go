package extract

import (
	"context"
	"errors"
	"strings"
	"testing"
)

func TestReportsKeepWhatTheyCite(t *testing.T) {
	rels := `<Relationships><Relationship Id="r1" Type="http://x/hyperlink" Target="https://a.example/x (y)" TargetMode="External"/>` +
		`<Relationship Id="r2" Type="http://x/image" Target="https://a.example/i.png"/></Relationships>`
	docx := zipped(t, docxPart(para("Heading1", "Mills")+
		`<w:p><w:r><w:t xml:space="preserve">It burned </w:t></w:r><w:hyperlink r:id="r1"><w:r><w:t>says A</w:t></w:r></w:hyperlink><w:r><w:t>.</w:t></w:r><w:r><w:footnoteReference w:id="2"/></w:r></w:p>`+
		`<w:p><w:hyperlink r:id="r2"><w:r><w:t>no link</w:t></w:r></w:hyperlink></w:p>`),
		part{"word/_rels/document.xml.rels", rels},
		part{"word/footnotes.xml", `<w:footnotes><w:footnote w:id="2"><w:p><w:r><w:t>https://b.example/</w:t></w:r></w:p></w:footnote></w:footnotes>`})
	cases := []struct {
		name, file string
		data       []byte
		want       string
	}{
		{"Markdown stays as it is", "r.md", []byte("# A \r\n\r\n* b [1]\t\r\n"), "# A \r\n\r\n* b [1]\t\r\n"},
		{"but for a byte order mark", "r.md", []byte("\xef\xbb\xbf# A\n"), "# A\n"},
		{"other character sets", "r.txt", []byte("caf\xe9 au lait"), "café au lait"},
		{"links of pages", "r.html", []byte(`<html><body><h1>Mills</h1><p>It burned, <a href="https://a.example/x?y=1&amp;z=2">says <b>A</b></a>.<sup><a href="https://b.example/"> 2</a></sup></p><p><a href="#top">up</a> <a href="/rel">here</a></p></body></html>`),
			"# Mills\n\nIt burned, [says A](https://a.example/x?y=1&z=2).[ 2](https://b.example/)\n\nup here"},
		{"addresses with brackets", "r.html", []byte(`<p><a href="https://a.example/x_(y)">A</a></p>`), "[A](<https://a.example/x_(y)>)"},
		{"links around blocks are none", "r.html", []byte(`<a href="https://a.example/"><div>A card</div></a>`), "A card"},
		{"lists of links are sources", "r.html", []byte(`<h2>Sources</h2><ol><li><a href="https://a.example/">A</a></li><li><a href="https://b.example/">B</a></li></ol>`),
			"## Sources\n\n- [A](https://a.example/)\n- [B](https://b.example/)"},
		{"tables", "r.html", []byte(`<table><tr><th>Year</th><th>Mills</th></tr><tr><td>1911</td><td>9</td></tr></table>`), "| Year | Mills |\n| --- | --- |\n| 1911 | 9 |"},
		{"DOCX", "r.docx", docx, "# Mills\n\nIt burned [says A](<https://a.example/x (y)>).[^2]\n\nno link\n\n[^2]: https://b.example/"},
		{"PDF", "r.pdf", []byte("%PDF-1.4 mills"), ""},
	}
	for _, c := range cases {
		got, err := Extractor{}.Report(context.Background(), c.file, c.data)
		if c.want == "" {
			if err == nil {
				t.Errorf("%s: no child to read it, and %q", c.name, got)
			}
			continue
		}
		if err != nil || strings.TrimRight(got, "\n") != strings.TrimRight(c.want, "\n") {
			t.Errorf("%s: %v\n%q, want\n%q", c.name, err, got, c.want)
		}
	}
}

func TestWhatIsNoReport(t *testing.T) {
	for name, c := range map[string]struct {
		data []byte
		want error
	}{
		"empty.md":   {[]byte(" \n\t"), ErrEmpty},
		"empty.html": {[]byte("<html><body><script>x()</script></body></html>"), ErrEmpty},
		"image.png":  {[]byte("\x89PNG\r\n\x1a\n0000000000000000"), ErrUnsupported},
		"other.zip":  {zipped(t, part{"a.txt", "x"}), ErrUnsupported},
	} {
		if got, err := (Extractor{}).Report(context.Background(), name, c.data); !errors.Is(err, c.want) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	if _, err := (Extractor{MaxInput: 3}).Report(context.Background(), "a.md", []byte("long")); !errors.Is(err, ErrTooLarge) {
		t.Error(err)
	}
}

func FuzzReport(f *testing.F) {
	f.Add("r.html", []byte(`<p><a href="https://a.example/">[A</a> | b</p>`))
	f.Add("r.html", []byte(`<table><tr><td>a</td><td>b</td></tr><tr><td><a href="doc:x">c</a></td><td>d</td></tr></table>`))
	f.Add("r.docx", zipped(f, docxPart(`<w:p><w:hyperlink r:id="x"><w:r><w:t>a</w:t></w:r></w:p></w:hyperlink>`)))
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		one, err := Extractor{}.Report(context.Background(), name, data)
		if err == nil && strings.TrimSpace(one) == "" {
			t.Error("nothing, and no error")
		}
		if two, _ := (Extractor{}).Report(context.Background(), name, data); one != two {
			t.Error("the same bytes gave two texts")
		}
	})
}
