package text

import (
	"math"
	"strings"
	"testing"
)

func TestCompareCountsTerms(t *testing.T) {
	c := Compare("The old bridge fell into the river in May 1932", "The bridge fell into the sea", "en", nil)
	// old bridge fell river 1932 against bridge fell sea; "May" is a function word too
	if want := 2.0 / 5; math.Abs(c.Recall-want) > 1e-9 {
		t.Errorf("recall %v, want %v", c.Recall, want)
	}
	if want := 2.0 / 6; math.Abs(c.Overlap-want) > 1e-9 {
		t.Errorf("overlap %v, want %v", c.Overlap, want)
	}
	if got := strings.Join(c.Missing, " "); got != "old river 1932" {
		t.Errorf("missing %q", got)
	}
	if len(c.NumbersMissing) != 1 || c.NumbersMissing[0].Precision != "month" {
		t.Errorf("numbers missing %+v", c.NumbersMissing)
	}
	heavy := func(term string) float64 {
		if term == "bridg" {
			return 6
		}
		return 1
	}
	if c := Compare("The old bridge fell into the river", "The bridge fell", "en", heavy); math.Abs(c.Recall-7.0/9) > 1e-9 {
		t.Errorf("weighted recall %v", c.Recall)
	}
}

func TestCompareOfNothing(t *testing.T) {
	for _, pair := range [][2]string{{"", ""}, {"the", "of"}, {"", "The bridge fell"}, {"The bridge fell", ""}} {
		c := Compare(pair[0], pair[1], "en", nil)
		if math.IsNaN(c.Recall) || math.IsNaN(c.Overlap) || c.Recall != 0 || c.Clash != nil {
			t.Errorf("%q: got %+v", pair, c)
		}
	}
}

func TestClash(t *testing.T) {
	tests := []struct{ a, b, kind, reason string }{
		{"The share of renewables was 12 % in 2020.", "In 2020 the share of renewables was 15 percent.", "number", "one says 12 %, the other 15 percent"},
		{"The closure of the bridge affects about 41,000 vehicles a day.", "The closure of the bridge affects about 27,500 vehicles a day.", "number", "one says about 41,000, the other about 27,500"},
		{"The Hale Dam, completed in 1936, is 221 metres high.", "The Hale Dam is 180 m high.", "number", "one says 221 metres, the other 180 m"},
		{"Twelve people died in the Orr Street fire.", "Fifteen people were killed and died in the Orr Street fire.", "", ""},
		{"Twelve people died in the Orr Street fire.", "Fifteen people died in the Orr Street fire.", "number", "one says Twelve, the other Fifteen"},
		{"The repair of the bridge cost EUR 48.2 million.", "The repair of the bridge cost EUR 31.5 million.", "number", "one says EUR 48.2 million, the other EUR 31.5 million"},
		{"The plant employs at most 40 workers.", "The plant employs 45 workers.", "number", "one says at most 40, the other 45"},
		{"Honor Wicks left school at age 14 to help her father and brothers.", "Wicks left school at age 12 to help her father and brothers in the mines.", "number", "one says 14, the other 12"},
		{"Inspectors had found a crack 48 millimetres long in hanger H7 at Pier 4 of the bridge.", "The crack in hanger H7 of the Hale Bridge is 84 millimetres long.", "number", "one says 48 millimetres, the other 84 millimetres"},
		{"The bridge reopened to all traffic on 9 September 2024.", "The bridge reopened to all traffic on 23 September 2024.", "date", "one says 9 September 2024, the other 23 September 2024"},
		{"Orr Motors was founded in 1903.", "Orr Motors was founded in 1907.", "date", "one says 1903, the other 1907"},
		{"In March 1932 the Hale Bridge collapsed.", "The Hale Bridge collapsed in May 1932.", "date", "one says March 1932, the other May 1932"},
		{"The expansion joint at Pier 4 failed between 2018 and 2019, and salt water ran in.", "The expansion joint at Pier 4 did not fail between 2018 and 2019 or later.", "negation", `one says "failed", the other "not fail"`},
		{"The council approved the new tram line.", "The council didn't approve the new tram line.", "negation", `one says "approved", the other "didn't approve"`},
		{"The council approved the tram line.", "The council rejected the tram line.", "negation", `one says "approved", the other "rejected"`},
		{"Sales of the firm rose by 5 % in 2020.", "Sales of the firm fell by 5 % in 2020.", "negation", `one says "rose", the other "fell"`},
		{"The capital of Ellisland is Halport.", "The capital of Ellisland is Marrow.", "name", "one says Halport, the other Marrow"},
		{"Die Brücke ist 1.200 Meter lang.", "Die Brücke ist 1.300 Meter lang.", "number", "one says 1.200 Meter, the other 1.300 Meter"},
	}
	for _, tt := range tests {
		lang := "en"
		if strings.HasPrefix(tt.a, "Die ") {
			lang = "de"
		}
		c := Compare(tt.a, tt.b, lang, nil).Clash
		switch {
		case c == nil && tt.kind != "":
			t.Errorf("no clash\n  %s\n  %s", tt.a, tt.b)
		case c == nil:
		case c.Kind != tt.kind || c.Reason != tt.reason:
			t.Errorf("got %s: %s\n  want %s: %s", c.Kind, c.Reason, tt.kind, tt.reason)
		default:
			checkSpan(t, tt.a, c.A)
			checkSpan(t, tt.b, c.B)
		}
		if d := Compare(tt.b, tt.a, lang, nil).Clash; (d == nil) != (c == nil) {
			t.Errorf("only one way round\n  %s\n  %s", tt.a, tt.b)
		}
	}
}

