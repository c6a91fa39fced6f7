-- Migrates schema version 3 to 4, in one transaction with the version number. schema.sql explains the column and the
-- table; a test checks that migrated and new schemas are equal.
ALTER TABLE statement ADD COLUMN confidence REAL;

CREATE TABLE access (
    agent_id INTEGER NOT NULL REFERENCES agent,
    id TEXT NOT NULL,
    times INTEGER NOT NULL,
    last INTEGER NOT NULL,
    PRIMARY KEY (agent_id, id)
) STRICT, WITHOUT ROWID;
