package extract

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMarkdownMetadata(t *testing.T) {
	cases := []struct {
		what, data string
		want       Document
	}{
		{"front matter", "---\ntitle: \"Tidal power\"\nauthor: Ann Lee\ndate: 2024-03-12\nlang: en\n---\n\n# Heading\n\nText.\n",
			Document{Text: "# Heading\n\nText.\n", Title: "Tidal power", Authors: []string{"Ann Lee"}, Date: "2024-03-12", Language: "en"}},
		{"lists of authors", "---\nauthors:\n  - Ann Lee\n  - name: Bo Chen\ntags: [a, b]\n---\nText.\n",
			Document{Text: "Text.\n", Title: "Text.", Authors: []string{"Ann Lee", "Bo Chen"}}},
		{"inline list, TOML", "+++\ntitle = 'X and Y'\nauthors = [\"Ann Lee\", \"Bo Chen\"]\n+++\nText.\n",
			Document{Text: "Text.\n", Title: "X and Y", Authors: []string{"Ann Lee", "Bo Chen"}}},
		{"a rule is no front matter", "---\nText.\n---\nMore.\n", Document{Text: "---\nText.\n---\nMore.\n", Title: "Text."}},
		{"unclosed front matter", "---\ntitle: X\nText.\n", Document{Text: "---\ntitle: X\nText.\n", Title: "title: X"}},
		{"heading and date line", "Intro\n\n# The **bold** [link](http://x)\n\n*Last updated: March 2024*\n",
			Document{Text: "Intro\n\n# The **bold** [link](http://x)\n\n*Last updated: March 2024*\n", Title: "The bold link", Date: "2024-03"}},
		{"underlined heading and author line", "The title\n=========\n\n**Author:** Ann Lee and Bo Chen\nPublished: 12 March 2024\n",
			Document{Text: "The title\n=========\n\n**Author:** Ann Lee and Bo Chen\nPublished: 12 March 2024\n", Title: "The title", Authors: []string{"Ann Lee", "Bo Chen"}, Date: "2024-03-12"}},
		{"code is no heading", "```\n# comment\n```\n\n## Real\n", Document{Text: "```\n# comment\n```\n\n## Real\n", Title: "Real"}},
	}
	for _, c := range cases {
		got := extractString(t, "a.md", "", c.data)
		c.want.Format = Markdown
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", c.what, diff)
		}
	}
}

func TestMarkdownOffsetsAreTheFiles(t *testing.T) {
	const file = "# Title\r\n\r\nOutput was **540 GWh**, “quoted”.\r\n"
	doc := extractString(t, "a.md", "", "\xef\xbb\xbf"+file)
	if want := strings.ReplaceAll(file, "\r\n", "\n"); doc.Text != want {
		t.Errorf("text %q, want %q", doc.Text, want)
	}
}

func TestPlainTextTitle(t *testing.T) {
	cases := []struct{ text, want string }{
		{"Tidal power in France\n\nIt began in 1966.", "Tidal power in France"},
		{"\n\n  Spaced  \nmore", "Spaced"},
		{"This is the first line of a paragraph that was wrapped by an editor\nand goes on here.", ""},
		{strings.Repeat("long ", 40), ""},
	}
	for _, c := range cases {
		if got := extractString(t, "a.txt", "", c.text).Title; got != c.want {
			t.Errorf("%.30q: title %q, want %q", c.text, got, c.want)
		}
	}
}

func TestNames(t *testing.T) {
	cases := []struct {
		in   string
		want []string
	}{
		{"Ann Lee", []string{"Ann Lee"}},
		{"Ann Lee, Bo Chen and Cy Dee", []string{"Ann Lee", "Bo Chen", "Cy Dee"}},
		{"Lee, Ann; Chen, Bo", []string{"Lee, Ann", "Chen, Bo"}},
		{"Lee, Ann", []string{"Lee, Ann"}},
		{"Ann Lee & Bo Chen; Ann Lee", []string{"Ann Lee", "Bo Chen"}},
		{" ; ", nil},
	}
	for _, c := range cases {
		if diff := cmp.Diff(c.want, splitNames(c.in)); diff != "" {
			t.Errorf("%q: %s", c.in, diff)
		}
	}
}

func TestTitlesOfLettersAreWhatTheyAreAbout(t *testing.T) {
	for _, c := range []struct{ what, data, want string }{
		{"subject of a mail", "From: Ann Lee\nTo: Bo Chen\nDate: 3 May 2024\nSubject: Re: Badge readers\n\nDear Bo,\n\nthey work.\n", "Badge readers"},
		{"subject of a letter", "NORTH GRID PLC\nPress Office\n\n3 May 2024\n\nSubject: Power is back\n\nDear customers,\n\nit is.\n", "Power is back"},
		{"Betreff", "Krankenhaus Sankt Orlan\n\n3. Mai 2024\n\nBetreff: Überstunden im Mai\n\nText.\n", "Überstunden im Mai"},
		{"line below a letterhead", "VALLEY POST\n13 June 2024\n\nHospital computers down: operations cancelled\n\nThe hospital had to close.\n", "Hospital computers down: operations cancelled"},
		{"with a date in it", "KESTREL PLC\n\n15 January 2025\n\nStatement on the power cut of 14 January 2025\n\nWe are sorry.\n", "Statement on the power cut of 14 January 2025"},
		{"not whom it is to", "KESTREL PLC\n\n15 January 2025\n\nTo the editors of all newspapers\n\nWe are sorry.\n", "KESTREL PLC"},
		{"a title in capitals", "TRAINING PLAN\n\nEvery nurse is trained\n\nText.\n", "TRAINING PLAN"},
		{"mail without a subject", "From: Ann Lee\nTo: Bo Chen\n\nIt works.\n", "From: Ann Lee"},
		{"first line", "Car park extension\n\nIt was opened.\n", "Car park extension"},
		{"no text", "", ""},
	} {
		if got := plainTitle(c.data); got != c.want {
			t.Errorf("%s: %q, want %q", c.what, got, c.want)
		}
	}
}
