package text

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// brief writes quantities as "kind value[..high] unit comparator".
func brief(qs []Quantity) string {
	var out []string
	for _, q := range qs {
		s := fmt.Sprintf("%s %.6g", q.Kind, q.Value)
		if q.Kind == KindDate {
			s = fmt.Sprintf("%s %.0f", q.Precision, q.Value)
		}
		if q.High != q.Value {
			s += fmt.Sprintf("..%.8g", q.High)
		}
		if q.Unit != "" {
			s += " " + q.Unit
		}
		if q.Comparator != "" {
			s += " (" + q.Comparator + ")"
		}
		out = append(out, s)
	}
	return strings.Join(out, "; ")
}

func TestQuantities(t *testing.T) {
	tests := []struct{ in, want string }{
		{"It rose by 15 percent.", "percent 15 %"},
		{"It rose by 15%.", "percent 15 %"},
		{"It rose by 15 per cent.", "percent 15 %"},
		{"a share of 0.15", "number 0.15"},
		{"by 2.5 percentage points", "percent 2.5 pp"},
		{"50 basis points", "percent 50 bp"},
		{"1,234,567 people", "number 1.23457e+06"},
		{"1.234.567 Menschen", "number 1.23457e+06"},
		{"4\u00a0500\u00a0000 people", "number 4.5e+06"},
		{"4.5 million people", "number 4.5e+06"},
		{"twelve million people", "number 1.2e+07"},
		{"two men and a dozen dogs", "number 2; number 12"},
		{"twenty-five ships", "number 25"},
		{"three hundred and twelve ships", "number 312"},
		{"half of the ships, two thirds of the crews", "number 0.5; number 0.666667"},
		{"$4.2 million", "money 4.2e+06 USD"},
		{"US$5bn and £3m", "money 5e+09 USD; money 3e+06 GBP"},
		{"€1.5 billion, 20 euros, EUR 30", "money 1.5e+09 EUR; money 20 EUR; money 30 EUR"},
		{"48.2m euros", "money 4.82e+07 EUR"},
		{"$5–7 million", "money 5e+06..7000000 USD"},
		{"10–15%", "percent 10..15 %"},
		{"between 10 and 15 percent", "percent 10..15 %"},
		{"5 to 10 km", "length 5..10 km"},
		{"it rose from 10 to 15 percent", "percent 10 %; percent 15 %"},
		{"over 40 people", "number 40 (over)"},
		{"more than 1,000 ships", "number 1000 (over)"},
		{"at least 3 and at most 7", "number 3 (at least); number 7 (at most)"},
		{"fewer than 20, up to 30, about 50, ~60", "number 20 (under); number 30 (at most); number 50 (about); number 60 (about)"},
		{"40+ people, 50 or more", "number 40 (at least); number 50 (at least)"},
		{"no more than 12 percent", "percent 12 % (at most)"},
		{"12 March 2024", "day 20240312"},
		{"on March 12, 2024 it", "day 20240312"},
		{"the 12th of March 2024", "day 20240312"},
		{"12. März 2024", "day 20240312"},
		{"2024-03-12", "day 20240312"},
		{"29/05/1987 and 05/29/1987 and 29.05.1987", "day 19870529; day 19870529; day 19870529"},
		{"05/06/1987", "year 19870000"},
		{"on Tuesday, 14 February, at noon; March 3rd", "day 214; day 303"},
		{"in March 12 people died", "number 12"},
		{"## 5 Costs\n12 ships", "number 12"},
		{"- 2 ships\n- 3. The third", "number 2"},
		{"March 2024", "month 20240300"},
		{"Q3 2025", "quarter 20250700..20250900"},
		{"the third quarter of 2025", "quarter 20250700..20250900"},
		{"2019–2021", "year 20190000..20210000"},
		{"2019-21", "year 20190000..20210000"},
		{"from 2019 to 2021", "year 20190000..20210000"},
		{"in 1932, the 1990s", "year 19320000; decade 19900000..19990000"},
		{"2024年3月12日", "day 20240312"},
		{"2000 people came in 2000", "number 2000; year 20000000"},
		{"1500 km", "length 1500 km"},
		{"a 5-year plan, 18 months, 90 minutes", "duration 5 year; duration 18 month; duration 90 minute"},
		{"20 km² or 3 square miles", "area 20 km²; area 3 sq mi"},
		{"120 km/h, 75 mph", "speed 120 km/h; speed 75 mph"},
		{"-5 °C or 23 °F", "temperature -5 °C; temperature 23 °F"},
		{"5 MW and 12 GWh", "power 5 MW; energy 12 GWh"},
		{"5k runners, 3 kg", "number 5000; mass 3 kg"},
		{"1/2 or 3/4 of it", "number 0.5; number 0.75"},
		{"约41000人，15％", "number 41000 (about); percent 15 %"},
		{"3亿元", "money 3e+08 CNY"},
		{"15 Prozent, 3 Millionen Euro, mehr als 20 Jahre", "percent 15 %; money 3e+06 EUR; duration 20 year (over)"},
	}
	for _, tt := range tests {
		if got := brief(Quantities(tt.in)); got != tt.want {
			t.Errorf("%q\n  got  %s\n  want %s", tt.in, got, tt.want)
		}
	}
}

