-- Files: what is on its way in, and what records show. The bytes themselves lie in the file store, under the object's name.
-- +goose Up
CREATE TABLE uploads (
  project    BIGINT NOT NULL,
  uid        TEXT NOT NULL,        -- that the record will have
  token      TEXT NOT NULL UNIQUE, -- SHA-256 of the completion token, hex
  kind       TEXT NOT NULL,        -- what it becomes, by the plural in its path
  account    TEXT NOT NULL,        -- who began it
  credential TEXT NOT NULL,        -- with which key, grant or session
  type       TEXT NOT NULL,        -- content type, as declared
  name       TEXT NOT NULL,        -- of the file, for people
  detail     TEXT NOT NULL,        -- JSON: what else the record is to have
  most       BIGINT NOT NULL,      -- the most bytes that the form takes
  expires_at BIGINT NOT NULL,      -- when the form does
  object     TEXT,                 -- the last whole file that came; null before
  size       BIGINT,
  sha256     TEXT,
  completed  SMALLINT NOT NULL DEFAULT 0,
  PRIMARY KEY (project, uid)
);
CREATE INDEX uploads_expires_at ON uploads (project, expires_at);

CREATE TABLE files (
  object     TEXT NOT NULL PRIMARY KEY,
  project    BIGINT NOT NULL,
  record     BIGINT NOT NULL, -- the id of the record that shows it
  type       TEXT NOT NULL,
  name       TEXT NOT NULL,   -- that it is saved under
  size       BIGINT NOT NULL,
  sha256     TEXT NOT NULL,   -- hex
  created_at BIGINT NOT NULL
);
CREATE INDEX files_name ON files (project, name, record);
CREATE INDEX files_size ON files (project, size);
