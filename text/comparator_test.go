package text

import "testing"

func TestComparators(t *testing.T) {
	tests := []struct{ in, want string }{
		{"40 ships", ""},
		{"over 40 ships", "over"},
		{"more than 40 ships", "over"},
		{"greater than 40 %", "over"},
		{"exceeding 40 km", "over"},
		{"> 40 km", "over"},
		{"above 40 °C", "over"},
		{"after 2019", "over"},
		{"after 12 years", ""},
		{"under 40 ships", "under"},
		{"less than $40", "under"},
		{"fewer than 40 ships", "under"},
		{"below 40 %", "under"},
		{"< 40 km", "under"},
		{"before 12 March 2024", "under"},
		{"before 12 men", ""},
		{"at least 40 ships", "at least"},
		{"no fewer than 40 ships", "at least"},
		{"no less than 40 %", "at least"},
		{"a minimum of 40 ships", "at least"},
		{"≥ 40 km", "at least"},
		{"40+ ships", "at least"},
		{"40 or more ships", "at least"},
		{"40 % or more", "at least"},
		{"at most 40 ships", "at most"},
		{"no more than 40 ships", "at most"},
		{"not more than 40 ships", "at most"},
		{"up to 40 tonnes", "at most"},
		{"as many as 40 ships", "at most"},
		{"a maximum of 40 ships", "at most"},
		{"≤ 40 km", "at most"},
		{"40 or fewer ships", "at most"},
		{"about 40 ships", "about"},
		{"around 40 ships", "about"},
		{"approximately 40 ships", "about"},
		{"roughly 40 ships", "about"},
		{"some 40 ships", "about"},
		{"nearly 40 ships", "about"},
		{"almost 40 ships", "about"},
		{"an estimated 40 ships", "about"},
		{"ca. 40 ships", "about"},
		{"c. 1850", "about"},
		{"~40 ships", "about"},
		{"≈ 40 ships", "about"},
		{"about a million ships", "about"},
		{"about $40 million", "about"},
		{"mehr als 40 Schiffe", "over"},
		{"weniger als 40 Schiffe", "under"},
		{"mindestens 40 Schiffe", "at least"},
		{"rund 40 Schiffe", "about"},
		{"plus de 40 navires", "over"},
		{"environ 40 navires", "about"},
		{"más de 40 barcos", "over"},
		{"al menos 40 barcos", "at least"},
		{"around the 40 ships", ""},
		{"vitamin C 40 mg", ""},
	}
	for _, tt := range tests {
		if got := one(t, tt.in).Comparator; got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.in, got, tt.want)
		}
	}
}

func TestEveryUnitIsReadInEachOfItsWords(t *testing.T) {
	skip := map[string]bool{"an": true, "second": true, "℃": true, "℉": true} // words first of all, or signs read apart
	for word, u := range units {
		if skip[word] {
			continue
		}
		in := "it was 7 " + word + " there"
		qs := Quantities(in)
		if len(qs) != 1 || qs[0].Unit != u.name || qs[0].Kind != u.kind || qs[0].Value != 7 {
			t.Errorf("%q: got %s, want %s %s", in, brief(qs), u.kind, u.name)
		}
	}
}

func TestEveryCurrencyIsRead(t *testing.T) {
	for word, code := range currencies {
		found := false
		for _, in := range []string{"it cost " + word + "7 there", "it cost " + word + " 7 there", "it cost 7 " + word + " there"} {
			for _, q := range Quantities(in) {
				found = found || q.Kind == KindMoney && q.Unit == code && q.Value == 7
			}
		}
		if !found {
			t.Errorf("%q is not read as %s", word, code)
		}
	}
}

func TestEveryMonthIsRead(t *testing.T) {
	for word, month := range months {
		in := "12 " + word + " 2024"
		if word == "may" || word == "march" || word == "mar" || word == "mars" {
			in = "12 M" + word[1:] + " 2024"
		}
		if q := one(t, in); q.Value != date(2024, month, 12) {
			t.Errorf("%q: got %v", in, q.Value)
		}
	}
}
