-- Pages of the web as they were last read, for all runs. The text stands with them: deleting a run leaves them alone.
CREATE TABLE pages (
  url  TEXT COLLATE "C" NOT NULL PRIMARY KEY, -- shortened if it is long: see short in text.go
  at   BIGINT NOT NULL, -- when it was last known to hold, in microseconds
  json BYTEA NOT NULL
);
CREATE INDEX pages_at ON pages (at);