func TestNoQuantities(t *testing.T) {
	for _, in := range []string{
		"as shown [1], [2, 3] and [4–7]", "1. The first item", "2) The second", "(3) The third", "a B-52 bomber", "COVID-19",
		"v2.1 is out", "version 2.1", "see Section 4", "Figures 3 and 4", "No. 5", "at 10:30", "at 5 a.m.", "at 10 pm",
		"https://example.com/2024/15", "10.1000/182", "hanger H7", "192.168.0.1", "one of them", "no one", "the 12th man",
		"Table 2", "page 55", "at Pier 4", "Buses 11 and 14", "## 8. Title", "ISO-9001", "Boeing 747", "F16", "3D", "a 4:1 ratio", "the second time",
	} {
		if got := Quantities(in); len(got) > 0 {
			t.Errorf("%q: got %s", in, brief(got))
		}
	}
}

func one(t *testing.T, s string) Quantity {
	t.Helper()
	qs := Quantities(s)
	if len(qs) != 1 {
		t.Fatalf("%q has %d quantities: %s", s, len(qs), brief(qs))
	}
	return qs[0]
}

func TestQuantityEqual(t *testing.T) {
	tests := []struct {
		a, b  string
		equal bool
	}{
		{"15 percent", "15%", true}, {"15 per cent", "0.15", true}, {"15%", "0.16", false}, {"half of it", "50%", true},
		{"2 km", "2,000 m", true}, {"2 km", "2,100 m", false}, {"24 months", "2 years", true}, {"100 °C", "212 °F", true},
		{"5 miles", "8 km", true}, {"5 miles", "9 km", false},
		{"about 4.5 million", "4,510,000", true}, {"4.5 million", "4,510,000", true}, {"4.5 million", "4,610,000", false},
		{"4,500,001", "4,510,000", false}, {"48.2m euros", "EUR 48.2 million", true}, {"EUR 5", "$5", false},
		{"in 2024", "12 March 2024", true}, {"in 2023", "12 March 2024", false}, {"March 2024", "12 March 2024", true},
		{"Q1 2024", "March 2024", true}, {"Q2 2024", "March 2024", false}, {"2019–2021", "in 2020", false}, {"2019–2021", "2019 to 2021", true},
		{"in the 1990s", "in 1995", true}, {"12 people", "twelve people", true}, {"10–15%", "10 to 15 percent", true}, {"10–15%", "12%", false},
		{"14 February", "14 February 2023", true}, {"15 February", "14 February 2023", false}, {"14 February", "February 2023", true}, {"14 February", "in 2023", false},
		{"2 percentage points", "2%", false}, {"over 40", "45 people", false},
	}
	for _, tt := range tests {
		a, b := one(t, tt.a), one(t, tt.b)
		if a.Equal(b) != tt.equal || b.Equal(a) != tt.equal {
			t.Errorf("%q and %q: got %v and %v, want %v", tt.a, tt.b, a.Equal(b), b.Equal(a), tt.equal)
		}
	}
}

func TestQuantityAdmits(t *testing.T) {
	tests := []struct {
		a, b string
		can  bool
	}{
		{"over 40", "45 people", true}, {"over 40", "35 people", false}, {"at most 40", "45 people", false}, {"at least 40", "over 30", true},
		{"under 20", "over 30", false}, {"10–15%", "12%", true}, {"10–15%", "18%", false}, {"12%", "12.3%", true}, {"12%", "12.6%", false},
		{"12%", "15%", false}, {"about 40", "43 people", true}, {"about 40", "60 people", false}, {"5 km", "5 kg", true},
		{"2019–2021", "in 2020", true}, {"in 2019", "in 2020", false}, {"after 2019", "in 2020", true}, {"14 February", "in 2023", true}, {"14 February", "15 February 2023", false},
	}
	for _, tt := range tests {
		a, b := one(t, tt.a), one(t, tt.b)
		if a.Admits(b) != tt.can || b.Admits(a) != tt.can {
			t.Errorf("%q and %q: got %v and %v, want %v", tt.a, tt.b, a.Admits(b), b.Admits(a), tt.can)
		}
	}
}

func TestQuantityComparable(t *testing.T) {
	tests := []struct {
		a, b string
		same bool
	}{
		{"5 km", "3 miles", true}, {"5 km", "5 kg", false}, {"$5", "€5", false}, {"15%", "0.2", true}, {"15%", "20 people", false},
		{"2019", "12 March 2024", true}, {"2 years", "in 2019", false}, {"2%", "2 percentage points", false},
	}
	for _, tt := range tests {
		if got := one(t, tt.a).Comparable(one(t, tt.b)); got != tt.same {
			t.Errorf("%q and %q: got %v, want %v", tt.a, tt.b, got, tt.same)
		}
	}
}

func FuzzQuantities(f *testing.F) {
	for _, s := range []string{"$5–7 million, 12 March 2024", "[2, 3] 10.5.2.1 1,2,3 ½ -5°", "2024年3月12日 3亿元", "a a 1/0 0/0 1e9 9999999999999999999999", "\xff5\xf0%", "from 10 to 15 percent or more"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		last := 0
		for _, q := range Quantities(s) {
			checkSpan(t, s, q.Span)
			if q.Span.Start < last {
				t.Fatalf("%v begins before %d in %q", q.Span, last, s)
			}
			last = q.Span.End
			if math.IsNaN(q.Value) || math.IsInf(q.Value, 0) || q.High < q.Value || q.Kind == "" {
				t.Fatalf("%+v in %q", q, s)
			}
			if !q.Equal(q) || !q.Comparable(q) {
				t.Fatalf("%+v of %q does not meet itself", q, s)
			}
		}
	})
}
