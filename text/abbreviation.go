package text

// Abbreviations and sentence starters, for Sentences.

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

type abbrKind uint8

const (
	abbrNone   abbrKind = iota
	abbrNever           // a name or number follows: never ends a sentence (Mr., Fig., e.g.)
	abbrNumber          // an abbreviation only before a number or letter (No., p., Art.)
	abbrMaybe           // ends a sentence when the next word looks like a beginning (Inc., U.S.)
	abbrTime            // ends a sentence before any capital but that of a weekday or time zone (p.m.)
)

type abbreviations struct {
	kinds    map[string]abbrKind
	starters map[string]bool
	lang     string
}

// kind looks up the word before a full stop, given the word behind it.
func (a abbreviations) kind(word, next string) abbrKind {
	lower := strings.ToLower(strings.ReplaceAll(word, " ", ""))
	k, ok := a.kinds[lower]
	if !ok {
		if a.lang == "de" && strings.Trim(word, "0123456789") == "" && len(word) <= 2 {
			return a.germanOrdinal(next)
		}
		return abbrNone
	}
	if k == abbrNever && shoutedOrPlain[lower] && next != "" && !unicode.IsDigit(firstRune(next)) && unicode.IsLower(firstRune(word)) {
		return abbrMaybe
	}
	return k
}

// shoutedOrPlain are abbreviations that are plain words too when they are written small.
var shoutedOrPlain = map[string]bool{"min": true, "sat": true, "sun": true, "mar": true, "gen": true, "col": true}

// germanOrdinal: "am 12. Juni" goes on, "es waren 12. Dann" ends.
func (a abbreviations) germanOrdinal(next string) abbrKind {
	if monthNumber(strings.ToLower(strings.TrimRight(next, ".,"))) > 0 || germanOrdinalNouns[strings.TrimRight(next, ".,;")] {
		return abbrNever
	}
	return abbrMaybe
}

var germanOrdinalNouns = wordSet("Jahrhundert Jahrhunderts Weltkrieg Platz Mal Stock Internationale Klasse Auflage Jh Kongress Tag Bundestag Runde")

func (a abbreviations) any(lower string) bool { return a.kinds[lower] != abbrNone }

// starts says whether a word, capitalised behind a stop, typically begins a sentence.
func (a abbreviations) starts(next string) bool {
	next = strings.TrimRight(next, ".,;:!?\"'”’)")
	for _, cut := range []string{"'", "’"} {
		if i := strings.Index(next, cut); i > 0 {
			next = next[:i]
		}
	}
	r, _ := utf8.DecodeRuneInString(next)
	return unicode.IsUpper(r) && a.starters[strings.ToLower(next)]
}

// timeWords follow a time of day within a sentence.
var timeWords = wordSet(`Monday Tuesday Wednesday Thursday Friday Saturday Sunday ET EST EDT CT CST CDT MT MST PT PST PDT GMT UTC BST CET
	CEST Eastern Pacific Central Mountain`)

func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(words) {
		set[w] = true
	}
	return set
}

// abbreviationsOf gives the tables of a language; names and titles of the other
// languages are known too, because texts mix them.
func abbreviationsOf(lang string) abbreviations {
	if a, ok := abbreviationTables[lang]; ok {
		return a
	}
	return abbreviationTables["en"]
}

var abbreviationTables = func() map[string]abbreviations {
	tables := map[string]abbreviations{}
	for _, lang := range []string{"en", "de", "fr", "es", "it", "pt", "nl", "ru"} {
		a := abbreviations{kinds: map[string]abbrKind{}, starters: wordSet(starterWords[lang]), lang: lang}
		for _, l := range []string{"en", lang} {
			for w := range wordSet("a.m p.m") {
				a.kinds[w] = abbrTime
			}
			for w := range wordSet(maybeWords[l]) {
				a.kinds[w] = abbrMaybe
			}
			for w := range wordSet(numberWords[l]) {
				a.kinds[w] = abbrNumber
			}
			for w := range wordSet(neverWords[l]) {
				a.kinds[w] = abbrNever
			}
		}
		tables[lang] = a
	}
	return tables
}()

