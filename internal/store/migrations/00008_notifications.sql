-- Whether a person is written to when something concerns them.
-- +goose Up
ALTER TABLE accounts ADD COLUMN notifications SMALLINT NOT NULL DEFAULT 1;
