package lab_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/plumbresearch/plumb/lab"
)

func TestLiesFollowFromTheSeed(t *testing.T) {
	texts := lab.TrueTexts(4, 12)
	first := lab.Plant(texts, 20, 7)
	if !reflect.DeepEqual(first, lab.Plant(texts, 20, 7)) {
		t.Error("the same seed planted other lies")
	}
	if reflect.DeepEqual(first, lab.Plant(texts, 20, 8)) {
		t.Error("another seed planted the same lies")
	}
}

// TestLiesAreLies holds each kind to what it says of itself.
func TestLiesAreLies(t *testing.T) {
	texts := lab.TrueTexts(1, 12)
	count := map[lab.Lie]int{}
	for _, p := range lab.Plant(texts, 40, 1) {
		count[p.Lie]++
		source, there := texts[p.URL]
		if there != (p.Lie != lab.InventedSource) {
			t.Errorf("%s: %s is there: %v", p.Lie, p.URL, there)
		}
		if p.Lie == lab.NumberChanged || p.Lie == lab.NameFromSource || p.Lie == lab.NameFromElsewhere || p.Lie == lab.Negated || p.Lie == lab.Invented {
			if strings.Contains(source, strings.TrimSuffix(p.Claim, ".")) {
				t.Errorf("%s: %q stands in its source", p.Lie, p.Claim)
			}
		}
		if p.Lie == lab.Truth && !strings.Contains(source, p.From) {
			t.Errorf("truth from a sentence that is not there: %q", p.From)
		}
		if p.Lie == lab.WrongSource && strings.Contains(source, p.From) {
			t.Errorf("the wrong source has %q", p.From)
		}
		if strings.TrimSpace(p.Claim) == "" || !strings.HasSuffix(p.Claim, ".") {
			t.Errorf("%s: %q", p.Lie, p.Claim)
		}
	}
	for _, kind := range lab.Lies {
		if count[kind] != 40 {
			t.Errorf("%s: %d", kind, count[kind])
		}
	}
	if count[lab.Truth] != 120 {
		t.Errorf("%d truths", count[lab.Truth])
	}
}

func TestPlantedReportCitesBySourceNumber(t *testing.T) {
	got := lab.PlantedReport([]lab.Planted{
		{Claim: "The dam is 90 metres high.", URL: "https://a.test/1"},
		{Claim: "The dam opened in 1990.", URL: "https://a.test/2"},
		{Claim: "The dam is grey.", URL: "https://a.test/1"},
	})
	for _, want := range []string{"90 metres high [1].\n", "in 1990 [2].\n", "grey [1].\n", "[2] https://a.test/2\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

func TestLiesOfTooLittleText(t *testing.T) {
	texts := map[string]string{"https://a.test/1": "Too short. The long wall of the old dam was painted by the Harbour Guild in 1990 and again later."}
	var kinds []lab.Lie
	for _, p := range lab.Plant(texts, 5, 1) {
		kinds = append(kinds, p.Lie)
	}
	if !slices.Contains(kinds, lab.Truth) || !slices.Contains(kinds, lab.NumberChanged) || slices.Contains(kinds, lab.WrongSource) || slices.Contains(kinds, lab.NameFromSource) {
		t.Error(kinds)
	}
	if got := lab.Plant(nil, 5, 1); len(got) != 0 {
		t.Error(got)
	}
}
