package text

import "testing"

func TestNumbersAsTheyAreWritten(t *testing.T) {
	tests := []struct{ in, want string }{
		{"4'500 ships", "number 4500"},
		{"4’500’000 ships", "number 4.5e+06"},
		{"4\u202f500 ships", "number 4500"},
		{"4\u00a050 ships", "number 4; number 50"},
		{"4\u00a05000 ships", "number 4; number 5000"},
		{"4500\u00a0000 ships", "number 4500; number 0"},
		{"a 5-million plan", "number 5e+06"},
		{"a 5-million-dollar plan", "money 5e+06 USD"},
		{"six ships, seven dogs", "number 6; number 7"},
		{"eleven, thirteen and nineteen ships", "number 11; number 13; number 19"},
		{"thirty - five left", "number 5..30"},
		{"ninety nine ships", "number 99"},
		{"three dozen ships", "number 36"},
		{"a million ships, an hour", "number 1e+06"},
		{"two hundred thousand ships", "number 200000"},
		{"one hundred and one ships", "number 101"},
		{"half a mile, half mast", "number 0.5"},
		{"nearly half were lost", "number 0.5 (about)"},
		{"a third of them, a third man", "number 0.333333"},
		{"three-quarters of them", "number 0.75"},
		{"one fifth of it, two tenths", "number 0.2; number 0.2"},
		{"½, ¼ and ¾", "number 0.5; number 0.25; number 0.75"},
		{"5m people, 5m tall", "number 5e+06; length 5 m"},
		{"5 k runners", "number 5"},
		{"Rs. 500 and Rs 600", "money 500 INR; money 600 INR"},
		{"£1.2bn, C$5, HK$7, R$9", "money 1.2e+09 GBP; money 5 CAD; money 7 HKD; money 9 BRL"},
		{"-$5 million", "money -5e+06 USD"},
		{"(-5) and 7-5", "number -5; number 5..7"},
		{"c. 500 ships, approx. 600, ca. 700", "number 500 (about); number 600 (about); number 700 (about)"},
		{"500 or fewer, 600 and above, 700 or higher", "number 500 (at most); number 600 (at least); number 700 (at least)"},
		{"nearly 40, roughly 50, estimated 60", "number 40 (about); number 50 (about); number 60 (about)"},
		{"before 1990, after 2001", "year 19900000 (under); year 20010000 (over)"},
	}
	for _, tt := range tests {
		if got := brief(Quantities(tt.in)); got != tt.want {
			t.Errorf("%q\n  got  %s\n  want %s", tt.in, got, tt.want)
		}
	}
}

func TestDatesAsTheyAreWritten(t *testing.T) {
	tests := []struct{ in, want string }{
		{"2024-03-31", "day 20240331"},
		{"31 March 2024", "day 20240331"},
		{"32 March 2024", "number 32; month 20240300"},
		{"0 March 2024", "number 0; month 20240300"},
		{"the 1st of May, 2024", "day 20240501"},
		{"March 3rd, 2024 and Mar. 4, 2024", "day 20240303; day 20240304"},
		{"12 de marzo de 2024", "day 20240312"},
		{"he may 2024 times march 12 miles", "number 2024; length 12 mile"},
		{"May 2024", "month 20240500"},
		{"2024年, 2024年3月, 2024年13月", "year 20240000; month 20240300; year 20240000; number 13"},
		{"31.12.1999 and 12/31/1999", "day 19991231; day 19991231"},
		{"07/07/1999", "day 19990707"},
		{"Q1/2024, Q4 of 2023", "quarter 20240100..20240300; quarter 20231000..20231200"},
		{"the first quarter, the fourth quarter of 2022", "quarter 20221000..20221200"},
		{"in the 1800s, the 1850s, the 1920s, 1925s", "century 18000000..18990000; decade 18500000..18590000; decade 19200000..19290000; year 19250000"},
		{"2019–18, 2019–20", "year 20190000; number 18; year 20190000..20200000"},
		{"from May 2019 to June 2020", "month 20190500..20200600"},
		{"between 1990 and 1995", "year 19900000..19950000"},
		{"1066 and all that, in 1066", "number 1066; year 10660000"},
		{"2000 km, 2000 dollars, $2000, 2000%", "length 2000 km; money 2000 USD; money 2000 USD; percent 2000 %"},
		{"1850 soldiers fell in 1850 (1851)", "number 1850; year 18500000; year 18510000"},
	}
	for _, tt := range tests {
		if got := brief(Quantities(tt.in)); got != tt.want {
			t.Errorf("%q\n  got  %s\n  want %s", tt.in, got, tt.want)
		}
	}
}

