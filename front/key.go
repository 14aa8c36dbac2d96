package front

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"strings"
	"time"
)

// Key lets a client in as a tenant.
type Key struct {
	Name      string
	Tenant    string
	Hash      string // SHA-256 of the secret in hex: secrets are random, so that a slow hash would add nothing
	CreatedAt time.Time
}

// secretPrefix lets people and scanners recognise a key.
const secretPrefix = "plumb_"

var tenantName = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,63}$`)

// NewKey makes a key and its secret, which is shown once. The tenant is the key's name where none is given.
func NewKey(name, tenant string, at time.Time) (Key, string, error) {
	if tenant == "" {
		tenant = name
	}
	for _, v := range []struct{ what, value string }{{"key name", name}, {"tenant", tenant}} {
		if !tenantName.MatchString(v.value) {
			return Key{}, "", fmt.Errorf("%s %q: use 1 to 64 of a-z, 0-9, _ and -, beginning with a letter or digit", v.what, v.value)
		}
	}
	secret := secretPrefix + strings.ToLower(rand.Text()+rand.Text()) // 260 bits
	return Key{Name: name, Tenant: tenant, Hash: HashKey(secret), CreatedAt: at.UTC()}, secret, nil
}

// HashKey is the hash under which a secret is kept.
func HashKey(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}