func TestNoClash(t *testing.T) {
	tests := []struct{ name, a, b string }{
		{"other year", "In 2019 the share of renewables was 12 %.", "In 2023 the share of renewables was 15 %."},
		{"one without a year", "In 2019 the share of renewables was 12 %.", "The share of renewables was 15 %."},
		{"within a bound", "The plant employs over 40 workers.", "The plant employs 45 workers."},
		{"within a range", "The plant employs 40 to 50 workers.", "The plant employs 45 workers."},
		{"rounded", "The city has 4.5 million inhabitants.", "The city has 4,510,000 inhabitants."},
		{"rounded percent", "The share of renewables was 12 %.", "The share of renewables was 12.4 %."},
		{"approximate", "The plant employs about 40 workers.", "The plant employs 42 workers."},
		{"same in another unit", "The bridge is 2 km long.", "The bridge is 2,000 metres long."},
		{"same as a share", "A share of 0.15 of the plates was lost.", "A share of 15 % of the plates was lost."},
		{"other dimension", "The bridge is 2 km long.", "The bridge is 30 m wide."},
		{"other measure", "The bridge is 1,200 m long.", "The bridge is 30 m high."},
		{"other thing counted", "The city has 12 bridges and parks.", "The city has 15 parks and bridges."},
		{"other name", "Unemployment in Germany was 5 %.", "Unemployment in France was 7 %."},
		{"a name more", "The company employs 500 people.", "The company employs 300 people in Germany."},
		{"a part of it", "The company employs 500 people.", "The research division of the company employs 300 people."},
		{"a qualified group", "The company employs 500 people.", "The company employs 300 people in research."},
		{"urban and rural", "The urban unemployment rate in the country was 5 %.", "The rural unemployment rate in the country was 7 %."},
		{"men and women", "Among men 12 % of patients died.", "Among women 15 % of patients died."},
		{"forecast", "The repair of the bridge cost EUR 48 million.", "The repair of the bridge was expected to cost EUR 31 million."},
		{"estimate", "The repair of the bridge cost EUR 48 million.", "The repair of the bridge is estimated to cost EUR 31 million."},
		{"per unit", "The tickets cost $5 per person.", "The tickets cost $20 in total."},
		{"by and to", "The rate rose by 5 %.", "The rate rose to 7 %."},
		{"from and to", "The rate rose from 5 % to 7 %.", "The rate rose to 7 %."},
		{"average and peak", "The average load was 50 MW.", "The peak load was 90 MW."},
		{"quarters", "Revenue was $5 million in Q1 2024.", "Revenue was $7 million in Q2 2024."},
		{"month and day", "The bridge opened in March 1932.", "The bridge opened on 12 March 1932."},
		{"another event", "The bridge was planned in 1925.", "The bridge was opened in 1932."},
		{"repeatable", "Orr visited Paris in 1925.", "Orr visited Paris in 1932."},
		{"time frame of a rate", "Revenue grew by 5 % in 2019.", "Revenue grew by 5 % in 2020."},
		{"other founder", "Hale founded the company in 1903.", "Orr founded the company in 1907."},
		{"identifier", "The B-52 flew over the base.", "The B-1 flew over the base."},
		{"section", "Section 4 covers the costs of repair.", "Section 5 covers the costs of repair."},
		{"citation marker", "The bridge fell into the sea [1].", "The bridge fell into the sea [2]."},
		{"share of the time", "The system was available for 99.6 % of the time.", "The system was available for 99.2 % of the time."},
		{"not only", "The council approved not only the tram line.", "The council approved the tram line."},
		{"no longer", "The bridge is no longer open to lorries.", "The bridge is open to lorries."},
		{"not yet", "The council has not yet approved the tram line.", "The council approved the tram line."},
		{"not all", "Not all engineers support the tram line.", "All engineers support the tram line."},
		{"may not", "The joint may not survive the winter storms.", "The joint may survive the winter storms."},
		{"not but", "The council approved not the tram line but the bus.", "The council approved the tram line but the bus."},
		{"negated elsewhere", "The council approved the tram line, which did not please Orr.", "The council approved the tram line."},
		{"both negated", "The council did not approve the tram line.", "The council never approved the tram line."},
		{"negation of another year", "In 2019 the council did not approve the tram line.", "In 2020 the council approved the tram line."},
		{"question", "Was the share of renewables 12 %?", "The share of renewables was 15 %."},
		{"opposite of another thing", "Imports of steel rose in 2020.", "Exports of steel fell in 2020."},
		{"two authors", "The bridge was designed by Hale.", "The bridge was designed by Orr."},
		{"another city", "Orr was born in Halport.", "Orr was born in Ellisland."},
		{"capital as money", "The capital of the firm grew.", "The capital of the bank grew."},
		{"two numbers each", "Of 12 ships 3 sank.", "Of 15 ships 4 sank."},
		{"different texts", "The bridge cost $5 million.", "The opera house in the old town cost $7 million."},
		{"same", "The share of renewables was 12 % in 2020.", "In 2020 the share of renewables was 12 percent."},
		{"first and second", "The first span is 200 m long.", "The second span is 300 m long."},
		{"additional", "The city hired 200 teachers.", "The city hired another 300 teachers."},
		{"excluding", "The project cost $5 million.", "The project cost $7 million including taxes."},
		{"daily and yearly", "The ferry carries 3,000 passengers daily.", "The ferry carries 900,000 passengers annually."},
		{"old and new", "The old bridge is 200 m long.", "The new bridge is 300 m long."},
		{"other currency", "The ticket costs $5.", "The ticket costs €4."},
	}
	for _, tt := range tests {
		for _, pair := range [][2]string{{tt.a, tt.b}, {tt.b, tt.a}} {
			if c := Compare(pair[0], pair[1], "en", nil).Clash; c != nil {
				t.Errorf("%s: %s: %s\n  %s\n  %s", tt.name, c.Kind, c.Reason, pair[0], pair[1])
			}
		}
	}
}

func FuzzCompare(f *testing.F) {
	f.Add("The bridge did not fail in 2019.", "The bridge failed in 2019, and 12 % fell.")
	f.Add("is 5", "was 5 %? \xff")
	f.Fuzz(func(t *testing.T, a, b string) {
		c := Compare(a, b, "en", nil)
		if c.Recall < 0 || c.Recall > 1 || c.Overlap < 0 || c.Overlap > c.Recall {
			t.Fatalf("recall %v, overlap %v of %q and %q", c.Recall, c.Overlap, a, b)
		}
		if c.Clash != nil {
			checkSpan(t, a, c.Clash.A)
			checkSpan(t, b, c.Clash.B)
		}
		if self := Compare(a, a, "en", nil); self.Clash != nil || len(self.NumbersMissing) > 0 {
			t.Fatalf("%q contradicts itself: %+v", a, self)
		}
	})
}
