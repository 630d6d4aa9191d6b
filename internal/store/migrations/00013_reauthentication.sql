-- What an access token may be used for, where it was renewed for less than the person allowed; null: all of it.
-- And how many letters on their own security an account was sent on a day, counted since 1970, so that nobody can make the service write without end.
-- +goose Up
ALTER TABLE tokens ADD COLUMN scopes TEXT;
ALTER TABLE accounts ADD COLUMN told_day BIGINT NOT NULL DEFAULT 0;
ALTER TABLE accounts ADD COLUMN told SMALLINT NOT NULL DEFAULT 0;
