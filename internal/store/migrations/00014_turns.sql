-- Background work by turns between those who asked for it; how often a job's process died; how much is being made.
-- +goose Up
ALTER TABLE jobs ADD COLUMN owner TEXT NOT NULL DEFAULT '';      -- the account for which it is done; '' is the service's own
ALTER TABLE jobs ADD COLUMN turn BIGINT NOT NULL DEFAULT 1;      -- of heavy work: in which round it comes, from 1; 0 of all other
ALTER TABLE jobs ADD COLUMN deaths SMALLINT NOT NULL DEFAULT 0;  -- of heavy work: how often its process died while it ran
CREATE INDEX jobs_turn ON jobs (kind, state, turn, run_at, id) WHERE state < 2 AND turn > 0;
CREATE INDEX jobs_owner ON jobs (kind, owner, turn) WHERE state < 2 AND turn > 0;
CREATE INDEX jobs_suspect ON jobs (run_at, id) WHERE state < 2 AND turn > 0 AND (state = 1 OR deaths > 0);
CREATE INDEX shareables_open ON shareables (project) WHERE status = 0;
