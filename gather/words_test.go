package gather

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/text"
)

func TestHeadings(t *testing.T) {
	for part, want := range map[string]string{
		"Why was the bridge closed?":                               "Why the bridge was closed",
		"why were the old gates replaced in 2020":                  "Why the old gates were replaced in 2020",
		"When will the Tarn Bridge be opened?":                     "When the Tarn Bridge will be opened",
		"How much does the repair cost per year?":                  "Cost of the repair per year",
		"What did it cost?":                                        "Cost of it",
		"is the water safe to drink":                               "Safety of the water to drink",
		"Is the Tarn Bridge still reliable?":                       "Current reliability of the Tarn Bridge",
		"What is the state of the repair?":                         "State of the repair",
		"What is known about the cause of the crack?":              "Cause of the crack",
		"What is the bridge called?":                               "What the bridge is called",
		"Who paid for the repair?":                                 "Who paid for the repair",
		"Who was responsible?":                                     "Who was responsible",
		"What caused the fire?":                                    "What caused the fire",
		"Which firm built the dam?":                                "Which firm built the dam",
		"How many people did the ferry carry?":                     "How many people did the ferry carry?",
		"How many lorries are affected?":                           "How many lorries are affected",
		"whether the joint failed":                                 "Whether the joint failed",
		"Did the joint fail?":                                      "Did the joint fail?",
		"Give me an overview of the repair of the bridge":          "Repair of the bridge",
		"Describe the effects on traffic":                          "Effects on traffic",
		"Compare heat pumps and gas boilers":                       "Comparison of heat pumps and gas boilers",
		"At what rate did the hangers corrode?":                    "At what rate did the hangers corrode?",
		"the future of the harbour":                                "Future of the harbour",
		"What " + strings.Repeat("very ", 30) + "long thing is it": "What" + strings.Repeat(" very", 15) + "?",
	} {
		if got := heading(part, "en", "Tarn Bridge", false); got != want {
			t.Errorf("%s\n got %q\nwant %q", part, got, want)
		}
	}
	if got := heading("Is the Tarn Bridge safe now", "en", "Tarn Bridge", true); got != "Current safety" {
		t.Errorf("for a pronoun: %q", got)
	}
}

func TestPartsOfSentences(t *testing.T) {
	for question, want := range map[string][]string{
		"The bridge, which was closed in 2023, is old. Who owns it?": {"Who owns it"},
		"Who owns it, when was it built, how long is it?":            {"Who owns it", "when was it built", "how long is it"},
		"Was it closed? And if so, why?":                             {"Was it closed", "And if so, why"},
		"What did the mayor say and do?":                             {"What did the mayor say and do"},
		"How did rain and snow damage the roof?":                     {"How did rain and snow damage the roof"},
		"(1) why it failed; (2) who paid":                            {"why it failed", "who paid"},
		"a; b; c; d; e; f; g; h":                                     {"a", "b", "c", "d", "e", "f"},
		"What was paid, and by whom?":                                {"What was paid and by whom"},
	} {
		if d := cmp.Diff(want, parts(question, "en")); d != "" {
			t.Errorf("%s: %s", question, d)
		}
	}
}

func TestRelatedStems(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want float64
	}{
		{"closed", "closing", 1}, {"closure", "closed", asVariant}, {"corrosion", "corrode", asVariant}, {"cost", "price", asSynonym},
		{"retrofit", "repair", asSynonym}, {"lorries", "vehicles", asSynonym}, {"contract", "contrast", 0}, {"bridge", "bridle", 0},
		{"toll", "tool", 0}, {"model1", "model2", 0}, {"2022", "2023", 0}, {"safe", "safety", asVariant},
	} {
		if got := related(text.Stem(c.a, "en"), text.Stem(c.b, "en")); got != c.want {
			t.Errorf("%s and %s: %v, want %v", c.a, c.b, got, c.want)
		}
	}
}

func TestFitnessOfQuotes(t *testing.T) {
	for _, c := range []struct {
		s        string
		min, max float64
	}{
		{"The bridge was closed at 18:40.", 1, 1},
		{"Why was it closed?", 0, 0},
		{"| --- | --- |", 0, 0},
		{"Subject: RE: notice of cost", 0, 0},
		{"Contact", 0, 0},
		{"The conditions are these:", 0, 0},
		{"Report on the state of bridges", 0.1, 0.5},
		{"We use cookies to improve this site.", 0.1, 0.4},
		{"MARROWGATE BRIDGE CLOSED UNTIL FURTHER NOTICE.", 0.1, 0.4},
		{"Place: Town hall Chair: Mayor Lind Present: all members of the council", 0.1, 0.4},
		{strings.Repeat("word ", 70) + "end.", 0.4, 0.6},
		{"14 May 2020 | The dam was closed | 3", 1, 1},
		{"大桥于二月关闭，因为发现了裂缝。", 1, 1},
	} {
		if got := fitness(c.s, "text"); got < c.min || got > c.max {
			t.Errorf("%q: %v, want %v to %v", c.s, got, c.min, c.max)
		}
	}
}

