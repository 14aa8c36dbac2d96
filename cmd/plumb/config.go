package main

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/caarlos0/env/v11"
	"github.com/joho/godotenv"

	"github.com/plumbresearch/plumb"
)

// config is what the environment says. Flags override it, it overrides .env and the presets. Every name is also
// accepted with the prefix PLUMB_, which wins. docs/configuration.md is checked against this struct.
type config struct {
	Home     string   `env:"PLUMB_HOME"` // folder of the store
	Sync     string   `env:"SYNC"`       // NORMAL or FULL
	Preset   string   `env:"RESEARCH_STRATEGY"`
	NoColor  string   `env:"NO_COLOR"`
	Overrule overrule `envPrefix:""`
	Timeouts timeouts `envPrefix:"TIMEOUT_"`
	Models   modelConfig
	Outside  outsideConfig
	Server   serverConfig
}

// serverConfig says how plumb serve and plumb worker serve.
type serverConfig struct {
	Addr      string  `env:"LISTEN_ADDR" envDefault:"127.0.0.1:8080"`
	Hosts     string  `env:"SERVER_HOSTS"` // names under which browsers may reach it
	Origins   string  `env:"ALLOW_ORIGINS"`
	Rate      int     `env:"RATE_LIMIT" envDefault:"600"` // requests a minute and key
	AtOnce    int     `env:"RUNS_AT_ONCE" envDefault:"16"`
	KeepDays  int     `env:"KEEP_DAYS"`                  // of ended runs; 0: for ever
	MaxBudget float64 `env:"MAX_BUDGET" envDefault:"20"` // dollars that a client may ask for

	Database  string `env:"DATABASE_URL"` // PostgreSQL; empty: the file in PLUMB_HOME
	Engine    string `env:"PLUMB_ENGINE" envDefault:"local"`
	Temporal  string `env:"TEMPORAL_ADDRESS" envDefault:"127.0.0.1:7233"`
	Namespace string `env:"TEMPORAL_NAMESPACE" envDefault:"default"`
	StepRates string `env:"STEPS_PER_SECOND"` // of each provider, by all workers together
	Traces    string `env:"OTEL_EXPORTER_OTLP_ENDPOINT"`
	MCP       string `env:"MCP_SERVERS"` // file that lists the MCP servers which are search engines
}

// modelConfig says which language models there are and how they are reached.
type modelConfig struct {
	Orchestrator string `env:"ORCHESTRATOR_MODEL"`
	Worker       string `env:"SUBAGENT_MODEL"`
	Judge        string `env:"JUDGE_MODEL"`
	Eval         string `env:"EVAL_MODEL"` // same as JUDGE_MODEL, which wins
	Embed        string `env:"EMBED_MODEL"`

	OpenAIKey     string `env:"OPENAI_API_KEY"`
	OpenAIURL     string `env:"OPENAI_BASE_URL"`
	AnthropicKey  string `env:"ANTHROPIC_API_KEY"`
	AnthropicURL  string `env:"ANTHROPIC_BASE_URL"`
	GeminiKey     string `env:"GEMINI_API_KEY"`
	GoogleKey     string `env:"GOOGLE_API_KEY"` // same as GEMINI_API_KEY, which wins
	GeminiURL     string `env:"GEMINI_BASE_URL"`
	OllamaHost    string `env:"OLLAMA_HOST"`
	CompatibleKey string `env:"COMPATIBLE_API_KEY"`
	CompatibleURL string `env:"COMPATIBLE_BASE_URL"`

	File      string `env:"MODELS_FILE"` // prices and windows of further models
	AtOnce    int    `env:"MODEL_CALLS_AT_ONCE"`
	PerMinute int    `env:"MODEL_CALLS_PER_MINUTE"`
}

// overrule holds numbers that override the preset's; 0 leaves them alone.
type overrule struct {
	AtOnce    int `env:"MAX_CONCURRENT_RESEARCH_UNITS"`
	InAll     int `env:"MAX_RESEARCHER_ITERATIONS"`
	ToolCalls int `env:"MAX_REACT_TOOL_CALLS"`
	Searches  int `env:"RESEARCHER_SEARCH_BUDGET"`
	Records   int `env:"MIN_EVIDENCE_RECORDS"`
	Keys      int `env:"MIN_SOURCE_DOMAINS"`
	Findings  int `env:"MAX_EVIDENCE_CLAIMS_PER_RESEARCH_UNIT"`

	UnitUSD  float64 `env:"UNIT_BUDGET"`     // dollars that one unit may spend
	UnitToks int64   `env:"UNIT_MAX_TOKENS"` // tokens that one unit may use
}

// timeouts in seconds; 0 leaves the default.
type timeouts struct {
	Unit  int `env:"SUBAGENT"`
	PDF   int `env:"PDF"`
	Model int `env:"MODEL"`
}

// envFile finds the file that completes the environment: the one that is named, else .env here or in a folder above.
func envFile(environ map[string]string, here string) (path string, named bool) {
	for _, name := range []string{"PLUMB_ENV_FILE", "DEEPRESEARCH_ENV_FILE"} {
		if environ[name] != "" {
			return environ[name], true
		}
	}
	for dir := here; ; dir = filepath.Dir(dir) {
		path := filepath.Join(dir, ".env")
		if st, err := os.Stat(path); err == nil && st.Mode().IsRegular() {
			return path, false
		}
		if dir == filepath.Dir(dir) {
			return "", false
		}
	}
}

