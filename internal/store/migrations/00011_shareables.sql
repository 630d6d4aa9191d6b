-- Files that are made for somebody who asked for them: sheet packets, reports, exports.
-- +goose Up
CREATE TABLE shareables (
  project    BIGINT NOT NULL,
  uid        TEXT NOT NULL,
  kind       TEXT NOT NULL,     -- its path in the project: sheets/packets
  account    TEXT NOT NULL,     -- whose it is
  job        TEXT NOT NULL,     -- that makes it
  status     SMALLINT NOT NULL, -- 0 incomplete, 1 complete, 2 errored
  message    TEXT,              -- why it is errored
  object     TEXT,              -- the file; of an incomplete one, where the present attempt puts it
  created_at BIGINT NOT NULL,
  ended_at   BIGINT,
  PRIMARY KEY (project, uid)
);
CREATE INDEX shareables_created_at ON shareables (project, created_at);
