-- The tables of the SQLite store, with its names. Times are microseconds since 1970 in UTC; what is JSON carries its times
-- in full and is TEXT, not JSONB: it comes back to the byte, and may hold \u0000. Everything sorts by bytes. Rows of a run
-- refer to it by number.

-- A run as it was created. What changes with every outcome stands in run_states, so that a commit rewrites a short row.
CREATE TABLE runs (
  n          BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, -- never given again
  id         TEXT COLLATE "C" NOT NULL UNIQUE,
  kind       TEXT COLLATE "C" NOT NULL,
  thread     TEXT COLLATE "C" NOT NULL,
  question   TEXT COLLATE "C" NOT NULL,
  created_at BIGINT NOT NULL,
  run        TEXT COLLATE "C" NOT NULL -- JSON
);
CREATE INDEX runs_created ON runs (created_at, id);
CREATE INDEX runs_thread ON runs (thread, created_at, id);

CREATE TABLE run_states (
  run         BIGINT PRIMARY KEY REFERENCES runs (n) ON DELETE CASCADE,
  state       TEXT COLLATE "C" NOT NULL,
  outcomes    BIGINT NOT NULL, -- in the journal
  usd         DOUBLE PRECISION NOT NULL,
  tokens      BIGINT NOT NULL,
  updated_at  BIGINT NOT NULL,
  owner       TEXT COLLATE "C" NOT NULL DEFAULT '', -- empty: nobody works on it
  lease_until BIGINT NOT NULL DEFAULT 0
) WITH (fillfactor = 50); -- so that a row that every commit rewrites stays on its page
CREATE INDEX run_states_owner ON run_states (owner) WHERE owner <> '';

CREATE TABLE outcomes (
  run     BIGINT NOT NULL REFERENCES runs (n) ON DELETE CASCADE,
  seq     BIGINT NOT NULL, -- from 1, without gaps
  outcome TEXT COLLATE "C" NOT NULL, -- JSON
  UNIQUE (run, seq)
);

CREATE TABLE events (
  run     BIGINT NOT NULL REFERENCES runs (n) ON DELETE CASCADE,
  seq     BIGINT NOT NULL,
  step    TEXT COLLATE "C" NOT NULL,
  attempt BIGINT NOT NULL,
  void    BIGINT NOT NULL DEFAULT 0,
  event   TEXT COLLATE "C" NOT NULL, -- JSON
  UNIQUE (run, seq)
);

-- Letters are sent one at a time (see inbox.go), so that their ids become visible in order.
CREATE TABLE inbox (
  id     BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  run    BIGINT NOT NULL REFERENCES runs (n) ON DELETE CASCADE,
  at     BIGINT NOT NULL,
  signal TEXT COLLATE "C" NOT NULL -- JSON
);
CREATE INDEX inbox_run ON inbox (run, id);

CREATE TABLE artefacts (
  run   BIGINT NOT NULL REFERENCES runs (n) ON DELETE CASCADE,
  ref   TEXT COLLATE "C" NOT NULL,
  value TEXT COLLATE "C" NOT NULL, -- JSON
  PRIMARY KEY (run, ref)
);

-- Texts are kept as bytes: passages are byte offsets, and a text may hold NUL.
CREATE TABLE sources (
  hash TEXT COLLATE "C" NOT NULL PRIMARY KEY, -- SHA-256 in hex
  text BYTEA NOT NULL
);

-- An address that was read twice with different texts has a row for each: findings may quote both.
CREATE TABLE run_sources (
  run    BIGINT NOT NULL REFERENCES runs (n) ON DELETE CASCADE,
  url    TEXT COLLATE "C" NOT NULL, -- shortened if it is long: see short in text.go
  source TEXT COLLATE "C" NOT NULL REFERENCES sources (hash),
  json   TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (run, url, source)
);
CREATE INDEX run_sources_source ON run_sources (source);

-- Whoever keeps a text alive. A later migration that refers to sources replaces the view with a UNION ALL.
CREATE VIEW source_users (source) AS SELECT source FROM run_sources;

CREATE TABLE findings (
  run     BIGINT NOT NULL REFERENCES runs (n) ON DELETE CASCADE,
  unit    TEXT COLLATE "C" NOT NULL,
  pos     BIGINT NOT NULL,
  subtask BIGINT NOT NULL,
  finding TEXT COLLATE "C" NOT NULL, -- JSON
  PRIMARY KEY (run, unit, pos)
);

CREATE TABLE citations (
  run      BIGINT NOT NULL REFERENCES runs (n) ON DELETE CASCADE,
  pos      BIGINT NOT NULL,
  citation TEXT COLLATE "C" NOT NULL, -- JSON
  PRIMARY KEY (run, pos)
);

CREATE TABLE claims (
  run   BIGINT NOT NULL REFERENCES runs (n) ON DELETE CASCADE,
  id    TEXT COLLATE "C" NOT NULL,
  pos   BIGINT NOT NULL,
  claim TEXT COLLATE "C" NOT NULL, -- JSON
  PRIMARY KEY (run, id)
);

CREATE TABLE verdicts (
  run     BIGINT NOT NULL REFERENCES runs (n) ON DELETE CASCADE,
  claim   TEXT COLLATE "C" NOT NULL,
  verdict TEXT COLLATE "C" NOT NULL, -- JSON
  PRIMARY KEY (run, claim)
);

CREATE TABLE ledger (
  id     BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  run    BIGINT NOT NULL REFERENCES runs (n) ON DELETE CASCADE,
  at     BIGINT NOT NULL,
  usd    DOUBLE PRECISION NOT NULL,
  tokens BIGINT NOT NULL,
  row    TEXT COLLATE "C" NOT NULL -- JSON
);
