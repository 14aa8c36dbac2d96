package report

// What a draft says in its own words, in the languages it can say them.

import (
	"fmt"
	"strings"
)

// phrases are the headings and sentences of a draft that are not quotations. Sentences take the values that their verbs
// name; none depends on a number being one or many.
type phrases struct {
	summary, key, analysis, disagree, open, sources string

	noAnswer    string // nothing was found
	searched    string // units, waves, findings, findings with a source
	advice      string
	noPart      string // an area's question
	noPartHere  string
	onePart     string // an area's question
	says        string // value, value
	denies      string
	dates       string // dated, dated
	dated       string // date
	undated     string
	secondNewer string
	seeDisagree string // heading
	older       string // heading
	oldest      string // date, date
	above       string
	leftOut     string // number
	failed      string // number
	months      [12]string
	dayMonth    string // how a day is written: day, month, year
}

var languages = map[string]phrases{
	"en": {
		summary: "Executive Summary", key: "Key Findings", analysis: "Detailed Analysis",
		disagree: "Where the Sources Disagree", open: "Open Points", sources: "Sources",
		noAnswer:    "The documents do not answer this question.",
		searched:    "What was searched: units of research: %d; waves: %d; findings: %d; findings with a source that was read: %d.",
		advice:      "Try other words for the same thing, add documents, or search more widely.",
		noPart:      "The documents do not answer this part of the question: %s",
		noPartHere:  "The documents do not answer this part of the question.",
		onePart:     "Only one source speaks to this part of the question: %s",
		says:        "One says %s, the other %s.",
		denies:      "One denies what the other says.",
		dates:       "The first is %s, the second %s.",
		dated:       "dated %s",
		undated:     "undated",
		secondNewer: "The second is newer.",
		seeDisagree: "The sources disagree on a point of this; see “%s”.",
		older:       "An older source says otherwise on a point of this; see “%s”.",
		oldest:      "The oldest source quoted here is dated %s, the newest of this report %s.",
		above:       "What the sources say on this stands in the sections above.",
		leftOut:     "Findings left out because others are more relevant or more certain: %d.",
		failed:      "Units of research that failed or were skipped: %d.",
		months:      [12]string{"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"},
		dayMonth:    "%d %s %s",
	},
	"de": {
		summary: "Zusammenfassung", key: "Wichtigste Ergebnisse", analysis: "Ausführliche Analyse",
		disagree: "Wo die Quellen sich widersprechen", open: "Offene Punkte", sources: "Quellen",
		noAnswer:    "Die Dokumente beantworten diese Frage nicht.",
		searched:    "Gesucht wurde so: Rechercheeinheiten: %d; Wellen: %d; Funde: %d; Funde mit gelesener Quelle: %d.",
		advice:      "Versuchen Sie andere Wörter für dieselbe Sache, weitere Dokumente oder eine breitere Suche.",
		noPart:      "Die Dokumente beantworten diesen Teil der Frage nicht: %s",
		noPartHere:  "Die Dokumente beantworten diesen Teil der Frage nicht.",
		onePart:     "Nur eine Quelle sagt etwas zu diesem Teil der Frage: %s",
		says:        "Die eine sagt %s, die andere %s.",
		denies:      "Die eine bestreitet, was die andere sagt.",
		dates:       "Die erste ist %s, die zweite %s.",
		dated:       "vom %s",
		undated:     "undatiert",
		secondNewer: "Die zweite ist neuer.",
		seeDisagree: "Die Quellen widersprechen sich hierin in einem Punkt; siehe „%s“.",
		older:       "Eine ältere Quelle sagt in einem Punkt etwas anderes; siehe „%s“.",
		oldest:      "Die älteste hier zitierte Quelle ist vom %s, die neueste dieses Berichts vom %s.",
		above:       "Was die Quellen dazu sagen, steht in den Abschnitten oben.",
		leftOut:     "Funde, die wegen wichtigerer oder sichererer wegblieben: %d.",
		failed:      "Rechercheeinheiten, die scheiterten oder ausgelassen wurden: %d.",
		months:      [12]string{"Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober", "November", "Dezember"},
		dayMonth:    "%d. %s %s",
	},
	"fr": {
		summary: "Résumé", key: "Principaux constats", analysis: "Analyse détaillée",
		disagree: "Où les sources se contredisent", open: "Points ouverts", sources: "Sources",
		noAnswer:    "Les documents ne répondent pas à cette question.",
		searched:    "Ce qui a été cherché : unités de recherche : %d ; vagues : %d ; constats : %d ; constats dont la source a été lue : %d.",
		advice:      "Essayez d’autres mots pour la même chose, d’autres documents ou une recherche plus large.",
		noPart:      "Les documents ne répondent pas à cette partie de la question : %s",
		noPartHere:  "Les documents ne répondent pas à cette partie de la question.",
		onePart:     "Une seule source parle de cette partie de la question : %s",
		says:        "L’une dit %s, l’autre %s.",
		denies:      "L’une nie ce que dit l’autre.",
		dates:       "La première est %s, la seconde %s.",
		dated:       "datée du %s",
		undated:     "sans date",
		secondNewer: "La seconde est plus récente.",
		seeDisagree: "Les sources se contredisent ici sur un point ; voir « %s ».",
		older:       "Une source plus ancienne dit autre chose sur un point ; voir « %s ».",
		oldest:      "La source la plus ancienne citée ici est du %s, la plus récente de ce rapport du %s.",
		above:       "Ce que les sources en disent figure dans les sections ci-dessus.",
		leftOut:     "Constats écartés au profit d’autres plus pertinents ou plus sûrs : %d.",
		failed:      "Unités de recherche échouées ou omises : %d.",
		months:      [12]string{"janvier", "février", "mars", "avril", "mai", "juin", "juillet", "août", "septembre", "octobre", "novembre", "décembre"},
		dayMonth:    "%d %s %s",
	},
	"es": {
		summary: "Resumen", key: "Hallazgos principales", analysis: "Análisis detallado",
		disagree: "Dónde discrepan las fuentes", open: "Cuestiones abiertas", sources: "Fuentes",
		noAnswer:    "Los documentos no responden a esta pregunta.",
		searched:    "Lo que se buscó: unidades de investigación: %d; oleadas: %d; hallazgos: %d; hallazgos con fuente leída: %d.",
		advice:      "Pruebe otras palabras para lo mismo, más documentos o una búsqueda más amplia.",
		noPart:      "Los documentos no responden a esta parte de la pregunta: %s",
		noPartHere:  "Los documentos no responden a esta parte de la pregunta.",
		onePart:     "Solo una fuente habla de esta parte de la pregunta: %s",
		says:        "Una dice %s, la otra %s.",
		denies:      "Una niega lo que dice la otra.",
		dates:       "La primera está %s, la segunda %s.",
		dated:       "fechada el %s",
		undated:     "sin fecha",
		secondNewer: "La segunda es más reciente.",
		seeDisagree: "Las fuentes discrepan aquí en un punto; véase «%s».",
		older:       "Una fuente más antigua dice otra cosa en un punto; véase «%s».",
		oldest:      "La fuente más antigua citada aquí es del %s, la más reciente de este informe del %s.",
		above:       "Lo que dicen las fuentes al respecto está en las secciones anteriores.",
		leftOut:     "Hallazgos omitidos por haber otros más pertinentes o más seguros: %d.",
		failed:      "Unidades de investigación fallidas u omitidas: %d.",
		months:      [12]string{"enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre", "octubre", "noviembre", "diciembre"},
		dayMonth:    "%d de %s de %s",
	},
}

// phrasesOf are the phrases of a language, English where it has none.
func phrasesOf(lang string) phrases {
	lang, _, _ = strings.Cut(strings.ToLower(lang), "-")
	if p, ok := languages[lang]; ok {
		return p
	}
	return languages["en"]
}

// date writes an ISO 8601 date out, as exact as it is; what is none comes back as Markdown that means nothing.
func (p phrases) date(iso string) string {
	t, ok := parseDate(iso)
	switch n := len(day(iso)); {
	case !ok:
		return inert(iso)
	case n == len("2006"):
		return iso
	case n == len("2006-01"):
		return p.months[t.Month()-1] + t.Format(" 2006")
	}
	return fmt.Sprintf(p.dayMonth, t.Day(), p.months[t.Month()-1], t.Format("2006"))
}

// note is a sentence of our own as a block: emphasised as a whole, it is no claim.
func note(s string) string { return "*" + s + "*" }
