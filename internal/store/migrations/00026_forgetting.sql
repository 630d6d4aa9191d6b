-- What is forgotten on purpose: what was erased, which projects are to be, which are held, and who said so.
-- +goose Up
CREATE TABLE erasures (
  uid     TEXT NOT NULL PRIMARY KEY, -- of the account, or of the project
  what    TEXT NOT NULL,             -- person, project
  number  BIGINT,                    -- a project's, which is never given again
  at      BIGINT NOT NULL,
  by_whom TEXT NOT NULL,
  further BIGINT NOT NULL            -- how many texts beside name and address were replaced; nobody keeps which
);

CREATE TABLE erasing (
  uid      TEXT NOT NULL PRIMARY KEY,
  number   BIGINT NOT NULL UNIQUE,
  asked_at BIGINT NOT NULL,
  erase_at BIGINT NOT NULL,
  by_whom  TEXT NOT NULL,
  begun    SMALLINT NOT NULL DEFAULT 0 -- 1: it cannot be taken back
);

CREATE TABLE holds (
  uid     TEXT NOT NULL PRIMARY KEY,
  number  BIGINT NOT NULL UNIQUE,
  at      BIGINT NOT NULL,
  by_whom TEXT NOT NULL,
  why     TEXT NOT NULL
);

CREATE TABLE audit (
  id      TEXT NOT NULL PRIMARY KEY, -- grows with time
  at      BIGINT NOT NULL,
  by_whom TEXT NOT NULL,
  did     TEXT NOT NULL,
  subject TEXT NOT NULL,             -- the uid of an account or a project; '' of the installation
  detail  TEXT NOT NULL
);
CREATE INDEX audit_at ON audit (at);

-- Deleted records whose content is still there: 2 is one of which nothing else is kept.
CREATE INDEX records_deleted ON records (clock) WHERE deleted = 1;
CREATE INDEX files_record ON files (project, record);
