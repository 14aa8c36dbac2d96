package text

import (
	"strings"
	"testing"
)

// prose is ordinary English with names, numbers, quotes and dates, 1 MB of it.
var prose = strings.Repeat(`The harbour bridge at Port Ellis was opened on 12 March 1932, after Dr. J. B. Hale's company had spent
more than $4.2 million on it. "It will stand for a hundred years," he told reporters at 10 a.m. that day. In 2019, about 15 percent
of its rivets (roughly 1,250 of them) were found to be loose; the city's engineers, e.g. those of the roads department, had not
looked at them since the 1990s. Repairs took 18 months and cost between EUR 2 million and EUR 3 million. Did anyone object? Nobody
did, according to the council's minutes [4], although traffic fell by 7.5% and ferries carried 3,100 passengers a day.

`, 1500)

func BenchmarkSentences(b *testing.B) {
	b.SetBytes(int64(len(prose)))
	for b.Loop() {
		Sentences(prose, "en")
	}
}

func BenchmarkTokens(b *testing.B) {
	b.SetBytes(int64(len(prose)))
	for b.Loop() {
		Tokens(prose)
	}
}

func BenchmarkTerms(b *testing.B) {
	b.SetBytes(int64(len(prose)))
	for b.Loop() {
		Terms(prose, "en")
	}
}

func BenchmarkQuantities(b *testing.B) {
	b.SetBytes(int64(len(prose)))
	for b.Loop() {
		Quantities(prose)
	}
}

func BenchmarkNewFolded(b *testing.B) {
	b.SetBytes(int64(len(prose)))
	for b.Loop() {
		NewFolded(prose)
	}
}

func BenchmarkFindQuote(b *testing.B) {
	f := NewFolded(prose + "At last the bridge fell into the inter-\nnational waters of the sound.")
	b.SetBytes(int64(len(prose)))
	for b.Loop() {
		if _, ok := f.Find("the bridge fell into the international waters"); !ok {
			b.Fatal("not found")
		}
	}
}

func BenchmarkCompare(b *testing.B) {
	for b.Loop() {
		Compare("In 2019, about 15 percent of the bridge's rivets were found to be loose.",
			"The rivets of the bridge were examined in 2019 and 12 percent of them were loose.", "en", nil)
	}
}
