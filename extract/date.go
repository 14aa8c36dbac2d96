// Dates as documents write them, to ISO 8601 prefixes.
package extract

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Month names of English, German, French, Spanish, Italian, Portuguese, Dutch,
// the Scandinavian languages, Polish, Turkish and Russian, by their first letters: the longest prefix that fits decides.
var monthPrefixes = []struct {
	prefix string
	month  int
}{
	{"jan", 1}, {"jän", 1}, {"ene", 1}, {"gen", 1},
	{"feb", 2}, {"fév", 2}, {"fev", 2},
	{"mar", 3}, {"mär", 3}, {"maa", 3}, {"mrt", 3},
	{"apr", 4}, {"avr", 4}, {"abr", 4},
	{"may", 5}, {"mai", 5}, {"mag", 5}, {"mei", 5},
	{"juin", 6}, {"jun", 6}, {"giu", 6},
	{"juil", 7}, {"jul", 7}, {"lug", 7},
	{"aug", 8}, {"aoû", 8}, {"aou", 8}, {"ago", 8},
	{"sep", 9}, {"set", 9},
	{"oct", 10}, {"okt", 10}, {"ott", 10}, {"out", 10},
	{"nov", 11},
	{"sty", 1}, {"lut", 2}, {"kwi", 4}, {"maj", 5}, {"cze", 6}, {"lip", 7}, {"sie", 8}, {"wrz", 9}, {"paź", 10}, {"lis", 11}, {"gru", 12},
	{"oca", 1}, {"şub", 2}, {"nis", 4}, {"haz", 6}, {"tem", 7}, {"ağu", 8}, {"eyl", 9}, {"eki", 10}, {"kas", 11}, {"ara", 12}, {"des", 12},
	{"янв", 1}, {"фев", 2}, {"мар", 3}, {"апр", 4}, {"мая", 5}, {"июн", 6}, {"июл", 7}, {"авг", 8}, {"сен", 9}, {"окт", 10}, {"ноя", 11},
	{"дек", 12}, {"dec", 12}, {"dez", 12}, {"déc", 12}, {"dic", 12},
}

var monthNames = map[string]bool{}

func init() {
	for _, name := range strings.Fields(`jan january januar janvier januari jänner jän ene enero gen gennaio janeiro
		feb february februar février févr fev fevereiro febrero febbraio februari
		mar march märz mär mrz mars marzo março marco maart mrt
		apr april avril avr abril abr aprile
		may mai mayo maggio mag maio mei
		jun june juni juin junio giugno giu junho
		jul july juli juillet juil julio luglio lug julho
		aug august août aout agosto ago augustus
		sep sept september septembre septiembre settembre set setembro
		oct october oktober okt octobre octubre ottobre ott outubro out
		nov november novembre noviembre novembro
		dec december dezember dez décembre déc diciembre dic dicembre dezembro
		marts maj augusti desember
		stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia
		ocak şubat mart nisan mayıs haziran temmuz ağustos eylül ekim kasım aralık
		января февраля марта апреля мая июня июля августа сентября октября ноября декабря`) {
		monthNames[name] = true
	}
}

func monthOf(word string) int {
	word = strings.ToLower(word)
	if !monthNames[word] {
		return 0
	}
	if word == "mrz" {
		return 3
	}
	for _, m := range monthPrefixes {
		if strings.HasPrefix(word, m.prefix) {
			return m.month
		}
	}
	return 0
}

