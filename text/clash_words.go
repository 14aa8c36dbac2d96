package text

// Words that decide about clashes, in English.

import "strings"

// negations turn a statement round.
var negations = wordSet(`not no never cannot none cant dont doesnt didnt isnt arent wasnt werent hasnt havent hadnt wont wouldnt couldnt
	shouldnt neither nor without nicht kein keine keinen niemals jamais nunca`)

// softNegation behind and softBefore in front of a negation make it partial.
var softNegation = wordSet(`only just longer yet necessarily all always every everyone everything entirely fully completely quite until
	even merely simply solely least more less fewer doubt matter exactly very so as one both`)

var softBefore = wordSet(`or if why and but whether though although nor`)

// clauseWords begin a further clause; "and" only behind a comma.
var clauseWords = wordSet(`and or because while whereas which who although though so since`)

// modalWords make a statement and its negation both possible.
var modalWords = wordSet(`may might could can would should possibly perhaps probably likely sometimes often some many most few several partly`)

// frameWords qualify a number or a statement: when they differ, the sentences
// speak of different times, groups or measures.
var frameWords = wordSet(`before after until since during per each every will would may might could can should must if unless only other
	another additional further previously formerly initially originally currently now today yesterday
	tomorrow later earlier early late last next first second third fourth fifth previous former current new old recent recently
	then again once twice half quarter quarterly annual annually yearly monthly weekly daily hourly average mean median maximum
	minimum max min peak highest lowest forecast forecasts projected projects expected expects planned plans target targeted
	aims goal estimated estimates estimate predicted predicts scheduled potential potentially alone combined cumulative cumulatively net gross adjusted real
	nominal all some many both either part partly mainly excluding including except outside
	men women male female children adults boys girls urban rural north south east west northern southern eastern western
	global worldwide national local domestic international federal state public private primary secondary upper lower
	total overall entire whole so far still already rest remaining respectively versus compared relative`)

// neutralWords say that something is said, or say it loosely.
var neutralWords = wordSet(`according said says say reported reports report reportedly stated states noted notes found finds shows show showed
	approximately roughly around nearly about circa approx exactly just actually officially official figures figure data
	stood stands stand amounted amounts reached reaches reach recorded totalled totaled equals equal measured measures accounted
	comprised comprises counts counted`)

// sameMeaning maps stems to one that stands for all of the same meaning.
var sameMeaning = stemGroups(`rise increase grow climb grew rose risen grown gain; fall decrease decline drop fell fallen shrink shrank;
	build construct built; complete finish; found establish; begin start began begun; end conclude; buy purchase bought acquire;
	die dead died; large big; people person persons; company firm; employ employee worker staff; car automobile; doctor physician;
	open inaugurate; release launch; cost price; earthquake quake; inhabitant resident; ship vessel; film movie; stretch length long;
	height tall high; weigh weight; width wide; depth deep; age old; sign signed; collapse collapsed`)

func stemGroups(groups string) map[string]string {
	m := map[string]string{}
	for _, group := range strings.Split(groups, ";") {
		words := strings.Fields(group)
		for _, w := range words {
			m[Stem(w, "en")] = Stem(words[0], "en")
		}
	}
	return m
}

// eventStems are things that happen to one thing once.
var eventStems = func() map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(`open found establish born die build complete construct launch collapse demolish destroy discover invent
		inaugurate ratify enact begin end sink crash assassinate murder marry incorporate abolish dissolve commission
		release premiere sign burn explode erupt retire resign coin patent bury crown arrest bomb kill happen occur close shut fail reopen`) {
		stem := Stem(w, "en")
		if c := sameMeaning[stem]; c != "" {
			stem = c
		}
		set[stem] = true
	}
	return set
}()

// opposite holds pairs of stems of which each says the opposite of the other.
var opposite = func() map[[2]string]bool {
	m := map[[2]string]bool{}
	for _, pair := range strings.Split(`increased decreased; approved rejected; accepted rejected; accepted refused; won lost; succeeded failed; passed
		failed; legal illegal; effective ineffective; safe unsafe; guilty innocent; true false; alive dead; profit loss; confirmed denied;
		upheld overturned; allowed banned; permitted prohibited; supported opposed; hot cold; strengthened weakened; improved worsened;
		positive negative; north south; east west; accelerated slowed; expanded contracted; widened narrowed; present absent`, ";") {
		w := strings.Fields(pair)
		x, y := Stem(w[0], "en"), Stem(w[1], "en")
		if c := sameMeaning[x]; c != "" {
			x = c
		}
		if c := sameMeaning[y]; c != "" {
			y = c
		}
		m[[2]string{x, y}], m[[2]string{y, x}] = true, true
	}
	return m
}()
