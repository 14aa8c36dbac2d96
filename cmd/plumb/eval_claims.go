package main

import (
	"github.com/spf13/cobra"

	"github.com/plumbresearch/plumb/eval"
	"github.com/plumbresearch/plumb/llm"
	"github.com/plumbresearch/plumb/verify"
)

func (r *root) evalClaims() *cobra.Command {
	var e eval.Claims
	var judge, model string
	var asJSON bool
	c := &cobra.Command{
		Use:   "claims",
		Short: "How well claims are checked against what they cite",
		Long: `Checks every claim of the data against its evidence, as runs and audits do, and compares the verdicts with labels. Rows have claim,
evidence (a list of sentences, or one text) and label: supported; partially_supported or partial; not_supported or
not_enough_info; refuted or contradicted.

--judge says who decides:

  rules      exact words, numbers and word overlap
  embedded   rules, then the small model in the program
  llm        rules, then the language model --model
  auto       rules, the small model, and --model, if given, for what that leaves open`,
		Example: `  plumb eval claims --data claims.jsonl.gz
  plumb eval claims --data claims.jsonl --judge rules --json
  plumb eval claims --data claims.jsonl --judge llm --model ollama:llama3.1`,
		Args: exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if e.Data == "" {
				return usage("plumb eval claims takes --data FILE")
			}
			var err error
			if e.Embedded, e.Judge, err = r.claimJudges(judge, model); err != nil {
				return err
			}
			s, err := e.Score(cmd.Context())
			if err != nil {
				return wrongData(err)
			}
			if asJSON {
				return r.printJSON(s)
			}
			refuted, called := float64(s.RefutedTotal), float64(s.RefutedCalledSupported)
			return r.printScores(s.N, "claim", []score{
				{"accuracy", &s.Accuracy, "%.3f"}, {"balanced accuracy", s.BalancedAccuracy, "%.3f"}, {"macro F1", &s.MacroF1, "%.3f"},
				{"three-way accuracy", &s.ThreeWayAccuracy, "%.3f"}, {"refuted", &refuted, "%.0f"}, {"refuted called supported", &called, "%.0f"},
				{"contradicted is right", s.ContradictedPrecision, "%.3f"}, {"AUC", s.AUC, "%.3f"},
				{"confirmed with 10 % let through", s.ConfirmedAt10, "%.3f"}, {"calibration error", &s.ECE, "%.3f"}, {"claims a second", &s.ClaimsPerSecond, "%.0f"},
			})
		},
	}
	c.Flags().StringVar(&e.Data, "data", "", "file of claims with labels")
	c.Flags().StringVar(&judge, "judge", "auto", "who decides: rules, embedded, llm or auto")
	c.Flags().StringVar(&model, "model", "", "provider:model that judges")
	c.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	return c
}

// claimJudges are the judges that a checker is given.
func (r *root) claimJudges(judge, model string) (embedded, asked verify.Judge, err error) {
	switch judge {
	case "rules", "embedded":
		if model != "" {
			return nil, nil, usage("--judge %s asks no model: leave --model out, or use --judge llm or auto", judge)
		}
	case "llm":
		if model == "" {
			return nil, nil, usage("--judge llm takes --model provider:model")
		}
	case "auto":
	default:
		return nil, nil, usage("--judge %s is not known: use rules, embedded, llm or auto", judge)
	}
	if judge == "embedded" || judge == "auto" {
		embedded = verify.Embedded{}
	}
	if model == "" {
		return embedded, nil, nil
	}
	if _, _, err := llm.ParseName(model); err != nil {
		return nil, nil, usage("--model: %v", err)
	}
	_, p, err := r.thinkers(nil) // nothing is entered in a ledger
	if err != nil {
		return nil, nil, err
	}
	m, err := p.Open(model)
	if err != nil {
		return nil, nil, usage("%v", err)
	}
	return embedded, verify.LLM{Model: llm.Drive(m)}, nil
}
