-- The refresh tokens of a consent begin with its mark. So one that was used need not be kept after its grace: whoever shows it is known by its mark, and ends
-- the family. Refresh tokens that were given out before have no mark (marked 0): those that were used are kept until they expire.
-- given is how many pairs of tokens a refresh token was exchanged for.
-- +goose Up
ALTER TABLE grants ADD COLUMN mark TEXT;
CREATE UNIQUE INDEX grants_mark ON grants (mark);
CREATE INDEX grants_revoked_at ON grants (revoked_at);
ALTER TABLE tokens ADD COLUMN marked SMALLINT NOT NULL DEFAULT 0;
ALTER TABLE tokens ADD COLUMN given SMALLINT NOT NULL DEFAULT 0;
