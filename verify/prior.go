// What a word is worth before a source is seen.

package verify

import (
	"strings"

	"github.com/plumbresearch/plumb/text"
)

const (
	commonPrior = 0.5
	// Numbers are compared as quantities; as words they only help to find the place.
	numberPrior = 0.5
)

// common are stems of words that reports and their sources share whatever they
// are about: finding one of them in a passage says little.
var common = func() map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(commonWords) {
		m[text.Stem(w, "en")] = true
	}
	return m
}()

const commonWords = `
	also said say says told known called named name include included including includes use used using uses make made makes making
	become became take took taken give given gave get got go went come came show shows showed shown see seen find found
	report reported reports state stated states note noted describe described according based several many much various number numbers
	first second third one two three four five new old large small big high low great good major main important significant
	different similar other another same part parts place way ways time times year years month months day days week weeks
	century period recent recently current currently today now later early late since begin began start started end ended
	people person group groups work works worked world country area areas level levels case cases example type types kind
	result results lead led cause caused help helped allow allowed provide provided need needed consider considered
	increase increased decrease change changed develop developed development follow followed following involve involved
	relate related due however therefore thus although while among within without along across often usually generally
	likely able around well even still back long set put play played hold held keep kept left right second
	total overall average least most less more`

// prior is 1 for most terms and less for those that say little.
func prior(term string) float64 {
	switch {
	case term[0] >= '0' && term[0] <= '9':
		return numberPrior
	case common[term]:
		return commonPrior
	}
	return 1
}
