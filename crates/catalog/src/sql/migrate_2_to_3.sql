-- Migrates schema version 2 to 3, in one transaction with the version number. schema.sql explains the columns and
-- tables; a test checks that migrated and new schemas are equal.
ALTER TABLE operation ADD COLUMN masked INTEGER NOT NULL DEFAULT 0;

CREATE INDEX operation_by_id ON operation (id);

CREATE TABLE request (
    agent_id INTEGER NOT NULL REFERENCES agent,
    key BLOB NOT NULL,
    body BLOB NOT NULL,
    operation TEXT NOT NULL,
    kept_at INTEGER NOT NULL,
    PRIMARY KEY (agent_id, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX request_by_time ON request (kept_at);

CREATE TABLE block (
    agent_id INTEGER NOT NULL REFERENCES agent,
    name TEXT NOT NULL,
    text TEXT NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (agent_id, name)
) STRICT;

CREATE TABLE access_key (
    id TEXT PRIMARY KEY NOT NULL,
    name TEXT NOT NULL,
    workspace TEXT NOT NULL,
    scopes TEXT NOT NULL,
    agents TEXT NOT NULL,
    hash BLOB NOT NULL CHECK (length(hash) = 32),
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    revoked_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE TABLE cleaning (
    erasure INTEGER PRIMARY KEY AUTOINCREMENT,
    workspace TEXT NOT NULL,
    name TEXT NOT NULL,
    UNIQUE (workspace, name)
) STRICT;
