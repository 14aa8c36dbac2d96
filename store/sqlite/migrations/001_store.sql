-- Times are microseconds since 1970 in UTC; what is JSON carries its times in full. Rows of a run refer to it by number.
-- outcomes and events are appended to, with an index of small integers beside them: with 10,000 runs at work a commit costs
-- half of what it does when the rows of each run are kept together.

-- A run as it was created. What changes with every outcome stands in run_states, so that a commit rewrites a short row.
CREATE TABLE runs (
  n          INTEGER PRIMARY KEY AUTOINCREMENT, -- never given again: processes remember it
  id         TEXT NOT NULL UNIQUE,
  kind       TEXT NOT NULL,
  thread     TEXT NOT NULL,
  question   TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  run        TEXT NOT NULL -- JSON
) STRICT;
CREATE INDEX runs_created ON runs (created_at, id);
CREATE INDEX runs_thread ON runs (thread, created_at, id);

CREATE TABLE run_states (
  run         INTEGER PRIMARY KEY REFERENCES runs (n) ON DELETE CASCADE,
  state       TEXT NOT NULL,
  outcomes    INTEGER NOT NULL, -- in the journal
  usd         REAL NOT NULL,
  tokens      INTEGER NOT NULL,
  updated_at  INTEGER NOT NULL,
  owner       TEXT NOT NULL DEFAULT '', -- empty: nobody works on it
  lease_until INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX run_states_owner ON run_states (owner) WHERE owner <> '';

CREATE TABLE outcomes (
  run     INTEGER NOT NULL REFERENCES runs (n) ON DELETE CASCADE,
  seq     INTEGER NOT NULL, -- from 1, without gaps
  outcome TEXT NOT NULL, -- JSON
  UNIQUE (run, seq)
) STRICT;

CREATE TABLE events (
  run     INTEGER NOT NULL REFERENCES runs (n) ON DELETE CASCADE,
  seq     INTEGER NOT NULL,
  step    TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  void    INTEGER NOT NULL DEFAULT 0,
  event   TEXT NOT NULL, -- JSON
  UNIQUE (run, seq)
) STRICT;

-- AUTOINCREMENT: a letter that was taken is deleted, and its id is never given again.
CREATE TABLE inbox (
  id     INTEGER PRIMARY KEY AUTOINCREMENT,
  run    INTEGER NOT NULL REFERENCES runs (n) ON DELETE CASCADE,
  at     INTEGER NOT NULL,
  signal TEXT NOT NULL -- JSON
) STRICT;
CREATE INDEX inbox_run ON inbox (run, id);

CREATE TABLE artefacts (
  run   INTEGER NOT NULL REFERENCES runs (n) ON DELETE CASCADE,
  ref   TEXT NOT NULL,
  value TEXT NOT NULL, -- JSON
  PRIMARY KEY (run, ref)
) STRICT;

-- Texts are kept as bytes: passages are byte offsets, and a text may hold NUL.
CREATE TABLE sources (
  hash TEXT NOT NULL PRIMARY KEY, -- SHA-256 in hex
  text BLOB NOT NULL
) STRICT;

-- An address that was read twice with different texts has a row for each: findings may quote both.
CREATE TABLE run_sources (
  run    INTEGER NOT NULL REFERENCES runs (n) ON DELETE CASCADE,
  url    TEXT NOT NULL,
  source TEXT NOT NULL REFERENCES sources (hash),
  json   TEXT NOT NULL,
  PRIMARY KEY (run, url, source)
) STRICT, WITHOUT ROWID;
CREATE INDEX run_sources_source ON run_sources (source);

-- Whoever keeps a text alive. A later migration that refers to sources drops and re-creates the view with a UNION ALL.
CREATE VIEW source_users (source) AS SELECT source FROM run_sources;

CREATE TABLE findings (
  run     INTEGER NOT NULL REFERENCES runs (n) ON DELETE CASCADE,
  unit    TEXT NOT NULL,
  pos     INTEGER NOT NULL,
  subtask INTEGER NOT NULL,
  finding TEXT NOT NULL, -- JSON
  PRIMARY KEY (run, unit, pos)
) STRICT;

CREATE TABLE citations (
  run      INTEGER NOT NULL REFERENCES runs (n) ON DELETE CASCADE,
  pos      INTEGER NOT NULL,
  citation TEXT NOT NULL, -- JSON
  PRIMARY KEY (run, pos)
) STRICT;

CREATE TABLE claims (
  run   INTEGER NOT NULL REFERENCES runs (n) ON DELETE CASCADE,
  id    TEXT NOT NULL,
  pos   INTEGER NOT NULL,
  claim TEXT NOT NULL, -- JSON
  PRIMARY KEY (run, id)
) STRICT;

CREATE TABLE verdicts (
  run     INTEGER NOT NULL REFERENCES runs (n) ON DELETE CASCADE,
  claim   TEXT NOT NULL,
  verdict TEXT NOT NULL, -- JSON
  PRIMARY KEY (run, claim)
) STRICT;

CREATE TABLE ledger (
  id     INTEGER PRIMARY KEY,
  run    INTEGER NOT NULL REFERENCES runs (n) ON DELETE CASCADE,
  at     INTEGER NOT NULL,
  usd    REAL NOT NULL,
  tokens INTEGER NOT NULL,
  row    TEXT NOT NULL -- JSON
) STRICT;
CREATE INDEX ledger_run ON ledger (run, at, id, usd, tokens);
