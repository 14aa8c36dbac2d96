package text

// Stopwords: small lists of function words, written folded.

import "strings"

// Stopword says whether word carries no content of its own in the language.
func Stopword(word, lang string) bool { return stopwords[lang][Fold(word)] }

var stopwords = func() map[string]map[string]bool {
	all := map[string]map[string]bool{}
	for lang, words := range stopwordLists {
		set := map[string]bool{}
		for _, w := range strings.Fields(words) {
			set[w] = true
		}
		all[lang] = set
	}
	return all
}()

var stopwordLists = map[string]string{
	"en": `a about above after again against all also although am among an and any are arent as at be because been before
		being below between both but by can cannot cant could couldnt did didnt do does doesnt doing dont down during each
		either else etc ever for from further had hadnt has hasnt have havent having he hed hell her here hers herself hes him
		himself his how however i id if ill im in into is isnt it its itself ive just lets may me might more most much must
		mustnt my myself nor no not now of off on once only or other otherwise ought our ours ourselves out over own per rather same
		shall shant she shed shes should shouldnt since so some such than that thats the their theirs them themselves then there
		therefore these they theyd theyll theyre theyve this those though through thus to too under until up upon us very via was
		wasnt we wed well were weve werent what whatever when where whereas whether which while who whom whose why will with
		within without wont would wouldnt yet you youd youll your youre yours yourself yourselves youve`,
	"de": `aber alle allem allen aller alles als also am an ander andere anderem anderen anderer anderes auch auf aus bei beim
		bin bis bist da damit dann das dass dasselbe dazu dein deine dem den denn der des dessen deshalb dich die dies diese
		diesem diesen dieser dieses dir doch dort du durch ein eine einem einen einer eines er es etwas euch euer fur gegen
		gewesen hab habe haben hat hatte hatten hier hin hinter ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im in indem ins
		ist ja jede jedem jeden jeder jedes jene jetzt kann kein keine keinem keinen keiner konnen konnte machen man manche
		mehr mein meine mich mir mit muss mussen nach nicht nichts noch nun nur ob oder ohne sehr sein seine seinem seinen
		seiner seit selbst sich sie sind so solche soll sollte sondern sonst uber um und uns unser unter vom von vor wahrend
		war waren warum was weg weil weiter welche welchem welchen welcher welches wenn wer werde werden wie wieder will wir
		wird wo wollen worden wurde wurden zu zum zur zwar zwischen`,
	"fr": `a afin ai alors apres au aucun aussi autre autres aux avait avant avec avoir c ce ceci cela celle celles celui ces cet
		cette ceux chaque chez comme comment d dans de depuis des donc dont du elle elles en encore entre est et etaient etait
		etant ete etre eu eux fait ici il ils j je jusqu l la laquelle le lequel les lesquels leur leurs lorsqu lui m ma mais me
		meme mes moi moins mon n ne ni non nos notre nous on ont ou par parce pas pendant peu peut plus pour pourquoi puis
		puisqu qu quand que quel quelle quelles quels qui quoi s sa sans se selon sera ses si son sont sous sur t ta tandis te
		tes toi ton tous tout toute toutes tres tu un une vers vos votre vous y`,
	"es": `a al algo alguna algunas alguno algunos ante antes aquel aquella asi aun aunque cada como con contra cual cuales
		cuando cuanto de del desde donde dos durante e el ella ellas ellos en entre era eran es esa esas ese eso esos esta
		estaba estado estan estar estas este esto estos fue fueron ha haber habia han hasta hay la las le les lo los mas me mi
		mientras mis mucho muy nada ni no nos nosotros nuestra nuestro o os otra otras otro otros para pero poco por porque
		pues que quien quienes se sea segun ser si sido sin sino sobre son su sus tambien tan tanto te tiene tienen todo todos
		tu tus un una unas uno unos usted y ya yo`,
	"it": `a abbia ad agli ai al alla alle allo anche ancora avere aveva c che chi ci ciascuno coi col come con contro cosa cui d da
		dagli dai dal dall dalla dalle dallo degli dei del dell della delle dello dentro di dopo dove e ed era erano essere essi
		fa fra gia gli ha hanno ho i il in io l la le lei li lo loro lui ma mentre mi mia mie mio molto ne negli nei nel nell nella
		nelle nello no noi non nostro o ogni per perche piu poi qua quale quali quando quanto quella quelle quelli quello
		quest questa queste questi questo qui se sei si sia sono sopra sotto stata stato su sua sue sugli sui sul sull sulla
		sulle suo suoi tra tu tutti tutto un una uno vi voi`,
	"pt": `a ao aos aquela aquelas aquele aqueles aquilo as ate cada com como contra da das de dela dele deles depois do dos
		durante e ela elas ele eles em entre era eram essa essas esse esses esta estao estar estas estava este estes eu foi
		foram ha isso isto ja la lhe lhes mais mas me mesmo meu minha muito na nao nas nem no nos nossa nosso num numa o os ou
		para pela pelas pelo pelos per por porque pois qual quando que quem se sem ser seu seus sido so sob sobre sua suas
		tambem tao te tem tinha todo todos tu tua um uma umas uns voce voces`,
	"nl": `aan al alle alleen als altijd andere bij daar dan dat de deze die dit doch doen door dus een en er ge geen geweest haar
		had heb hebben heeft hem het hier hij hoe hun iets ik in is ja je kan kon kunnen maar me meer men met mij mijn moet na
		naar niet niets nog nu of om omdat onder ons ook op over reeds te tegen toch toen tot u uit uw van veel voor want waren
		was wat welke werd werden wezen wie wij wil worden wordt zal ze zelf zich zij zijn zo zonder zou`,
	"ru": `а без более больше будет будто бы был была были было быть в вам вас ведь весь во вот все всего всех вы где да даже для до его
		ее если есть еще же за зачем здесь и из или им их к как какая какой когда который которая которые кто ли лишь между меня
		мне много может можно мой мы на над надо нас не него нее ней нельзя нет ни нибудь них но ну о об один она они оно от
		перед по под после потом потому почти при про с сам свою себе себя сейчас со так также такой там тебя тем теперь то
		тогда того тоже той только том тот тут ты у уже хоть чего чем через что чтоб чтобы эта эти это этого этой этом этот
		эту я`,
}
