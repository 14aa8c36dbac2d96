-- Pages of the web as they were last read, for all runs. The text stands with them: deleting a run leaves them alone.
CREATE TABLE pages (
  url  TEXT NOT NULL PRIMARY KEY,
  at   INTEGER NOT NULL, -- when it was last known to hold, in microseconds
  json BLOB NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX pages_at ON pages (at);
