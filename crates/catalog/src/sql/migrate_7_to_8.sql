-- Migrates schema version 7 to 8, in one transaction with the version number: adds documents and their passages.
-- schema.sql explains the tables; a test checks that migrated and new schemas are equal.
CREATE TABLE document (
    document_id INTEGER PRIMARY KEY,
    agent_id INTEGER NOT NULL REFERENCES agent,
    collection TEXT NOT NULL,
    key TEXT NOT NULL,
    is_json INTEGER NOT NULL,
    content TEXT NOT NULL,
    indexed TEXT,
    day TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    version INTEGER NOT NULL,
    lifetime INTEGER,
    expires_at INTEGER
) STRICT;

CREATE UNIQUE INDEX document_by_key ON document (agent_id, collection, key);
CREATE INDEX document_by_expiry ON document (expires_at) WHERE expires_at IS NOT NULL;

CREATE TABLE passage (
    passage_id INTEGER PRIMARY KEY,
    agent_id INTEGER NOT NULL REFERENCES agent,
    id TEXT NOT NULL,
    seq INTEGER NOT NULL,
    document_id INTEGER NOT NULL,
    ordinal INTEGER NOT NULL,
    first INTEGER NOT NULL,
    behind INTEGER NOT NULL,
    text TEXT NOT NULL
) STRICT;

CREATE UNIQUE INDEX passage_by_id ON passage (agent_id, id);
CREATE UNIQUE INDEX passage_by_change ON passage (agent_id, seq);
CREATE INDEX passage_by_document ON passage (document_id);
