// Words that say the same: irregular forms of one word, which no stemmer joins,
// and synonyms, which count for less.

package verify

import (
	"strings"

	"github.com/plumbresearch/plumb/text"
)

// irregular are forms of one word, the first of which stands for all.
const irregular = `become became|begin began begun|bend bent|bite bit bitten|blow blew blown|break broke broken|breed bred|bring brought|build built|buy bought
catch caught|choose chose chosen|come came|creep crept|deal dealt|dig dug|draw drew drawn|dream dreamt|drink drank drunk|drive drove driven
eat ate eaten|fall fell fallen|feed fed|feel felt|fight fought|flee fled|fly flew flown|forbid forbade forbidden|forget forgot forgotten|freeze froze frozen
get got gotten|give gave given|go went gone|grow grew grown|hang hung|hear heard|hide hid hidden|hold held|keep kept|know knew known|lay laid|lead led
lend lent|lose lost|make made|mean meant|meet met|pay paid|ride rode ridden|ring rang rung|rise rose risen|run ran|say said|see saw seen|seek sought|sell sold|send sent
shake shook shaken|shine shone|shoot shot|show shown|shrink shrank shrunk|sing sang sung|sink sank sunk|sit sat|sleep slept|speak spoke spoken|spend spent|spin spun
spring sprang sprung|stand stood|steal stole stolen|stick stuck|strike struck stricken|strive strove|swear swore sworn|sweep swept|swim swam swum|swing swung
take took taken|teach taught|tear tore torn|tell told|think thought|throw threw thrown|understand understood|undergo underwent undergone|wake woke woken|wear wore worn
weave wove woven|weep wept|win won|withdraw withdrew withdrawn|write wrote written|overcome overcame|undertake undertook undertaken
man men|woman women|child children|foot feet|tooth teeth|mouse mice|goose geese|person people|life lives|wife wives|half halves|leaf leaves|wolf wolves|knife knives
datum data|analysis analyses|crisis crises|hypothesis hypotheses|thesis theses|bacterium bacteria|phenomenon phenomena|criterion criteria|stimulus stimuli|nucleus nuclei
locus loci|mitochondrion mitochondria|genus genera|fungus fungi|larva larvae|vertebra vertebrae|index indices|matrix matrices|vertex vertices|appendix appendices
colour color|labour labor|honour honor|favour favor|behaviour behavior|neighbour neighbor|harbour harbor|tumour tumor|centre center|theatre theater
metre meter|litre liter|fibre fiber|defence defense|licence license|offence offense|programme program|grey gray|anaemia anemia|oestrogen estrogen|foetus fetus|foetal fetal|haemoglobin hemoglobin
leukaemia leukemia|paediatric pediatric|oesophageal esophageal|diarrhoea diarrhea|ageing aging|judgement judgment|aeroplane airplane|aluminium aluminum|mum mom`

