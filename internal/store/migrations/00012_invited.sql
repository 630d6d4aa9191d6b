-- The life of an invited account: whether its address is proven, who made it, how its links were handed out, and who was invited when.
-- +goose Up
ALTER TABLE accounts ADD COLUMN proven_at BIGINT; -- null: nobody has shown that the address is theirs
ALTER TABLE accounts ADD COLUMN made_by TEXT;     -- the account whose invitation made this one; null: the operator
ALTER TABLE accounts ADD COLUMN made_in BIGINT;   -- the project of that invitation
UPDATE accounts SET proven_at = created_at WHERE password IS NOT NULL;

-- How a link was handed out: mail, operator, or inviter. A link that the inviter was shown proves nothing.
ALTER TABLE capabilities ADD COLUMN handed TEXT NOT NULL DEFAULT 'inviter';
ALTER TABLE capabilities ADD COLUMN shown_to TEXT;  -- the account that was shown it
ALTER TABLE capabilities ADD COLUMN project BIGINT; -- in which project
UPDATE capabilities SET handed = 'mail' WHERE purpose = 'reset';

-- The invitations of the last days, from which limits are told.
CREATE TABLE invitations (
  account    TEXT NOT NULL, -- who was invited
  project    BIGINT NOT NULL,
  inviter    TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  mailed     SMALLINT NOT NULL -- 1: a letter was written
);
CREATE INDEX invitations_account ON invitations (account, created_at);
CREATE INDEX invitations_project ON invitations (project, created_at);
CREATE INDEX invitations_inviter ON invitations (inviter, created_at);
CREATE INDEX invitations_created_at ON invitations (created_at);

-- A team record keeps, until the person has come and after they left, what the project shows of them. Of those who are there, nothing is kept.
-- An invited account that is in one project only was made there.
-- only postgres
ALTER TABLE records NO FORCE ROW LEVEL SECURITY;
UPDATE records SET private = json_build_object('email', a.email, 'first_name', a.first_name, 'last_name', a.last_name, 'language', a.language, 'company', a.company, 'title', a.title)::text
FROM accounts a WHERE a.uid = records.uid AND (records.id >> 32) & 127 = 2 AND (records.deleted <> 0 OR a.password IS NULL);
-- only sqlite3
UPDATE records SET private = (SELECT json_object('email', a.email, 'first_name', a.first_name, 'last_name', a.last_name, 'language', a.language, 'company', a.company, 'title', a.title)
  FROM accounts a WHERE a.uid = records.uid)
WHERE (id >> 32) & 127 = 2 AND EXISTS (SELECT 1 FROM accounts a WHERE a.uid = records.uid AND (records.deleted <> 0 OR a.password IS NULL));
-- only both
UPDATE accounts SET made_in = (SELECT MIN(r.id >> 39) FROM records r WHERE r.uid = accounts.uid)
WHERE password IS NULL AND (SELECT COUNT(*) FROM records r WHERE r.uid = accounts.uid) = 1;
CREATE INDEX records_waiting ON records (uid) WHERE (id >> 32) & 127 = 2 AND deleted = 0 AND private IS NOT NULL;
-- only postgres
ALTER TABLE records FORCE ROW LEVEL SECURITY;
