-- Whose a run is; empty: the person's at this machine.
ALTER TABLE runs ADD COLUMN tenant TEXT COLLATE "C" NOT NULL DEFAULT '';
CREATE INDEX runs_tenant ON runs (tenant, created_at, id);

-- Titles that people gave to threads. A thread itself is what its runs say it is.
CREATE TABLE threads (
  tenant TEXT COLLATE "C" NOT NULL,
  id     TEXT COLLATE "C" NOT NULL,
  title  TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (tenant, id)
);

-- API keys, without their secrets.
CREATE TABLE keys (
  name       TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  tenant     TEXT COLLATE "C" NOT NULL,
  hash       TEXT COLLATE "C" NOT NULL UNIQUE, -- SHA-256 of the secret, in hex
  created_at BIGINT NOT NULL
);

-- Answers under the idempotency keys of clients.
CREATE TABLE replies (
  tenant TEXT COLLATE "C" NOT NULL,
  key    TEXT COLLATE "C" NOT NULL,
  asked  TEXT COLLATE "C" NOT NULL, -- SHA-256 of the request, in hex
  at     BIGINT NOT NULL,
  status BIGINT NOT NULL, -- 0: claimed, not answered yet
  header TEXT COLLATE "C" NOT NULL,
  body   BYTEA NOT NULL,
  PRIMARY KEY (tenant, key)
);
CREATE INDEX replies_at ON replies (at);

-- A title goes with the last run of its thread.
CREATE FUNCTION threads_of_run() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM threads WHERE tenant = OLD.tenant AND id = OLD.thread FOR UPDATE; -- of two last runs that go at once one waits
  DELETE FROM threads WHERE tenant = OLD.tenant AND id = OLD.thread
    AND NOT EXISTS (SELECT 1 FROM runs WHERE tenant = OLD.tenant AND thread = OLD.thread);
  RETURN NULL;
END $$;
CREATE TRIGGER threads_of_run AFTER DELETE ON runs FOR EACH ROW EXECUTE FUNCTION threads_of_run();