// synonyms are words of which one may stand for another. A word may be in several lines.
const synonyms = `film movie motion picture
song track single
album record lp
book novel
author writer write
actor actress star cast role play portray
singer vocalist sing vocal
band group
director direct directed
buy purchase acquire acquisition
sell sale
company firm corporation business enterprise
begin start commence launch initiate open
end finish conclude complete close cease terminate
die death dead decease
kill murder slay assassinate death
birth born
marry wed wife husband spouse marriage
win victory defeat beat triumph champion
lose defeat loss
big large huge great
small little tiny minor
increase rise grow growth elevate higher more raise gain
decrease fall decline drop reduce reduction lower less diminish lessen fewer
cause lead result induce trigger produce
prevent block inhibit stop avoid
inhibit suppress block repress
help assist aid support
show demonstrate reveal indicate find suggest
say state claim declare announce report tell
make create produce build construct manufacture
build construct erect construction
found establish create founder set
locate situate lie place
live reside inhabit resident home
country nation state
city town municipality
war conflict battle
fight combat battle
attack assault raid strike
army troop military force soldier
police officer
law legislation statute act
court judge tribunal
elect vote election
leader head chief president chairman
head lead chief
child kid son daughter
father parent dad
mother parent mom
brother sister sibling
doctor physician
illness disease sickness disorder
sick ill
drug medicine medication
therapy treatment treat
patient subject participant
cancer tumor carcinoma malignancy neoplasm
heart cardiac cardiovascular
kidney renal
liver hepatic
lung pulmonary
brain cerebral neural
blood serum plasma
fat obese obesity adipose
mutation mutant variant mutate
gene genetic
deficient deficiency lack absence loss knockout
express expression
risk likelihood chance probability
associate link relate correlate correlation connect connection
require need necessary essential
important crucial key essential significant
affect influence impact effect
effective efficacy efficacious
use utilize employ apply usage
get obtain receive acquire gain
receive get award
award prize honor
school college university academy
teach instruct teacher
study research investigation trial
study analyze examine investigate
student pupil
job position post occupation work
work labor job
money fund cash
cost price expense
pay payment salary
rich wealthy affluent
poor impoverished
famous renowned celebrated well-known noted
popular successful
former previous ex
later subsequent after follow
earlier previous prior before
first initial original inaugural debut
last final
only sole single exclusive
main primary principal major chief
different distinct various
same identical equal
similar alike resemble
almost nearly
about approximately around roughly
also too
often frequently common
rare uncommon
sometimes occasionally
quickly rapid fast swift
slow gradual
change alter modify shift
move relocate transfer migrate
travel journey trip tour
return back
leave depart exit quit
arrive reach come
join enter unite
release issue publish launch
publish release print
broadcast air televise television tv
television tv
series show programme
season series
episode show
team club side squad
player athlete
game match contest
league division
score goal point
coach manager
race run compete
compete competition contest
house home residence
building structure
road street highway
ship boat vessel
car automobile vehicle
plane aircraft airplane jet
train railway rail railroad
sea ocean
river stream
mountain peak mount
island isle
north northern
south southern
east eastern
west western
church cathedral chapel
god deity
king monarch ruler
queen monarch
kingdom realm
castle fortress fort
ancient old
old elderly aged
young youth juvenile
new recent modern
man male
woman female
people human person
population inhabitant
animal creature
plant vegetation
food meal diet
water aquatic
warm hot heat
cold cool
rain rainfall precipitation
storm hurricane cyclone
earthquake quake
fire blaze burn
destroy demolish ruin wreck
damage harm injure
injury wound hurt
protect defend guard protection
danger hazard risk threat
safe safety secure
crime criminal offence
arrest detain
prison jail incarcerate imprison
guilty convict
accuse charge allege
refuse reject decline deny
allow permit enable let
ban prohibit forbid
approve accept endorse
agree accept consent
oppose against resist
support back endorse favor
plan intend propose
try attempt
want wish desire
think believe consider
know aware
understand comprehend
learn study
teach train
remember recall
name call title term
describe depict portray
include contain comprise consist
contain hold include
part portion section
half fifty
whole entire all
number amount quantity
many numerous several multiple
few several
hundred century
year annual
month monthly
day daily
week weekly
america american us usa united
britain british uk english england
germany german
france french
italy italian
spain spanish
russia russian soviet
china chinese
japan japanese
india indian
canada canadian
australia australian
ireland irish
scotland scottish scots
greece greek
turkey turkish
poland polish
sweden swedish
norway norwegian
denmark danish
mexico mexican
brazil brazilian
africa african
europe european
asia asian
korea korean
israel israeli
egypt egyptian
iran iranian
vietnam vietnamese
rome roman
collaborate partner together cooperate
hire recruit appoint employ
appoint name nominate
resign quit step
replace substitute succeed successor
retire retirement
promote advance
perform performance play concert
appear feature appearance
feature include star
compose composer write music
paint painter painting artist
design designer
invent inventor invention
discover find discovery
explore explorer expedition
own owner possess
inspire base influence
adapt adaptation base
critic review reviewer
praise acclaim laud
criticize criticism
nominate nomination
chart peak billboard
headquarters base
establish create set form
form create establish
merge merger combine
divide split separate
spread transmit transmission
infect infection infectious
vaccine vaccinate vaccination immunize
immune immunity
symptom sign
pain ache
sleep insomnia
smoke smoker tobacco cigarette
drink alcohol alcoholic
weight mass
height tall high
long length
wide width
deep depth
age old
speed fast
size large
measure assess evaluate
test examine trial
detect identify recognize
identify recognize determine
determine decide
decide decision
bind binding attach
activate activation stimulate
regulate control modulate
control govern regulate
promote enhance facilitate
enhance improve increase
improve enhance better
impair disrupt damage
survive survival
mortality death
proliferate proliferation growth
differentiate differentiation
degrade degradation break
interact interaction
signal signaling pathway
mouse mice murine
rat rodent
yeast saccharomyces
in-vitro culture
`

// canonical gives for a stem that of the form that stands for it.
var canonical = func() map[string]string {
	m := map[string]string{}
	for _, word := range strings.FieldsFunc(irregular, func(r rune) bool { return r == '|' || r == '\n' }) {
		forms := strings.Fields(word)
		first := text.Stem(forms[0], "en")
		for _, f := range forms[1:] {
			if s := text.Stem(f, "en"); s != first {
				m[s] = first
			}
		}
	}
	return m
}()

// canon is a stem, or that of the form that stands for it.
func canon(stem string) string {
	if c, ok := canonical[stem]; ok {
		return c
	}
	return stem
}

// kin gives for a stem those that may stand for it.
var kin = func() map[string][]string {
	m := map[string][]string{}
	for _, line := range strings.Split(strings.TrimSpace(synonyms), "\n") {
		words := strings.Fields(line)
		for i := range words {
			words[i] = canon(text.Stem(words[i], "en"))
		}
		for _, a := range words {
			for _, b := range words {
				if a != b {
					m[a] = append(m[a], b)
				}
			}
		}
	}
	return m
}()
