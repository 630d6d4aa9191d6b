-- A key that was made with a key that has limits of its own counts in that key's windows: counted_by is the first key of the chain. Null for a key that
-- counts for itself (it has limits) or with its account's others (it has none).
-- +goose Up
ALTER TABLE keys ADD COLUMN counted_by TEXT;
CREATE INDEX keys_created_at ON keys (created_at, uid);
CREATE INDEX applications_created_at ON applications (created_at, uid);
