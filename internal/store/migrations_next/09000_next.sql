-- What a later release might add: only programs with planted faults have it, so that upgrades can be tried.
-- +goose Up
ALTER TABLE accounts ADD COLUMN next_release TEXT;
CREATE TABLE next_release (
  project BIGINT NOT NULL PRIMARY KEY,
  words   TEXT NOT NULL
);
