package text

// Dates: days, months, quarters, years and decades as comparable numbers.

import (
	"math"
	"slices"
	"strings"
)

func date(year, month, day int) float64 { return float64(year*10000 + month*100 + day) }

var monthWords = []string{
	"january jan januar janvier enero gennaio janeiro january января январь",
	"february feb februar fevrier febrero febbraio fevereiro февраля февраль",
	"march mar marz mars marzo marco марта март",
	"april apr avril abril aprile апреля апрель",
	"may mai mayo maggio maio мая май",
	"june jun juni juin junio giugno junho июня июнь",
	"july jul juli juillet julio luglio julho июля июль",
	"august aug aout agosto августа август",
	"september sep sept septembre septiembre settembre setembro сентября сентябрь",
	"october oct okt oktober octobre octubre ottobre outubro октября октябрь",
	"november nov novembre noviembre novembro ноября ноябрь",
	"december dec dez dezember decembre diciembre dicembre dezembro декабря декабрь",
}

var months = func() map[string]int {
	m := map[string]int{}
	for i, words := range monthWords {
		for _, w := range strings.Fields(words) {
			m[w] = i + 1
		}
	}
	return m
}()

// monthNumber gives 1 to 12 for the name of a month, 0 for other words.
func monthNumber(word string) int { return months[Fold(word)] }

// interval returns the first and last day that a date may mean, as yyyymmdd.
func (q Quantity) interval() (low, high float64) {
	low, high = q.Value, q.High
	if int(low)%10000 == 0 {
		low += 101
	} else if int(low)%100 == 0 {
		low++
	}
	if int(high)%10000 == 0 {
		high += 1231
	} else if int(high)%100 == 0 {
		high += 31
	}
	switch q.Comparator {
	case "over", "at least":
		high = math.Inf(1)
	case "under", "at most":
		low = math.Inf(-1)
	}
	return low, high
}

// equalDate: the same days, or one date within the other when neither is a range
// of several years: "2024" meets "12 March 2024".
func (q Quantity) equalDate(o Quantity) bool {
	if q.Value == o.Value && q.High == o.High {
		return true
	}
	if q.yearless() || o.yearless() {
		return sameDay(q, o)
	}
	ql, qh := q.interval()
	ol, oh := o.interval()
	if q.isPeriod() != o.isPeriod() {
		return false
	}
	return ql <= ol && oh <= qh || ol <= ql && qh <= oh
}

// isPeriod: a range over more than one year that is no decade.
func (q Quantity) isPeriod() bool {
	return int(q.Value)/10000 != int(q.High)/10000 && q.Precision != "decade" && q.Precision != "century"
}

// yearless: a day of a month of some year, as in "14 February".
func (q Quantity) yearless() bool { return q.Value < 10000 }

// sameDay compares two dates of which one has no year.
func sameDay(q, o Quantity) bool {
	a, b := int(q.Value)%10000, int(o.Value)%10000
	return q.Value == q.High && o.Value == o.High && (a == b || a/100 == b/100 && (a%100 == 0 || b%100 == 0))
}

func (q Quantity) overlapsDate(o Quantity) bool {
	if q.yearless() || o.yearless() {
		return sameDay(q, o) || int(q.Value)%10000 == 0 || int(o.Value)%10000 == 0 || q.Value != q.High || o.Value != o.High
	}
	ql, qh := q.interval()
	ol, oh := o.interval()
	return ql <= oh && ol <= qh
}

// dateAt reads a date that begins at lexeme i and says how many lexemes it has.
func (r *reader) dateAt(i int) (Quantity, int) {
	readers := [...]func(*reader, int) (Quantity, int){(*reader).isoDate, (*reader).slashDate, (*reader).dayFirst, (*reader).chineseDate, (*reader).yearAlone}
	some := readers[:]
	if r.at(i).kind != lexNumber {
		readers[0], readers[1] = (*reader).monthFirst, (*reader).quarter
		some = readers[:2]
	}
	for _, read := range some {
		if q, n := read(r, i); n > 0 {
			q.Kind = KindDate
			q.Step = 1
			q.Span = Span{r.lex[i].span.Start, r.lex[i+n-1].span.End}
			return q, n
		}
	}
	return Quantity{}, 0
}

