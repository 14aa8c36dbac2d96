package extract

import "testing"

func TestDates(t *testing.T) {
	cases := []struct{ in, want string }{
		{"2024-03-12", "2024-03-12"}, {"2024-03-12T23:59:59+02:00", "2024-03-12"}, {"2024-3-2", "2024-03-02"},
		{"2024/03/12", "2024-03-12"}, {"20240312", "2024-03-12"}, {"D:20240312101530Z", "2024-03-12"},
		{"2024-03", "2024-03"}, {"2024", "2024"},
		{"12 March 2024", "2024-03-12"}, {"12th of March 2024", "2024-03-12"}, {"March 12, 2024", "2024-03-12"}, {"Mar. 2nd, 2024", "2024-03-02"},
		{"Tue, 12 Mar 2024 10:00:00 GMT", "2024-03-12"}, {"12-Mar-2024", "2024-03-12"}, {"March 2024", "2024-03"}, {"Sept 2019", "2019-09"},
		{"12. März 2024", "2024-03-12"}, {"1er juillet 2020", "2020-07-01"}, {"3 de mayo de 2021", "2021-05-03"}, {"15 августа 2016", "2016-08-15"},
		{"12.03.2024", "2024-03-12"}, {"2024年3月12日", "2024-03-12"}, {"2024年3月", "2024-03"},
		{"12 września 2024", "2024-09-12"}, {"3 maj 2021", "2021-05-03"}, {"5 Ağustos 2020", "2020-08-05"}, {"24 desember 2019", "2019-12-24"}, {"2024년 3월 12일", "2024-03-12"},
		{"25/12/2023", "2023-12-25"}, {"12/25/2023", "2023-12-25"}, {"03/03/2023", "2023-03-03"}, {"03/04/2023", "2023"},
		{"2023-02-30", ""}, {"30 February 2023", "2023-02"}, {"2024-13-01", ""}, {"0312", ""}, {"about 2024 people", ""}, {"", ""}, {"1234567890", ""},
		{"Chapter 12 of 2024", ""}, {"9999-01-01", ""}, {"maybe 2020", ""},
	}
	for _, c := range cases {
		if got := isoDate(c.in); got != c.want {
			t.Errorf("%q: %q, want %q", c.in, got, c.want)
		}
	}
}

func TestWhereTheDayStandsFirst(t *testing.T) {
	for _, c := range []struct{ in, lang, want string }{
		{"03/04/2023", "es", "2023-04-03"}, {"03/04/2023", "en-GB", "2023-04-03"}, {"03/04/2023", "en-US", "2023"}, {"03/04/2023", "", "2023"},
		{"12/25/2023", "en", "2023-12-25"}, {"2023/04/03", "fr", "2023-04-03"},
	} {
		if got := isoDate(dayFirst(c.in, c.lang)); got != c.want {
			t.Errorf("%q in %q: %q, want %q", c.in, c.lang, got, c.want)
		}
	}
}

func TestDaysApart(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"2024-02-28", "2024-03-01", 2}, {"2024-01-01", "2023-12-31", 1}, {"2024-01-01", "2024-01-01", 0}, {"2024", "2024-01-01", -1}, {"", "", -1}} {
		if got := daysApart(c.a, c.b); got != c.want {
			t.Errorf("%q and %q: %d, want %d", c.a, c.b, got, c.want)
		}
	}
}

func TestDateLines(t *testing.T) {
	cases := []struct{ what, text, want string }{
		{"label", "Title\n\nDate: 2024-03-12\n", "2024-03-12"},
		{"bold label", "**Published:** 12 March 2024\n", "2024-03-12"},
		{"emphasis", "Title\n\n*Last updated: March 2024*\n", "2024-03"},
		{"publication before update", "Updated: 2024-05-01\nPublished on 2024-03-12\n", "2024-03-12"},
		{"German", "Stand: 12. März 2024\n", "2024-03-12"},
		{"Chinese", "发布日期：2024年3月12日\n", "2024-03-12"},
		{"alone on its line", "Title\n\nTuesday, 12 March 2024\n\nText", "2024-03-12"},
		{"with a place", "Title\nHamburg, 2. November 2021\n", "2021-11-02"},
		{"with a time", "Title\n24.01.2022 11:38\n", "2022-01-24"},
		{"in a sentence", "The plant opened on 12 March 2024 in Brittany.\n", ""},
		{"a label in a sentence", "Data from the 2019 survey of 3 March 2019 shows that the plants in the region did well.\n", ""},
		{"far down", longText(50) + "Date: 2024-03-12\n", ""},
	}
	for _, c := range cases {
		if got := dateLine(c.text); got != c.want {
			t.Errorf("%s: %q, want %q", c.what, got, c.want)
		}
	}
}

func longText(lines int) string {
	s := ""
	for range lines {
		s += "A line of text that is not a date.\n"
	}
	return s
}

func TestDateInAddress(t *testing.T) {
	cases := []struct{ in, want string }{
		{"https://example.org/2013/09/12/title", "2013-09-12"},
		{"https://example.org/blog/2013/9/title", "2013-09"},
		{"docs/2013/09/12/a.html", ""},
		{"https://example.org/2013/99/12/title", ""},
	}
	for _, c := range cases {
		if got := dateInPath(c.in); got != c.want {
			t.Errorf("%q: %q, want %q", c.in, got, c.want)
		}
	}
}
