package lab

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

// Corpus writes n documents made from a seed into dir: reports, notes, pages and tables about fictional pumping
// stations, with dates, numbers, near-duplicates and a contradiction now and then. About 2 KB each.
func Corpus(dir string, n int, seed uint64) error {
	rng := rand.New(rand.NewPCG(seed, 0x706c756d62))
	for i := range n {
		folder := filepath.Join(dir, fmt.Sprintf("%03d", i/100))
		if i%100 == 0 {
			if err := os.MkdirAll(folder, 0o755); err != nil {
				return fmt.Errorf("corpus: %w", err)
			}
		}
		name, body := document(rng, i)
		if err := os.WriteFile(filepath.Join(folder, name), []byte(body), 0o644); err != nil {
			return fmt.Errorf("corpus: %w", err)
		}
	}
	return nil
}

// CorpusQuestion is one that a Corpus of a few hundred documents or more can answer.
const CorpusQuestion = "Why did the pumps at Brackwell fail, what did the repair cost, and when did the station reopen?"

var (
	places   = []string{"Brackwell", "Ostermoor", "Tindle Cross", "Havenby", "Norrick", "Saltfleet", "Wexcombe", "Aldergate", "Quarrel Hill", "Dunmere"}
	parts    = []string{"pumps", "intake screens", "valves", "control cabinets", "outfall gates", "bearings", "float switches"}
	causes   = []string{"silt had blocked the intake", "the bearings ran dry", "a cable joint corroded", "the alarms had been switched off", "debris jammed the impeller", "the seals had aged beyond their rated life"}
	actors   = []string{"the drainage board", "the contractor", "an independent inspector", "the county engineer", "a resident", "the insurer"}
	fillers  = []string{"The meeting noted the report without a vote.", "Photographs are kept in the annex.", "The site was dry on the day of the visit.", "A copy was sent to the county archive.", "Access is by the towpath from the north.", "The next round of visits is planned for spring.", "Volunteers cleared reeds along the eastern bank.", "No complaint was received in the period."}
	openings = []string{"Site visit", "Quarterly note", "Inspection report", "Minutes", "Letter", "Work order", "Press notice"}
)

func pick(rng *rand.Rand, list []string) string { return list[rng.IntN(len(list))] }

// document makes one document: its name and its bytes.
func document(rng *rand.Rand, i int) (name, body string) {
	place := pick(rng, places)
	date := fmt.Sprintf("%d-%02d-%02d", 2016+rng.IntN(10), 1+rng.IntN(12), 1+rng.IntN(28))
	title := fmt.Sprintf("%s: %s, no. %d", pick(rng, openings), place, i)
	var paras []string
	for range 5 + rng.IntN(4) {
		paras = append(paras, paragraph(rng, place))
	}
	text := strings.Join(paras, "\n\n")
	switch i % 10 {
	case 7:
		return fmt.Sprintf("doc-%05d.html", i), fmt.Sprintf("<!doctype html><html lang=en><head><title>%s</title><meta name=date content=%s></head><body><nav>Home</nav><article><h1>%s</h1><p>%s</p></article></body></html>\n",
			title, date, title, strings.ReplaceAll(text, "\n\n", "</p><p>"))
	case 8:
		return fmt.Sprintf("doc-%05d.csv", i), table(rng, place)
	case 9:
		return fmt.Sprintf("doc-%05d.txt", i), fmt.Sprintf("%s\nDate: %s\n\n%s\n", title, date, text)
	}
	return fmt.Sprintf("doc-%05d.md", i), fmt.Sprintf("---\ntitle: %s\ndate: %s\n---\n\n# %s\n\n%s\n", title, date, title, text)
}

func paragraph(rng *rand.Rand, place string) string {
	var out []string
	for range 3 + rng.IntN(3) {
		out = append(out, sentence(rng, place))
	}
	return strings.Join(out, " ")
}

func sentence(rng *rand.Rand, place string) string {
	part := pick(rng, parts)
	year := 2016 + rng.IntN(10)
	switch rng.IntN(7) {
	case 0:
		return fmt.Sprintf("The %s at %s failed in %d because %s.", part, place, year, pick(rng, causes))
	case 1:
		return fmt.Sprintf("The repair of the %s at %s cost EUR %d,%03d.", part, place, 20+rng.IntN(400), rng.IntN(1000))
	case 2:
		return fmt.Sprintf("The pumping station at %s reopened on %d March %d after %d days.", place, 1+rng.IntN(28), year, 10+rng.IntN(200))
	case 3:
		return fmt.Sprintf("According to %s, the %s at %s carry %d percent of the winter load.", pick(rng, actors), part, place, 5+rng.IntN(90))
	case 4:
		return fmt.Sprintf("%s asked that the %s at %s be inspected every %d months.", strings.ToUpper(actors[0][:1])+pick(rng, actors)[1:], part, place, 3+rng.IntN(20))
	}
	return pick(rng, fillers)
}

func table(rng *rand.Rand, place string) string {
	var b strings.Builder
	b.WriteString("Station,Year,Flow (m3/s),Downtime (h),Cost (EUR)\n")
	for y := 2016; y < 2026; y++ {
		fmt.Fprintf(&b, "%s,%d,%.1f,%d,%d\n", place, y, 1+rng.Float64()*9, rng.IntN(900), rng.IntN(500_000))
	}
	return b.String()
}
