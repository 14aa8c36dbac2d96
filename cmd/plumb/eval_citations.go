package main

import (
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/plumbresearch/plumb/eval"
)

func (r *root) evalCitations() *cobra.Command {
	var e eval.Citations
	var asJSON bool
	c := &cobra.Command{
		Use:   "citations",
		Short: "What reports cite and how much of it can be followed",
		Long: `Reads reports (rows with report, and system for counts by system) the way an audit does and counts their addresses and citation
markers, and how many of the markers lead to a source with an address. No labels are needed.`,
		Example: `  plumb eval citations --data reports.jsonl
  plumb eval citations --data reports.jsonl.gz --json`,
		Args: exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if e.Data == "" {
				return usage("plumb eval citations takes --data FILE")
			}
			s, err := e.Score(cmd.Context())
			if err != nil {
				return wrongData(err)
			}
			if asJSON {
				return r.printJSON(s)
			}
			return r.printCitations(s)
		},
	}
	c.Flags().StringVar(&e.Data, "data", "", "file of reports")
	c.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	return c
}

func (r *root) printCitations(s eval.CitationScores) error {
	w := tabwriter.NewWriter(r.io.out, 0, 0, 2, ' ', 0)
	if _, err := fmt.Fprintln(w, "system\treports\turls\tmarkers\tresolved\tunresolved\tclaims\tcited"); err != nil {
		return err
	}
	row := func(name string, c eval.CitationCounts) error {
		_, err := fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\n", name, c.Reports, c.URLs, c.Markers, c.Resolved, c.Unresolved, c.Claims, c.Cited)
		return err
	}
	for _, name := range s.Names() {
		if err := row(name, s.Systems[name]); err != nil {
			return err
		}
	}
	if err := row("all", s.CitationCounts); err != nil {
		return err
	}
	return w.Flush()
}
