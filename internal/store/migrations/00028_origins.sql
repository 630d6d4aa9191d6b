-- For which request a job is done, as trace.Origin writes it; '' for what the service does by itself.
-- +goose Up
ALTER TABLE jobs ADD COLUMN origin TEXT NOT NULL DEFAULT '';
