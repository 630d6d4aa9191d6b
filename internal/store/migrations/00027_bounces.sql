-- Letters to people that came back for good. A row goes when a letter arrives, or an operator says that they do.
-- +goose Up
CREATE TABLE bounces (
  account  TEXT NOT NULL PRIMARY KEY,
  times    BIGINT NOT NULL,   -- how many that say something of the address, without a pause of a month
  at       BIGINT NOT NULL,   -- when the last one came back, in microseconds
  what     TEXT NOT NULL,     -- what the server said
  reported SMALLINT NOT NULL, -- 1: some were taken first, and sent back later; 0: all were refused at once
  letters  TEXT NOT NULL      -- the last ones, by the uids of their jobs
);
