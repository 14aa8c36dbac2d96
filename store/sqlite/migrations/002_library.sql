-- The library. Every folder has its own statistics and its own inverted index, so that what a search over it finds
-- depends on its documents alone.

CREATE TABLE library_folders (
  id       INTEGER PRIMARY KEY AUTOINCREMENT,
  path     TEXT NOT NULL UNIQUE, -- absolute
  passages INTEGER NOT NULL DEFAULT 0,
  terms    INTEGER NOT NULL DEFAULT 0 -- sum of the passages' lengths
) STRICT;

CREATE TABLE library_languages (
  folder    INTEGER NOT NULL REFERENCES library_folders (id) ON DELETE CASCADE,
  language  TEXT NOT NULL, -- '' is unknown
  documents INTEGER NOT NULL,
  PRIMARY KEY (folder, language)
) STRICT, WITHOUT ROWID;

-- A segment is the inverted index of the documents that were written together, or of several such after a merge. Its id
-- is never given again: the ids of passages are made from it.
CREATE TABLE library_segments (
  id       INTEGER PRIMARY KEY AUTOINCREMENT,
  folder   INTEGER NOT NULL REFERENCES library_folders (id) ON DELETE CASCADE,
  passages INTEGER NOT NULL, -- with the dead ones
  dead     INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX library_segments_folder ON library_segments (folder, passages);

CREATE TABLE library_documents (
  id       INTEGER PRIMARY KEY AUTOINCREMENT,
  folder   INTEGER NOT NULL REFERENCES library_folders (id) ON DELETE CASCADE,
  path     TEXT NOT NULL, -- relative to the folder
  size     INTEGER NOT NULL,
  mtime    INTEGER NOT NULL, -- nanoseconds since 1970
  hash     TEXT NOT NULL, -- of the file's bytes
  source   TEXT NOT NULL REFERENCES sources (hash),
  language TEXT NOT NULL,
  segment  INTEGER NOT NULL,
  first    INTEGER NOT NULL, -- id of its first passage; the others follow without gaps
  passages INTEGER NOT NULL,
  terms    INTEGER NOT NULL,
  json     TEXT NOT NULL,
  UNIQUE (folder, path)
) STRICT;
CREATE INDEX library_documents_source ON library_documents (source);
CREATE INDEX library_documents_segment ON library_documents (segment);

CREATE TABLE library_passages (
  id       INTEGER PRIMARY KEY, -- segment << 20 | number, of the segment that it was written in
  document INTEGER NOT NULL,
  start    INTEGER NOT NULL,
  stop     INTEGER NOT NULL,
  heading  TEXT NOT NULL
) STRICT;

CREATE TABLE library_postings (
  segment INTEGER NOT NULL,
  term    TEXT NOT NULL,
  data    BLOB NOT NULL, -- see library_postings.go
  PRIMARY KEY (segment, term)
) STRICT, WITHOUT ROWID;

-- Passages that are gone, but stand in the postings of their segment until it is written anew.
CREATE TABLE library_dead (
  segment INTEGER NOT NULL,
  passage INTEGER NOT NULL,
  PRIMARY KEY (segment, passage)
) STRICT, WITHOUT ROWID;

CREATE TABLE library_findings (
  run     TEXT NOT NULL,
  pos     INTEGER NOT NULL,
  at      INTEGER NOT NULL,
  source  TEXT NOT NULL,
  own     INTEGER NOT NULL, -- 1: of one of the user's documents
  finding TEXT NOT NULL, -- JSON
  PRIMARY KEY (run, pos)
) STRICT;
CREATE TRIGGER library_findings_of_run AFTER DELETE ON runs BEGIN
  DELETE FROM library_findings WHERE run = OLD.id;
END;

DROP VIEW source_users;
CREATE VIEW source_users (source) AS
  SELECT source FROM run_sources UNION ALL SELECT source FROM library_documents;