// loadConfig reads the environment and the .env file behind it.
func loadConfig(environ []string, here string) (config, string, error) {
	vars := unprefixed(env.ToMap(environ))
	path, named := envFile(vars, here)
	if path != "" {
		file, err := godotenv.Read(path)
		if err != nil && (named || !errors.Is(err, fs.ErrNotExist)) {
			return config{}, path, usage("%s can't be read: %v; mend it, or name another with PLUMB_ENV_FILE", path, err)
		}
		for k, v := range unprefixed(file) {
			if _, set := vars[k]; !set {
				vars[k] = v
			}
		}
	}
	var c config
	if err := env.ParseWithOptions(&c, env.Options{Environment: vars}); err != nil {
		return c, path, usage("the environment can't be understood: %s", misread(vars, err))
	}
	if t := min(c.Timeouts.Unit, c.Timeouts.PDF, c.Timeouts.Model); t < 0 {
		return c, path, usage("TIMEOUT_SUBAGENT, TIMEOUT_PDF and TIMEOUT_MODEL are seconds, not %d: use 1 or more", t)
	}
	if n := min(c.Models.AtOnce, c.Models.PerMinute); n < 0 {
		return c, path, usage("MODEL_CALLS_AT_ONCE and MODEL_CALLS_PER_MINUTE can't be %d: use 1 or more", n)
	}
	if c.Home == "" {
		c.Home = defaultHome(vars)
	}
	for lower, to := range map[string]*string{"http_proxy": &c.Outside.HTTPProxy, "https_proxy": &c.Outside.HTTPSProxy, "no_proxy": &c.Outside.NoProxy} {
		*to = firstNonEmpty(*to, vars[lower])
	}
	c.Outside.services = services(vars)
	return c, path, nil
}

// misread names the variables whose value is no number.
func misread(vars map[string]string, err error) string {
	params, perr := env.GetFieldParams(&config{})
	all, ok := errors.AsType[env.AggregateError](err)
	if !ok || perr != nil {
		return err.Error()
	}
	var names []string
	for _, e := range all.Errors {
		field, _ := errors.AsType[env.ParseError](e)
		num, ok := errors.AsType[*strconv.NumError](field.Err)
		for _, p := range params {
			if ok && vars[p.Key] == num.Num {
				names = append(names, fmt.Sprintf("%s is %q", p.Key, num.Num))
			}
		}
	}
	if len(names) == 0 {
		return err.Error()
	}
	slices.Sort(names)
	return strings.Join(slices.Compact(names), ", ") + ": use a number"
}

// unprefixed gives PLUMB_X the name X, over an X of the same layer.
func unprefixed(vars map[string]string) map[string]string {
	out := maps.Clone(vars)
	for k, v := range vars {
		if bare, ok := strings.CutPrefix(k, "PLUMB_"); ok && bare != "HOME" && bare != "ENV_FILE" && v != "" {
			out[bare] = v
		}
	}
	return out
}

// defaultHome is the user's data folder.
func defaultHome(vars map[string]string) string {
	if dir := vars["XDG_DATA_HOME"]; dir != "" {
		return filepath.Join(dir, "plumb")
	}
	if dir := vars["LOCALAPPDATA"]; dir != "" {
		return filepath.Join(dir, "plumb")
	}
	if dir := vars["HOME"]; dir != "" {
		return filepath.Join(dir, ".local", "share", "plumb")
	}
	return ".plumb"
}

func (c config) storePath() string { return filepath.Join(c.Home, "plumb.db") }

// limits are a preset's with the environment's numbers on top.
func (c config) limits(preset string) (plumb.Limits, error) {
	l, err := plumb.Preset(preset)
	if err != nil {
		return l, usage("%v", err)
	}
	for _, o := range []struct {
		name string
		to   *int
		val  int
		most int
	}{
		{"MAX_CONCURRENT_RESEARCH_UNITS", &l.AtOnce, c.Overrule.AtOnce, 20},
		{"MAX_RESEARCHER_ITERATIONS", &l.InAll, c.Overrule.InAll, plumb.MaxUnits},
		{"MAX_REACT_TOOL_CALLS", &l.Unit.ToolCalls, c.Overrule.ToolCalls, 1000},
		{"RESEARCHER_SEARCH_BUDGET", &l.Unit.Searches, c.Overrule.Searches, 1000},
		{"MIN_EVIDENCE_RECORDS", &l.Gate.Records, c.Overrule.Records, 1000},
		{"MIN_SOURCE_DOMAINS", &l.Gate.Keys, c.Overrule.Keys, 1000},
		{"MAX_EVIDENCE_CLAIMS_PER_RESEARCH_UNIT", &l.Unit.Findings, c.Overrule.Findings, 25},
	} {
		if o.val < 0 || o.val > o.most {
			return l, usage("%s is %d: use 1 to %d", o.name, o.val, o.most)
		}
		if o.val > 0 {
			*o.to = o.val
		}
	}
	l.Gate.Cited = min(l.Gate.Cited, l.Gate.Records)
	l.Caps.UnitUSD, l.Caps.UnitToks = c.Overrule.UnitUSD, c.Overrule.UnitToks
	if !(l.Caps.UnitUSD >= 0) || l.Caps.UnitToks < 0 { // NaN is neither
		return l, usage("UNIT_BUDGET and UNIT_MAX_TOKENS can't be negative")
	}
	return l, nil
}

func (t timeouts) unit() time.Duration { return time.Duration(t.Unit) * time.Second }
