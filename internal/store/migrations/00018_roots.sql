-- Of an account that an invitation made: the root of those who invited each other, whose budgets it draws on until its address is proven. And which memberships
-- wait for the person to come: who gave them, and since when.
-- +goose Up
ALTER TABLE accounts ADD COLUMN root TEXT; -- null: the operator made it, or nobody knows who did
WITH RECURSIVE up (uid, root) AS (
  SELECT a.uid, a.made_by FROM accounts a JOIN accounts m ON m.uid = a.made_by WHERE m.proven_at IS NOT NULL OR m.made_by IS NULL
  UNION ALL
  SELECT a.uid, up.root FROM up JOIN accounts m ON m.uid = up.uid AND m.proven_at IS NULL JOIN accounts a ON a.made_by = m.uid
)
UPDATE accounts SET root = (SELECT up.root FROM up WHERE up.uid = accounts.uid) WHERE made_by IS NOT NULL;
CREATE INDEX accounts_unproven ON accounts (root) WHERE proven_at IS NULL AND root IS NOT NULL;
CREATE INDEX accounts_made_by ON accounts (made_by) WHERE proven_at IS NULL AND made_by IS NOT NULL;

CREATE TABLE waiting (
  account TEXT NOT NULL,
  project BIGINT NOT NULL,
  inviter TEXT NOT NULL,  -- whose budget the invitation drew on; '' of those from before
  since   BIGINT NOT NULL, -- the last invitation
  PRIMARY KEY (account, project)
);
CREATE INDEX waiting_since ON waiting (since);
-- only postgres
ALTER TABLE records NO FORCE ROW LEVEL SECURITY;
INSERT INTO waiting SELECT uid, id >> 39, '', (extract(epoch FROM now()) * 1000000)::bigint FROM records
WHERE (id >> 32) & 127 = 2 AND deleted = 0 AND private IS NOT NULL AND id & 4294967295 > 1;
ALTER TABLE records FORCE ROW LEVEL SECURITY;
-- only sqlite3
INSERT INTO waiting SELECT uid, id >> 39, '', CAST(strftime('%s', 'now') AS INTEGER) * 1000000 FROM records
WHERE (id >> 32) & 127 = 2 AND deleted = 0 AND private IS NOT NULL AND id & 4294967295 > 1;
-- only both
DROP INDEX records_waiting;
