package gather

// Words for the same thing: a small table, and stems that differ in their ending only.

import (
	"strings"

	"github.com/plumbresearch/plumb/text"
)

// How much a word counts that is not the question's own.
const (
	asSynonym = 0.75
	asVariant = 0.85 // corrode and corrosion, close and closure
)

// synonymGroups hold English words that questions and documents use for each other, common ones only.
var synonymGroups = []string{
	"cost price expense expenditure spend spent pay paid outturn budget amount fee charge expensive euro euros eur usd dollar dollars gbp",
	"cause reason because root trigger culprit",
	"safe safety risk danger dangerous hazard unsafe",
	"date deadline",
	"close closed closure shut",
	"repair retrofit refurbishment renovation restoration rehabilitation fix",
	"start begin began begun commence launch",
	"finish complete completed completion conclude",
	"increase rise rose grow grew growth",
	"decrease decline fall fell reduce reduction",
	"fail failed failure defect fault defective broke broken",
	"car vehicle automobile lorry truck lorries trucks",
	"build built construct construction erect",
	"death dead died die kill killed fatality fatalities",
	"injury injured injure hurt wounded",
	"reject rejected refuse refused decline declined",
	"worker workers employee employees staff personnel",
	"allow permit allowed permitted authorise",
	"effect effects impact consequence consequences outcome result",
	"responsible blame liable liability fault accountable",
	"buy bought purchase acquire acquisition",
	"advantage advantages benefit benefits pro pros",
	"disadvantage disadvantages drawback drawbacks con cons downside",
	"rule rules regulation regulations law requirement requirements",
	"blackout outage disturbance cut interruption downtime",
	"unavailable outage downtime offline down",
	"error mistake slip",
	"drop fall fell decrease decline reduce cut",
	"penalty fine fined sanction punish",
	"medicine medication drug dose",
	"loud noise noisy decibel decibels sound",
	"harm harmed hurt injury injured injure damage damaged",
	"size large capacity power store area",
	"login log sign", "mobile phone", "firm company business", "area region district", "town city",
	"owner own owns owned belong", "supplier vendor supply supplied", "delay postpone postponed late",
	"name called", "teach training trained train", "money funds funding", "check test inspection inspect audit",
	"last lasted duration", "choose chose chosen choice pick prefer preferred select selected",
	"hold held", "lose lost loss", "write wrote written writer author", "sing sang sung singer", "win won winner", "lead led leader head",
	"begin began", "know knew known", "speak spoke spoken", "teach taught", "think thought", "sell sold", "make made", "run ran",
	"agree agreement contract", "answer reply response", "help aid support", "big large", "small little", "job work", "pupil student",
	"kosten kostet kostete gekostet preis", "ursache grund weil", "dauern dauert dauerte gedauert", "wachsen wuchs gewachsen", "beginnen begann begonnen",
	"move leave relocate resettle displace evict rehouse", "electricity power energy", "deliver supply generate produce output capacity",
	"employ work job", "doctor physician", "child children infant infants", "school pupil pupils student students",
}

// synonyms maps a stem to the groups it is in.
var synonyms = func() map[string][]int {
	m := map[string][]int{}
	for i, g := range synonymGroups {
		seen := map[string]bool{}
		for _, w := range strings.Fields(g) {
			for _, s := range []string{text.Stem(w, "en"), w} { // words of other languages as they are
				if !seen[s] {
					seen[s] = true
					m[s] = append(m[s], i)
				}
			}
		}
	}
	return m
}()

// related says how far stem b may stand for stem a: 1 for the same, 0 for not at all.
func related(a, b string) float64 {
	if a == b {
		return 1
	}
	if variant(a, b) {
		return asVariant
	}
	for _, i := range synonyms[a] {
		for _, j := range synonyms[b] {
			if i == j {
				return asSynonym
			}
		}
	}
	return 0
}

// variant: a common beginning of at least five letters, or of four and nothing but a mute vowel behind it, and endings of
// at most two letters, three together; model1 and model2 are
// different things.
func variant(a, b string) bool {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	ra, rb := len(a)-n, len(b)-n
	mute := func(s string) bool { return s == "" || s == "e" || s == "i" }
	return (n >= 5 || n == 4 && (mute(a[n:]) || mute(b[n:]))) && ra <= 2 && rb <= 2 && ra+rb <= 3 && a[0] >= 'a' && a[0] <= 'z' && !strings.ContainsAny(a[n:]+b[n:], "0123456789")
}

// inOtherWords gives one synonym for each word that has some; empty when none has.
func inOtherWords(ws []string, lang string) string {
	if lang != "en" {
		return ""
	}
	var out []string
	changed := false
	for _, w := range ws {
		groups := synonyms[text.Stem(w, "en")]
		out = append(out, w)
		for _, g := range groups {
			n := 0
			for _, s := range strings.Fields(synonymGroups[g]) {
				if text.Stem(s, "en") != text.Stem(w, "en") && n < 3 {
					out, changed, n = append(out, s), true, n+1
				}
			}
		}
	}
	if !changed {
		return ""
	}
	return strings.Join(out, " ")
}
