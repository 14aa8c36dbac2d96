package lab

// What goes wrong with models, how likely, and whether it does this time.

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"maps"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/plumbresearch/plumb/llm"
)

// Knobs say how likely each fault is, from 0 to 1. Whether a call suffers one follows from the seed, the request and how
// often that same request came, so that runs can be repeated and a retry may succeed.
type Knobs struct {
	RateLimit         float64 // 429 with Retry-After 0 or 1
	ServerError       float64 // 500, 503 or 529
	BilledFailure     float64 // an error after the usage was told: as a last event of a stream, or beside the error of a 500
	Stall             float64 // nothing comes, or half a stream and then nothing
	Malformed         float64 // broken JSON, of answers and arguments
	Fenced            float64 // JSON between prose and ```json
	WrongTypes        float64 // JSON with values of other types than asked for
	Think             float64 // <think> before the answer
	CutOff            float64 // half an answer, stopped for its length
	InventedCitations float64 // [97] in drafts
	FalseQuotes       float64 // quotes that no source has
	Quota             bool    // nothing is left on the account
}

// table names the knobs as ParseKnobs does.
func (k *Knobs) table() map[string]*float64 {
	return map[string]*float64{
		"rate-limit": &k.RateLimit, "server-error": &k.ServerError, "billed-failure": &k.BilledFailure, "stall": &k.Stall,
		"malformed": &k.Malformed, "fenced": &k.Fenced, "wrong-types": &k.WrongTypes, "think": &k.Think, "cut-off": &k.CutOff,
		"invented-citations": &k.InventedCitations, "false-quotes": &k.FalseQuotes,
	}
}

// All sets every probability.
func (k *Knobs) All(p float64) {
	for _, knob := range k.table() {
		*knob = p
	}
}

// ParseKnobs reads "0.1" for all of them, or "rate-limit=0.2,stall=0.05,quota".
func ParseKnobs(s string) (Knobs, error) {
	var k Knobs
	if strings.TrimSpace(s) == "" {
		return k, nil
	}
	knobs := k.table()
	for part := range strings.SplitSeq(s, ",") {
		name, value, named := strings.Cut(strings.TrimSpace(part), "=")
		if !named {
			name, value = "", name
		}
		if value == "quota" && !named {
			k.Quota = true
			continue
		}
		p, err := strconv.ParseFloat(value, 64)
		if err != nil || math.IsNaN(p) || p < 0 || p > 1 {
			return Knobs{}, fmt.Errorf("knobs %q: %q is no probability from 0 to 1", s, value)
		}
		knob, known := knobs[name]
		switch {
		case !named:
			k.All(p)
		case known:
			*knob = p
		default:
			return Knobs{}, fmt.Errorf("knobs %q: there is no %q, but %s and quota", s, name, strings.Join(slices.Sorted(maps.Keys(knobs)), ", "))
		}
	}
	return k, nil
}

// fault is a call that fails; each wire has its own words for it.
type fault struct {
	kind   string // for Stats
	status int
	code   string // OpenAI's
	param  string // OpenAI's
	text   string
	after  int // seconds of Retry-After, of rate limits
	billed bool
	usage  *llm.Usage // what was billed all the same
	have   int        // tokens of a prompt that is too long
	may    int
}

// dice are thrown for one coming of one request.
type dice struct{ seed uint64 }

// dice counts the request.
func (m *Models) dice(path string, body []byte) dice {
	h := fnv.New64a()
	write(h, []byte(path), body)
	key := h.Sum64()
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.seen == nil {
		m.seen = map[uint64]int{}
	}
	nth := m.seen[key]
	m.seen[key]++
	h.Reset()
	write(h, number(m.Seed), number(key), number(uint64(nth)))
	return dice{h.Sum64()}
}

func number(n uint64) []byte { return binary.LittleEndian.AppendUint64(nil, n) }

// write feeds a hash, which never fails, with parts that can't run into each other.
func write(h interface{ Write([]byte) (int, error) }, parts ...[]byte) {
	for _, p := range parts {
		for _, b := range [][]byte{number(uint64(len(p))), p} {
			if _, err := h.Write(b); err != nil {
				panic(err)
			}
		}
	}
}

func (d dice) hash(what string) uint64 {
	h := fnv.New64a()
	write(h, number(d.seed), []byte(what))
	n := h.Sum64() // FNV's high bits hardly move for short inputs: mixed as SplitMix64 does
	n = (n ^ n>>30) * 0xbf58476d1ce4e5b9
	n = (n ^ n>>27) * 0x94d049bb133111eb
	return n ^ n>>31
}

// falls reports whether something of this probability happens.
func (d dice) falls(what string, p float64) bool {
	return float64(d.hash(what)>>11)/(1<<53) < p
}

// pick is one of n.
func (d dice) pick(what string, n int) int { return int(d.hash(what) % uint64(n)) }

// strike is the fault of the connection that a call suffers; nil: none.
func (m *Models) strike(d dice, w wire) *fault {
	switch {
	case d.falls("rate-limit", m.Knobs.RateLimit):
		return &fault{kind: "rate-limit", status: http.StatusTooManyRequests, code: "rate_limit_exceeded", after: d.pick("after", 2)}
	case d.falls("server-error", m.Knobs.ServerError):
		statuses := []int{http.StatusInternalServerError, http.StatusServiceUnavailable}
		if _, ok := w.(anthropic); ok {
			statuses = []int{http.StatusInternalServerError, overloaded}
		}
		return &fault{kind: "server-error", status: statuses[d.pick("status", 2)]}
	case d.falls("billed-failure", m.Knobs.BilledFailure):
		return &fault{kind: "billed-failure", status: http.StatusInternalServerError, billed: true}
	case d.falls("stall", m.Knobs.Stall):
		return &fault{kind: "stall"}
	}
	return nil
}

// overloaded is Anthropic's status for that.
const overloaded = 529
