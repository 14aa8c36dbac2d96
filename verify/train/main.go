// Train makes the weights of the embedded judge from public claim data given by
// path. The same data and seed give the same bytes.
//
//	go run ./verify/train --data DIR -o verify/judge.weights
//
// DIR holds the sets as NAME.jsonl.gz (see sets in data.go). What it prints was
// never trained on the rows it is about: models are cross-validated, folds drawn by the
// hash of the evidence, and each set is also judged by a model that saw none of it.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/plumbresearch/plumb/verify"
)

func main() {
	data := flag.String("data", "", "folder of the claim sets")
	out := flag.String("o", "", "file to write; none: only print figures")
	seed := flag.Uint64("seed", 1, "of all that is drawn")
	ablate := flag.Bool("ablate", false, "also print figures without each group of features, which takes minutes")
	flag.Parse()
	if err := train(*data, *out, *seed, *ablate, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "train:", err)
		os.Exit(1)
	}
}

func train(data, out string, seed uint64, ablate bool, w io.Writer) error {
	if data == "" {
		return errors.New("--data DIR names the folder of the claim sets")
	}
	rows, err := readSets(data)
	if err != nil {
		return err
	}
	r := recipe{seed: seed, lexicon: rarities(rows)}
	measure(rows, r.lexicon)
	say := printer{w: w}
	about, made := r.figures(rows, &say)
	if ablate {
		r.ablations(rows, &say)
	}
	if out == "" {
		return say.err
	}
	weights := r.fit(trainable(rows))
	weights.Slope, weights.Offset, weights.Keep, weights.Lift = made.slope, made.offset, made.lines.keep, made.lines.lift
	weights.About = about
	b, err := json.Marshal(weights)
	if err != nil {
		return err
	}
	if _, err := verify.ReadWeights(b); err != nil {
		return err
	}
	return errors.Join(say.err, os.WriteFile(out, append(b, '\n'), 0o644)) //nolint:gosec // a file of the repository
}

// printer keeps the first error.
type printer struct {
	w   io.Writer
	err error
}

func (p *printer) line(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format+"\n", args...)
	}
}
