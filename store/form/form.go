// Package form is how things look in a store, the same in every one of them: postings of the library, requests in parts,
// documents made ready for the index, numbered migrations, sums of money, and how an error names what it is about. It knows
// no database.
package form

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// JSON is a value as the tables keep it.
func JSON(v any) (string, error) {
	b, err := json.Marshal(v)
	return string(b), err
}

// JSONOfEach is that for each of several values.
func JSONOfEach[T any](vs []T) ([]string, error) {
	out := make([]string, len(vs))
	for i, v := range vs {
		var err error
		if out[i], err = JSON(v); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Micros is a time as the tables keep it.
func Micros(t time.Time) int64 { return t.UnixMicro() }

// Time undoes Micros.
func Time(micros int64) time.Time { return time.UnixMicro(micros).UTC() }

// CheckHash refuses a hash that is not the text's.
func CheckHash(hash, text string) error {
	sum := sha256.Sum256([]byte(text))
	if want := hex.EncodeToString(sum[:]); hash != want {
		return fmt.Errorf("hash %q is not the text's, %s", hash, want)
	}
	return nil
}

// KeptPages is how long a page that nobody reads again is kept.
const KeptPages = 30 * 24 * time.Hour

// IsOwn reports whether an address is of a document of the user's own.
func IsOwn(url string) bool { return strings.HasPrefix(url, "doc:") }
