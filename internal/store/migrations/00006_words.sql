-- The words of the records that can be searched: each with its project and kind before it, so that a search meets nothing else.
-- +goose Up
-- only postgres
CREATE TABLE words (
  record BIGINT PRIMARY KEY,
  words  TSVECTOR NOT NULL
);
CREATE INDEX words_words ON words USING gin (words);
-- only sqlite3
CREATE VIRTUAL TABLE words USING fts5(text, content = '', contentless_delete = 1, tokenize = 'ascii', detail = 'none');
-- What waits to be put there.
CREATE TABLE wording (
  record BIGINT PRIMARY KEY,
  text   TEXT NOT NULL
);
-- only both
