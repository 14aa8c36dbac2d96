package sqlite

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/store/storetest"
)

func TestConversationTakesAsMuchSpaceAsWasSaid(t *testing.T) {
	size := func(calls int) (file, said int) {
		path := filepath.Join(t.TempDir(), "plumb.db")
		d := openAt(t, path, Options{})
		owned(t, d, "a", "me")
		for _, r := range storetest.Conversation("a", calls, 4000) {
			if err := d.PutRecording(ctx, r); err != nil {
				t.Fatal(err)
			}
			said = len(r.Asked)
		}
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		return int(info.Size()), said
	}
	empty, _ := size(0)
	for _, calls := range []int{20, 80} { // 80 calls send 6 MB
		file, said := size(calls)
		if got := float64(file-empty) / float64(said); got > 2.5 { // pages are half full at worst, and each call has an answer
			t.Errorf("%d calls with %d bytes at the end take %d bytes, %.1f times as much", calls, said, file-empty, got)
		}
	}
}

func TestRecordingThatIsThereLeavesNothingBehind(t *testing.T) {
	d := open(t, Options{})
	owned(t, d, "a", "me")
	put := func(answer string, r plumb.Recording) {
		t.Helper()
		r.Answer = []byte(answer)
		if err := d.PutRecording(ctx, r); err != nil {
			t.Fatal(err)
		}
	}
	talk := storetest.Conversation("a", 3, 100)
	put(`1`, talk[0])
	parts := count(t, d, "recording_parts")
	talk[2].Key = talk[0].Key
	put(`2`, talk[2])
	if got := count(t, d, "recording_parts"); got != parts || parts != 4 { // two messages, and what is around them
		t.Errorf("%d parts, then %d", parts, got)
	}
	if err := d.Release(ctx, "a", "me"); err != nil {
		t.Fatal(err)
	}
	if err := d.DeleteRun(ctx, "a"); err != nil {
		t.Fatal(err)
	}
	for _, table := range []string{"recordings", "recording_parts"} {
		if n := count(t, d, table); n != 0 {
			t.Errorf("%d rows of %s are left after their run", n, table)
		}
	}
}
