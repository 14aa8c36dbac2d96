package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/plumbresearch/plumb/lab"
)

func (r *root) labCommand() *cobra.Command {
	var m lab.Models
	var knobs string
	var port int
	c := &cobra.Command{
		Use:   "lab",
		Short: "Serve scripted language models on this machine, to try the whole program without a key",
		Long: `Serves models that answer Plumb's own prompts by script, over real HTTP in the formats of OpenAI and Anthropic. It prints the
environment to use, and serves until it is interrupted.

--knobs makes the models fail as real ones do: a probability for all faults, or name=probability for some.`,
		Example: `  plumb lab
  plumb lab --knobs 0.1
  plumb lab --latency 1s
  plumb lab --knobs rate-limit=0.3,stall=0.05 --weak`,
		Args: exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			var err error
			if m.Knobs, err = lab.ParseKnobs(knobs); err != nil {
				return usage("--%v", err)
			}
			if m.Weak {
				m.Window = 4096
			}
			url, stop, err := m.Listen(port)
			if err != nil {
				return usage("--port %d can't be served (%v): use another, or 0", port, cause(err))
			}
			defer stop()
			_, err = fmt.Fprintf(r.io.out, "export OPENAI_API_KEY=lab OPENAI_BASE_URL=%s/v1\nexport ANTHROPIC_API_KEY=lab ANTHROPIC_BASE_URL=%s\nexport ORCHESTRATOR_MODEL=openai:gpt-5.4-mini\n", url, url)
			if err == nil {
				_, err = fmt.Fprintln(r.io.err, "serving; Ctrl-C ends it")
			}
			if err != nil {
				return err
			}
			<-cmd.Context().Done()
			return nil
		},
	}
	c.Flags().StringVar(&knobs, "knobs", "", "how likely faults are, 0 to 1")
	c.Flags().IntVar(&port, "port", 0, "port on 127.0.0.1 (default: a free one)")
	c.Flags().DurationVar(&m.Latency, "latency", 0, "time that every answer takes, like 500ms or 2s")
	c.Flags().BoolVar(&m.Weak, "weak", false, "a model of the weakest kind: no tools, no JSON, a window of 4,096 tokens")
	return c
}
