package gather_test

// What makes findings useful whatever the dossier: each document here was planted for one rule.

import (
	"slices"
	"strings"
	"testing"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/gather"
)

// tramway is a shelf about an invented tramway, its works and an accident.
func tramway() *shelf {
	s := &shelf{}
	put := func(url, title, date, format, body string) {
		s.put(plumb.Source{URL: "doc:" + url, Title: title, Date: date, Format: format, Language: "en"}, body)
	}
	put("accident.md", "Final report on the derailment of 5 May 2024", "2024-09-01", "markdown", "# Final report on the derailment of 5 May 2024\n\n"+
		"## Course\n\nTram 14 left the rails at Weaver Street. Nobody was injured.\n\n"+
		"## Responsibility\n\nThe Board holds Norbury Trams responsible for the worn switch.")
	put("fire.md", "Fire at the paint factory", "2024-06-01", "markdown", "Three people were injured when the paint factory burned.")
	put("plan.md", "Plan of the Orchard line", "2021-02-01", "markdown", "# Plan of the Orchard line\n\nThe Orchard line is expected to cost EUR 61 million. Opening is planned for May 2023.")
	put("opening.md", "Opening of the Orchard line", "2024-01-20", "markdown", "# Opening of the Orchard line\n\nThe Orchard line cost EUR 74 million. The Orchard line opened on 12 January 2024.")
	put("riders.csv", "riders", "", "csv", "Month: 2024-01; Riders: 41200; Punctuality percent: 88.\nMonth: 2024-02; Riders: 43900; Punctuality percent: 91.\nMonth: 2024-03; Riders: 46100; Punctuality percent: 93.")
	put("log.csv", "log", "", "csv", "Date: 2024-02-02; Event: Window broken in tram 31; Minutes: 12.\nDate: 2024-05-22; Event: Coolant leak in tram 44; Minutes: 480.")
	put("vehicles.md", "Choice of vehicles", "2022-03-03", "markdown", "# Choice of vehicles\n\n| Vehicle | Price of a vehicle |\n| --- | --- |\n| Variotram | EUR 2.9 million |\n| Solaris | EUR 3.4 million |\n\n"+
		"Variotram needs fewer spare parts, whereas Solaris has a lower floor.")
	put("shop.md", "Souvenirs", "2022-04-04", "markdown", "Variotram models made of tin are sold in the museum shop.")
	put("fine.txt", "Fine for the derailment", "2024-11-11", "text", "Dear Ms Hale,\n\nthe regulator has fined Norbury Trams EUR 900,000. The letter was signed by the director, Ada Lindgren.")
	put("survey.md", "Passenger survey of March 2024", "2024-03-15", "markdown", "Passengers wanted new shelters and longer hours. The new timetable was disliked.")
	put("now.md", "Letter to passengers", "2024-10-01", "markdown", "Since the passenger survey of March two things have changed: all stops now have shelters, and trams run until midnight.")
	put("crowd.md", "Weaver Street", "2024-05-06", "markdown", "The last pedestrian left the Orchard line stop at Weaver Street at midnight.")
	return s
}

func TestFindingsAreUsefulWhateverTheDossier(t *testing.T) {
	for _, c := range []struct {
		name, question string
		first          string   // what the first finding has
		want           []string // what some finding has
		never          []string
	}{
		{"a question without a name is searched by its words", "How many riders were there in February 2024?", "Riders: 43900", nil, []string{"46100", "41200"}},
		{"a row is found by its month", "What was the punctuality in March 2024?", "93", nil, []string{"91", "88"}},
		{"a row may begin with its date", "What happened to tram 44?", "Coolant leak", nil, []string{"tram 31"}},
		{"what the title says need not be repeated", "Was anyone injured in the derailment?", "Nobody was injured.", nil, nil},
		{"a form that no stemmer knows, under its heading", "Who was held responsible for the derailment?", "Norbury Trams responsible", nil, nil},
		{"what happened before what was planned", "How much did the Orchard line cost?", "EUR 74 million", []string{"EUR 61 million"}, nil},
		{"when it happened before when it was to", "When did the Orchard line open?", "12 January 2024", nil, nil},
		{"another word for it", "What penalty did the regulator impose on Norbury Trams?", "EUR 900,000", nil, nil},
		{"a slip of the pen", "What penalti did the regulatar impose on Norbury Trams?", "EUR 900,000", nil, nil},
		{"each side of a comparison, together first, no table head", "Compare Variotram and Solaris", "whereas",
			[]string{"EUR 2.9 million", "EUR 3.4 million"}, []string{"Price of a vehicle"}},
		{"what changed since a time is in what is newer", "What has changed since the passenger survey of March 2024?", "all stops now have shelters", nil, []string{"disliked"}},
		{"words alone are not how many", "How many pedestrians use the Orchard line?", "", nil, []string{"pedestrian"}},
		{"somebody is a name", "Who is the director?", "Ada Lindgren", nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			found := answer(t, tramway(), c.question, "standard")
			got := contents(found)
			all := strings.Join(got, "\n")
			if len(got) == 0 && c.first != "" || len(got) > 0 && !strings.Contains(best(found), c.first) {
				t.Errorf("first is not %q:\n%s", c.first, all)
			}
			for _, w := range c.want {
				if !strings.Contains(all, w) {
					t.Errorf("no %q:\n%s", w, all)
				}
			}
			for _, n := range c.never {
				if strings.Contains(all, n) {
					t.Errorf("found, but does not answer: %q\n%s", n, all)
				}
			}
		})
	}
}

// best is the content of the most relevant finding.
func best(fs []plumb.Finding) string {
	return slices.MaxFunc(fs, func(a, b plumb.Finding) int {
		switch {
		case a.Relevance > b.Relevance:
			return 1
		case a.Relevance < b.Relevance:
			return -1
		}
		return 0
	}).Content
}

func TestEveryPartKnowsWhatTheQuestionIsAbout(t *testing.T) {
	for question, want := range map[string][]string{
		"How many trams were cancelled because of the derailment, how long did it last and was anyone hurt?": {
			"How many trams were cancelled because of the derailment?", "How long did the derailment last?", "Derailment: was anyone hurt?"},
		"How large is the Orchard depot, and what did it cost to build?":             {"How large is the Orchard depot?", "What did the Orchard depot cost to build?"},
		"Wie viele Kunden waren vom Stromausfall betroffen und was war die Ursache?": {"Wie viele Kunden waren vom Stromausfall betroffen?", "Stromausfall: was war die Ursache?"},
	} {
		b, err := gather.Extractive{}.Scope(t.Context(), gather.ScopeTask{Question: plumb.Question{Text: question}})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, a := range b.Areas {
			got = append(got, a.Question)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s\n got %q\nwant %q", question, got, want)
		}
	}
}

func TestMonthsAreNoNames(t *testing.T) {
	b, err := gather.Extractive{}.Scope(t.Context(), gather.ScopeTask{Question: plumb.Question{Text: "Why did the tram stop in June 2024?"}})
	if err != nil || b.Entity.Name != "" || len(b.Entity.Queries) > 0 {
		t.Errorf("entity %+v, %v", b.Entity, err)
	}
}
