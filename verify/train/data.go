// Public claim data: rows of several sets, with their features.

package main

import (
	"bufio"
	"compress/gzip"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/plumbresearch/plumb/text"
	"github.com/plumbresearch/plumb/verify"
)

// set is a file of claims. Only those whose licence lets weights be shipped are
// trained on; the others are only reported.
type set struct {
	name, file, licence string
	trained             bool
}

var sets = []set{
	{"WiCE", "wice-dev", "ODC-BY, text CC BY-SA", true},
	{"SciFact", "scifact-train", "CC BY 4.0, ODC-BY", true},
	{"AttributionBench", "attributionbench-dev", "Apache-2.0", true},
	{"FM2", "fm2-dev", "Apache-2.0, text CC BY-SA", true},
	{"VitaminC", "vitaminc-mini-dev", "CC BY-SA 3.0", true},
	{"HealthVer", "healthver-dev", "", false},
	{"Climate-FEVER", "climate-fever-dev", "", false},
}

type row struct {
	set      *set
	claim    string
	evidence string
	label    string
	group    uint64 // hash of the evidence
	x        []float64
}

func (r *row) supported() bool { return r.label == "supported" }

// trainable are the rows of the sets that are trained on.
func trainable(rows []row) []row { return pick(rows, func(r *row) bool { return r.set.trained }) }

func pick(rows []row, f func(*row) bool) []row {
	var out []row
	for i := range rows {
		if f(&rows[i]) {
			out = append(out, rows[i])
		}
	}
	return out
}

func readSets(dir string) ([]row, error) {
	var out []row
	for i := range sets {
		rows, err := readSet(dir, &sets[i])
		if errors.Is(err, os.ErrNotExist) && !sets[i].trained {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", sets[i].file, err)
		}
		out = append(out, rows...)
	}
	return out, nil
}

func readSet(dir string, s *set) ([]row, error) {
	f, err := os.Open(filepath.Join(dir, s.file+".jsonl.gz"))
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // only read
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	var out []row
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, 1<<24)
	for n := 1; lines.Scan(); n++ {
		rows, err := readRow(lines.Bytes(), s)
		if err != nil {
			return nil, fmt.Errorf("row %d: %w", n, err)
		}
		out = append(out, rows...)
	}
	return out, lines.Err()
}

// readRow makes one row of a claim and its sentences, or one of each sentence that
// has a label of its own. Disputed claims are left out.
func readRow(line []byte, s *set) ([]row, error) {
	var raw struct {
		Claim, Label string
		Evidence     json.RawMessage
	}
	if err := json.Unmarshal(line, &raw); err != nil {
		return nil, err
	}
	if raw.Label == "disputed" {
		return nil, nil
	}
	var sentences []string
	if json.Unmarshal(raw.Evidence, &sentences) == nil {
		return []row{newRow(s, raw.Claim, strings.Join(sentences, "\n"), raw.Label)}, nil
	}
	var labelled []struct{ Text, Label string }
	if err := json.Unmarshal(raw.Evidence, &labelled); err != nil {
		return nil, err
	}
	var out []row
	for _, l := range labelled {
		out = append(out, newRow(s, raw.Claim, l.Text, l.Label))
	}
	return out, nil
}

func newRow(s *set, claim, evidence, label string) row {
	sum := sha256.Sum256([]byte(evidence))
	return row{set: s, claim: claim, evidence: evidence, label: label, group: binary.LittleEndian.Uint64(sum[:])}
}

// measure fills in the features of the rows, two at once.
func measure(rows []row, lexicon []byte) {
	var wg sync.WaitGroup
	half := (len(rows) + 1) / 2
	for part := range slices.Chunk(rows, max(half, 1)) {
		wg.Go(func() {
			for i := range part {
				if part[i].x = verify.Measure(part[i].claim, part[i].evidence, lexicon); part[i].x == nil {
					part[i].x = make([]float64, len(verify.Features()))
				}
			}
		})
	}
	wg.Wait()
}

// rarities makes the lexicon: in how many of the different texts each stem is.
func rarities(rows []row) []byte {
	df := map[string]int{}
	seen := map[uint64]bool{}
	for i := range rows {
		r := &rows[i]
		if seen[r.group] || !r.set.trained {
			continue
		}
		seen[r.group] = true
		in := map[string]bool{}
		for _, t := range text.Terms(r.evidence, "en") {
			if !in[t] {
				in[t] = true
				df[t]++
			}
		}
	}
	return verify.Lexicon(df, len(seen))
}
