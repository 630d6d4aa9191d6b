-- The changes of an issue, for its history: with every change of an issue this is a page more to write.
-- +goose Up
CREATE INDEX changes_issue ON changes (record, id) WHERE (record >> 32) & 127 = 5;
