package report

import (
	"strings"
	"testing"

	"github.com/plumbresearch/plumb"
)

// streamed is what a stream shows in the end, cut into pieces of a size.
func streamed(text string, size int) string {
	var seen shownText
	s := stream{emit: seen.emit}
	for len(text) > 0 {
		n := min(size, len(text))
		s.delta(text[:n])
		text = text[n:]
	}
	s.end()
	return seen.text.String()
}

func TestStream(t *testing.T) {
	for text, want := range map[string]string{
		"plain":                                   "plain",
		"<think>a</think>b":                       "b",
		"a<Think>b</THINK>c<reasoning>d":          "ac",
		"a<thinking>b<think>c</thinking>d":        "ad",
		"thought without beginning</think>answer": "answer",
		"a < b <thin":                             "a < b <thin",
		"a<think":                                 "a<think",
		"<thinker>x":                              "<thinker>x",
		"<think>never closed":                     "",
	} {
		for size := 1; size < 9; size++ {
			if got := streamed(text, size); got != want {
				t.Errorf("%q in pieces of %d shows %q, want %q", text, size, got, want)
			}
		}
	}
}

func TestStreamBeginsAgainBehindWhatStands(t *testing.T) {
	var seen shownText
	s := stream{emit: seen.emit}
	s.start("")
	s.delta("One. <thi")
	s.delta("")
	s.delta("One.")
	s.end()
	s.start("One.\n")
	s.delta("Tw")
	s.delta("")
	s.delta("Three.")
	s.end()
	if got := seen.text.String(); got != "One.\nThree." {
		t.Errorf("shown is %q", got)
	}
	s.start("")
	if got := seen.text.String(); got != "" {
		t.Errorf("a new draft begins with %q", got)
	}
	if got := seen.kinds(plumb.DraftDelta); len(got) != 10 {
		t.Errorf("%q", got)
	}
}

func FuzzStream(f *testing.F) {
	f.Add("<think>a</think>b", 3)
	f.Add("x</think>y<reasoning>z", 1)
	f.Add("a<<think>b</think", 2)
	f.Fuzz(func(t *testing.T, text string, size int) {
		size = max(1, size%17)
		whole := streamed(text, len(text)+1)
		if got := streamed(text, size); got != whole {
			t.Errorf("in pieces of %d: %q, whole: %q", size, got, whole)
		}
		if !strings.Contains(text, "<") && whole != text {
			t.Errorf("%q shows %q", text, whole)
		}
	})
}
