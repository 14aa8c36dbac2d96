// The headings that source lists have, in the languages reports are written in.

package markdown

import (
	"regexp"
	"strings"
)

// titles are what a source list is called, in lower case.
var titles = func() map[string]bool {
	m := map[string]bool{}
	for t := range strings.SplitSeq(`source|sources|reference|references|bibliography|works cited|works consulted|cited works|
citation|citations|literature|literature cited|literature list|reference list|source list|list of references|list of sources|
sources cited|sources used|sources consulted|references cited|endnotes|footnotes|notes|links|
参考文献|参考资料|参考来源|参考链接|参考书目|参考文献列表|参考|引用|引用文献|引用来源|引文|文献|文献来源|来源|资料来源|信息来源|数据来源|
数据源|原始链接|权威链接|链接|脚注|注释|參考文獻|參考資料|參考|文獻|來源|資料來源|参考文獻|出典|参照|引用元|
참고문헌|참고 문헌|참고 자료|출처|quellen|quellenverzeichnis|quellenangaben|literatur|literaturverzeichnis|einzelnachweise|
références|références bibliographiques|bibliographie|fuentes|referencias|referencias bibliográficas|bibliografía|
fonti|riferimenti|riferimenti bibliografici|fontes|referências|referências bibliográficas|bibliografia|bronnen|literatuur|bronnenlijst|
источники|литература|список литературы|список источников|ссылки|źródła|källor|referenser|kilder|lähteet|kaynaklar|kaynakça|
المراجع|المصادر|מקורות`, "|") {
		m[strings.TrimSpace(t)] = true
	}
	return m
}()

var (
	// What may stand before a title: numbering, and words that only qualify it.
	numbering = regexp.MustCompile(`^(?:[#*_\s]+|(?:section|chapter|part|teil|第)\s*|[0-9]+(?:\.[0-9]+)*[.)、:：]?\s+|[0-9]+[.)、]|[IVXLC]+[.)、]\s*|[一二三四五六七八九十]+[、.．章节]\s*|[（(][0-9一二三四五六七八九十]+[)）]\s*|[A-H][.)]\s+)+`)
	qualified = regexp.MustCompile(`^(?:(?:key|main|primary|selected|full|complete|cited|additional|numbered|annotated) |其他|主要|部分|重要|全部|本文|核心)+`)
	joined    = regexp.MustCompile(` (?:and|und|et|y|e|и) |\s*[&/,、与和及]\s*`)
	// A heading with one of these names a source list if what follows is one.
	looseTitle = regexp.MustCompile(`(?i)\b(?:sources|references|bibliography|works cited|citations|quellen|références|fuentes)\b|参考|来源|來源|文献|文獻|资料|链接|出典|참고|출처`)
)

var titleTag = regexp.MustCompile(`</?(?:summary|details|h[1-6]|b|strong|p)\b[^>]*>`)

// namesSources reports whether a line is the heading of a source list: exact by
// its words alone, loose when what follows has to decide.
func namesSources(d Doc, l listLine) (exact, loose bool) {
	title := l.text
	if l.heading {
		title = d.Sections[l.section].Title
		if strings.Trim(l.text, "=-") == "" { // the underline
			return false, false
		}
	} else {
		if len(title) > 80 {
			return false, false
		}
		tagged := titleTag.MatchString(title) // <summary>Sources</summary>
		title = titleTag.ReplaceAllString(title, "")
		bold := tagged || strings.HasPrefix(title, "**") || strings.HasPrefix(title, "__")
		bare := strings.TrimRight(strings.Trim(title, "*_ "), ":： ")
		if !bold && !strings.HasSuffix(title, ":") && !strings.HasSuffix(title, "：") {
			return titles[strings.ToLower(title)], false
		}
		title = bare
	}
	title = strings.TrimRight(strings.TrimSpace(title), ":： *_")
	title = numbering.ReplaceAllString(title, "")
	title = trimRemark(title)
	exact = onlyTitles(strings.ToLower(title))
	return exact, l.heading && looseTitle.MatchString(title)
}

// onlyTitles reports whether a heading consists of titles: "Sources & references".
func onlyTitles(heading string) bool {
	if titles[heading] {
		return true
	}
	for _, part := range joined.Split(heading, -1) {
		if !titles[part] && !titles[qualified.ReplaceAllString(part, "")] {
			return false
		}
	}
	return true
}

// trimRemark takes off a remark in brackets: "References (selected)".
func trimRemark(title string) string {
	if i := strings.IndexAny(title, "(（"); i > 0 && (strings.HasSuffix(title, ")") || strings.HasSuffix(title, "）")) {
		return strings.TrimSpace(title[:i])
	}
	return title
}
