package postgres

import (
	"testing"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/store/storetest"
)

func TestRecordingThatIsThereLeavesNothingBehind(t *testing.T) {
	d := open(t, Options{})
	owned(t, d, "a", "me")
	put := func(answer string, r plumb.Recording) {
		t.Helper()
		r.Answer = []byte(answer)
		if err := d.PutRecording(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	talk := storetest.Conversation("a", 3, 100)
	put(`1`, talk[0])
	parts := count(t, d, "SELECT count(*) FROM recording_parts")
	talk[2].Key = talk[0].Key
	put(`2`, talk[2])
	if got := count(t, d, "SELECT count(*) FROM recording_parts"); got != parts || parts != 4 { // two messages, and what is around them
		t.Errorf("%d parts, then %d", parts, got)
	}
	if err := d.Release(t.Context(), "a", "me"); err != nil {
		t.Fatal(err)
	}
	if err := d.DeleteRun(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	if n := count(t, d, "SELECT (SELECT count(*) FROM recordings) + (SELECT count(*) FROM recording_parts)"); n != 0 {
		t.Errorf("%d rows are left after their run", n)
	}
}

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
