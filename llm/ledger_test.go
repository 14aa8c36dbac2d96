package llm

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plumbresearch/plumb"
)

// billed does trip with what the provider says of it and gives the bill.
func billed(t *testing.T, l *MemoryLedger, u Usage, failed error) ([]plumb.LedgerRow, error) {
	t.Helper()
	d := &Desk{Ledger: l, Prices: testPrices(t)}
	e := trip(nil)
	e.key, e.nth, e.note = "k", 2, "a note"
	e.encode = func() (json.RawMessage, error) { return json.RawMessage(`"answer"`), nil }
	e.call = func(context.Context) (Usage, error) {
		time.Sleep(3 * time.Second)
		return u, failed
	}
	err := d.At(Place{Run: "r", Step: "s"}).bill(t.Context(), e)
	return l.Rows(), err
}

func TestTheRowOfACall(t *testing.T) {
	type row struct {
		input, cached, output int64
		usd                   float64
		split                 bool
		err                   string
	}
	partly := &Error{Trouble: Stalled, Model: "openai:m", Host: "10.1.1.1", Text: "sk-secret", Usage: Usage{Input: 1000, Output: 10}}
	for _, c := range []struct {
		name   string
		usage  Usage
		failed error
		want   *row // nil: nothing was billed
	}{
		{"reported", Usage{Input: 1000, Cached: 400, Output: 100}, nil, &row{1000, 400, 100, 1800e-6, false, ""}},
		{"a total alone", Usage{Total: 1000}, nil, &row{600, 0, 400, 4600e-6, true, ""}},
		{"nothing reported", Usage{}, nil, &row{100, 0, 7, 170e-6, true, ""}},
		{"failed, but billed", Usage{}, partly, &row{1000, 0, 10, 1100e-6, false, "openai did not answer in time: wait a little, then resume"}},
		{"failed", Usage{}, trouble(Overloaded, 0), nil},
		{"cancelled", Usage{}, context.Canceled, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := &MemoryLedger{}
				began := time.Now()
				rows, err := billed(t, l, c.usage, c.failed)
				if !errors.Is(err, c.failed) {
					t.Errorf("%v, want %v", err, c.failed)
				}
				if recorded := l.Recordings() == 1; recorded != (c.failed == nil) {
					t.Errorf("recorded: %v", recorded)
				}
				if c.want == nil {
					if len(rows) != 0 {
						t.Errorf("%+v", rows)
					}
					return
				}
				if len(rows) != 1 {
					t.Fatalf("%d rows", len(rows))
				}
				r := rows[0]
				got := row{r.Input, r.Cached, r.Output, c.want.usd, r.Split, r.Error}
				if got != *c.want || math.Abs(r.USD-c.want.usd) > 1e-12 || !r.Priced {
					t.Errorf("%+v, want %+v", r, *c.want)
				}
				if r.Run != "r" || r.Step != "s" || r.Role != "worker" || r.Model != "openai:m" || !r.At.Equal(began) || r.Duration != 3*time.Second {
					t.Errorf("%+v", r)
				}
				if (r.Reference == "k.2") != (c.failed == nil) {
					t.Errorf("reference %q", r.Reference)
				}
			})
		})
	}
}

func TestAModelWithoutAPriceHasNoKnownCost(t *testing.T) {
	l := &MemoryLedger{}
	d := &Desk{Ledger: l, Open: func(string) (Model, error) { return Says("x"), nil }}
	m, err := d.At(Place{Run: "r"}).Model("compatible:x", Judge)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Complete(t.Context(), &Request{}); err != nil {
		t.Fatal(err)
	}
	if r := l.Rows()[0]; r.Priced || r.USD != 0 || r.Input == 0 || r.Role != "judge" {
		t.Errorf("%+v", r)
	}
}

func TestWhatWasPaidIsWrittenThoughTheCallerIsGone(t *testing.T) {
	l := &MemoryLedger{}
	ctx, cancel := context.WithCancel(t.Context())
	d := &Desk{Ledger: l, Open: func(string) (Model, error) {
		return &Script{Answer: func(*Request) (*Answer, error) {
			cancel()
			return &Answer{Text: "late", Usage: Usage{Input: 5, Output: 5}}, nil
		}}, nil
	}}
	m, err := d.At(Place{Run: "r", Step: "s"}).Model("openai:gpt-5", Worker)
	if err != nil {
		t.Fatal(err)
	}
	if a, err := m.Complete(ctx, &Request{}); err != nil || a.Text != "late" {
		t.Errorf("%v %v", a, err)
	}
	if len(l.Rows()) != 1 || l.Recordings() != 1 || l.Held() != (Cap{}) {
		t.Errorf("%d rows, %d recordings, %+v held", len(l.Rows()), l.Recordings(), l.Held())
	}
}

// full is a ledger that can't be written the first time.
type full struct {
	MemoryLedger
	tried bool
}

func (f *full) Settle(ctx context.Context, reservation string, row *plumb.LedgerRow, rec *plumb.Recording) error {
	if !f.tried {
		f.tried = true
		return errors.New("the disk is full")
	}
	return f.MemoryLedger.Settle(ctx, reservation, row, rec)
}

func TestABillThatCannotBeWrittenStaysSetAside(t *testing.T) {
	l := &full{}
	d := &Desk{Ledger: l, Open: func(string) (Model, error) { return Says("x"), nil }}
	m, err := d.At(Place{Run: "r"}).Model("openai:gpt-5", Worker)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Complete(t.Context(), &Request{}); err == nil || !strings.Contains(err.Error(), "ledger: the disk is full") {
		t.Error(err)
	}
	if l.Held().Tokens == 0 {
		t.Error("what was spent is free again")
	}
}

func TestARecordingShowsWhatWasAsked(t *testing.T) {
	l := &MemoryLedger{}
	d := &Desk{Ledger: l, Open: func(string) (Model, error) { return Says("fine"), nil }}
	m, err := d.At(Place{Run: "r", Step: "s"}).Model("openai:gpt-5", Worker)
	if err != nil {
		t.Fatal(err)
	}
	r := &Request{Messages: []Message{{From: System, Text: "long and constant"}, {From: User, Text: "how are you?"}}}
	if _, err := m.Complete(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	rec, err := l.Recorded(t.Context(), "r", "s", keyFor(t, Worker, "openai:gpt-5", r), 0)
	if err != nil || rec == nil {
		t.Fatal(rec, err)
	}
	if want := `{"messages":[{"from":"system","text":"long and constant"},{"from":"user","text":"how are you?"}]}`; string(rec.Asked) != want || rec.Kind != "model" {
		t.Errorf("%s %s", rec.Kind, rec.Asked)
	}
	var a Answer
	if err := json.Unmarshal(rec.Answer, &a); err != nil || a.Text != "fine" || a.Stop != End {
		t.Errorf("%s", rec.Answer)
	}
}
