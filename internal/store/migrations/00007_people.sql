-- People in browsers, and applications that act for them. Secrets are kept as their SHA-256, hex; times are microseconds since 1970 UTC.
-- +goose Up
CREATE TABLE sessions (
  hash         TEXT NOT NULL PRIMARY KEY,
  uid          TEXT NOT NULL UNIQUE,
  account      TEXT NOT NULL,
  agent        TEXT NOT NULL, -- what the browser says it is
  address      TEXT NOT NULL,
  created_at   BIGINT NOT NULL,
  last_used_at BIGINT,
  expires_at   BIGINT NOT NULL
);
CREATE INDEX sessions_account ON sessions (account);
CREATE INDEX sessions_expires_at ON sessions (expires_at);

-- Links that let whoever holds them set the password of an account, once.
CREATE TABLE capabilities (
  hash       TEXT NOT NULL PRIMARY KEY,
  purpose    TEXT NOT NULL, -- invitation, reset
  account    TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL
);
CREATE INDEX capabilities_account ON capabilities (account);
CREATE INDEX capabilities_expires_at ON capabilities (expires_at);

CREATE TABLE applications (
  uid        TEXT NOT NULL PRIMARY KEY, -- the client identifier
  owner      TEXT,                      -- an account; null: the operator made it
  name       TEXT NOT NULL,
  logo       TEXT,                      -- data:image/png;base64,…
  redirects  TEXT NOT NULL,             -- addresses, one on each line
  secret     TEXT,                      -- hash; null for a public application
  public     SMALLINT NOT NULL,
  implicit   SMALLINT NOT NULL,
  created_at BIGINT NOT NULL,
  deleted_at BIGINT
);
CREATE INDEX applications_owner ON applications (owner);

-- What an account has allowed an application: one row, and one family of tokens, for each consent.
CREATE TABLE grants (
  uid             TEXT NOT NULL PRIMARY KEY,
  application     TEXT NOT NULL,
  account         TEXT NOT NULL,
  scopes          TEXT NOT NULL,
  redirect        TEXT,          -- as the request for the code gave it; null where it gave none
  challenge       TEXT,          -- of PKCE, S256
  code            TEXT UNIQUE,   -- hash; null in the implicit flow
  code_expires_at BIGINT NOT NULL,
  code_used_at    BIGINT,
  created_at      BIGINT NOT NULL,
  last_used_at    BIGINT,
  revoked_at      BIGINT
);
CREATE INDEX grants_account ON grants (account, application);
CREATE INDEX grants_application ON grants (application);

CREATE TABLE tokens (
  hash        TEXT NOT NULL PRIMARY KEY,
  family      TEXT NOT NULL,     -- the grant
  refresh     SMALLINT NOT NULL, -- 1: it renews; 0: it gives access
  created_at  BIGINT NOT NULL,
  expires_at  BIGINT NOT NULL,
  replaced_at BIGINT             -- when a refresh token was used
);
CREATE INDEX tokens_family ON tokens (family);
CREATE INDEX tokens_expires_at ON tokens (expires_at);

-- The life of a MAJOR version of the API, who uses it, and who was told that it ends.
CREATE TABLE versions (
  major         BIGINT PRIMARY KEY,
  deprecated_at BIGINT NOT NULL,
  sunset_at     BIGINT NOT NULL
);
CREATE TABLE version_uses (
  account      TEXT NOT NULL,
  major        BIGINT NOT NULL,
  last_used_at BIGINT NOT NULL,
  PRIMARY KEY (account, major)
);
CREATE TABLE version_notices (
  major   BIGINT NOT NULL,
  account TEXT NOT NULL,
  month   BIGINT NOT NULL, -- since it was deprecated
  sent_at BIGINT NOT NULL,
  PRIMARY KEY (major, account, month)
);
