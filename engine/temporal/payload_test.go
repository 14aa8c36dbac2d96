package temporal

import (
	"encoding/json"
	"fmt"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/plumbresearch/plumb"
)

// largest is a run as large as one may become: with sixty units, whose keys are all different.
func largest(t *testing.T) plumb.Run {
	t.Helper()
	r := plumb.Run{ID: "r1", Rules: plumb.RulesVersion, Stage: plumb.AtGather}
	for i := range plumb.MaxUnits {
		u := plumb.UnitState{ID: fmt.Sprint("unit", i), Topic: fmt.Sprintf("what is known about subject number %d of the plan", i), State: plumb.Succeeded}
		for k := range 75 {
			u.Keys = append(u.Keys, fmt.Sprintf("subdomain-%x.example-%x.org", i*7919+k*104729, k*15485863+i))
		}
		r.Units = append(r.Units, u)
	}
	b, err := json.Marshal(r)
	if err != nil || len(b) > plumb.MaxRun || len(b) < plumb.MaxRun*3/5 {
		t.Fatalf("%d bytes, %v", len(b), err)
	}
	return r
}

func TestTheLargestRunFitsIntoAPayload(t *testing.T) {
	carry := Carry{Run: largest(t), Seq: 100}
	p, err := payloads.ToPayloads(carry)
	if err != nil {
		t.Fatal(err)
	}
	if n := proto.Size(p); n > 64<<10 {
		t.Errorf("%d bytes", n)
	}
	var back Carry
	if err := payloads.FromPayloads(p, &back); err != nil {
		t.Fatal(err)
	}
	a, err := json.Marshal(carry)
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(back)
	if err != nil || string(a) != string(b) {
		t.Errorf("comes back as another: %v", err)
	}
}

func TestSmallPayloadsStayReadable(t *testing.T) {
	p, err := payloads.ToPayload(kept{Run: "r1", Seq: 2})
	if err != nil || string(p.GetData()) != `{"run":"r1","seq":2}` {
		t.Errorf("%q, %v", p.GetData(), err)
	}
	var k kept
	if err := payloads.FromPayload(p, &k); err != nil || k.Seq != 2 {
		t.Errorf("%+v, %v", k, err)
	}
}
