-- Sets of drawings on their way: the upload, its files, and the pages that were read of them. A page becomes a record at publication, not before.
-- +goose Up
CREATE TABLE version_uploads (
  project    BIGINT NOT NULL,
  uid        TEXT NOT NULL,     -- that the version set has, from the completion on
  name       TEXT NOT NULL,     -- of the version
  publish    SMALLINT NOT NULL, -- 1: as soon as it was read
  person     BIGINT NOT NULL,   -- ordinal of who began it, then of who completed it
  state      SMALLINT NOT NULL, -- 0 files come, 1 being read, 2 read, 3 published, 4 nothing can be read
  error      TEXT,              -- what is wrong with all of it
  touched_at BIGINT NOT NULL,   -- when a form was last asked for
  PRIMARY KEY (project, uid)
);
CREATE INDEX version_uploads_touched_at ON version_uploads (project, touched_at) WHERE state = 0;

CREATE TABLE version_files (
  project BIGINT NOT NULL,
  upload  TEXT NOT NULL,
  place   BIGINT NOT NULL, -- from 1, in the order of the file upload requests
  uid     TEXT NOT NULL,   -- of the file upload request, and of its row in uploads
  name    TEXT,            -- as it was last asked for
  object  TEXT,            -- the file, from the completion on
  pages   BIGINT,          -- how many it has; null before it was opened
  state   SMALLINT NOT NULL DEFAULT 0, -- 0 to be read, 1 read, 2 cannot be read
  error   TEXT,
  PRIMARY KEY (project, upload, place)
);

CREATE INDEX version_files_uid ON version_files (project, uid);

CREATE TABLE version_pages (
  project BIGINT NOT NULL,
  upload  TEXT NOT NULL,
  file    BIGINT NOT NULL, -- its place
  page    BIGINT NOT NULL, -- from 1
  error   TEXT,            -- why it cannot be read, or its text cannot
  made    TEXT,            -- JSON: its size and objects; null where it cannot be read
  words   TEXT,            -- each word of its text once; dropped at publication, when the sheet has them
  found   TEXT,            -- JSON: what its title block says, and what it refers to; null until all pages were read
  given   TEXT,            -- JSON: what somebody corrected
  PRIMARY KEY (project, upload, file, page)
);