func TestUnitsConvert(t *testing.T) {
	tests := []struct{ a, b string }{
		{"2 hours", "120 minutes"}, {"3 minutes", "180 seconds"}, {"2 days", "48 hours"}, {"2 weeks", "14 days"},
		{"1.5 km", "1500 m"}, {"25 mm", "2.5 cm"}, {"3 feet", "1 yard"}, {"12 inches", "1 foot"}, {"5 µm", "5 microns"},
		{"3 tonnes", "3000 kg"}, {"500 mg", "0.5 g"}, {"2 Gt", "2000 megatonnes"}, {"16 oz", "1 lb"},
		{"5 ha", "50000 m²"}, {"2 km²", "200 ha"}, {"750 ml", "0.75 litres"}, {"3 MWh", "3000 kWh"}, {"2 TWh", "2000 GWh"},
		{"5 GW", "5000 MW"}, {"3 GB", "3000 MB"}, {"36 km/h", "10 m/s"}, {"0 °C", "32 °F"}, {"50 basis points", "0.5 percentage points"},
	}
	for _, tt := range tests {
		a, b := one(t, tt.a), one(t, tt.b)
		if !a.Equal(b) || !b.Equal(a) {
			t.Errorf("%q is not %q: %+v, %+v", tt.a, tt.b, a, b)
		}
	}
}

func TestAboutIsAShareOfTheNumberItself(t *testing.T) {
	tests := []struct {
		a, b          string
		equal, admits bool
	}{
		{"about 100", "105 people", true, true},
		{"about 100", "106 people", false, true},
		{"about 100", "117 people", false, true},
		{"about 100", "119 people", false, false},
		{"about 20 °C", "21 °C", true, true},
		{"about 20 °C", "30 °C", false, false},
		{"about 20 °C", "68 °F", true, true},
		{"about 20 °C", "90 °F", false, false},
		{"about -20 °C", "-30 °C", false, false},
		{"10–15%", "10–16%", false, true},
		{"about 10–20 km", "10–30 km", false, true},
		{"about 10–20 km", "10.2–20.4 km", true, true},
	}
	for _, tt := range tests {
		a, b := one(t, tt.a), one(t, tt.b)
		if a.Equal(b) != tt.equal || b.Equal(a) != tt.equal {
			t.Errorf("%q equals %q: %v, want %v", tt.a, tt.b, a.Equal(b), tt.equal)
		}
		if a.Admits(b) != tt.admits || b.Admits(a) != tt.admits {
			t.Errorf("%q admits %q: %v, want %v", tt.a, tt.b, a.Admits(b), tt.admits)
		}
	}
}

func TestIdentifiersAndTimesAreNoQuantities(t *testing.T) {
	for _, in := range []string{
		"#12", "a/5/b", "file_7", "ISBN 978-3-16-148410-0", "call 555-0100-22", "at 9 uhr", "at 5 p.m. sharp", "a 3:1 lead",
		"[1; 2]", "[^3]", "1) first", "(12) twelfth", "Sections 4, 5 and 6", "Fig. 3-4", "Windows 11", "10.1000/x15 y",
		"ftp://a.org/15", "doi:10.5/x",
	} {
		if got := Quantities(in); len(got) > 0 {
			t.Errorf("%q: got %s", in, brief(got))
		}
	}
	for in, want := range map[string]string{
		"[2024]":            "year 20240000",
		"a 5 m pole":        "length 5 m",
		"Section 4 km long": "length 4 km",
		"1. May 2024":       "day 20240501",
		"10.5 km":           "length 10.5 km",
		"Phase 2, 2024":     "year 20240000",
	} {
		if got := brief(Quantities(in)); got != want {
			t.Errorf("%q: got %s, want %s", in, got, want)
		}
	}
}
