-- Who invited, and to what, for the page that the link of an invitation leads to; null for other links.
-- +goose Up
ALTER TABLE capabilities ADD COLUMN invited_by TEXT;
ALTER TABLE capabilities ADD COLUMN invited_to TEXT;
