package text

// Identifiers: numbers that count nothing, such as citation markers, list
// numbers, labels, names and times of day.

// skip says how many lexemes at i are a number that is no quantity.
func (r *reader) skip(i int) int {
	l := r.lex[i]
	switch {
	case l.text == "[":
		return r.citation(i)
	case l.line && l.kind == lexNumber && r.at(i-1).is("#"): // "## 5 Costs"
		return r.gluedRun(i)
	case l.line && (l.kind == lexNumber || l.text == "(") && r.listNumber(i) > 0:
		return r.listNumber(i)
	case l.kind == lexWord && labels[l.text]:
		return r.labelled(i)
	case l.kind == lexNumber && r.identifier(i):
		return r.gluedRun(i)
	case l.kind == lexNumber && r.clock(i):
		return r.gluedRun(i)
	}
	return 0
}

// citation skips [1], [2, 3] and [4–7].
func (r *reader) citation(i int) int {
	j := i + 1
	for ; r.at(j).kind == lexNumber && r.at(j).year() < 0 || r.at(j).is(",", "-", ";", "^"); j++ {
	}
	if j > i+1 && r.at(j).is("]") {
		return j + 1 - i
	}
	return 0
}

// listNumber skips "1. ", "2) " and "(3) " at the beginning of a line.
func (r *reader) listNumber(i int) int {
	j := i
	if r.at(j).is("(") {
		j++
	}
	if r.at(j).int(3) < 0 {
		return 0
	}
	if r.at(j+1).is(".", ")") && r.at(j+1).glued && j+2 < len(r.lex) && !r.at(j+2).glued && r.month(j+2) == 0 {
		return j + 2 - i
	}
	return 0
}

// labels are words whose number only names something.
var labels = wordSet(`section sections sec chapter chapters figure figures fig figs table tables page pages p pp no nos number article
	articles paragraph appendix part volume vol issue version phase type level step rule case item equation eq grade class
	route highway interstate flight room gate channel line platform model windows ios android python java boeing airbus apollo
	formula act title note footnote exhibit annex abschnitt kapitel abbildung tabelle seite artikel nr art chapitre tableau
	capitulo tabla figura track episode season stage category cat area zone district ward unit block lot order
	resolution directive regulation pier option terminal bus buses building floor reactor berth dock scenario
	group cohort trial question layer round schedule isbn issn doi arxiv pmid id`)

// labelled skips a label with its numbers: "Sections 4, 5 and 6", "No. 5".
func (r *reader) labelled(i int) int {
	j := i + 1
	if r.at(j).is(".", "#", "°") {
		j++
	}
	if r.at(j).kind != lexNumber || r.unitAfter(j+1) != "" {
		return 0
	}
	for j < len(r.lex) {
		n := r.gluedRun(j)
		j += n
		if r.at(j).is(",", "and", "or", "to", "-", "&") && r.at(j+1).kind == lexNumber && r.at(j+1).year() < 0 {
			j++
			continue
		}
		return j - i
	}
	return j - i
}

// gluedRun counts the lexemes that hang together from i on.
func (r *reader) gluedRun(i int) int {
	j := i + 1
	for j < len(r.lex) && r.lex[j].glued && (r.lex[j].kind != lexSign || r.lex[j].is(":", "-", "/", ".") && r.at(j+1).glued) {
		j++
	}
	return j - i
}

// identifier: glued to letters or to a letter and a hyphen, or not one number.
func (r *reader) identifier(i int) bool {
	l, before := r.lex[i], r.at(i-1)
	if l.glued && before.kind == lexWord && before.text != "q" && currencies[before.text] == "" && !dense(firstRune(before.text)) {
		return true
	}
	if l.glued && before.is("-") && before.glued && r.at(i-2).kind == lexWord && !numeral(r.at(i-2)) && months[r.at(i-2).text] == 0 {
		return true
	}
	if l.glued && before.is("#", "/", "_") && before.glued {
		return true
	}
	if l.odd {
		_, n := r.slashDate(i)
		return n == 0
	}
	next := r.at(i + 1)
	if next.glued && next.kind == lexWord && !unitLike(next.text) && !next.is("s", "st", "nd", "rd", "th") && !dense(firstRune(next.text)) {
		return true
	}
	return next.glued && next.is("-") && r.at(i+2).glued && r.at(i+2).kind == lexNumber && r.at(i+3).glued && r.at(i+3).is("-") && r.at(i).year() < 0
}

func numeral(l lexeme) bool {
	_, ok := numberWord[l.text]
	return ok || magnitudes[l.text] > 0
}

func unitLike(w string) bool {
	_, u := units[w]
	return u || magnitudes[w] > 0 || gluedMagnitudes[w] > 0 || currencies[w] != "" || w == "x"
}

// clock: 10:30, 5 a.m., 3:1.
func (r *reader) clock(i int) bool {
	next := r.at(i + 1)
	if next.is(":") && next.glued && r.at(i+2).kind == lexNumber && r.at(i+2).glued {
		return true
	}
	if next.is("am", "pm", "uhr") {
		return true
	}
	return next.is("a", "p") && r.at(i+2).is(".") && r.at(i+3).is("m")
}
