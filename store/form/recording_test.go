package form

import (
	"strings"
	"testing"

	"github.com/plumbresearch/plumb/store/storetest"
)

func FuzzRequestInParts(f *testing.F) {
	for _, s := range []string{`{"messages":[]}`, `{"messages":[1,{"a":[2]},"x"],"tools":[]}`, `{"messages":[1, 2]}`, `{"messages":[1],"messages":[2,3]}`, `{"messages":[],`, ``} {
		f.Add(s)
		f.Add(`{"model":"m",` + strings.TrimPrefix(s, `{`))
	}
	f.Add(string(storetest.Conversation("a", 3, 100)[2].Asked))
	f.Fuzz(func(t *testing.T, asked string) {
		parts := Split([]byte(asked))
		if parts == nil {
			return
		}
		if got := string(Join(parts)); got != asked {
			t.Errorf("%q came back as %q", asked, got)
		}
	})
}

func TestConversationIsKeptInParts(t *testing.T) {
	for i, r := range storetest.Conversation("a", 5, 100) {
		if got, want := len(Split(r.Asked)), 1+2+2*i+1; got != want { // system, user, a call and its reply each time, and what is around them
			t.Errorf("call %d is in %d parts, want %d", i, got, want)
		}
	}
}
