-- The terms that a record had before a change that took some from it, of kinds that not everybody sees all of: whoever
-- saw the record and no longer does is told so. Null for all other changes.
-- +goose Up
ALTER TABLE changes ADD COLUMN was TEXT;