func (r *reader) at(i int) lexeme {
	if i < 0 || i >= len(r.lex) {
		return lexeme{kind: lexSign}
	}
	return r.lex[i]
}

func (l lexeme) is(texts ...string) bool {
	for _, t := range texts {
		if l.text == t {
			return true
		}
	}
	return false
}

// int returns the value of a whole number written with at most width digits, -1
// for anything else.
func (l lexeme) int(width int) int {
	if l.kind != lexNumber || l.odd || len(l.text) > width || l.span.Len() != len(l.text) || strings.Contains(l.text, ".") {
		return -1
	}
	return int(l.value)
}

// year: four digits that can be one.
func (l lexeme) year() int {
	if y := l.int(4); y >= 1000 && y <= 2199 {
		return y
	}
	return -1
}

func oneDate(precision string, year, month, day int) Quantity {
	v := date(year, month, day)
	return Quantity{Value: v, High: v, Precision: precision}
}

func (r *reader) isoDate(i int) (Quantity, int) {
	y := r.at(i).year()
	if y < 0 || !(r.at(i+1).is("-") && r.at(i+1).glued && r.at(i+2).glued) {
		return Quantity{}, 0
	}
	m := r.at(i + 2).int(2)
	if m < 1 || m > 12 || r.at(i+2).span.Len() != 2 {
		return Quantity{}, 0
	}
	if d := r.at(i + 4).int(2); r.at(i+3).is("-") && r.at(i+3).glued && r.at(i+4).glued && d >= 1 && d <= 31 {
		return oneDate("day", y, m, d), 5
	}
	return Quantity{}, 0
}

// slashDate reads 29/05/1987, 05/29/1987 and 29.05.1987; where day and month
// can't be told apart only the year is taken.
func (r *reader) slashDate(i int) (Quantity, int) {
	l := r.at(i)
	if l.odd { // 29.05.1987 is one lexeme
		parts := strings.Split(l.text, ".")
		if len(parts) != 3 || len(parts[2]) != 4 || len(parts[0]) > 2 || len(parts[1]) > 2 {
			return Quantity{}, 0
		}
		return dayMonth(atoi(parts[0]), atoi(parts[1]), atoi(parts[2])), 1
	}
	a, b, y := l.int(2), r.at(i+2).int(2), r.at(i+4).year()
	if a < 0 || b < 0 || y < 0 || !r.at(i+1).is("/") || !r.at(i+3).is("/") || !r.at(i+1).glued || !r.at(i+4).glued {
		return Quantity{}, 0
	}
	if a > 12 && b > 12 {
		return Quantity{}, 0
	}
	if a <= 12 && b <= 12 && a != b {
		return oneDate("year", y, 0, 0), 5
	}
	return dayMonth(a, b, y), 5
}

func dayMonth(a, b, y int) Quantity {
	if b > 12 {
		a, b = b, a
	}
	if b < 1 || b > 12 || a < 1 || a > 31 {
		return oneDate("year", y, 0, 0)
	}
	return oneDate("day", y, b, a)
}

func atoi(s string) int {
	n := 0
	for i := range len(s) {
		n = n*10 + int(s[i]-'0')
	}
	return n
}

// dayFirst reads "12 March 2024", "12th of March, 2024", "12. März 2024".
func (r *reader) dayFirst(i int) (Quantity, int) {
	d := r.at(i).int(2)
	if d < 1 || d > 31 {
		return Quantity{}, 0
	}
	j := i + 1
	if r.at(j).is("st", "nd", "rd", "th") && r.at(j).glued || r.at(j).is(".") && r.at(j).glued {
		j++
	}
	if r.at(j).is("of", "de") {
		j++
	}
	m := r.month(j)
	if m == 0 {
		return Quantity{}, 0
	}
	j++
	for r.at(j).is(".", ",", "of", "de") && r.at(j+1).year() > 0 {
		j++
	}
	if y := r.at(j).year(); y > 0 {
		return oneDate("day", y, m, d), j + 1 - i
	}
	return oneDate("day", 0, m, d), j - i
}

