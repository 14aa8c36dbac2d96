package text

// Ranges: two quantities that belong together.

// rangeFrom joins a quantity with the one behind "–", "to" or, after "between", "and".
func (r *reader) rangeFrom(i int, q Quantity, n int) (Quantity, int) {
	j := i + n
	sep := r.at(j)
	dash := sep.is("-")
	word := sep.is("to", "through", "bis", "à") && !r.at(i-1).is("from") || sep.is("and", "und", "et", "y") && r.at(i-1).is("between", "zwischen", "entre")
	if q.Kind == KindDate && sep.is("to", "until", "through", "bis") && r.at(i-1).is("from", "von", "vom") {
		word = true
	}
	if !dash && !word {
		return r.shareUnit(i, q, n)
	}
	if q.Kind == KindDate && dash && r.at(j+1).int(2) > 0 && r.at(j+1).span.Len() == 2 && r.at(j+1).glued && q.Precision == "year" {
		return r.shortRange(q, n, j)
	}
	o, m := r.quantityAt(j + 1)
	if m == 0 || o.Kind == KindDate != (q.Kind == KindDate) {
		return q, n
	}
	if q.Kind != KindDate && (q.Kind != KindNumber && q.Kind != o.Kind && o.Kind != KindNumber) {
		return q, n
	}
	q = joinRange(q, o)
	q.Span.End = o.Span.End
	if q.High < q.Value {
		q.Value, q.High = q.High, q.Value
	}
	return q, n + 1 + m
}

// joinRange gives both ends the unit and magnitude that only one of them has:
// "$5–7 million", "10 to 15 %".
func joinRange(q, o Quantity) Quantity {
	if q.Kind == KindNumber && o.Kind != KindNumber {
		q.Kind, q.Unit = o.Kind, o.Unit
	}
	if o.Rounded && !q.Rounded && o.Step >= 1000 && q.Value < 1000 {
		m := 1e3
		for _, c := range []float64{1e6, 1e9, 1e12} {
			if o.Value >= c {
				m = c
			}
		}
		q.Value, q.Step, q.Rounded = q.Value*m, q.Step*m, true
	}
	q.High = o.High
	q.Step = max(q.Step, o.Step)
	return q
}

// shortRange reads 2019–21.
func (r *reader) shortRange(q Quantity, n, j int) (Quantity, int) {
	y := int(q.Value) / 10000
	end := y/100*100 + r.at(j+1).int(2)
	if end <= y {
		return q, n
	}
	q.High = date(end, 0, 0)
	q.Span.End = r.at(j + 1).span.End
	return q, n + 2
}

// shareUnit gives the first of "from 10 to 15 percent" its unit.
func (r *reader) shareUnit(i int, q Quantity, n int) (Quantity, int) {
	if q.Kind != KindNumber || !r.at(i+n).is("to", "and", "or") {
		return q, n
	}
	if o, m := r.quantityAt(i + n + 1); m > 0 && o.Kind != KindDate && o.Kind != KindNumber && o.Kind != KindMoney {
		q.Kind, q.Unit = o.Kind, o.Unit
	}
	return q, n
}
