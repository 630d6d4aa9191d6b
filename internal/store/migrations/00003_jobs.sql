-- Background work: a job is a row, written in the transaction of what asked for it.
-- +goose Up
CREATE TABLE jobs (
  id          TEXT NOT NULL PRIMARY KEY, -- of periodic work kind/time, so that it is made once; else a uid, which grows with time
  kind        TEXT NOT NULL,
  key         TEXT,                      -- at most one unfinished job of a kind has it
  args        TEXT NOT NULL,             -- JSON
  state       SMALLINT NOT NULL,         -- 0 waiting, 1 running, 2 done, 3 failed
  run_at      BIGINT NOT NULL,           -- waiting: when it is due; running: when its lease ends
  attempt     SMALLINT NOT NULL,         -- how often it was begun
  progress    SMALLINT NOT NULL,         -- 0 to 100
  error       TEXT,                      -- of the last attempt
  created_at  BIGINT NOT NULL,
  finished_at BIGINT
);
CREATE INDEX jobs_due ON jobs (kind, run_at, id) WHERE state < 2;
CREATE UNIQUE INDEX jobs_key ON jobs (kind, key) WHERE state < 2;
CREATE INDEX jobs_finished ON jobs (finished_at) WHERE state > 1;
