-- Who looks at which record, for less than a minute: for the processes that serve one database together. Where one
-- process owns the data, its memory is enough, and the table stays empty.
-- +goose Up
CREATE TABLE presence (
  project BIGINT NOT NULL,
  person  BIGINT NOT NULL, -- the ordinal of the team record
  kind    BIGINT NOT NULL,
  record  TEXT NOT NULL,   -- its uid
  editing BIGINT NOT NULL,
  ends    BIGINT NOT NULL, -- microseconds; from then on nobody is there
  PRIMARY KEY (project, person, kind, record)
);
