-- A client may choose the uid of an upload, so the uid is unique within its project and kind, as those of records are.
-- +goose Up
-- only postgres
ALTER TABLE uploads DROP CONSTRAINT uploads_pkey;
ALTER TABLE uploads ADD PRIMARY KEY (project, uid, kind);
-- only sqlite3
CREATE TABLE uploads_by_kind (
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
  PRIMARY KEY (project, uid, kind)
);
INSERT INTO uploads_by_kind SELECT project, uid, token, kind, account, credential, type, name, detail, most, expires_at, object, size, sha256, completed FROM uploads;
DROP TABLE uploads;
ALTER TABLE uploads_by_kind RENAME TO uploads;
CREATE INDEX uploads_expires_at ON uploads (project, expires_at);
