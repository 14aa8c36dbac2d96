// Words of which a statement has one and not another: months, ranks, peoples,
// professions. A claim whose word of such a kind is not in a passage that has
// another one of it was often changed.

package verify

import (
	"strings"

	"github.com/plumbresearch/plumb/text"
)

const kindLists = `
january february march april may june july august september october november december
monday tuesday wednesday thursday friday saturday sunday
spring summer autumn winter
first second third fourth fifth sixth seventh eighth ninth tenth last final
one two three four five six seven eight nine ten eleven twelve fifteen twenty thirty forty fifty
hundred thousand million billion trillion
red blue green yellow white black brown orange purple pink grey
north south east west northern southern eastern western
father mother son daughter brother sister husband wife uncle aunt cousin grandfather grandmother nephew niece
american british english french german italian spanish russian chinese japanese indian canadian australian irish scottish welsh dutch swedish polish greek turkish brazilian mexican african european asian korean austrian swiss belgian danish norwegian portuguese iranian egyptian israeli
america britain england france germany italy spain russia china japan india canada australia ireland scotland wales netherlands sweden poland greece turkey brazil mexico africa europe asia korea austria switzerland belgium denmark norway portugal iran egypt israel
actor actress singer writer author director producer painter poet politician lawyer scientist engineer musician composer dancer journalist architect philosopher physician teacher soldier
novel film movie play poem song album series book magazine opera musical painting sculpture
baseball football basketball hockey tennis golf cricket rugby soccer boxing swimming
pitcher catcher shortstop outfielder quarterback goalkeeper striker midfielder defender
republican democrat democratic conservative liberal labour socialist communist
catholic protestant jewish muslim christian buddhist hindu
king queen prince princess emperor duke president minister governor mayor senator
gold silver bronze copper iron
comedy drama thriller horror romance western tragedy fantasy
born died married divorced
all most some few none many
always often sometimes rarely never
century decade year month week day hour minute second
mice rats humans monkeys pigs dogs cats zebrafish
men women children adults infants elderly
lung liver kidney heart brain breast colon prostate skin stomach`

// kinds gives for a stem the lists it is in.
var kinds = func() map[string][]int {
	m := map[string][]int{}
	for i, line := range strings.Split(strings.TrimSpace(kindLists), "\n") {
		for _, w := range strings.Fields(line) {
			stem := text.Stem(w, "en")
			m[stem] = append(m[stem], i)
		}
	}
	return m
}()

// exchanged counts the words of the claim that the window lacks, where it has
// another of the same kind that the claim lacks.
func (g *sight) exchanged() float64 {
	n := 0
	for _, s := range g.claim.stems {
		if g.other.has[s] {
			continue
		}
		if g.sibling(s) {
			n++
		}
	}
	return float64(min(n, 3))
}

func (g *sight) sibling(stem string) bool {
	for _, k := range kinds[stem] {
		for _, o := range g.other.stems {
			if g.claim.has[o] {
				continue
			}
			for _, ok := range kinds[o] {
				if ok == k {
					return true
				}
			}
		}
	}
	return false
}
