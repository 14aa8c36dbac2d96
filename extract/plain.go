// Markdown and plain text: kept verbatim, read only for title, authors and
// date.
package extract

import (
	"regexp"
	"strings"
	"unicode"
)

// readMarkdown keeps the text as it is, less the front matter.
func readMarkdown(s string) Document {
	meta, body := frontMatter(s)
	doc := Document{
		Text:     body,
		Title:    meta.first("title"),
		Authors:  meta.list("author", "authors", "by"),
		Language: language(meta.first("lang", "language")),
		Date:     isoDate(meta.first("date", "published", "publishdate", "pubdate", "created", "updated", "lastmod", "last_updated")),
	}
	if doc.Title == "" {
		doc.Title = firstHeading(body)
	}
	if doc.Title == "" {
		doc.Title = shortFirstLine(body)
	}
	if len(doc.Authors) == 0 {
		doc.Authors = authorLine(body)
	}
	return doc
}

// readPlain keeps the text as it is; its title is the first line if short.
func readPlain(s string) Document {
	return Document{Text: s, Title: plainTitle(s), Authors: authorLine(s)}
}

var (
	subjectLine = regexp.MustCompile(`(?i)^(?:subject|betreff|objet|asunto|oggetto|onderwerp)\s*:\s*(.{3,120})$`)
	replyPrefix = regexp.MustCompile(`(?i)^(?:(?:re|fw|fwd|aw|wg)\s*:\s*)+`)
	mailField   = regexp.MustCompile(`(?i)^(?:from|to|cc|date|sent|von|an|datum|gesendet|de|à|para)\s*:`)
)

var addressed = regexp.MustCompile(`(?i)^(?:to (?:the|all|our)|dear|an (?:die|den|das|alle)|sehr geehrte[rn]?|liebe[rn]?|madame|monsieur|chers?|estimad[oa]s?)\b`)

// headLines is how many lines of a letter are looked at for what it is about.
const headLines = 20

// plainTitle is the subject line of a letter or e-mail; else the first line, unless that is a letterhead in capitals or
// a field of a mail and a line below it that stands alone can be the title.
func plainTitle(s string) string {
	first := shortFirstLine(s)
	lines := strings.Split(cut(s, titleBytes), "\n")
	lines = lines[:min(len(lines), headLines)]
	for _, l := range lines {
		if m := subjectLine.FindStringSubmatch(strings.TrimSpace(l)); m != nil {
			return plainInline(replyPrefix.ReplaceAllString(m[1], ""))
		}
	}
	if first == "" || !mailField.MatchString(first) && (strings.ToUpper(first) != first || !letterHead(lines)) {
		return first
	}
	for i, l := range lines {
		if l = strings.TrimSpace(l); l != first && standsAlone(lines, i) && titleLike(l) {
			return plainInline(l)
		}
	}
	return first
}

// letterHead says whether the first lines have a date or a field of a letter of their own: what is above is who wrote it.
func letterHead(lines []string) bool {
	for _, l := range lines[:min(len(lines), 8)] {
		l = strings.TrimSpace(l)
		if mailField.MatchString(l) || len(strings.Fields(l)) <= 5 && isoDate(l) != "" && strings.ToUpper(l) != l {
			return true
		}
	}
	return false
}

func standsAlone(lines []string, i int) bool {
	return i > 0 && strings.TrimSpace(lines[i-1]) == "" && i+1 < len(lines) && strings.TrimSpace(lines[i+1]) == ""
}

// titleLike: a few words that are no date, no field, no salutation and no sentence.
func titleLike(s string) bool {
	n := len(strings.Fields(s))
	return n >= 3 && len(s) <= 120 && !addressed.MatchString(s) && (n > 5 || isoDate(s) == "") && !mailField.MatchString(s) && !strings.ContainsAny(s[len(s)-1:], ".,;!")
}

// front is a document's front matter: keys in lower case, values in order.
type front map[string][]string

func (f front) first(keys ...string) string {
	for _, k := range keys {
		if v := f[k]; len(v) > 0 {
			return v[0]
		}
	}
	return ""
}

func (f front) list(keys ...string) []string {
	for _, k := range keys {
		if v := f[k]; len(v) > 0 {
			return splitNames(v...)
		}
	}
	return nil
}

// maxFrontMatter bounds the search for the closing line.
const maxFrontMatter = 64 << 10

var frontKey = regexp.MustCompile(`^([A-Za-z][\w -]{0,40})\s*[:=]\s*(.*)$`)

// frontMatter splits off a block between "---" (or TOML's "+++") lines at the
// very top. Only flat keys, inline lists and "- item" lists are understood;
// other lines are passed over. A block without any key is a thematic break.
func frontMatter(s string) (front, string) {
	fence, rest, ok := strings.Cut(s, "\n")
	fence = strings.TrimRight(fence, " \t")
	if !ok || fence != "---" && fence != "+++" {
		return nil, s
	}
	meta := front{}
	var key string
	for read := 0; rest != "" && read < maxFrontMatter; {
		var line string
		line, rest, _ = strings.Cut(rest, "\n")
		read += len(line) + 1
		trimmed := strings.TrimSpace(line)
		if trimmed == fence || trimmed == "..." && fence == "---" {
			if len(meta) == 0 {
				return nil, s
			}
			return meta, strings.TrimLeft(rest, "\n")
		}
		item, isItem := strings.CutPrefix(trimmed, "- ")
		if isItem && key != "" {
			item = strings.TrimPrefix(item, "name:")
			meta[key] = append(meta[key], unquote(item))
			continue
		}
		if m := frontKey.FindStringSubmatch(line); m != nil {
			key = strings.ToLower(strings.TrimSpace(m[1]))
			meta[key] = append(meta[key], inlineList(m[2])...)
		}
	}
	return nil, s
}

