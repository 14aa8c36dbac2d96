// What a word is worth before a source is seen.

package verify

// prior is 1 for most terms and less for words so common in reports that sharing
// them says little. Numbers weigh less too: they are compared as quantities.
func prior(term string) float64 {
	if term[0] >= '0' && term[0] <= '9' {
		return 0.5
	}
	return 1
}
