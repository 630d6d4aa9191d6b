-- The second wall: row-level security for the application's role. The owner runs the first part at every start, after the migrations; each
-- statement can be repeated. What follows a line "-- wall of TABLE" locks its table against readers: it is run, as a transaction of its own,
-- only where it does not stand as it is written here.
DO $$ BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'groundwork_app') THEN
    CREATE ROLE groundwork_app NOLOGIN NOSUPERUSER NOBYPASSRLS;
  END IF;
EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
END $$;
DO $$ BEGIN
  IF NOT pg_has_role(current_user, 'groundwork_app', 'MEMBER') THEN
    EXECUTE format('GRANT groundwork_app TO %I', current_user);
  END IF;
END $$;
GRANT USAGE ON SCHEMA public TO groundwork_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO groundwork_app;
REVOKE DELETE ON projects, records, changes FROM groundwork_app;
REVOKE INSERT, UPDATE, DELETE ON goose_db_version FROM groundwork_app;

-- Tables without a wall, each with its reason; a test holds that there is no other one.
-- no wall of projects: uids and numbers, of no person; a request looks its project up here before it can name it
-- no wall of instance: settings of the installation, of no person
-- no wall of versions: of no person
-- no wall of goose_db_version: of no person; the application's role only reads it
-- no wall of accounts: looked up by address, or by the account of a credential, to learn who asks; and joined to the team records of a project, which have a wall
-- no wall of keys: looked up by the hash of a secret, before anybody knows whose it is
-- no wall of sessions: looked up by the hash of a secret, before anybody knows whose it is
-- no wall of capabilities: looked up by the hash of a secret, before anybody knows whose it is
-- no wall of grants: looked up by the hash of a code, or by the family of a token
-- no wall of tokens: looked up by the hash of a secret, before anybody knows whose it is
-- no wall of applications: shown by their identifier to everybody who is asked for consent
-- no wall of version_uses: accounts and months; written for all accounts at once, read when a version is deprecated
-- no wall of version_notices: accounts and months; written for all accounts at once
-- no wall of invitations: uids and times of two days, without addresses; they are counted by recipient over all projects, which a project must not see
-- no wall of waiting: uids and times, without addresses; they are counted by recipient over all projects, which a project must not see
-- no wall of erasures: uids of what was erased, and when; a project's number is looked up here before there is such a project
-- no wall of erasing: uids of projects that are to be erased; looked up before a project is entered
-- no wall of holds: uids of projects that are held; the function below asks it
-- no wall of audit: what operators did, of no project's content; written for all projects
-- no wall of bounces: uids of accounts, and what servers said of letters to them; written when a letter is sent, without a project
-- no wall of announcements: uids of accounts that changed, and how far that was told

-- Row-level policies keep an index on words from being used, as what it compares could leak. This function looks past them and holds to them itself.
CREATE OR REPLACE FUNCTION groundwork_find(query text) RETURNS SETOF bigint LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp SET enable_bitmapscan = on SET enable_indexscan = off SET enable_seqscan = off AS $$
  SELECT record FROM public.words WHERE words @@ CAST(query AS tsquery)
  AND record >> 39 = ANY (string_to_array(nullif(current_setting('app.projects', true), ''), ',')::bigint[])
$$;
REVOKE ALL ON FUNCTION groundwork_find(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION groundwork_find(text) TO groundwork_app;

-- The application's role deletes no project, record or change. This function does, of a project whose erasure has begun and that nobody holds.
CREATE OR REPLACE FUNCTION groundwork_erase(what text, project bigint, most bigint) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM public.erasing e WHERE e.number = project AND e.begun = 1)
  OR EXISTS (SELECT FROM public.holds h WHERE h.number = project) THEN
    RAISE EXCEPTION 'project % is not being erased', project;
  END IF;
  IF what = 'records' THEN
    DELETE FROM public.records WHERE id IN (SELECT r.id FROM public.records r
      WHERE r.id >= project << 39 AND r.id < (project + 1) << 39 ORDER BY r.id LIMIT most);
  ELSIF what = 'changes' THEN
    DELETE FROM public.changes WHERE id IN (SELECT c.id FROM public.changes c
      WHERE c.id >= project << 39 AND c.id < (project + 1) << 39 ORDER BY c.id LIMIT most);
  ELSIF what = 'projects' THEN
    DELETE FROM public.projects WHERE id = project;
  END IF;
