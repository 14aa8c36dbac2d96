-- The bill by step, what is set aside for calls under way, and the recordings of what was asked outside.

ALTER TABLE ledger ADD COLUMN step TEXT NOT NULL DEFAULT '';
ALTER TABLE ledger ADD COLUMN reservation TEXT; -- that the row settled; NULL: none was made
UPDATE ledger SET step = coalesce(json_extract(row, '$.step'), '');
CREATE INDEX ledger_step ON ledger (run, step, usd, tokens);
CREATE UNIQUE INDEX ledger_reservation ON ledger (reservation) WHERE reservation IS NOT NULL;

-- The index of the times no longer carries the sums: ledger_step does.
DROP INDEX ledger_run;
CREATE INDEX ledger_run ON ledger (run, at, id);

CREATE TABLE reservations (
  id     TEXT NOT NULL PRIMARY KEY,
  run    INTEGER NOT NULL REFERENCES runs (n) ON DELETE CASCADE,
  step   TEXT NOT NULL,
  usd    REAL NOT NULL,
  tokens INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX reservations_step ON reservations (run, step, usd, tokens);

-- Whoever spends sees one list of what is gone, be it billed or set aside.
CREATE VIEW used (run, step, usd, tokens) AS
  SELECT run, step, usd, tokens FROM ledger UNION ALL SELECT run, step, usd, tokens FROM reservations;

-- JSON is kept as bytes: what was asked and answered comes back to the byte.
CREATE TABLE recordings (
  id     INTEGER PRIMARY KEY,
  run    INTEGER NOT NULL REFERENCES runs (n) ON DELETE CASCADE,
  step   TEXT NOT NULL,
  key    TEXT NOT NULL,
  nth    INTEGER NOT NULL,
  kind   TEXT NOT NULL,
  at     INTEGER NOT NULL,
  asked  BLOB, -- NULL: nothing, or in parts
  parts  TEXT, -- JSON array of ids in recording_parts; NULL: not in parts
  answer BLOB NOT NULL,
  UNIQUE (run, step, key, nth)
) STRICT;
CREATE INDEX recordings_run ON recordings (run, at, id);

-- A conversation is sent whole with every call. Each of its messages is kept once for a run.
CREATE TABLE recording_parts (
  id   INTEGER PRIMARY KEY,
  run  INTEGER NOT NULL REFERENCES runs (n) ON DELETE CASCADE,
  hash BLOB NOT NULL, -- SHA-256 of body
  body BLOB NOT NULL,
  UNIQUE (run, hash)
) STRICT;
