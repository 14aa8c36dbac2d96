package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"charm.land/lipgloss/v2"
)

// style colours text on a terminal. The zero value leaves it plain.
type style struct{ on bool }

func newStyle(on bool) style { return style{on: on} }

func (s style) with(st lipgloss.Style, text string) string {
	if !s.on || text == "" {
		return text
	}
	return st.Render(text)
}

func (s style) bold(text string) string  { return s.with(lipgloss.NewStyle().Bold(true), text) }
func (s style) faint(text string) string { return s.with(lipgloss.NewStyle().Faint(true), text) }
func (s style) bad(text string) string {
	return s.with(lipgloss.NewStyle().Foreground(lipgloss.Red), text)
}
func (s style) label(text string) string {
	return s.with(lipgloss.NewStyle().Foreground(lipgloss.Cyan), text)
}

var badge = regexp.MustCompile(`\[(VERIFIED|PARTIAL|UNVERIFIED|DISPUTED|SOURCE N/A|PAYWALL)\]`)

// markdown brings out headings and badges; the text stays the report's own.
func (s style) markdown(md string) string {
	if !s.on {
		return md
	}
	lines := strings.Split(md, "\n")
	for i, l := range lines {
		if strings.HasPrefix(l, "#") {
			lines[i] = s.bold(l)
			continue
		}
		lines[i] = badge.ReplaceAllStringFunc(l, s.badge)
	}
	return strings.Join(lines, "\n")
}

func (s style) badge(b string) string {
	colour := lipgloss.BrightBlack
	switch b {
	case "[VERIFIED]":
		colour = lipgloss.Green
	case "[PARTIAL]":
		colour = lipgloss.Yellow
	case "[DISPUTED]":
		colour = lipgloss.Red
	}
	return s.with(lipgloss.NewStyle().Foreground(colour), b)
}

// count puts a number before a noun.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// relative names a path from here, when that is shorter to read.
func relative(path string) (string, bool) {
	here, err := os.Getwd()
	if err != nil {
		return path, false
	}
	rel, err := filepath.Rel(here, path)
	if err != nil || strings.HasPrefix(rel, "..") {
		return path, false
	}
	return rel, true
}
