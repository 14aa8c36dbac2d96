package postgres

import (
	"testing"

	"github.com/plumbresearch/plumb/store/storetest"
)

func TestMessagesOfAConversationAreKeptOnce(t *testing.T) {
	d := open(t, Options{})
	owned(t, d, "a", "me")
	const calls = 30
	for _, r := range storetest.Conversation("a", calls, 100) {
		if err := d.PutRecording(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	// System and user, a call and its reply before each but the first, and the two ends.
	if n := count(t, d, "SELECT count(*) FROM recording_parts"); n != 2+2*(calls-1)+2 {
		t.Errorf("%d parts", n)
	}
}
