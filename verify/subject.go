// Claims that can be read alone: a pronoun or a missing subject at the beginning
// of a sentence is filled in from the sentence or the heading before it, where
// only one thing can be meant. What could be wrong is left as it is written.

package verify

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/plumbresearch/plumb/markdown"
)

// selfContained returns the text of sentence k, of a block that begins with
// sentence first, as a claim.
func (r *report) selfContained(k, first int) string {
	s := r.sentences[k]
	if s.row {
		return s.text
	}
	if k == first {
		if r.doc.Blocks[s.block].Kind == markdown.Item && elliptical(s.text) {
			if about := r.about(s.block); about != "" && !strings.Contains(strings.ToLower(s.text), strings.ToLower(about)) {
				return about + ": " + s.text
			}
		}
		return s.text
	}
	for back := k - 1; back >= first; back-- {
		if name := subject(r.sentences[back].text); name != "" {
			if !onlyName(r.sentences[back+1:k], name) {
				return s.text
			}
			return withSubject(s.text, name)
		}
		if !pronounFirst(r.sentences[back].text) { // "It …" keeps the subject of what is before it
			return s.text
		}
	}
	return s.text
}

// onlyName says whether sentences name nothing else that a pronoun could mean.
func onlyName(ss []sentence, name string) bool {
	for _, s := range ss {
		if names(strings.ReplaceAll(s.text, name, "")) {
			return false
		}
	}
	return true
}

var (
	leading = `(?:(?:However|Moreover|Furthermore|Additionally|In addition|Also|Today|Currently|Now|Later|Initially|Since then|Then|Instead|Meanwhile|Notably|Specifically|In particular),\s+)?`
	pronoun = regexp.MustCompile(`^(` + leading + `)([Ii]ts?|[Tt]hey|[Tt]heir|[Hh]e|[Ss]he|[Hh]is)\s+(\p{L}+)`)
	// 它/其/该公司 … at the beginning of a Chinese sentence.
	pronounHan = regexp.MustCompile(`^((?:此外|同时|另外|目前|因此|后来|随后)?，?)(它们?|其|他们?|她们?|该(?:公司|方法|技术|系统|模型|机构|项目|团队|平台|组织|研究|产品|框架|协议|算法|标准))`)
	verb       = `(?:is|are|was|were|has|have|had|can|could|will|would|may|might|must|does|did|began|became|made|grew|rose|fell|built|led|held|won|remains?|\p{Ll}+(?:ed|es|[^s\W]s))`
	properName = `(?:The\s+)?\p{Lu}[\p{L}\p{N}&.’'/+-]*(?:\s+(?:(?:of|the|for|and|de|du|von|van)\s+){0,2}[\p{Lu}\p{N}][\p{L}\p{N}&.’'/+-]*)*(?:\s+\([^()]{1,30}\))?`
	openingEN  = regexp.MustCompile(`^(?:(?:In|By|Since|During|Under|After|From|On|At|Until|Before|As of)\s+[^,]{1,60},\s+)?(` + properName + `)\s+(?:\p{Ll}+ly\s+)?` + verb + `\s`)
	openingZH  = regexp.MustCompile(`^(?:[^，。；]{1,16}年?，)?([\p{Han}A-Za-z0-9·\- ]{2,20}?(?:（[^（）]{1,40}）)?)(?:是|由|位于|始于|成立|拥有|宣布|推出|采用|作为|已经?|将)`)
	// What Chinese sentences begin with that is no subject.
	noNameHan = regexp.MustCompile(`^(?:近年|目前|现有|首先|其[次他中实余它]|通过|根据|基于|从|在|对|随着|由于|虽然|如果|而|但|并|这|那|此|以|该|每|许多|大多|一些|部分|研究|数据|结果|我们|学者|有|当|与|为|按)|[的了着和与及：:]`)
	// Words with a capital only because a sentence begins with them.
	noName = regexp.MustCompile(`^(?:The\s+)?(?:This|That|These|Those|There|It|Its|They|Their|He|She|His|Her|We|Our|I|You|Some|Many|Most|All|Both|Each|Several|Few|Others?|One|Two|Such|While|When|If|As|Although|Because|However|What|Which|Who|No|Not|Any|Every|Another|Research|Researchers|Studies|Data|Results|Fig|Figure|Table|Note)\b`)
)