END
$$;
REVOKE ALL ON FUNCTION groundwork_erase(text, bigint, bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION groundwork_erase(text, bigint, bigint) TO groundwork_app;

-- wall of records
ALTER TABLE records ENABLE ROW LEVEL SECURITY;
ALTER TABLE records FORCE ROW LEVEL SECURITY;
DROP POLICY IF EXISTS tenant ON records;
-- Rows of the named projects; and the caller's own team records, which tell where the caller is a member.
CREATE POLICY tenant ON records USING (
  id >> 39 = ANY ((SELECT string_to_array(nullif(current_setting('app.projects', true), ''), ',')::bigint[])::bigint[])
  OR uid = (SELECT nullif(current_setting('app.account', true), ''))
) WITH CHECK (
  id >> 39 = ANY ((SELECT string_to_array(nullif(current_setting('app.projects', true), ''), ',')::bigint[])::bigint[])
);

-- wall of links
ALTER TABLE links ENABLE ROW LEVEL SECURITY;
ALTER TABLE links FORCE ROW LEVEL SECURITY;
DROP POLICY IF EXISTS tenant ON links;
CREATE POLICY tenant ON links USING (
  owner >> 39 = ANY ((SELECT string_to_array(nullif(current_setting('app.projects', true), ''), ',')::bigint[])::bigint[])
);

-- wall of changes
ALTER TABLE changes ENABLE ROW LEVEL SECURITY;
ALTER TABLE changes FORCE ROW LEVEL SECURITY;
DROP POLICY IF EXISTS tenant ON changes;
CREATE POLICY tenant ON changes USING (
  id >> 39 = ANY ((SELECT string_to_array(nullif(current_setting('app.projects', true), ''), ',')::bigint[])::bigint[])
);

-- wall of uploads
ALTER TABLE uploads ENABLE ROW LEVEL SECURITY;
ALTER TABLE uploads FORCE ROW LEVEL SECURITY;
DROP POLICY IF EXISTS tenant ON uploads;
CREATE POLICY tenant ON uploads USING (
  project = ANY ((SELECT string_to_array(nullif(current_setting('app.projects', true), ''), ',')::bigint[])::bigint[])
);

-- wall of files
ALTER TABLE files ENABLE ROW LEVEL SECURITY;
ALTER TABLE files FORCE ROW LEVEL SECURITY;
DROP POLICY IF EXISTS tenant ON files;
CREATE POLICY tenant ON files USING (
  project = ANY ((SELECT string_to_array(nullif(current_setting('app.projects', true), ''), ',')::bigint[])::bigint[])
);

-- wall of shareables
ALTER TABLE shareables ENABLE ROW LEVEL SECURITY;
ALTER TABLE shareables FORCE ROW LEVEL SECURITY;
DROP POLICY IF EXISTS tenant ON shareables;
CREATE POLICY tenant ON shareables USING (
  project = ANY ((SELECT string_to_array(nullif(current_setting('app.projects', true), ''), ',')::bigint[])::bigint[])
);

-- wall of version_uploads
ALTER TABLE version_uploads ENABLE ROW LEVEL SECURITY;
ALTER TABLE version_uploads FORCE ROW LEVEL SECURITY;
DROP POLICY IF EXISTS tenant ON version_uploads;
CREATE POLICY tenant ON version_uploads USING (
  project = ANY ((SELECT string_to_array(nullif(current_setting('app.projects', true), ''), ',')::bigint[])::bigint[])
);

-- wall of version_files
ALTER TABLE version_files ENABLE ROW LEVEL SECURITY;
ALTER TABLE version_files FORCE ROW LEVEL SECURITY;
DROP POLICY IF EXISTS tenant ON version_files;
CREATE POLICY tenant ON version_files USING (
  project = ANY ((SELECT string_to_array(nullif(current_setting('app.projects', true), ''), ',')::bigint[])::bigint[])
);

-- wall of version_pages
ALTER TABLE version_pages ENABLE ROW LEVEL SECURITY;
ALTER TABLE version_pages FORCE ROW LEVEL SECURITY;
DROP POLICY IF EXISTS tenant ON version_pages;
CREATE POLICY tenant ON version_pages USING (
  project = ANY ((SELECT string_to_array(nullif(current_setting('app.projects', true), ''), ',')::bigint[])::bigint[])
);

-- wall of presence
ALTER TABLE presence SET UNLOGGED; -- what it says is over within a minute
ALTER TABLE presence ENABLE ROW LEVEL SECURITY;
ALTER TABLE presence FORCE ROW LEVEL SECURITY;
DROP POLICY IF EXISTS tenant ON presence;
CREATE POLICY tenant ON presence USING (
  project = ANY ((SELECT string_to_array(nullif(current_setting('app.projects', true), ''), ',')::bigint[])::bigint[])
);

-- wall of words
ALTER TABLE words ENABLE ROW LEVEL SECURITY;
DROP POLICY IF EXISTS tenant ON words;
CREATE POLICY tenant ON words USING (
  record >> 39 = ANY ((SELECT string_to_array(nullif(current_setting('app.projects', true), ''), ',')::bigint[])::bigint[])
);

-- wall of requests
ALTER TABLE requests ENABLE ROW LEVEL SECURITY;
ALTER TABLE requests FORCE ROW LEVEL SECURITY;
DROP POLICY IF EXISTS tenant ON requests;
-- Answers as they were sent: for the account that got them, and for who forgets them.
CREATE POLICY tenant ON requests USING (
  account = (SELECT nullif(current_setting('app.account', true), ''))
  OR (SELECT current_setting('app.office', true)) = 'sweep'
);

-- wall of jobs
ALTER TABLE jobs ENABLE ROW LEVEL SECURITY;
ALTER TABLE jobs FORCE ROW LEVEL SECURITY;
DROP POLICY IF EXISTS tenant ON jobs;
-- Work of all tenants, with its arguments and letters: for the queue alone.
CREATE POLICY tenant ON jobs USING ((SELECT current_setting('app.office', true)) = 'jobs');
