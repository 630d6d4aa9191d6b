-- Accounts with many projects, in which it is still to be told, a few projects at a time, that what is shown of them changed.
-- +goose Up
CREATE TABLE announcements (
  account TEXT PRIMARY KEY,
  upto    BIGINT NOT NULL, -- the last team record at which it was told
  again   BIGINT NOT NULL  -- 1: something changed since that was begun, so that it is told once more from the beginning
);