// pronounFirst says whether a sentence begins with a pronoun for a name.
func pronounFirst(s string) bool { return pronoun.MatchString(s) || pronounHan.MatchString(s) }

// subject returns the name that a sentence is about: the one it begins with, if
// it names nothing else.
func subject(s string) string {
	if m := openingEN.FindStringSubmatchIndex(s); m != nil {
		name := s[m[2]:m[3]]
		if !noName.MatchString(name) && !names(s[m[3]:]) && utf8.RuneCountInString(name) > 2 {
			return name
		}
		return ""
	}
	if m := openingZH.FindStringSubmatch(s); m != nil && !noNameHan.MatchString(m[1]) && !pronounHan.MatchString(m[1]) {
		return strings.TrimSpace(m[1])
	}
	return ""
}

var (
	capitalWord = regexp.MustCompile(`[^\s\p{Lu}]\s+["“(]?(\p{Lu}[\p{L}\p{N}-]*)`)
	noOther     = regexp.MustCompile(`^(?:January|February|March|April|May|June|July|August|September|October|November|December|I|Q[1-4])$`)
)

// names says whether a text has a capitalised word inside it, which may be what
// a pronoun means.
func names(s string) bool {
	for _, m := range capitalWord.FindAllStringSubmatch(s, -1) {
		if !noOther.MatchString(m[1]) {
			return true
		}
	}
	return false
}

// withSubject puts a name in the place of the pronoun that s begins with, if
// they agree in number.
func withSubject(s, name string) string {
	if m := pronounHan.FindStringSubmatchIndex(s); m != nil {
		rest := s[m[5]:]
		if s[m[4]:m[5]] != "其" {
			return s[:m[4]] + name + rest
		}
		if next, _ := utf8.DecodeRuneInString(rest); strings.ContainsRune("中他它次实余间后一", next) { // 其中, 其他, 其次 …
			return s
		}
		return s[:m[4]] + name + "的" + rest
	}
	m := pronoun.FindStringSubmatchIndex(s)
	if m == nil {
		return s
	}
	word := strings.ToLower(s[m[4]:m[5]])
	many := plural(name)
	the := strings.HasPrefix(name, "The ")
	switch word {
	case "it", "its":
		if many || emptyIt.MatchString(s[m[4]:]) {
			return s
		}
	case "they", "their":
		if !many {
			return s
		}
	default: // a person has no article
		if the || many {
			return s
		}
	}
	if strings.HasSuffix(word, "s") || word == "their" {
		name += "’s"
	}
	if m[4] > 0 && the {
		name = "the " + name[len("The "):]
	}
	return s[:m[4]] + name + s[m[5]:]
}

// emptyIt is an "it" that means nothing: "It is clear that …", "It takes time to …".
var emptyIt = regexp.MustCompile(`^[Ii]t\s+(?:(?:is|was|has been|seems|appears|remains|became)\s+(?:also\s+|often\s+|not\s+|widely\s+)?(?:\p{Ll}+\s+)?(?:that|to|whether|why|how)\b|(?:takes|took|follows|turns|turned|seems|appears)\b|(?:is|was)\s+(?:estimated|expected|believed|reported|said|thought|known|important|clear|likely|possible|necessary|essential)\b)`)

func plural(name string) bool {
	name, _, _ = strings.Cut(name, " (")
	return strings.HasSuffix(name, "s") && !strings.HasSuffix(name, "ss") && !strings.HasSuffix(name, "us") && !strings.HasSuffix(name, "is") ||
		strings.Contains(name, " and ") || strings.Contains(name, " & ")
}

