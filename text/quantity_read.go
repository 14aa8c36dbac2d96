package text

// Reading quantities: number, magnitude, unit, range and comparator.

import (
	"strings"
)

// Quantities returns the numbers, amounts and dates that s states, in order.
// Citation markers, list numbers, times of day, addresses and identifiers
// (B-52, COVID-19, v2.1, Section 4) are no quantities.
func Quantities(s string) []Quantity {
	r := reader{s: s, lex: lexemes(s)}
	for i := 0; i < len(r.lex); {
		if !opensQuantity(r.lex[i]) {
			i++
			continue
		}
		if n := r.skip(i); n > 0 {
			i += n
			continue
		}
		q, n := r.quantityAt(i)
		if n == 0 {
			i++
			continue
		}
		q, n = r.rangeFrom(i, q, n)
		q.Comparator = r.comparator(q, i, i+n)
		r.out = append(r.out, q)
		i += n
	}
	return r.out
}

// opensQuantity sorts out the lexemes with which nothing begins, most of a text.
func opensQuantity(l lexeme) bool {
	switch l.kind {
	case lexNumber:
		return true
	case lexWord:
		return openingWords[l.text]
	}
	return l.is("[", "(", "-", "½", "¼", "¾") || currencies[l.text] != ""
}

var openingWords = func() map[string]bool {
	set := wordSet("a an half q first second third fourth us c ca au nz hk r")
	for w := range labels {
		set[w] = true
	}
	for w := range numberWord {
		set[w] = true
	}
	for w := range months {
		set[w] = true
	}
	for w := range currencies {
		set[w] = true
	}
	return set
}()

type reader struct {
	s   string
	lex []lexeme
	out []Quantity
}

// quantityAt reads a date, an amount or a number at lexeme i.
func (r *reader) quantityAt(i int) (Quantity, int) {
	if q, n := r.dateAt(i); n > 0 {
		return q, n
	}
	return r.amountAt(i)
}

// amountAt reads [sign] [currency] number [magnitude] [unit].
func (r *reader) amountAt(i int) (Quantity, int) {
	j, sign := i, 1.0
	q := Quantity{Kind: KindNumber}
	if r.at(j).is("-") && r.at(j+1).glued && (!r.at(j).glued || i == 0 || r.at(i-1).is("(")) && (r.at(j+1).kind == lexNumber || currencies[r.at(j+1).text] != "") {
		sign, j = -1, j+1
	}
	if n, c := r.currencyAt(j); n > 0 && r.at(j+n).kind == lexNumber {
		q.Kind, q.Unit, j = KindMoney, c, j+n
	}
	value, step, n := r.numberAt(j)
	if n == 0 {
		return Quantity{}, 0
	}
	j += n
	value, step, n = r.magnitude(j, value, step, q.Kind == KindMoney)
	q.Rounded = n > 0 && r.lex[j].text != "hundred"
	j += n
	if l := r.at(j); l.glued && l.is("st", "nd", "rd", "th") { // the 12th counts nothing
		return Quantity{}, 0
	}
	if q.Kind != KindMoney {
		n = r.unit(j, &q)
		j += n
	}
	q.Value, q.Step = sign*value, step
	q.High = q.Value
	q.Span = Span{r.lex[i].span.Start, r.lex[j-1].span.End}
	if q.Kind == KindNumber && r.idle(i, j) {
		return Quantity{}, 0
	}
	return q, j - i
}

// idle: number words that count nothing, as in "one of them" and "no one".
func (r *reader) idle(i, j int) bool {
	return j == i+1 && r.lex[i].is("one", "zero")
}

// currencyAt reads a currency before a number: $, US$, EUR.
func (r *reader) currencyAt(i int) (int, string) {
	l := r.at(i)
	if l.kind == lexWord && r.at(i+1).glued && r.at(i+1).is("$") {
		if c := currencies[l.text+"$"]; c != "" {
			return 2, c
		}
	}
	if l.kind == lexNumber || l.is("won", "pounds", "yen", "dollars", "euros") {
		return 0, ""
	}
	if l.is("rs") && r.at(i+1).is(".") {
		return 2, "INR"
	}
	if c := currencies[l.text]; c != "" {
		return 1, c
	}
	return 0, ""
}

