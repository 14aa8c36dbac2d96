package text

// Quantities: what a number, an amount or a date says, in a form in which two of
// them can be compared. Reading them is in quantity_read.go and date.go.

import "math"

// Kind is the dimension of a quantity.
type Kind string

const (
	KindNumber      Kind = "number"
	KindPercent     Kind = "percent"
	KindMoney       Kind = "money"
	KindDate        Kind = "date"
	KindDuration    Kind = "duration"
	KindLength      Kind = "length"
	KindArea        Kind = "area"
	KindVolume      Kind = "volume"
	KindMass        Kind = "mass"
	KindSpeed       Kind = "speed"
	KindTemperature Kind = "temperature"
	KindEnergy      Kind = "energy"
	KindPower       Kind = "power"
	KindData        Kind = "data"
)

// Quantity is a number, an amount with a unit, or a date, as a text states it.
type Quantity struct {
	Span Span // with its unit and sign, without its comparator
	Kind Kind
	// Value is in Unit, with magnitudes applied ("4.5 million" is 4500000). A
	// date is yyyymmdd with 0 for unknown parts: 20240300 is March 2024, 214 is
	// 14 February of some year.
	Value float64
	// High is the end of a range and equal to Value where there is none.
	High float64
	// Unit is "%", "pp" (percentage points), an ISO 4217 code, a unit such as
	// "km", "year", or "".
	Unit string
	// Comparator is "", "over", "under", "about", "at least" or "at most".
	Comparator string
	// Precision of a date: "day", "month", "quarter", "year", "decade" or "century".
	Precision string
	// Step is what one of the last digit written is worth: 100000 in "4.5 million".
	Step float64
	// Rounded says that the number was written with a magnitude word, which nobody
	// does with exact figures.
	Rounded bool
}

// Comparable says whether q and o have the same dimension, so that it makes sense
// to ask which is more. A plain number of at most 1 is comparable with a
// percentage; currencies are comparable only with themselves.
func (q Quantity) Comparable(o Quantity) bool {
	if q.Kind == o.Kind {
		switch q.Kind {
		case KindMoney:
			return q.Unit == o.Unit
		case KindPercent: // a share, or a difference of two in points
			return (q.Unit == "%") == (o.Unit == "%")
		}
		return true
	}
	return q.share() && o.share() && (q.Kind == KindPercent || o.Kind == KindPercent)
}

// share says whether q can be read as a share of a whole.
func (q Quantity) share() bool {
	return q.Kind == KindPercent && q.Unit == "%" || q.Kind == KindNumber && q.Value >= 0 && q.High <= 1
}

// base returns the range of q in the base unit of its kind.
func (q Quantity) base() (low, high float64) {
	u, ok := unitNames[q.Unit]
	if !ok {
		return q.Value, q.High
	}
	return q.Value*u.factor + u.offset, q.High*u.factor + u.offset
}

// size is what "about" is a share of: the value in steps of the base unit. Those
// of a temperature count from the zero of its own scale: about 20 °C is not 30 °C.
func (q Quantity) size() float64 {
	if u, ok := unitNames[q.Unit]; ok {
		return math.Abs(q.Value) * u.factor
	}
	return math.Abs(q.Value)
}

// slack is how far rounding may have moved q, in the base unit: half of its last
// digit. The zeros at the end of "2,000" may be exact, so they count for 5 % only.
func (q Quantity) slack() float64 {
	slack := q.Step * 0.5
	if q.Step > 1 && !q.Rounded {
		slack = min(slack, 0.05*math.Abs(q.High))
	}
	if u, ok := unitNames[q.Unit]; ok {
		slack *= u.factor
	}
	return slack
}

// Equal says whether q and o state the same: after conversion of units, at the
// coarser one's digits when one of them is approximate or written with a
// magnitude word, and at the coarser precision of two dates. An "over" or "at
// least" does not make unequal numbers equal; see Admits.
func (q Quantity) Equal(o Quantity) bool {
	if !q.Comparable(o) {
		return false
	}
	if q.Kind == KindDate {
		return q.equalDate(o)
	}
	a, ah := q.base()
	b, bh := o.base()
	if same(a, b) && same(ah, bh) {
		return true
	}
	tol, largest := max(q.slack(), o.slack()), max(q.size(), o.size())
	switch {
	case q.Comparator == "about" || o.Comparator == "about":
		tol = max(tol, 0.05*largest)
	case q.Rounded || o.Rounded:
	case q.Unit != o.Unit && !decimalRatio(q.Unit, o.Unit):
		tol = min(tol, 0.05*largest)
	default:
		return false
	}
	return near(a, b, tol) && near(ah, bh, tol)
}

// decimalRatio: km and m convert without rounding, miles and km do not.
func decimalRatio(a, b string) bool {
	u, v := unitNames[a], unitNames[b]
	if u.factor == 0 || v.factor == 0 || u.offset != v.offset {
		return u == v
	}
	power := math.Log10(u.factor / v.factor)
	return near(power, math.Round(power), 1e-9)
}

func same(a, b float64) bool { return near(a, b, 1e-9*max(math.Abs(a), math.Abs(b))) }

func near(a, b, tol float64) bool { return math.Abs(a-b) <= tol*(1+1e-9) }

// bounds is the interval of values that q admits, comparator included.
func (q Quantity) bounds() (low, high float64) {
	low, high = q.base()
	switch q.Comparator {
	case "over", "at least":
		high = math.Inf(1)
	case "under", "at most":
		low = math.Inf(-1)
	}
	return low, high
}

// Admits says whether both can be true of one thing: they are Equal, one lies in
// the range or beyond the bound that the other states, or they agree once the
// finer one is rounded like the coarser. Quantities of different dimension admit
// each other.
func (q Quantity) Admits(o Quantity) bool {
	if !q.Comparable(o) || q.Equal(o) {
		return true
	}
	if q.Kind == KindDate {
		return q.overlapsDate(o)
	}
	ql, qh := q.bounds()
	ol, oh := o.bounds()
	tol := max(q.slack(), o.slack())
	if q.Comparator == "about" || o.Comparator == "about" {
		tol = max(tol, 0.15*max(q.size(), o.size()))
	}
	return ql <= oh+tol*(1+1e-9) && ol <= qh+tol*(1+1e-9)
}
