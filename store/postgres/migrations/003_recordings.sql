-- The bill by step, what is set aside for calls under way, and the recordings of what was asked outside.

ALTER TABLE ledger ADD COLUMN step TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE ledger ADD COLUMN reservation TEXT COLLATE "C"; -- that the row settled; NULL: none was made
UPDATE ledger SET step = coalesce(row::json ->> 'step', '');
CREATE INDEX ledger_step ON ledger (run, step) INCLUDE (usd, tokens);
CREATE UNIQUE INDEX ledger_reservation ON ledger (reservation) WHERE reservation IS NOT NULL;
CREATE INDEX ledger_run ON ledger (run, at, id);

CREATE TABLE reservations (
  id     TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  run    BIGINT NOT NULL REFERENCES runs (n) ON DELETE CASCADE,
  step   TEXT COLLATE "C" NOT NULL,
  usd    DOUBLE PRECISION NOT NULL,
  tokens BIGINT NOT NULL
);
CREATE INDEX reservations_step ON reservations (run, step) INCLUDE (usd, tokens);

-- Whoever spends sees one list of what is gone, be it billed or set aside.
CREATE VIEW used (run, step, usd, tokens) AS
  SELECT run, step, usd, tokens FROM ledger UNION ALL SELECT run, step, usd, tokens FROM reservations;

-- JSON is kept as bytes: what was asked and answered comes back to the byte.
CREATE TABLE recordings (
  id     BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  run    BIGINT NOT NULL REFERENCES runs (n) ON DELETE CASCADE,
  step   TEXT COLLATE "C" NOT NULL,
  key    TEXT COLLATE "C" NOT NULL,
  nth    BIGINT NOT NULL,
  kind   TEXT COLLATE "C" NOT NULL,
  at     BIGINT NOT NULL,
  asked  BYTEA, -- NULL: nothing, or in parts
  parts  BIGINT[], -- ids in recording_parts; NULL: not in parts
  answer BYTEA NOT NULL,
  UNIQUE (run, step, key, nth)
);
CREATE INDEX recordings_run ON recordings (run, at, id);

-- A conversation is sent whole with every call. Each of its messages is kept once for a run.
CREATE TABLE recording_parts (
  id   BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  run  BIGINT NOT NULL REFERENCES runs (n) ON DELETE CASCADE,
  hash BYTEA NOT NULL, -- SHA-256 of body
  body BYTEA NOT NULL,
  UNIQUE (run, hash)
);
