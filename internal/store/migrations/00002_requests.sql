-- Requests with an Idempotency-Key: what they did, kept a day, written in the transaction of their effect.
-- +goose Up
CREATE TABLE requests (
  account    TEXT NOT NULL,
  request    TEXT NOT NULL, -- SHA-256 of method, path and key
  digest     TEXT NOT NULL, -- SHA-256 of the body
  created_at BIGINT NOT NULL,
  status     SMALLINT NOT NULL,
  record     BIGINT NOT NULL,
  clock      BIGINT NOT NULL,
  tally      TEXT NOT NULL,
  version    SMALLINT NOT NULL,
  doc        TEXT NOT NULL, -- the record as it was answered
  PRIMARY KEY (account, request)
);
CREATE INDEX requests_created_at ON requests (created_at);