// Each pattern names its groups y, m (number), mon (name), d. The order is the
// order of trust; the first that gives a valid date wins.
var datePatterns = []*regexp.Regexp{
	regexp.MustCompile(`(?:^|\D)(?P<y>[12]\d{3})-(?P<m>\d{1,2})-(?P<d>\d{1,2})(?:\D|$)`),
	regexp.MustCompile(`(?:^|\D)(?P<y>[12]\d{3})[/.](?P<m>\d{1,2})[/.](?P<d>\d{1,2})(?:\D|$)`),
	regexp.MustCompile(`(?:^|D:)(?P<y>[12]\d{3})(?P<m>[01]\d)(?P<d>[0-3]\d)(?:\D|$|\d{6})`),
	regexp.MustCompile(`(?P<y>[12]\d{3})\s*[年년]\s*(?P<m>\d{1,2})\s*[月월](?:\s*(?P<d>\d{1,2})\s*[日일])?`),
	regexp.MustCompile(`(?i)(?:^|\D)(?P<d>\d{1,2})(?:st|nd|rd|th|er|º|\.)?\s+(?:of\s+|de\s+)?(?P<mon>\pL{3,10})\.?,?\s+(?:de\s+)?(?P<y>[12]\d{3})(?:\D|$)`),
	regexp.MustCompile(`(?i)(?P<mon>\pL{3,10})\.?\s+(?P<d>\d{1,2})(?:st|nd|rd|th)?,?\s+(?P<y>[12]\d{3})(?:\D|$)`),
	regexp.MustCompile(`(?:^|\D)(?P<d>\d{1,2})\.\s?(?P<m>\d{1,2})\.\s?(?P<y>[12]\d{3})(?:\D|$)`),
	regexp.MustCompile(`(?:^|\D)(?P<a>\d{1,2})[/-](?P<b>\d{1,2})[/-](?P<y>[12]\d{3})(?:\D|$)`),
	regexp.MustCompile(`(?:^|\D)(?P<d>\d{1,2})-(?P<mon>\pL{3,10})-(?P<y>[12]\d{3})(?:\D|$)`),
	regexp.MustCompile(`(?:^|[^\d-])(?P<y>[12]\d{3})-(?P<m>[01]\d)(?:[^\d-]|$)`),
	regexp.MustCompile(`(?i)(?P<mon>\pL{3,10})\.?,?\s+(?:de\s+)?(?P<y>[12]\d{3})(?:\D|$)`),
}

var yearOnly = regexp.MustCompile(`^[12]\d{3}$`)

// isoDate reads the first date in s; "" when there is none. Where day and
// month cannot be told apart (03/04/2024), only the year is given.
func isoDate(s string) string {
	if len(s) > 200 {
		s = cut(s, 200)
	}
	s = strings.TrimSpace(s)
	if yearOnly.MatchString(s) {
		return checkedDate(s, 0, 0)
	}
	for _, p := range datePatterns {
		for _, m := range p.FindAllStringSubmatch(s, 4) {
			if iso := dateOfMatch(p, m); iso != "" {
				return iso
			}
		}
	}
	return ""
}

func dateOfMatch(p *regexp.Regexp, m []string) string {
	group := func(name string) string {
		if i := p.SubexpIndex(name); i >= 0 {
			return m[i]
		}
		return ""
	}
	number := func(name string) int {
		n, err := strconv.Atoi(group(name))
		if err != nil {
			return 0
		}
		return n
	}
	month, day := number("m"), number("d")
	if word := group("mon"); word != "" {
		if month = monthOf(word); month == 0 {
			return ""
		}
	}
	if a, b := number("a"), number("b"); a > 0 {
		switch {
		case a > 12:
			day, month = a, b
		case b > 12 || a == b:
			month, day = a, b
		default:
			return checkedDate(group("y"), 0, 0)
		}
	}
	return checkedDate(group("y"), month, day)
}

// checkedDate gives the ISO form if the date exists and a document can bear
// it: from 1400, the first prints, to 2100.
func checkedDate(year string, month, day int) string {
	y, err := strconv.Atoi(year)
	if err != nil || y < 1400 || y > 2100 || month < 0 || month > 12 || day < 0 || day > 31 {
		return ""
	}
	switch {
	case month == 0:
		return fmt.Sprintf("%04d", y)
	case day == 0:
		return fmt.Sprintf("%04d-%02d", y, month)
	}
	t := time.Date(y, time.Month(month), day, 0, 0, 0, 0, time.UTC)
	if t.Day() != day {
		return ""
	}
	return t.Format("2006-01-02")
}

// A date line is near the top: within this many bytes and non-empty lines.
const (
	dateLineBytes = 4000
	dateLineLines = 40
)

