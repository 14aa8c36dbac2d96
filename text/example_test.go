package text_test

import (
	"fmt"

	"github.com/plumbresearch/plumb/text"
)

func ExampleSentences() {
	s := "Dr. Hale opened the bridge at 9 a.m. on 12 March 1932. It cost $4.2 million."
	for _, span := range text.Sentences(s, "en") {
		fmt.Println(span.Start, span.Of(s))
	}
	// Output:
	// 0 Dr. Hale opened the bridge at 9 a.m. on 12 March 1932.
	// 55 It cost $4.2 million.
}

func ExampleTerms() {
	fmt.Println(text.Terms("The company's bridges were closed.", "en"))
	// Output: [compani bridg close]
}

func ExampleQuantities() {
	s := "In March 2024 over 15 per cent of the 4.5 million tickets were lost [3]."
	for _, q := range text.Quantities(s) {
		fmt.Printf("%q %s %.0f%s %q\n", q.Span.Of(s), q.Kind, q.Value, q.Unit, q.Comparator)
	}
	// Output:
	// "March 2024" date 20240300 ""
	// "15 per cent" percent 15% "over"
	// "4.5 million" number 4500000 ""
}

func ExampleQuantity_Equal() {
	a, b := text.Quantities("15 percent")[0], text.Quantities("a share of 0.15")[0]
	fmt.Println(a.Equal(b))
	// Output: true
}

func ExampleFindQuote() {
	source := "It was an inter-\nnational “treaty” of the ﬁrst order."
	span, ok := text.FindQuote(source, `an international "treaty" of the first order`)
	fmt.Printf("%q %v\n", span.Of(source), ok)
	// Output: "an inter-\nnational “treaty” of the ﬁrst order" true
}

func ExampleLanguage() {
	fmt.Println(text.Language("What happened to the bridge?"), text.Language("Was ist mit der Brücke passiert?"))
	// Output: en de
}

func ExampleCompare() {
	c := text.Compare("The share of wind power was 12 % in 2020.", "In 2020 the share of wind power was 15 %.", "en", nil)
	fmt.Println(c.Clash.Kind+":", c.Clash.Reason)
	// Output: number: one says 12 %, the other 15 %
}
