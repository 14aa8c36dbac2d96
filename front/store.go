package front

import (
	"context"
	"time"

	"github.com/plumbresearch/plumb"
	"github.com/plumbresearch/plumb/engine"
)

// Store is what front ends read, and the little that they keep themselves.
type Store interface {
	engine.Journal
	engine.EventLog
	engine.Contents
	engine.Ledger
	Threads
}

// Threads are conversations of questions. A thread is there as long as one of its runs is.
type Threads interface {
	// Threads of a tenant, the one touched last first. Limit 0: all. total counts them all.
	Threads(ctx context.Context, tenant string, limit, offset int) (threads []Thread, total int, err error)
	// Thread gives one, or engine.ErrNotFound.
	Thread(ctx context.Context, tenant, id string) (Thread, error)
	// TitleThread names a thread, or answers engine.ErrNotFound. The title goes with the last run of the thread.
	TitleThread(ctx context.Context, tenant, id, title string) error
}

// Thread sums up a conversation.
type Thread struct {
	ID        string
	Tenant    string
	Title     string // empty: nobody named it
	Question  string // of its first run
	CreatedAt time.Time
	UpdatedAt time.Time
	Runs      int
	Spent     plumb.Spent
}

// Keys are the API keys. A secret is never kept, only its hash.
type Keys interface {
	// AddKey keeps a key, or answers engine.ErrExists when its name is taken.
	AddKey(ctx context.Context, k Key) error
	// Keys in the order of their names.
	Keys(ctx context.Context) ([]Key, error)
	// KeyOf finds a key by the hash of its secret, or answers engine.ErrNotFound.
	KeyOf(ctx context.Context, hash string) (Key, error)
	// DropKey forgets a key by its name, or answers engine.ErrNotFound.
	DropKey(ctx context.Context, name string) error
}

// Replies are answers kept under the idempotency keys of clients.
type Replies interface {
	// ClaimReply takes the key for the caller (mine), or gives what is kept under it. One that was claimed before stale and
	// never answered is taken over; one that was answered before old is forgotten first.
	ClaimReply(ctx context.Context, r Reply, stale, old time.Time) (kept Reply, mine bool, err error)
	// KeepReply answers a claimed key.
	KeepReply(ctx context.Context, r Reply) error
	// DropReply gives a claimed key back: the request failed and may be tried again.
	DropReply(ctx context.Context, tenant, key string) error
}

// Reply is an answer that may be given again.
type Reply struct {
	Tenant string
	Key    string
	Asked  string // SHA-256 of method, path and body
	At     time.Time
	Status int    // 0: claimed, not answered yet
	Header string // JSON
	Body   []byte
}
