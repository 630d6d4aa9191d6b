-- The ledger: few tables, the same text for both engines. `BIGINT PRIMARY KEY` becomes the rowid on SQLite.
-- Times are microseconds since 1970 UTC. docs/architecture.md explains the packed ids.
-- +goose Up
CREATE TABLE projects (
  id    BIGINT PRIMARY KEY,
  uid   TEXT NOT NULL UNIQUE,
  clock BIGINT NOT NULL, -- the last updated_at given in the project
  seq   BIGINT NOT NULL  -- the number of changes in the project
);

CREATE TABLE records (
  id      BIGINT PRIMARY KEY, -- project << 39 | kind << 32 | ordinal
  uid     TEXT NOT NULL,
  clock   BIGINT NOT NULL,    -- updated_at
  deleted SMALLINT NOT NULL DEFAULT 0,
  tally   TEXT NOT NULL DEFAULT '', -- shown counts, slot by slot: "2 0 1"; changing it moves seq, not clock
  terms   TEXT NOT NULL DEFAULT '', -- filterable values, tab-separated: "status=open\tassigned_to=4"
  version SMALLINT NOT NULL,        -- of the kind's document
  doc     TEXT NOT NULL,            -- the response with holes
  private TEXT                      -- what the response never shows
);
-- Not unique: a person and a role carry one uid in every project.
CREATE INDEX records_uid ON records (uid, id);

CREATE TABLE links (
  owner  BIGINT NOT NULL,
  field  SMALLINT NOT NULL,
  place  BIGINT NOT NULL,
  target BIGINT NOT NULL,
  PRIMARY KEY (owner, field, place)
);
CREATE INDEX links_target ON links (target, field, owner);

CREATE TABLE changes (
  id     BIGINT PRIMARY KEY, -- project << 39 | seq
  record BIGINT NOT NULL,
  clock  BIGINT NOT NULL,
  op     SMALLINT NOT NULL,
  actor  BIGINT NOT NULL,    -- ordinal of the team record, 0 for the service itself
  diff   TEXT                -- {"field": [old, new]}
);
-- Only of kinds that show their history, RFIs: for all records it would be a page more to write with every change.
CREATE INDEX changes_record ON changes (record, id) WHERE (record >> 32) & 127 = 10;

CREATE TABLE instance (
  name  TEXT NOT NULL PRIMARY KEY,
  value TEXT NOT NULL
);

CREATE TABLE accounts (
  uid        TEXT NOT NULL PRIMARY KEY,
  email      TEXT NOT NULL,        -- as typed
  email_key  TEXT NOT NULL UNIQUE, -- as compared
  first_name TEXT,
  last_name  TEXT,
  language   TEXT,
  company    TEXT,
  title      TEXT,
  password   TEXT,                 -- argon2id; null until the invited person sets one
  operator   SMALLINT NOT NULL DEFAULT 0,
  disabled   SMALLINT NOT NULL DEFAULT 0,
  created_at BIGINT NOT NULL
);

CREATE TABLE keys (
  uid          TEXT NOT NULL PRIMARY KEY,
  hash         TEXT NOT NULL UNIQUE, -- SHA-256 of the key, hex
  account      TEXT NOT NULL,
  name         TEXT NOT NULL,
  limits       TEXT,                 -- "all/1=40 write/360=2000"; null: the defaults
  created_at   BIGINT NOT NULL,
  last_used_at BIGINT,
  revoked_at   BIGINT
);
CREATE INDEX keys_account ON keys (account);
