package report

// Languages a model can write in: their names, and the headings that a report in them has.

import (
	"cmp"
	"strings"
)

// headings are the sections of a draft that a model writes. Compile knows each by its title.
type headings struct{ Summary, Key, Analysis, Disagree, Sources string }

// further are headings in languages that the extractive writer has no phrases for.
var further = map[string]headings{
	"zh": {"摘要", "主要发现", "详细分析", "来源之间的分歧", "来源"},
	"ja": {"要約", "主な発見", "詳細分析", "情報源の食い違い", "出典"},
	"ko": {"요약", "주요 결과", "상세 분석", "출처 간 불일치", "출처"},
	"it": {"Sintesi", "Risultati principali", "Analisi dettagliata", "Dove le fonti divergono", "Fonti"},
	"pt": {"Resumo", "Principais resultados", "Análise detalhada", "Onde as fontes divergem", "Fontes"},
	"nl": {"Samenvatting", "Belangrijkste bevindingen", "Gedetailleerde analyse", "Waar de bronnen elkaar tegenspreken", "Bronnen"},
	"pl": {"Podsumowanie", "Najważniejsze ustalenia", "Szczegółowa analiza", "Gdzie źródła się różnią", "Źródła"},
	"ru": {"Краткие выводы", "Основные выводы", "Подробный анализ", "Где источники расходятся", "Источники"},
}

func headingsOf(lang string) headings {
	if h, ok := further[baseLanguage(lang)]; ok {
		return h
	}
	p := phrasesOf(lang)
	return headings{p.summary, p.key, p.analysis, p.disagree, p.sources}
}

// baseLanguage is de of de-AT.
func baseLanguage(lang string) string {
	lang, _, _ = strings.Cut(strings.ToLower(strings.TrimSpace(lang)), "-")
	return lang
}

var languageNames = map[string]string{
	"ar": "Arabic", "cs": "Czech", "da": "Danish", "de": "German", "el": "Greek", "en": "English", "es": "Spanish", "fa": "Persian", "fi": "Finnish",
	"fr": "French", "he": "Hebrew", "hi": "Hindi", "hu": "Hungarian", "id": "Indonesian", "it": "Italian", "ja": "Japanese", "ko": "Korean", "nl": "Dutch",
	"no": "Norwegian", "pl": "Polish", "pt": "Portuguese", "ro": "Romanian", "ru": "Russian", "sv": "Swedish", "th": "Thai", "tr": "Turkish",
	"uk": "Ukrainian", "vi": "Vietnamese", "zh": "Chinese",
}

// languageName is how a model is told what to write in. A code without a name of ours is given as it is.
func languageName(lang string) string {
	base := cmp.Or(baseLanguage(lang), "en")
	if n, ok := languageNames[base]; ok {
		return n
	}
	return "the language with the ISO 639 code " + keepLetters(base)
}

// keepLetters drops what a code can't have: it stands in a prompt.
func keepLetters(code string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' {
			return r
		}
		return -1
	}, code[:min(len(code), 8)])
}

// dense says whether a language says in 200 characters what others say in 600.
func dense(lang string) bool {
	switch baseLanguage(lang) {
	case "zh", "ja", "ko":
		return true
	}
	return false
}