func inlineList(v string) []string {
	v = strings.TrimSpace(v)
	if strings.HasPrefix(v, "[") && strings.HasSuffix(v, "]") {
		var out []string
		for _, item := range strings.Split(v[1:len(v)-1], ",") {
			if item = unquote(item); item != "" {
				out = append(out, item)
			}
		}
		return out
	}
	if v = unquote(v); v == "" || v == "|" || v == ">" {
		return nil
	}
	return []string{v}
}

func unquote(v string) string {
	v = strings.TrimSpace(v)
	if len(v) >= 2 && (v[0] == '"' || v[0] == '\'') && v[len(v)-1] == v[0] {
		v = v[1 : len(v)-1]
	}
	return strings.TrimSpace(v)
}

// titleBytes is how far into a text its heading is looked for.
const titleBytes = 8 << 10

// firstHeading is the first "# " or "## " heading, or a line underlined with
// "===".
func firstHeading(text string) string {
	lines := strings.Split(cut(text, titleBytes), "\n")
	fenced := false
	for i, line := range lines {
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
		}
		if fenced {
			continue
		}
		trimmed := strings.TrimLeft(line, "#")
		if n := len(line) - len(trimmed); n >= 1 && n <= 3 && strings.HasPrefix(trimmed, " ") {
			return plainInline(strings.Trim(trimmed, "# "))
		}
		if i+1 < len(lines) && len(lines[i+1]) >= 3 && strings.Trim(lines[i+1], "= ") == "" && strings.TrimSpace(line) != "" {
			return plainInline(strings.TrimSpace(line))
		}
	}
	return ""
}

var inlineLink = regexp.MustCompile(`!?\[([^\]]*)\]\([^)]*\)`)

// plainInline removes emphasis, code marks and link targets.
func plainInline(s string) string {
	s = inlineLink.ReplaceAllString(s, "$1")
	return strings.TrimSpace(strings.NewReplacer("**", "", "__", "", "`", "").Replace(strings.Trim(s, "*_")))
}

// shortFirstLine is the first line with a letter if it can be a title: at most
// 120 characters and no sentence that goes on in the next line.
func shortFirstLine(text string) string {
	text = cut(text, titleBytes)
	first := strings.IndexFunc(text, unicode.IsLetter)
	if first < 0 {
		return ""
	}
	text = text[strings.LastIndexByte(text[:first], '\n')+1:]
	line, next, _ := strings.Cut(text, "\n")
	line = strings.TrimSpace(line)
	if line == "" || len([]rune(line)) > 120 {
		return ""
	}
	if len(line) > 60 && strings.TrimSpace(strings.SplitN(next, "\n", 2)[0]) != "" {
		return "" // the first line of a wrapped paragraph
	}
	return plainInline(strings.TrimLeft(line, "#> "))
}

var byLine = regexp.MustCompile(`(?i)^[\s*_>]*(?:(?:authors?|written by|autor(?:en|in)?|auteurs?)\**\s*[:：]|by[:：]?\s)[*_\s]*(.{2,200}?)[*_\s]*$`)

// authorLine reads "Author: …" or "By …" among the first lines.
func authorLine(text string) []string {
	seen := 0
	for _, line := range strings.Split(cut(text, 2000), "\n") {
		if strings.TrimSpace(line) == "" {
			continue
		}
		if seen++; seen > 10 {
			break
		}
		if m := byLine.FindStringSubmatch(line); m != nil && !strings.ContainsAny(m[1], ".!?") || m != nil && len(m[1]) < 60 {
			return splitNames(m[1])
		}
	}
	return nil
}

// maxAuthors bounds the list; papers of large collaborations have thousands.
const maxAuthors = 50

var nameSeparator = regexp.MustCompile(`\s*(?:;|\n|\s+and\s+|\s+und\s+|\s+&\s+)\s*`)

// splitNames splits lists of names. A comma separates names only if there is
// more than one word on both sides ("Ann Lee, Bo Chen"), not in "Lee, Ann".
func splitNames(values ...string) []string {
	var out []string
	seen := map[string]bool{}
	add := func(name string) {
		name = strings.Trim(oneLine(name, 120), " ,;*_")
		if name != "" && !seen[name] && len(out) < maxAuthors {
			seen[name] = true
			out = append(out, name)
		}
	}
	for _, v := range values {
		for _, part := range nameSeparator.Split(v, -1) {
			names := strings.Split(part, ",")
			full := true
			for _, n := range names {
				full = full && len(strings.Fields(n)) != 1
			}
			if !full {
				names = []string{part}
			}
			for _, n := range names {
				add(n)
			}
		}
	}
	return out
}

var languageTag = regexp.MustCompile(`^[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8})*$`)

// language accepts a declared language if it is a language tag.
func language(s string) string {
	s = strings.TrimSpace(s)
	if len(s) > 35 || !languageTag.MatchString(s) {
		return ""
	}
	return strings.ReplaceAll(s, "_", "-")
}
