package sqlite

import (
	"os"
	"path/filepath"
	"testing"

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
