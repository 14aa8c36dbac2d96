package main

import (
	"context"
	"errors"

	"github.com/plumbresearch/plumb/engine"
	"github.com/plumbresearch/plumb/front"
	"github.com/plumbresearch/plumb/library"
	"github.com/plumbresearch/plumb/llm"
	"github.com/plumbresearch/plumb/page"
	"github.com/plumbresearch/plumb/store/postgres"
	"github.com/plumbresearch/plumb/store/sqlite"
)

// store is what the program keeps everything in.
type store interface {
	engine.Store
	engine.Contents
	engine.Ledger
	engine.Tapes
	llm.Ledger
	library.Index
	page.Cache
	front.Threads
	front.Keys
	front.Replies
	// Place says where it is, for people: no secret is in it.
	Place() string
	Close() error
}

// store opens the store that the configuration names: a file, or a database that several machines share.
func (r *root) store(ctx context.Context) (store, error) {
	if dsn := r.config.Server.Database; dsn != "" {
		db, err := postgres.Open(ctx, dsn, postgres.Options{})
		if told, ok := errors.AsType[*postgres.Error](err); ok { // it says no more of the address than whose database is where
			return nil, usage("DATABASE_URL: %v", told)
		}
		if err != nil {
			return nil, err
		}
		return db, nil
	}
	return sqlite.Open(ctx, r.config.storePath(), sqlite.Options{Synchronous: r.config.Sync})
}