// numberAt reads digits, a fraction or number words.
func (r *reader) numberAt(i int) (value, step float64, n int) {
	l := r.at(i)
	switch l.kind {
	case lexNumber:
		if l.odd {
			return 0, 0, 0
		}
		if d := r.at(i + 2); r.at(i+1).is("/") && r.at(i+1).glued && d.glued && d.int(3) > 0 && l.int(3) >= 0 {
			return l.value / d.value, 0.001, 3
		}
		return l.value, l.step, 1
	case lexWord:
		return r.numberWords(i)
	}
	switch l.text {
	case "½":
		return 0.5, 0.01, 1
	case "¼":
		return 0.25, 0.01, 1
	case "¾":
		return 0.75, 0.01, 1
	}
	return 0, 0, 0
}

// numberWords reads "two", "twenty-five", "three hundred and twelve", "half",
// "two thirds", "a dozen"; the magnitudes from thousand on are read by magnitude.
func (r *reader) numberWords(i int) (value, step float64, n int) {
	if q, n := r.fractionWords(i); n > 0 {
		return q, 0.001, n
	}
	l := r.at(i)
	if l.is("a", "an") {
		if m := magnitudes[r.at(i+1).text]; m > 0 && r.at(i+1).kind == lexWord {
			return 1, 1, 1
		}
		if r.at(i + 1).is("dozen") {
			return 12, 1, 2
		}
		return 0, 0, 0
	}
	v, ok := numberWord[l.text]
	if !ok {
		return 0, 0, 0
	}
	n = 1
	if v >= 20 && v < 100 {
		k := 1
		if r.at(i+1).is("-") && r.at(i+1).glued {
			k = 2
		}
		if u, ok := numberWord[r.at(i+k).text]; ok && u > 0 && u < 10 {
			v, n = v+u, k+1
		}
	}
	if r.at(i + n).is("dozen") {
		return v * 12, 12, n + 1
	}
	return v, 1, n
}

var fractionParts = map[string]float64{"third": 3, "thirds": 3, "quarter": 4, "quarters": 4, "fifth": 5, "fifths": 5, "tenth": 10, "tenths": 10}

// fractionWords reads "half", "a third", "two thirds", "three quarters".
func (r *reader) fractionWords(i int) (float64, int) {
	l, next := r.at(i), r.at(i+1)
	if next.is("-") && next.glued {
		next = r.at(i + 2)
	}
	width := 2
	if r.at(i + 1).is("-") {
		width = 3
	}
	d := fractionParts[next.text]
	of := r.at(i + width).is("of")
	switch {
	case l.is("half") && (next.is("of", "the", "a", "all", "its", "their") || r.at(i-1).is("about", "over", "than", "nearly", "almost", "by")):
		return 0.5, 1
	case l.is("a", "one") && d > 0 && of:
		return 1 / d, width
	case d > 0 && strings.HasSuffix(next.text, "s") && numberWord[l.text] >= 2:
		return numberWord[l.text] / d, width
	}
	return 0, 0
}

// magnitude reads million, bn, k and the like behind a number.
func (r *reader) magnitude(i int, value, step float64, money bool) (float64, float64, int) {
	n := 0
	for n < 3 {
		l := r.at(i + n)
		if l.is("-") && l.glued && r.at(i+n+1).glued && magnitudes[r.at(i+n+1).text] > 0 { // a 5-million plan
			n++
			continue
		}
		m := magnitudes[l.text]
		if l.kind != lexWord {
			m = 0
		}
		if m == 0 && l.glued && (l.text == "k" || money || countable(r.at(i+n+1))) {
			m = gluedMagnitudes[l.text]
		}
		if m == 0 {
			break
		}
		value, step = value*m, step*m
		n++
		if r.at(i+n).is("and") && m == 100 { // three hundred and twelve
			if v, ok := numberWord[r.at(i+n+1).text]; ok {
				value, step, n = value+v, 1, n+2
			}
		}
	}
	return value, step, n
}

