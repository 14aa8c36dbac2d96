package library

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/plumbresearch/plumb/extract"
	"github.com/plumbresearch/plumb/text"
)

type piece struct{ Heading, Text string }

func pieces(doc extract.Document) []piece {
	var out []piece
	for _, c := range chunks(doc, "en") {
		out = append(out, piece{c.heading, doc.Text[c.start:c.end]})
	}
	return out
}

// prose makes n sentences of 60 bytes, with the spaces between them.
func prose(n int) string {
	return strings.TrimSpace(strings.Repeat("The pump at the north pier ran for ninety hours last week.  ", n))
}

func TestChunks(t *testing.T) {
	for _, c := range []struct {
		name, format, text string
		want               []piece
	}{
		{"headings belong to what is below them", extract.Markdown,
			"# Bridge\n\nIt is old.\n\n## Cracks\n\nThere are two.\n\n### Pier 4\n\nOne is long.\n\n## Costs\n\nHigh.\n",
			[]piece{{"Bridge", "It is old."}, {"Cracks", "There are two."}, {"Pier 4", "One is long."}, {"Costs", "High."}}},
		{"small paragraphs join", extract.Text, "One.\n\nTwo.\n\nThree.\n", []piece{{"", "One.\n\nTwo.\n\nThree."}}},
		{"underlined headings", extract.Markdown, "Bridge\n======\n\nOld.\n\nCracks\n---\nTwo.\n", []piece{{"Bridge", "Old."}, {"Cracks", "Two."}}},
		{"a heading without text is dropped", extract.Markdown, "# A\n\n## B\n\nText.\n\n## C\n", []piece{{"B", "Text."}}},
		{"nothing but headings", extract.Markdown, "# Only a title\n", []piece{{"", "# Only a title"}}},
		{"a comment in code is no heading", extract.Markdown, "# Setup\n\n```\n# install\nmake\n```\n", []piece{{"Setup", "```\n# install\nmake\n```"}}},
		{"headings of plain texts", extract.Text, "SUMMARY OF WORKS\n\nDone.\n\n2.1 Piers\n\nFour piers.\n\n1. first item\n2. second item\n",
			[]piece{{"SUMMARY OF WORKS", "Done."}, {"2.1 Piers", "Four piers.\n\n1. first item\n2. second item"}}},
		{"a table keeps its header", extract.Markdown,
			"## Flow\n\n| Year | Flow |\n|---|---|\n" + strings.Repeat("| 2021 | 41 cubic metres |\n", 50) + "\nAfter.\n",
			[]piece{
				{"Flow", "| Year | Flow |\n|---|---|\n" + rows(32)},
				{"Flow (Year | Flow)", rows(18)},
				{"Flow", "After."},
			}},
		{"rows of a csv file run together", extract.CSV, strings.Repeat("Year: 2021; Flow: 41.\n", 50),
			[]piece{{"", strings.TrimSpace(strings.Repeat("Year: 2021; Flow: 41.\n", 40))}, {"", strings.TrimSpace(strings.Repeat("Year: 2021; Flow: 41.\n", 10))}}},
		{"empty", extract.Text, "", nil},
		{"blank", extract.Text, " \n\n\t\n", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := pieces(extract.Document{Text: c.text, Format: c.format})
			if d := cmp.Diff(c.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

func rows(n int) string { return strings.TrimSpace(strings.Repeat("| 2021 | 41 cubic metres |\n", n)) }

func TestLongParagraphsAreCutBetweenSentences(t *testing.T) {
	doc := extract.Document{Text: "# Log\n\n" + prose(40) + "\n\n" + prose(12) + "\n\n" + prose(2), Format: extract.Markdown}
	got := chunks(doc, "en")
	ends := map[int]bool{}
	for _, s := range text.Sentences(doc.Text, "en") {
		ends[s.End] = true
	}
	for i, c := range got {
		n := c.end - c.start
		if n > mostTail || n < little {
			t.Errorf("passage %d has %d bytes", i, n)
		}
		if !ends[c.end] || !strings.HasPrefix(doc.Text[c.start:], "The pump") {
			t.Errorf("passage %d is cut inside a sentence: %q", i, doc.Text[c.start:c.end])
		}
	}
	if len(got) < 4 {
		t.Errorf("%d passages", len(got))
	}
}

func TestSmallRestJoinsThePassageBefore(t *testing.T) {
	got := pieces(extract.Document{Text: "## A\n\n" + prose(14) + "\n\nThat is all.\n\n## B\n\nNext.\n", Format: extract.Markdown})
	if len(got) != 2 || !strings.HasSuffix(got[0].Text, "That is all.") || got[1].Text != "Next." {
		t.Errorf("%+v", got)
	}
}

func TestReferencesBelongToNoPassage(t *testing.T) {
	body := "# Paper\n\nCells divide.\n\n"
	refs := "## References\n\n[1] A. Lee, Cells, 2001.\n[2] B. Chen, Walls, 2002.\n\n"
	doc := extract.Document{Text: body + refs + "## Appendix\n\nMore cells.\n", Format: extract.Markdown,
		References: &extract.Range{Start: len(body), End: len(body) + len(refs)}}
	want := []piece{{"Paper", "Cells divide."}, {"Appendix", "More cells."}}
	if d := cmp.Diff(want, pieces(doc)); d != "" {
		t.Error(d)
	}
}

func TestWhatNeverEndsIsCutBetweenWords(t *testing.T) {
	doc := extract.Document{Text: strings.Repeat("añb ", 5000), Format: extract.Text}
	for _, c := range chunks(doc, "en") {
		if s := doc.Text[c.start:c.end]; len(s) > longest || !strings.HasPrefix(s, "añb") || !strings.HasSuffix(strings.TrimSpace(s), "añb") {
			t.Errorf("%d bytes: %.20q … %q", len(s), s, s[max(0, len(s)-20):])
		}
	}
}

func FuzzChunks(f *testing.F) {
	for _, s := range []string{
		"# A\n\ntext\n\n| a | b |\n|---|---|\n| 1 | 2 |\n", "x\n===\ny\n---\nz", "```\n# no\n", "a | b\n\n\n- x\n- y\n", "1. Intro\n\nText.",
		"######## deep\n####### seven\n###### six\nq", strings.Repeat("ab", 5000), "\xff\xfe\n#\xff x", "日本語。文章です。\n\n# 見出し\n本文",
	} {
		f.Add(s, uint8(0), uint16(3), uint16(9))
	}
	formats := []string{extract.Markdown, extract.Text, extract.CSV, extract.PDF, extract.HTML, extract.DOCX}
	f.Fuzz(func(t *testing.T, s string, format uint8, from, to uint16) {
		doc := extract.Document{Text: s, Format: formats[int(format)%len(formats)]}
		if from < to && int(to) <= len(s) {
			doc.References = &extract.Range{Start: int(from), End: int(to)}
		}
		at := 0
		for _, c := range chunks(doc, "en") {
			if c.start < at || c.end <= c.start || c.end > len(s) {
				t.Fatalf("passage %d–%d after %d in %d bytes", c.start, c.end, at, len(s))
			}
			at = c.end
			if p := s[c.start:c.end]; utf8.ValidString(s) && !utf8.ValidString(p) {
				t.Fatalf("passage %q cuts a character", p)
			}
		}
	})
}
