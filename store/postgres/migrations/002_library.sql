-- The library. Every folder has its own statistics and its own inverted index, so that what a search over it finds
-- depends on its documents alone.

CREATE TABLE library_folders (
  id       BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  path     TEXT COLLATE "C" NOT NULL UNIQUE, -- absolute
  passages BIGINT NOT NULL DEFAULT 0,
  terms    BIGINT NOT NULL DEFAULT 0 -- sum of the passages' lengths
);

CREATE TABLE library_languages (
  folder    BIGINT NOT NULL REFERENCES library_folders (id) ON DELETE CASCADE,
  language  TEXT COLLATE "C" NOT NULL, -- '' is unknown
  documents BIGINT NOT NULL,
  PRIMARY KEY (folder, language)
);

-- A segment is the inverted index of the documents that were written together, or of several such after a merge. Its id
-- is never given again: the ids of passages are made from it.
CREATE TABLE library_segments (
  id       BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  folder   BIGINT NOT NULL REFERENCES library_folders (id) ON DELETE CASCADE,
  passages BIGINT NOT NULL, -- with the dead ones
  dead     BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX library_segments_folder ON library_segments (folder, passages);

CREATE TABLE library_documents (
  id       BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  folder   BIGINT NOT NULL REFERENCES library_folders (id) ON DELETE CASCADE,
  path     TEXT COLLATE "C" NOT NULL, -- relative to the folder
  size     BIGINT NOT NULL,
  mtime    BIGINT NOT NULL, -- nanoseconds since 1970
  hash     TEXT COLLATE "C" NOT NULL, -- of the file's bytes
  source   TEXT COLLATE "C" NOT NULL REFERENCES sources (hash),
  language TEXT COLLATE "C" NOT NULL,
  segment  BIGINT NOT NULL,
  first    BIGINT NOT NULL, -- id of its first passage; the others follow without gaps
  passages BIGINT NOT NULL,
  terms    BIGINT NOT NULL,
  json     TEXT COLLATE "C" NOT NULL,
  UNIQUE (folder, path)
);
CREATE INDEX library_documents_source ON library_documents (source);
CREATE INDEX library_documents_segment ON library_documents (segment);

CREATE TABLE library_passages (
  id       BIGINT PRIMARY KEY, -- segment << 20 | number, of the segment that it was written in
  document BIGINT NOT NULL,
  start    BIGINT NOT NULL,
  stop     BIGINT NOT NULL,
  heading  TEXT COLLATE "C" NOT NULL
);
CREATE INDEX library_passages_document ON library_passages (document); -- DropFolder would read the whole table

CREATE TABLE library_postings (
  segment BIGINT NOT NULL,
  term    TEXT COLLATE "C" NOT NULL, -- shortened if it is long: see short in text.go
  data    BYTEA NOT NULL, -- see library_postings.go
  PRIMARY KEY (segment, term)
);

-- Passages that are gone, but stand in the postings of their segment until it is written anew.
CREATE TABLE library_dead (
  segment BIGINT NOT NULL,
  passage BIGINT NOT NULL,
  PRIMARY KEY (segment, passage)
);

CREATE TABLE library_findings (
  run     TEXT COLLATE "C" NOT NULL,
  pos     BIGINT NOT NULL,
  at      BIGINT NOT NULL,
  source  TEXT COLLATE "C" NOT NULL,
  own     BIGINT NOT NULL, -- 1: of one of the user's documents
  finding TEXT COLLATE "C" NOT NULL, -- JSON
  PRIMARY KEY (run, pos)
);
CREATE FUNCTION library_findings_of_run() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM library_findings WHERE run = OLD.id;
  RETURN NULL;
END $$;
CREATE TRIGGER library_findings_of_run AFTER DELETE ON runs FOR EACH ROW EXECUTE FUNCTION library_findings_of_run();

CREATE OR REPLACE VIEW source_users (source) AS
  SELECT source FROM run_sources UNION ALL SELECT source FROM library_documents;
