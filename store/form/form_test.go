package form

import (
	"errors"
	"io/fs"
	"testing"
	"time"
)

func TestTimesAreKeptToTheMicrosecond(t *testing.T) {
	at := time.Date(2026, 3, 29, 2, 30, 0, 123456789, time.FixedZone("", 3600))
	if got, want := Time(Micros(at)), at.Truncate(time.Microsecond); !got.Equal(want) || got.Location() != time.UTC {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestValuesAreJSONOrNone(t *testing.T) {
	if got, err := JSONOfEach([]string{"a", "<b>"}); err != nil || len(got) != 2 || got[1] != `"\u003cb\u003e"` {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := JSONOfEach([]any{1, func() {}}); err == nil || got != nil {
		t.Errorf("%q, %v", got, err)
	}
}

func TestHashIsTheTexts(t *testing.T) {
	const hash = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
	if err := CheckHash(hash, "abc"); err != nil {
		t.Error(err)
	}
	for _, wrong := range []string{"", "abc", hash[1:]} {
		if CheckHash(wrong, "abc") == nil {
			t.Errorf("%q is taken", wrong)
		}
	}
}

func TestErrorsNameWhatTheyAreAbout(t *testing.T) {
	cause := errors.New("no luck")
	for _, about := range []struct {
		name func(error) error
		want string
	}{
		{func(err error) error { return Named("key k", err) }, "key k: no luck"},
		{func(err error) error { return AboutRun("r", err) }, "run r: no luck"},
		{func(err error) error { return About("r", "ledger", err) }, "run r: ledger: no luck"},
		{func(err error) error { return AboutFolder("/docs", err) }, "library /docs: no luck"},
		{func(err error) error { return AboutDocument("a.md", err) }, "document a.md: no luck"},
	} {
		if err := about.name(nil); err != nil {
			t.Errorf("nil became %v", err)
		}
		if err := about.name(cause); err.Error() != about.want || !errors.Is(err, cause) {
			t.Errorf("%v, want %s", err, about.want)
		}
	}
}

func TestTroubleIsToldApart(t *testing.T) {
	kind := errors.New("locked")
	err := error(&Error{Is: kind, Text: "wait", Cause: fs.ErrPermission})
	if err.Error() != "wait" || !errors.Is(err, kind) || !errors.Is(err, fs.ErrPermission) {
		t.Errorf("%v", err)
	}
	if err := error(&Error{Is: kind, Text: "wait"}); !errors.Is(err, kind) || errors.Is(err, fs.ErrPermission) {
		t.Errorf("%v", err)
	}
	if got := OneLine(errors.New("two\n\tlines ")); got != "two lines" {
		t.Errorf("%q", got)
	}
}
