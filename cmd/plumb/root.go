package main

import (
	"context"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/plumbresearch/plumb/search"
)

// root is what all commands share.
type root struct {
	io      stdio
	environ []string
	config  config
	envFile string
	verbose bool
	// searches is made when it is first needed: before anything is served at once.
	searches *search.Engines
	late     []search.Further        // of searches
	stop     context.CancelCauseFunc // ends the command's context
}

func newRoot(io stdio, environ []string) *root {
	return &root{io: io, environ: environ, stop: func(error) {}}
}

// command builds the tree of commands.
func (r *root) command(args []string) *cobra.Command {
	research := r.researchCommand()
	c := &cobra.Command{
		Use:   "plumb",
		Short: "Ask a hard question of your documents; get a report whose every claim was checked",
		Long: `Plumb scopes a question, plans, sends researchers over your documents in waves, writes a cited report,
and checks every claim of it against the text it cites. It needs no key and no network.`,
		Example: `  plumb research --docs ~/dossier "Why was the bridge closed, and what did the repair cost?"
  plumb runs
  plumb show last`,
		Version:       versionLine(),
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.ArbitraryArgs,
		PersistentPreRunE: func(*cobra.Command, []string) error {
			here, err := os.Getwd()
			if err != nil {
				return usage("the present folder is gone or can't be read (%v): go to another", cause(err))
			}
			r.config, r.envFile, err = loadConfig(r.environ, here)
			return err
		},
	}
	c.SetVersionTemplate("{{.Version}}\n")
	c.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return cmd.Help()
		}
		return usage("%q is not a command: see plumb --help, or quote your question: plumb research \"…\"", args[0])
	}
	c.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usage("%v: see %s --help", err, cmd.CommandPath())
	})
	c.PersistentFlags().BoolVar(&r.verbose, "verbose", false, "say more about what went wrong inside")
	c.AddCommand(research, r.auditCommand(), r.citationsCommand(), r.claimsCommand(), r.verifyCommand(), r.compileCommand(), r.runsCommand(), r.showCommand(), r.resumeCommand(), r.replayCommand(), r.answerCommand(), r.approveCommand(),
		r.signalCommand("pause"), r.signalCommand("finish"), r.signalCommand("cancel"),
		r.libraryCommand(), r.serveCommand(), r.workerCommand(), r.mcpCommand(), r.labCommand(), r.evalCommand(), r.doctorCommand(), r.versionCommand())
	c.SetIn(r.io.in)
	c.SetOut(r.io.out)
	c.SetErr(r.io.err)
	c.SetArgs(withResearch(args, func(flag string) bool { return research.Flags().Lookup(flag) != nil }))
	return c
}

// withResearch puts the word research before a bare question: plumb "Why …?", plumb --docs FOLDER "Why …?". has
// knows the flags of research.
func withResearch(args []string, has func(flag string) bool) []string {
	for _, a := range args {
		if a == "--verbose" { // may stand before any command
			continue
		}
		name, _, _ := strings.Cut(strings.TrimPrefix(a, "--"), "=")
		text := strings.TrimSpace(a)
		switch {
		case a == "--", strings.HasPrefix(a, "--") && has(name),
			!strings.HasPrefix(a, "-") && (text == "" || strings.ContainsAny(text, " ?？")):
			return append([]string{"research"}, args...)
		}
		return args
	}
	return args
}

// exactly checks the number of arguments with a line that says what they are.
func exactly(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != n {
			return usage("%s takes %s, not %d arguments: see %s --help", cmd.CommandPath(), what, len(args), cmd.CommandPath())
		}
		return nil
	}
}