var (
	labelled = regexp.MustCompile(`(?i)^[\s>*_#|\-–(\[]*(?:(date published|date of publication|publication date|published(?: online| on)?|date|posted(?: on)?|released?|release date|issued|veröffentlicht(?: am)?|veröffentlichung|erstellt(?: am)?|erschienen(?: am)?|datum|publié(?:e)?(?: le)?|date de publication|fecha(?: de publicación)?|publicado(?: el)?|pubblicato(?: il)?|data|发布日期|发布时间|日期|日付|公開日)|(last updated|last modified|last reviewed|updated(?: on)?|modified|revised|revision|as of|stand|aktualisiert(?: am)?|zuletzt aktualisiert(?: am)?|mis à jour(?: le)?|actualizado(?: el)?|更新日期|更新日))[*_]*\s*(?:[:：]|\s)[*_\s]*(.+)$`)
	bareDate = regexp.MustCompile(`^[\s>*_#(\[]*(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?,?\s+)?(?:\pL[\pL ]{2,20},\s+)?(\d{1,2}(?:st|nd|rd|th|\.)?\s+\pL{3,10}\.?,?\s+\d{4}|\pL{3,10}\.?\s+\d{1,2}(?:st|nd|rd|th)?,?\s+\d{4}|\d{4}-\d{2}-\d{2}|\d{1,2}\.\d{1,2}\.\d{4}|\d{4}/\d{2}/\d{2}|\d{4}[年년] ?\d{1,2}[月월] ?\d{1,2}[日일]|\pL{3,10}\s+\d{4})(?:,?(?:\s+-)?\s+\d{1,2}[:.]\d{2}(?::\d{2})?(?: ?[ap]m| uhr)?)?(?:\s+(?:\||/|·|•|-|–).{0,40})?[\s*_)\].]*$`)
)

// dateLine finds a line near the top such as "Published: 12 March 2024",
// "*Last updated: March 2024*" or a date alone. A date of publication is
// preferred to one of a change, and that to a bare date.
func dateLine(text string) string {
	var updated, bare string
	rest := cut(text, dateLineBytes)
	for seen := 0; rest != "" && seen < dateLineLines; {
		var line string
		line, rest, _ = strings.Cut(rest, "\n")
		if strings.TrimSpace(line) == "" {
			continue
		}
		seen++
		if len(line) > 200 {
			continue
		}
		if m := labelled.FindStringSubmatch(line); m != nil && len(m[3]) <= 60 {
			date := isoDate(strings.Trim(m[3], "*_ \t"))
			if date != "" && m[1] != "" {
				return date
			}
			if updated == "" {
				updated = date
			}
		}
		if bare == "" {
			if m := bareDate.FindStringSubmatch(strings.ToLower(line)); m != nil {
				bare = isoDate(m[1])
			}
		}
	}
	if updated != "" {
		return updated
	}
	return bare
}

// A line of at most shortLine bytes may be a dateline; of those with digits, only the first shortLines are looked at.
const (
	shortLine  = 80
	shortLines = 100
)

// shortDate is the first day that a short line of a page names, outside of lists and tables: there it may be anything's.
func shortDate(text, lang string) string {
	tried := 0
	for line := range strings.Lines(text) {
		if len(line) > shortLine || !strings.ContainsAny(line, "12") || strings.HasPrefix(line, "-") || strings.Contains(line, " | ") {
			continue
		}
		if tried++; tried > shortLines {
			break
		}
		if iso := isoDate(dayFirst(line, lang)); len(iso) == len(time.DateOnly) {
			return iso
		}
	}
	return ""
}

var datedPath = regexp.MustCompile(`/((?:19|20)\d{2})/(\d{1,2})(?:/(\d{1,2}))?/`)

// dateInPath reads the date in addresses such as …/2024/03/12/title.
func dateInPath(name string) string {
	m := datedPath.FindStringSubmatch(name)
	if !strings.Contains(name, "://") || m == nil {
		return ""
	}
	return isoDate(strings.Trim(m[1]+"-"+pad(m[2])+"-"+pad(m[3]), "-"))
}

func pad(digits string) string {
	if len(digits) == 1 {
		return "0" + digits
	}
	return digits
}

var slashed = regexp.MustCompile(`\b(\d{1,2})/(\d{1,2})/([12]\d{3})\b`)

// dayFirst rewrites 03/04/2024 as 03.04.2024 in languages in which the day stands first beyond doubt: all but
// English, where it depends on the country.
func dayFirst(s, lang string) string {
	lang = strings.ToLower(lang)
	if lang == "" || strings.HasPrefix(lang, "en") && lang != "en-gb" && lang != "en-ie" && lang != "en-au" && lang != "en-nz" {
		return s
	}
	return slashed.ReplaceAllString(s, "$1.$2.$3")
}

// daysApart is the number of days between two dates; -1 when one has no day.
func daysApart(a, b string) int {
	ta, aerr := time.Parse(time.DateOnly, a)
	tb, berr := time.Parse(time.DateOnly, b)
	if aerr != nil || berr != nil {
		return -1
	}
	return int(ta.Sub(tb).Abs().Hours() / 24)
}
