package llm

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Price is in dollars per million tokens.
type Price struct {
	Input  float64
	Cached float64 // input that the provider read from its cache
	Output float64
}

// Prices says what models cost and can do. It does not change once it is made.
type Prices struct {
	AsOf   string // year and month of the table
	models map[string]entry
}

// entry is one model of the table.
type entry struct {
	price  Price
	above  int64 // tokens of input above which long holds for the whole call; 0: never
	long   Price
	priced bool
	traits Traits // a window of 0: not known
}

// The table's form, and that of a user's file.
type (
	priceFile struct {
		AsOf   string               `json:"as_of"`
		About  json.RawMessage      `json:"about"` // for readers of the file
		Models map[string]priceLine `json:"models"`
	}
	priceLine struct {
		Price  *priceWire  `json:"price"`
		Long   *priceWire  `json:"long"`
		Traits *traitsWire `json:"traits"`
	}
	priceWire struct {
		Above  int64    `json:"above"` // of long alone
		Input  *float64 `json:"input"`
		Cached *float64 `json:"cached"`
		Output *float64 `json:"output"`
	}
	traitsWire struct {
		Window   *int  `json:"window"`
		Output   *int  `json:"output"`
		Thinking *int  `json:"thinking"`
		Tools    *bool `json:"tools"`
		Schema   *bool `json:"schema"`
	}
)

//go:embed prices.json
var priceTable []byte

var defaultPrices = sync.OnceValue(func() *Prices {
	p := &Prices{}
	if err := p.lay(bytes.NewReader(priceTable)); err != nil {
		panic(err) // the table ships with the program, and a test reads it
	}
	return p
})

// DefaultPrices is the table that comes with the program.
func DefaultPrices() *Prices { return defaultPrices() }

// LoadPrices lays a file of the table's form over the table. A price in it replaces the model's whole price, a trait
// only itself.
func LoadPrices(r io.Reader) (*Prices, error) {
	base := DefaultPrices()
	p := &Prices{AsOf: base.AsOf, models: maps.Clone(base.models)}
	if err := p.lay(r); err != nil {
		return nil, fmt.Errorf("prices: %w", err)
	}
	return p, nil
}

// leastWindow is the smallest window in which the prompts can be put, in tokens.
const leastWindow = 2048

// maxPriceFile bounds a user's file, in bytes.
const maxPriceFile = 4 << 20

func (p *Prices) lay(r io.Reader) error {
	text, err := io.ReadAll(io.LimitReader(r, maxPriceFile+1))
	if err != nil {
		return err
	}
	if len(text) > maxPriceFile {
		return errors.New("the file is larger than 4 MB: leave out what you don't use")
	}
	var file priceFile
	if err := file.read(text); err != nil {
		return err
	}
	if file.AsOf != "" {
		p.AsOf = file.AsOf
	}
	if p.models == nil {
		p.models = map[string]entry{}
	}
	for _, name := range slices.Sorted(maps.Keys(file.Models)) {
		e, err := p.models[name].with(file.Models[name])
		if provider, model, _ := strings.Cut(name, ":"); err == nil && (model == "" || !slices.Contains(Providers, provider)) {
			err = fmt.Errorf("name it provider:model, for example openai:gpt-5, or provider:* for all of them (providers: %s)", strings.Join(Providers, ", "))
		}
		if err != nil {
			return fmt.Errorf("model %q: %w", name, err)
		}
		p.models[name] = e
	}
	return nil
}

// read takes the file from its JSON, or says in plain words and with the line what keeps it from that.
func (f *priceFile) read(text []byte) error {
	if body := bytes.TrimSpace(text); len(body) == 0 || body[0] != '{' {
		return errors.New(`the file must hold one JSON object like {"models": {"openai:NAME": {"price": {"input": 1, "output": 2}}}}`)
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	err := d.Decode(f)
	if err == nil && d.More() {
		err = errors.New("there is something behind the end of the JSON object")
	}
	if err == nil {
		return nil
	}
	why := strings.TrimPrefix(err.Error(), "json: ")
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &kind):
		why = fmt.Sprintf("%s must not be %s %s", kind.Field, article(kind.Value), kind.Value)
	case errors.Is(err, io.ErrUnexpectedEOF):
		why = "the JSON ends too early"
	}
	return fmt.Errorf("line %d: %s", lineOf(text, d.InputOffset(), err), why)
}

func article(noun string) string {
	if strings.ContainsAny(noun[:min(1, len(noun))], "aeio") {
		return "an"
	}
	return "a"
}