var (
	// Items that begin with what their heading does or has.
	verbFirst = regexp.MustCompile(`^(?:Brings|Supports|Integrates|Provides|Offers|Uses|Lacks|Includes|Allows|Enables|Requires|Features|Delivers|Has|Is|Was|Can|Combines|Works|Runs|Handles|Reduces|Improves|Increases|Achieves|Focuses|Covers|Contains|Operates|Relies|Aims|Serves|Helps|Remains|Employs|Utilizes|Maintains|Leverages|` +
		`(?:Newly |Originally |First )?(?:[Ii]ntroduced|[Ff]ounded|[Dd]eveloped|[Ll]aunched|[Bb]ased|[Kk]nown|[Dd]esigned|[Ee]stablished|[Hh]eadquartered|[Aa]cquired|[Cc]reated|[Bb]uilt|[Rr]eleased|[Ll]ocated|[Oo]wned))\s+\p{L}|` +
		`^(?:成立于|创立于|创办于|总部位于|总部设|位于|拥有|采用|支持|具有|具备|专注|主打|推出|获得|隶属于)`)
	// Items that give one property of what their heading names.
	property = regexp.MustCompile(`(?i)^(?:founded|headquarters?|price|pricing|cost|license|licence|release date|released|revenue|employees|founders?|ceo|location|funding|valuation|market share|` +
		`成立|成立/总部|总部|团队|产品进度|产品进展|融资|售价|价格|核心技术|技术路线|主要产品|市值|营收|员工|创始人|风险|应用|客户)\s*[:：]`)
)

// elliptical says whether an item leaves out what it is about.
func elliptical(s string) bool { return verbFirst.MatchString(s) || property.MatchString(s) }

// maxAbout is how long, in characters, a heading may be that is a thing's name.
const maxAbout = 60

var (
	// Headings that name a side of the thing above them.
	sideTitle = regexp.MustCompile(`(?i)^(?:(?:key|main|core|notable|major|primary|other|technical|general)\s+)*(?:overview|introduction|summary|conclusions?|background|findings|features?|strengths?|weaknesses|advantages|disadvantages|benefits|pros|cons|pros and cons|limitations|drawbacks|challenges|applications?|use cases|recommendations?|results|discussion|analysis|details|characteristics|capabilities|highlights|history|products?|performance|specifications?|` +
		`概述|概况|引言|简介|背景|总结|结论|优点|缺点|优势|劣势|不足|特点|主要特点|特征|应用|应用场景|挑战|建议|详情|主要发现|分析|案例|产品|性能)$`)
	titleRemark = regexp.MustCompile(`\s*[(（][^()（）]*[)）]\s*$`)
)

// about returns the name of what an item stands under: the label it is indented
// below, or the nearest heading that names a thing.
func (r *report) about(block int) string {
	b := r.doc.Blocks[block]
	for i := block - 1; i >= 0 && r.doc.Blocks[i].Section == b.Section; i-- {
		above := r.doc.Blocks[i]
		if above.Kind != markdown.Item || above.Level >= b.Level {
			if above.Kind != markdown.Item {
				break
			}
			continue
		}
		plain, _ := markdown.Plain(r.doc.Text(above))
		return thing(plain)
	}
	path := r.doc.Sections[b.Section].Path
	top := 0
	if r.doc.Sections[b.Section].Level <= len(path) { // the first is the report's title
		top = 1
	}
	for i := len(path) - 1; i >= top; i-- {
		title := titleNumber.ReplaceAllString(path[i], "")
		if !sideTitle.MatchString(strings.TrimRight(titleRemark.ReplaceAllString(title, ""), ":： ")) {
			return thing(title)
		}
	}
	return ""
}

// thing returns a heading or label if it reads like a name, else "".
func thing(title string) string {
	title = strings.TrimSpace(strings.TrimRight(markdown.OneLine(titleRemark.ReplaceAllString(title, "")), ":： *_"))
	r, _ := utf8.DecodeRuneInString(title)
	if utf8.RuneCountInString(title) > maxAbout || !unicode.IsUpper(r) && !unicode.Is(unicode.Han, r) && !unicode.IsDigit(r) || strings.ContainsAny(title, "?？.。,，;；:：") {
		return ""
	}
	return title
}
