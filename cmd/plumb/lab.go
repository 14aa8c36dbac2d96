package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/plumbresearch/plumb/lab"
)

func (r *root) labCommand() *cobra.Command {
	var m lab.Models
	var w lab.Web
	var knobs string
	var port int
	c := &cobra.Command{
		Use:   "lab",
		Short: "Serve scripted models and a simulated web on this machine, to try the whole program without key or network",
		Long: `Serves three things until it is interrupted, and prints the environment to use them (plumb lab > lab.env, and in another terminal
. ./lab.env):

- models that answer Plumb's own prompts by script, over real HTTP in the formats of OpenAI and Anthropic;
- a small internet: sites of a made-up world, search engines and paper indexes in their own formats, and a web archive, behind a proxy;
- deep-research services that write of that world, in the formats of Gemini, OpenAI and Perplexity (plumb research --via openai "…").

--knobs makes the models fail as real ones do: a probability for all faults, or name=probability for some. --bad is the share of pages
that misbehave, --search-faults that of searches that fail.`,
		Example: `  plumb lab
  plumb lab --knobs 0.1 --bad 0.3
  plumb lab --latency 1s
  plumb lab --knobs rate-limit=0.3,stall=0.05 --weak`,
		Args: exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			var err error
			if m.Knobs, err = lab.ParseKnobs(knobs); err != nil {
				return usage("--%v", err)
			}
			if !(w.Bad >= 0 && w.Bad <= 1) || !(w.SearchFaults >= 0 && w.SearchFaults <= 1) {
				return usage("--bad and --search-faults are shares from 0 to 1")
			}
			if m.Weak {
				m.Window = 4096
			}
			return r.serveLab(cmd, &m, &w, port)
		},
	}
	c.Flags().StringVar(&knobs, "knobs", "", "how likely faults of the models are, 0 to 1")
	c.Flags().Float64Var(&w.Bad, "bad", 0, "share of pages that misbehave, 0 to 1")
	c.Flags().Float64Var(&w.SearchFaults, "search-faults", 0, "share of searches that fail, 0 to 1")
	c.Flags().IntVar(&port, "port", 0, "port of the models on 127.0.0.1; the web has the next one (default: free ones)")
	c.Flags().DurationVar(&m.Latency, "latency", 0, "time that every answer of a model takes, like 500ms or 2s")
	c.Flags().BoolVar(&m.Weak, "weak", false, "a model of the weakest kind: no tools, no JSON, a window of 4,096 tokens")
	return c
}

// serveLab serves until the command is interrupted.
func (r *root) serveLab(cmd *cobra.Command, m *lab.Models, w *lab.Web, port int) (err error) {
	research := &lab.Remote{Web: w, Takes: 4 * time.Second}
	m.Remote, w.Remote = research, research
	models, stop, err := m.Listen(port)
	if err != nil {
		return usage("--port %d can't be served (%v): use another, or 0", port, cause(err))
	}
	defer stop()
	if port > 0 {
		port++
	}
	dir, err := os.MkdirTemp("", "plumb-lab-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	w.CertFile = filepath.Join(dir, "root.pem") // of its https sites
	web, stopWeb, err := w.Listen(port)
	if err != nil {
		return usage("--port: %d can't be served (%v): use another, or 0", port, cause(err))
	}
	defer stopWeb()
	env := append(w.Environ(web), "OPENAI_API_KEY=lab", "OPENAI_BASE_URL="+models+"/v1", "ANTHROPIC_API_KEY=lab", "ANTHROPIC_BASE_URL="+models,
		"GEMINI_API_KEY=lab", "GEMINI_BASE_URL="+models+"/v1beta/openai",
		"ORCHESTRATOR_MODEL=openai:gpt-5.4-mini")
	if _, err := fmt.Fprintf(r.io.out, "export %s\n", strings.Join(env, "\nexport ")); err != nil {
		return err
	}
	if _, err := fmt.Fprintf(r.io.err, "serving; Ctrl-C ends it. A question that this world answers: %s\n", w.Questions()[0].Text); err != nil {
		return err
	}
	<-cmd.Context().Done()
	return nil
}