// lineOf is the line of an error of package json, or of where reading had come to.
func lineOf(text []byte, offset int64, err error) int {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		offset = syntax.Offset
	case errors.As(err, &kind):
		offset = kind.Offset
	}
	return 1 + bytes.Count(text[:min(max(offset, 0), int64(len(text)))], []byte("\n"))
}

// with lays a line over an entry.
func (e entry) with(l priceLine) (entry, error) {
	var err error
	if l.Price != nil {
		if e.price, err = l.Price.price("price"); err != nil {
			return e, err
		}
		e.priced, e.above, e.long = true, 0, Price{}
	}
	if l.Long != nil {
		if e.long, err = l.Long.price("long"); err != nil {
			return e, err
		}
		if l.Long.Above <= 0 || !e.priced {
			return e, errors.New("long needs a price beside it, and in above the tokens of input from which it holds")
		}
		e.above = l.Long.Above
	}
	if t := l.Traits; t != nil {
		set(&e.traits.Window, t.Window)
		set(&e.traits.Output, t.Output)
		set(&e.traits.Thinking, t.Thinking)
		set(&e.traits.Tools, t.Tools)
		set(&e.traits.Schema, t.Schema)
		if e.traits.Window < leastWindow || e.traits.Output < 0 || e.traits.Output > e.traits.Window {
			return e, fmt.Errorf("traits need a window of at least %d tokens, and an output within it", leastWindow)
		}
		if e.traits.Thinking < 0 {
			return e, errors.New("thinking is in tokens, and not below 0")
		}
	}
	return e, nil
}

func set[T any](to, from *T) {
	if from != nil {
		*to = *from
	}
}

func (w priceWire) price(name string) (Price, error) {
	if w.Input == nil || w.Output == nil {
		return Price{}, fmt.Errorf("%s needs input and output, in dollars per million tokens", name)
	}
	p := Price{Input: *w.Input, Cached: *w.Input, Output: *w.Output}
	set(&p.Cached, w.Cached)
	if p.Input < 0 || p.Cached < 0 || p.Output < 0 || max(p.Input, p.Cached, p.Output) > 1e6 {
		return Price{}, fmt.Errorf("%s must be between 0 and a million dollars per million tokens", name)
	}
	return p, nil
}

// snapshot is what providers put behind a model's name for a fixed version of it, which costs the same.
var snapshot = regexp.MustCompile(`^-(\d{4}-\d{2}-\d{2}|\d{8}|\d{3,4}|latest|preview(-\d{2}-\d{2,4})?)$`)

// find gives a model's entry: by its name, as a snapshot of it, or from the longest name with a star. Empty: there is none.
func (p *Prices) find(model string) entry {
	if e, ok := p.models[model]; ok {
		return e
	}
	for cut := len(model) - 1; cut > 0; cut-- {
		if model[cut] != '-' || !snapshot.MatchString(model[cut:]) {
			continue
		}
		if e, ok := p.models[model[:cut]]; ok {
			return e
		}
	}
	for cut := len(model); cut > 0; cut-- {
		if e, ok := p.models[model[:cut]+"*"]; ok {
			return e
		}
	}
	return entry{}
}

// Cost is what a provider bills for so many tokens. Not known: the model has no price, which is not to say it is free.
func (p *Prices) Cost(model string, u Usage) (usd float64, known bool) {
	e := p.find(model)
	if !e.priced {
		return 0, false
	}
	u, _ = u.apart()
	price := e.price
	if e.above > 0 && u.Input > e.above {
		price = e.long
	}
	return (float64(u.Input-u.Cached)*price.Input + float64(u.Cached)*price.Cached + float64(u.Output)*price.Output) / 1e6, true
}

// Traits are what a model can do, when the table says so.
func (p *Prices) Traits(model string) (Traits, bool) {
	e := p.find(model)
	return e.traits, e.traits.Window > 0
}

// apart is the usage with input and output told apart: a bare total is split 60/40, which it reports. A total beyond the
// sum of both is thinking that some servers count nowhere else; it is billed as output. Nothing is below 0.
func (u Usage) apart() (Usage, bool) {
	u = Usage{Input: max(0, u.Input), Cached: max(0, u.Cached), Output: max(0, u.Output), Total: max(0, u.Total)}
	u.Cached = min(u.Cached, u.Input)
	split := u.Input == 0 && u.Output == 0 && u.Total > 0
	if split {
		u.Input = u.Total * 6 / 10
	}
	u.Output = max(u.Output, u.Total-u.Input)
	return u, split
}
