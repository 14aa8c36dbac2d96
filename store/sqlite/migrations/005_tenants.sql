-- Whose a run is; empty: the person's at this machine.
ALTER TABLE runs ADD COLUMN tenant TEXT NOT NULL DEFAULT '';
CREATE INDEX runs_tenant ON runs (tenant, created_at, id);

-- Titles that people gave to threads. A thread itself is what its runs say it is.
CREATE TABLE threads (
  tenant TEXT NOT NULL,
  id     TEXT NOT NULL,
  title  TEXT NOT NULL,
  PRIMARY KEY (tenant, id)
) STRICT, WITHOUT ROWID;

-- API keys, without their secrets.
CREATE TABLE keys (
  name       TEXT NOT NULL PRIMARY KEY,
  tenant     TEXT NOT NULL,
  hash       TEXT NOT NULL UNIQUE, -- SHA-256 of the secret, in hex
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Answers under the idempotency keys of clients.
CREATE TABLE replies (
  tenant TEXT NOT NULL,
  key    TEXT NOT NULL,
  asked  TEXT NOT NULL, -- SHA-256 of the request, in hex
  at     INTEGER NOT NULL,
  status INTEGER NOT NULL, -- 0: claimed, not answered yet
  header TEXT NOT NULL,
  body   BLOB NOT NULL,
  PRIMARY KEY (tenant, key)
) STRICT;
CREATE INDEX replies_at ON replies (at);

-- A title goes with the last run of its thread.
CREATE TRIGGER threads_of_run AFTER DELETE ON runs WHEN NOT EXISTS (SELECT 1 FROM runs WHERE tenant = OLD.tenant AND thread = OLD.thread) BEGIN
  DELETE FROM threads WHERE tenant = OLD.tenant AND id = OLD.thread;
END;