func TestSentencesThatLeanOnTheOneBefore(t *testing.T) {
	for s, want := range map[string]bool{
		"It was closed in May.":                 true,
		"This was caused by a blocked drain.":   true,
		"However, they were replaced.":          true,
		"But nobody came.":                      true,
		"However, the drains were replaced.":    false,
		"There are two piers in the water.":     false,
		"The bridge was closed in May.":         false,
		"Italy has many bridges.":               false,
		"They":                                  false,
		"Those who walked there saw the crack.": true,
	} {
		if got := leans(s); got != want {
			t.Errorf("%q: %v", s, got)
		}
	}
}

func TestListIsQuotedWithWhatAnnouncesIt(t *testing.T) {
	body := "The bridge is accepted under these conditions:\n(a) The weight is limited to 40 tonnes.\n(b) The drains are cleaned every three months.\n\nYours faithfully"
	h := plumb.Hit{Text: body, Passage: plumb.Passage{End: len(body)}}
	var got []string
	for _, c := range sentences(&h, "en") {
		if c.fitness > 0.5 {
			got = append(got, plain(c.quote))
		}
	}
	want := []string{
		"The bridge is accepted under these conditions: (a) The weight is limited to 40 tonnes. (b) The drains are cleaned every three months.",
		"The weight is limited to 40 tonnes.", "The drains are cleaned every three months.",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestWhatAQuestionWants(t *testing.T) {
	h := &plumb.Hit{}
	for _, c := range []struct {
		question, has, lacks string
	}{
		{"What did it cost?", "It cost EUR 3 million.", "It was dear."},
		{"When was it opened?", "It was opened on 3 May 1968.", "It was opened by the mayor."},
		{"How many vehicles use it?", "Some 41,000 vehicles use it.", "Vehicles use it on 573 days."},
		{"How long is the crack?", "The crack is 84 mm long.", "The crack has 3 branches."},
		{"Why was it closed?", "It was closed because of a crack.", "It was closed on Monday."},
		{"Who closed it?", "It was closed by Tomas Ereby.", "It was closed by somebody."},
		{"What happened in 2023?", "It was closed in February 2023.", "It was closed in March 2021."},
		{"What happened in 2023?", "It was closed on 3 May.", "It was closed on 3 January and 11 February 2025."},
		{"What happened in May 2023?", "It was closed on 4 May 2023.", "It was closed in February 2023."},
		{"Who is the director of Norbury Trams?", "The director, Ada Lindgren, signed.", "The director of Norbury Trams signed in October."},
		{"How long did it last?", "It was out for 3 hours.", "It was 3 metres away."},
		{"What has changed?", "The stops now have shelters.", "The stops had shelters."},
	} {
		w := wantedBy(c.question)
		has := candidate{hit: h, quote: c.has, quantities: text.Quantities(c.has)}
		lacks := candidate{hit: h, quote: c.lacks, quantities: text.Quantities(c.lacks)}
		if a, b := w.met(&has), w.met(&lacks); a != 1 || b > 0.8 {
			t.Errorf("%s: %v for %q, %v for %q", c.question, a, c.has, b, c.lacks)
		}
	}
}

func TestDatesBeforeSince(t *testing.T) {
	for _, c := range []struct {
		date, since string
		want        bool
	}{
		{"2020-05-01", "2021", true}, {"2021-05-01", "2021", false}, {"2021", "2021-06-01", false}, {"", "2021", false}, {"2019", "", false},
	} {
		if got := tooOld(c.date, c.since); got != c.want {
			t.Errorf("%s since %s: %v", c.date, c.since, got)
		}
	}
}

func TestSlipsOfThePen(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"emergancy", "emergency", true}, {"curent", "current", true}, {"waitting", "waiting", true}, {"hopsital", "hospital", true},
		{"hause", "house", true}, {"closed", "closer", false}, {"bridge", "bridges", false}, {"house", "mouse", true}, {"hospital", "hostel", false}, {"", "a", false},
	} {
		if got := slip([]rune(c.a), []rune(c.b)); got != c.want {
			t.Errorf("%s for %s: %v", c.a, c.b, got)
		}
	}
	v := vocabulary([]plumb.Hit{{Text: "The house by the harbour. Closures of the house were rare."}, {Text: "A horse."}})
	for w, want := range map[string]string{
		"hause": "house", "hous": "hous", "harbor": "harbor", "harbuor": "harbour", "mouse": "mouse", "closure": "closure", "house": "house", "h7a9x": "h7a9x",
	} {
		if got := v.spelled(w); got != want {
			t.Errorf("%s is read as %s, want %s", w, got, want)
		}
	}
	if got := v.corrected("How old is the Hause and the harbuor?", "en"); got != "How old is the Hause and the harbour?" {
		t.Errorf("a name was corrected, or a slip was not: %q", got)
	}
}

func TestQueriesAreWords(t *testing.T) {
	got := queriesOf("How many trams were cancelled?", plumb.Brief{})
	if d := cmp.Diff([]string{"trams cancelled"}, got); d != "" {
		t.Error(d)
	}
}