// month gives the month that lexeme i names. "may" and "march" are plain words
// too, so they need a capital.
func (r *reader) month(i int) int {
	l := r.at(i)
	if l.kind != lexWord {
		return 0
	}
	m := months[l.text]
	if m > 0 && (l.text == "may" || l.text == "march" || l.text == "mar" || l.text == "mars") {
		if c := r.s[l.span.Start]; c < 'A' || c > 'Z' {
			return 0
		}
	}
	return m
}

// monthFirst reads "March 12, 2024" and "March 2024".
func (r *reader) monthFirst(i int) (Quantity, int) {
	m := r.month(i)
	if m == 0 {
		return Quantity{}, 0
	}
	j := i + 1
	if r.at(j).is(".") && r.at(j).glued {
		j++
	}
	day := r.at(j).int(2)
	if day >= 1 && day <= 31 {
		return r.monthDay(i, j+1, m, day)
	}
	if r.at(j).is(",", "of", "de") {
		j++
	}
	if y := r.at(j).year(); y > 0 {
		return oneDate("month", y, m, 0), j + 1 - i
	}
	return Quantity{}, 0
}

// monthDay reads what stands behind "March 12" from lexeme j on.
func (r *reader) monthDay(i, j, month, day int) (Quantity, int) {
	if r.at(j).is("st", "nd", "rd", "th") && r.at(j).glued {
		j++
	}
	k := j
	if r.at(k).is(",") {
		k++
	}
	if y := r.at(k).year(); y > 0 {
		return oneDate("day", y, month, day), k + 1 - i
	}
	if r.at(j).kind == lexWord && (countedThings[r.at(j).text] || unitLike(r.at(j).text)) {
		return Quantity{}, 0 // "in March 12 people"
	}
	return oneDate("day", 0, month, day), j - i
}

// quarter reads "Q3 2025", "Q3/2025", "2025 Q3" and "third quarter of 2025".
func (r *reader) quarter(i int) (Quantity, int) {
	n, j := 0, i
	switch l := r.at(i); {
	case l.kind == lexWord && l.text == "q" && r.at(i+1).glued:
		n, j = r.at(i+1).int(1), i+2
	case r.at(i + 1).is("quarter"):
		n, j = slices.Index([]string{"first", "second", "third", "fourth"}, l.text)+1, i+2
	}
	if n < 1 || n > 4 {
		return Quantity{}, 0
	}
	for r.at(j).is("of", "/", ",", "-", "in") {
		j++
	}
	y := r.at(j).year()
	if y < 0 {
		return Quantity{}, 0
	}
	return Quantity{Value: date(y, n*3-2, 0), High: date(y, n*3, 0), Precision: "quarter"}, j + 1 - i
}

// chineseDate reads 2024年, 2024年3月 and 2024年3月12日.
func (r *reader) chineseDate(i int) (Quantity, int) {
	y := r.at(i).year()
	if y < 0 || !r.at(i+1).is("年") {
		return Quantity{}, 0
	}
	m := r.at(i + 2).int(2)
	if m < 1 || m > 12 || !r.at(i+3).is("月") {
		return oneDate("year", y, 0, 0), 2
	}
	if d := r.at(i + 4).int(2); d >= 1 && d <= 31 && r.at(i+5).is("日", "号") {
		return oneDate("day", y, m, d), 6
	}
	return oneDate("month", y, m, 0), 4
}

// yearAlone reads "2024", "the 1990s" and ranges of years. A year before a unit
// or a counted thing is a number: readers of plain numbers see to that.
func (r *reader) yearAlone(i int) (Quantity, int) {
	y := r.at(i).year()
	if y < 0 || !r.plausibleYear(i) {
		return Quantity{}, 0
	}
	if r.at(i+1).is("s") && r.at(i+1).glued && y%10 == 0 {
		q := Quantity{Value: date(y, 0, 0), High: date(y+9, 0, 0), Precision: "decade"}
		if y%100 == 0 {
			q.High, q.Precision = date(y+99, 0, 0), "century"
		}
		return q, 2
	}
	return oneDate("year", y, 0, 0), 1
}