// countable: what stands behind "48.2m" or "5bn" when that is a magnitude.
func countable(l lexeme) bool {
	return l.kind == lexWord && (currencies[l.text] != "" || countedThings[l.text])
}

// maxUnitWords is the number of lexemes of "U.S. dollars".
const maxUnitWords = 5

// unit reads the unit or currency at i into q and says how many lexemes it has.
func (r *reader) unit(i int, q *Quantity) int {
	j := i
	if r.at(j).is("-") && r.at(j).glued && r.at(j+1).glued { // a 5-year plan
		j++
	}
	if r.at(j).is("°", "º") {
		if u, ok := units["°"+r.at(j+1).text]; ok {
			q.Kind, q.Unit = u.kind, u.name
			return j + 2 - i
		}
	}
	if power := r.at(j + 1); power.glued && power.kind == lexNumber { // km2
		if u, ok := units[r.at(j).text+power.text]; ok {
			q.Kind, q.Unit = u.kind, u.name
			return j + 2 - i
		}
	}
	for width := maxUnitWords; width >= 1; width-- {
		phrase := r.phrase(j, width)
		if phrase == "" {
			continue
		}
		if u, ok := units[phrase]; ok && r.trueUnit(j, phrase, q) {
			q.Kind, q.Unit = u.kind, u.name
			return j + width - i
		}
		if c := currencies[phrase]; c != "" && !strings.ContainsAny(phrase, "$¥₹") {
			q.Kind, q.Unit = KindMoney, c
			return j + width - i
		}
	}
	return 0
}

// phrase joins the next words to "square miles" or "km/h".
func (r *reader) phrase(i, width int) string {
	var b strings.Builder
	for k := range width {
		l := r.at(i + k)
		if l.kind == lexNumber || l.text == "" || l.text == "address" {
			return ""
		}
		if k > 0 && !l.glued {
			b.WriteByte(' ')
		}
		b.WriteString(l.text)
	}
	return b.String()
}

// trueUnit keeps one-letter and ambiguous units from words that only look alike.
func (r *reader) trueUnit(i int, phrase string, q *Quantity) bool {
	l := r.at(i)
	switch phrase {
	case "s", "h", "l", "w", "t", "g", "an", "mi", "mes", "kn", "dia":
		if phrase == "an" {
			return false
		}
		return !r.at(i+1).glued || r.at(i+1).kind == lexSign && !r.at(i+1).is("'", "’", "-")
	case "m":
		return true
	case "second":
		return l.span.Start > 0 && q.Value == 1
	}
	return true
}

// unitAfter names the unit at i, "" if there is none.
func (r *reader) unitAfter(i int) string {
	var q Quantity
	r.unit(i, &q)
	return q.Unit
}

// plausibleYear keeps "2,000", "2000 people" and "1500 km" from being years.
func (r *reader) plausibleYear(i int) bool {
	next := r.at(i + 1)
	if next.kind == lexWord && (magnitudes[next.text] > 0 || unitLike(next.text) && !next.is("s", "an", "t")) || next.is("%", "°") {
		return false
	}
	if n, _ := r.currencyAt(i - 1); n > 0 {
		return false
	}
	y := r.lex[i].year()
	if y >= 1900 && y <= 2099 && !countedThings[next.text] || next.glued && next.is("s") && y%10 == 0 && r.at(i-1).is("the") {
		return true
	}
	if r.at(i-1).is("in", "since", "by", "of", "until", "from", "before", "after", "during", "year", "circa", "around", "im", "jahr", "en", "til", "to", "and", "(", "-", "early", "late", "anno") || r.month(i-1) > 0 {
		return !countedThings[next.text]
	}
	return next.is(")", "-") || next.kind == lexSign && y >= 1900
}

var countedThings = wordSet(`people persons men women children workers employees students patients participants cases deaths jobs homes
	houses households units cars vehicles users members soldiers troops votes companies countries cities schools species
	samples times copies calories words pages visitors passengers residents inhabitants menschen personen personnes personas`)