var neverWords = map[string]string{
	"en": `mr mrs ms messrs mx dr prof rev hon pres gov sen rep gen lt col maj capt cmdr sgt cpl adm insp supt st mt ft
		e.g i.e f.e eg ie viz cf vs v al fig figs eq eqs tab ref refs approx ca resp esp incl excl trans ed eds sec
		jan feb mar apr jun jul aug sept sep oct nov dec mon tue tues wed thu thurs fri n°
		univ dept assn bros est rs rd ave blvd p.o tel med btw ph.d phil`,
	"de": `z.b d.h u.a u.u i.d.r s.o s.u b bzw ca dr prof hr fr frl dipl ing nr str vgl evtl ggf inkl exkl max bzgl sog geb
		gest jh jhd kap mio mrd st tel usw.b v.chr n.chr z d u i.a o.ä abs art aufl bd d.j hrsg zzgl zz sen jun gez lfd kath ev allg bes dt engl frz lat gr ff`,
	"fr": `m mm mme mmes mlle mlles dr me mgr pr ste env p.ex ex av apr n° art cf ch fig hab réf tél vol éd p.p s.a`,
	"es": `sr sra srta sres dr dra lic ing prof d dña ud uds vd vds av avda c.p p.ej ej art arts cap fig n.º núm pág págs tel
		vol ed excmo ilmo gral cnel cía no ntra sta sto st arq párr párrf ext ee lun mié jue vie sáb dom cra`,
	"it": `sig sigg dott dr prof avv ing geom arch rag on art artt pag pagg cap fig n.b p.es es vol ecc.d sec`,
	"pt": `sr sra dr dra prof profa eng av art fig pág págs cap vol p.ex ex núm exmo`,
	"nl": `dhr mevr mw dr drs prof ir ing mr bijv bv d.w.z blz enz.d nr o.a t.a.v a.u.b jl`,
	"ru": `г гг г-н г-жа ул пр просп пл пер д кв корп стр рис табл гл т.е т.к т.н т.д.и т.п.и см ср напр акад проф доц им
		руб коп тыс млн млрд трлн куб кв.м кг м обл р-н пос тел рег св тов н.э до.н.э`,
}

var numberWords = map[string]string{
	"en": `no nos p pp art arts vol vols ch chap chapt para sect pt op cl no.s ser`,
	"de": `s seite`,
	"fr": `p pp no nos`,
	"es": `p pp`,
	"it": `p pp n`,
	"pt": `p pp n`,
	"ru": `с`,
}

var maybeWords = map[string]string{
	"en": `inc ltd co corp llc plc jr sr esq u.s u.k u.n e.u u.s.a u.s.s.r d.c l.a n.y b.c a.d b.c.e c.e etc
		min hr hrs sec secs ft yd yds oz lb lbs mi sq ph.d m.d b.a m.a ind calif mass mich conn pa va fla wash minn ill colo
		dist so ok bldg`,
	"de": `usw etc u.s.w ag gmbh co uhr s.a o.g`,
	"fr": `etc cie s.a.r.l`,
	"es": `etc cía s.a a.c d.c ee.uu uu s.l`,
	"it": `ecc etc s.p.a s.r.l`,
	"pt": `etc s.a ltda`,
	"nl": `enz etc n.v b.v`,
	"ru": `т.д т.п др пр гг г руб тыс млн мин сек ч тел кв куб куб.м кг см км мм м`,
}

var starterWords = map[string]string{
	"en": `a an the this that these those it its he she they we i you his her their our my your there here what when where why who
		how which did do does is are was were will would can could should shall has have had may might must if in on at by for
		from with without within after before during since until while although though because as but and or nor so yet however
		moreover furthermore therefore thus also then next finally first second third later meanwhile instead still such some
		many most more much few several all both each every either neither no not never only one two three another other
		others among between according under over about being having let please see yes today yesterday tomorrow now mr mrs ms
		dr nobody everyone someone nothing everything under despite like unlike once whether to our ours`,
	"de": `der die das ein eine einer ich du er sie es wir ihr sein ihre dies diese dieser dieses in im am an auf aus bei mit nach
		von vor zu zum zur und oder aber denn doch wenn weil als wie was wer wo warum wann hier da dort dann so auch nur
		nicht kein keine für durch um über unter seit bis während man alle viele mehr nun jedoch danach dabei darüber damit
		dazu heute gestern morgen ist sind war waren hat haben wird werden kann`,
	"fr": `le la les un une des l il elle ils elles je tu nous vous on ce cet cette ces c d en au aux à dans sur pour par avec sans mais
		et ou donc or car si quand comme que qui quoi où pourquoi comment après avant depuis pendant selon ainsi aussi puis
		enfin son sa ses leur leurs notre votre mon ma mes tout tous toute toutes`,
	"es": `el la los las un una unos unas él ella ellos ellas yo tú nosotros usted ustedes este esta estos estas ese esa eso en de
		del al a por para con sin sobre y o pero si no cuando como que qué quien quién donde dónde cómo por según también
		además así entonces luego después antes desde hasta su sus mi mis se lo es son fue hay más`,
	"it": `il lo la i gli le un uno una egli ella essi io tu noi voi questo questa questi queste in di da a con su per tra fra e o ma se
		non quando come che chi dove perché secondo anche inoltre così poi dopo prima si è sono`,
	"pt": `o a os as um uma ele ela eles elas eu nós este esta isso em de do da no na por para com sem e ou mas se não quando como que
		quem onde segundo também além assim depois antes`,
	"nl": `de het een hij zij ze wij we ik je jij u dit dat deze die in op aan van voor met door en of maar als wanneer waar wat wie hoe
		waarom ook dan daar er na sinds volgens om te`,
	"ru": `он она они оно я ты мы вы это этот эта эти тот та те в на по с из к у о об от до за для при и а но или если когда как что
		кто где почему так также однако затем потом после перед все не нет его ее их наш ваш мой был была было были`,
}
