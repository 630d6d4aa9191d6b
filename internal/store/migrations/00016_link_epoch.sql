-- Links to files and drawings are signed with their project's link epoch: raising it ends all links that were given out before.
-- +goose Up
ALTER TABLE projects ADD COLUMN epoch BIGINT NOT NULL DEFAULT 0;
