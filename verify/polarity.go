// Polarity: whether a claim and the passage that shares its words may say
// opposite things. It only keeps a claim from being supported; a contradiction
// needs more than a word.

package verify

import (
	"fmt"
	"slices"
	"strings"

	"github.com/plumbresearch/plumb/text"
)

// Words that turn a statement around, folded.
var turning = wordSet(`no not never none neither nor without cannot cant dont doesnt didnt wont isnt arent wasnt werent hasnt havent hadnt
	couldnt wouldnt shouldnt nobody nothing nowhere fail fails failed failure lack lacks lacked lacking unable absence absent
	hardly barely rarely seldom unlikely impossible false untrue myth denied denies deny refused rejects
	nicht kein keine keinen keiner nie niemals ohne weder ne pas jamais aucun aucune sans nunca jamas ningun ninguna sin`)

// Pairs of opposites; a word may stand in several.
const oppositePairs = `increase decrease, increase reduce, increase decline, increase fall, increase drop, rise fall, rise decline, rise drop, rise decrease,
	grow shrink, grow decline, grow fall, higher lower, high low, highest lowest, more less, more fewer, most least, greater smaller, greater less, larger smaller,
	largest smallest, better worse, best worst, improve worsen, improve impair, improve deteriorate, positive negative, positively negatively,
	promote inhibit, promote suppress, promote prevent, activate inhibit, activate suppress, activate inactivate, induce inhibit, induce suppress, enhance reduce, enhance inhibit, enhance impair,
	upregulate downregulate, stimulate inhibit, stimulate suppress, accelerate slow, rapid slow, fast slow, strengthen weaken, strong weak,
	gain lose, gain loss, win lose, won lost, victory defeat, accept reject, approve reject, support oppose, allow forbid, allow ban, permit prohibit, legal illegal, safe unsafe, safe dangerous,
	protect harm, benefit harm, beneficial harmful, effective ineffective, sensitive resistant, sensitivity resistance, susceptible resistant, success failure, succeed fail,
	before after, earlier later, first last, begin end, start end, open close, opened closed, north south, northern southern, east west, eastern western, left right,
	male female, men women, mother father, son daughter, husband wife, brother sister, older younger, oldest youngest, upper lower, above below, over under, maximum minimum,
	majority minority, presence absence, include exclude, import export, buy sell, expand contract, major minor, common rare, commonly rarely, public private, dependent independent, true false, same different, similar different,
	longer shorter, long short, wide narrow, hot cold, warmer cooler, dry wet, rich poor, optimistic pessimistic, upward downward, up down, surplus deficit, profit loss, shallow deep`

var opposites = func() map[string][]string {
	m := map[string][]string{}
	for _, pair := range strings.Split(oppositePairs, ",") {
		w := strings.Fields(pair)
		a, b := text.Stem(w[0], "en"), text.Stem(w[1], "en")
		m[a], m[b] = append(m[a], b), append(m[b], a)
	}
	return m
}()

func wordSet(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

// turned says why the passage may say the opposite of the claim, "" when nothing
// hints at it.
func turned(claim, passage string) string {
	c, p := polesOf(claim), polesOf(passage)
	if c.turns(p)%2 != p.turns(c)%2 {
		return "the passage may say the opposite: one of the two is negated"
	}
	for i, s := range c.stems {
		if p.has[s] {
			continue
		}
		for _, o := range opposites[s] {
			if j := slices.Index(p.stems, o); j >= 0 && !c.has[o] {
				return fmt.Sprintf("the passage may say the opposite: it has %q, the claim %q", p.words[j], c.words[i])
			}
		}
	}
	return ""
}

// poles is a text as polarity sees it.
type poles struct {
	words, stems []string
	has          map[string]bool
}

func polesOf(s string) poles {
	p := poles{has: map[string]bool{}}
	for _, t := range text.Tokens(s) {
		stem := text.Stem(t.Text, "en")
		p.words, p.stems = append(p.words, t.Text), append(p.stems, stem)
		p.has[stem] = true
	}
	return p
}

// turnReach is how many words behind a negation it is taken to speak of.
const turnReach = 4

// turns counts the negations that speak of something the other text has too.
func (p poles) turns(other poles) int {
	n := 0
	for i, w := range p.words {
		if !turning[w] {
			continue
		}
		for j := i + 1; j < len(p.stems) && j <= i+turnReach; j++ {
			if other.has[p.stems[j]] && !text.Stopword(p.words[j], "en") {
				n++
				break
			}
		}
	}
	return n
}
