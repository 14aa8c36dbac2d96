package front_test

import (
	"strings"
	"testing"
	"time"

	"github.com/plumbresearch/plumb/front"
)

func TestKeyHasANameATenantAndASecretThatIsNotKept(t *testing.T) {
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.FixedZone("", 3600))
	k, secret, err := front.NewKey("laptop", "acme", at)
	if err != nil {
		t.Fatal(err)
	}
	if k.Name != "laptop" || k.Tenant != "acme" || k.Hash != front.HashKey(secret) || !k.CreatedAt.Equal(at) || k.CreatedAt.Location() != time.UTC {
		t.Errorf("%+v", k)
	}
	if !strings.HasPrefix(secret, "plumb_") || len(secret) < 50 || strings.Contains(k.Hash, secret[6:]) {
		t.Errorf("secret %q, hash %q", secret, k.Hash)
	}
	own, other, err := front.NewKey("laptop", "", at)
	if err != nil || own.Tenant != "laptop" || other == secret {
		t.Errorf("%+v %v", own, err)
	}
}

func TestNamesThatAKeyCanNotHave(t *testing.T) {
	for _, name := range []string{"", "A", "a b", "-a", "_a", "ä", "a/b", "a.b", "../x", strings.Repeat("a", 65)} {
		if _, _, err := front.NewKey(name, "acme", time.Time{}); err == nil || !strings.Contains(err.Error(), "key name") {
			t.Errorf("name %q: %v", name, err)
		}
		if _, _, err := front.NewKey("good", name, time.Time{}); name != "" && (err == nil || !strings.Contains(err.Error(), "tenant")) {
			t.Errorf("tenant %q: %v", name, err)
		}
	}
	if _, _, err := front.NewKey("0-a_"+strings.Repeat("z", 60), "b", time.Time{}); err != nil {
		t.Error(err)
	}
}

func TestFieldErrorSaysWhatIsAllowed(t *testing.T) {
	for _, c := range []struct {
		e    front.FieldError
		want string
	}{
		{front.FieldError{Field: "mode", Value: "x", Allowed: "use a, b"}, `mode "x" is not allowed: use a, b`},
		{front.FieldError{Field: "query", Allowed: "a question"}, "query: a question"},
	} {
		if got := c.e.Error(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
