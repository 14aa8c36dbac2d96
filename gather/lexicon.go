package gather

// The few words of English, German, French, Spanish, Italian, Portuguese and Dutch by which a question is taken apart.

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/plumbresearch/plumb/text"
)

// askers begin a question or an indirect one, by language.
var askers = map[string]map[string]bool{
	"en": wordSet("what why how when who whom whose where which whether"),
	"de": wordSet("was warum wieso weshalb wie wann wer wen wem wessen wo wohin woher welche welcher welches welchen wodurch womit worin ob wieviel wieviele inwiefern"),
	"fr": wordSet("que quoi pourquoi comment quand qui où quel quelle quels quelles combien qu'est-ce est-ce lequel laquelle"),
	"es": wordSet("qué cómo cuándo quién quiénes dónde cuál cuáles cuánto cuánta cuántos cuántas"),
	"it": wordSet("perché come quando chi dove quale quali quanto quanti quanta quante cosa"),
	"pt": wordSet("quando quem onde qual quais quanto quantos quanta quantas porque"),
	"nl": wordSet("wat waarom hoe wanneer wie waar welke hoeveel"),
}

// relatives are question words that, behind a comma, more often begin a relative clause.
var relatives = wordSet("who which when where whose whom der die das qui que où")

// conjunctions join the parts of a question.
var conjunctions = map[string]map[string]bool{
	"en": wordSet("and plus & also"),
	"de": wordSet("und sowie &"),
	"fr": wordSet("et &"),
	"es": wordSet("y e &"),
	"it": wordSet("e ed &"),
	"pt": wordSet("e &"),
	"nl": wordSet("en &"),
}

// auxiliaries begin a yes-or-no question when a subject follows.
var auxiliaries = map[string]map[string]bool{
	"en": wordSet("is are was were am did does do has have had can could will would should shall may might must isn't aren't wasn't weren't didn't doesn't don't hasn't haven't"),
	"de": wordSet("ist sind war waren hat haben wird werden wurde wurden kann können soll muss darf gibt"),
	"nl": wordSet("is zijn was waren heeft hebben wordt kan"),
}

// beAndModals are the auxiliaries that may be put behind their subject without changing the verb.
var beAndModals = wordSet("is are was were has have had can could will would should shall may might must")

// subjects are words, beside names, with which a subject begins.
var subjects = map[string]map[string]bool{
	"en": wordSet("the a an this that these those it they he she we you i there anyone anybody someone somebody anything its their his her our any all most some each every no both"),
	"de": wordSet("der die das ein eine es sie er wir man diese dieser dieses"),
	"nl": wordSet("de het een dit dat ze hij zij er"),
}

// prepositions end the head of a noun phrase or follow one.
var prepositions = wordSet("of for in on at from behind about against between with to under over by during after before since")

// imperatives ask without a question word. They are dropped from headings.
var imperatives = wordSet(`summarise summarize describe explain list outline give show tell find compare assess identify review
	discuss analyse analyze evaluate examine investigate report name determine research provide write state`)

// comparing words ask for two things to be held against each other: such a question is not taken apart at its "and".
var comparing = wordSet("compare compared comparison difference differences differ versus vs between relationship link better worse cheaper safer faster")

// depending words make a part of a question need the one before it.
var depending = phrases("then; after that; as a result; as a consequence; consequently; thereafter; subsequently; following that; in response")

// participles that do not end in -ed, by which the end of a subject is found.
var participles = wordSet(`built made found known broken sent paid held told set put shut lost won begun done seen taken given written
	chosen cut left sold bought caught kept hit led met run spent stolen driven drawn grown hidden laid`)

// adjectives after "is X …", and what they are called as a heading.
var qualities = map[string]string{
	"safe": "safety", "unsafe": "safety", "dangerous": "safety", "secure": "security", "reliable": "reliability",
	"available": "availability", "accurate": "accuracy", "effective": "effectiveness", "legal": "legality",
	"feasible": "feasibility", "expensive": "cost", "profitable": "profitability", "stable": "stability",
	"sustainable": "sustainability", "ready": "readiness", "complete": "completion", "healthy": "health", "toxic": "toxicity",
}

// present marks a question about the state of things now.
var present = wordSet("now today currently presently still nowadays again")

// determiners may be dropped at the beginning of a heading.
var determiners = wordSet("the a an")

// generic holds stems that say nothing about what a question is about.
var generic = func() map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(`know known say said tell told give given information detail details fact facts question questions
		answer answers thing things summarise summarize describe explain list outline show find compare assess identify review discuss
		analyse analyze evaluate examine investigate report reports document documents documentation according please overview
		summary mention mentioned state stated get got make made use used happen happened exactly actually currently today
		still many much long far old several single various whole part
		set take took put go went come came become became keep kept let hold held occur occurred impose imposed
		anyone anybody someone somebody anything everyone everybody nobody people person
		differ differs difference differences different versus comparison compared better worse`) {
		set[text.Stem(w, "en")] = true
	}
	for _, w := range strings.Fields(`viel viele gibt gab jemand niemand unterschied unterschiede beaucoup quelqu'un diferencia mucho muchos`) {
		set[text.Fold(w)] = true
	}
	return set
}()

// language of a question; English when it is too short to tell.
func language(s string) string {
	if l := text.Language(s); l != "" {
		return l
	}
	return "en"
}

// bare is a word without the punctuation around it, lower-cased, its apostrophe made ASCII.
func bare(w string) string {
	return strings.ToLower(strings.ReplaceAll(strings.Trim(w, ".,;:!?¿¡\"“”„«»()[]…"), "’", "'"))
}

// capitalised says whether a word begins with a capital letter.
func capitalised(w string) bool {
	r, _ := utf8.DecodeRuneInString(strings.Trim(w, ".,;:!?¿¡\"“”„«»()[]…'‘’"))
	return unicode.IsUpper(r)
}

// upperFirst makes the first letter a capital.
func upperFirst(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	if r == utf8.RuneError {
		return s
	}
	return string(unicode.ToUpper(r)) + s[n:]
}

// lowerFirst undoes the capital of a sentence's first word, unless the word is a name or an acronym.
func lowerFirst(s string) string {
	first, _, _ := strings.Cut(s, " ")
	if bare(first) == "i" || !askers["en"][bare(first)] && !auxiliaries["en"][bare(first)] && !determiners[bare(first)] && !imperatives[bare(first)] {
		return s
	}
	return strings.ToLower(s[:1]) + s[1:]
}
