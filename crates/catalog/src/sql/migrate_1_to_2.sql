-- Migrates schema version 1 to 2, in one transaction with the version number. schema.sql explains the columns and
-- tables; a test checks that migrated and new schemas are equal. Old summaries were all written by the built-in engine:
-- verbatim.
ALTER TABLE turn ADD COLUMN pinned INTEGER NOT NULL DEFAULT 0;
ALTER TABLE summary ADD COLUMN verbatim INTEGER NOT NULL DEFAULT 1;
ALTER TABLE summary ADD COLUMN pinned INTEGER NOT NULL DEFAULT 0;
ALTER TABLE ledger ADD COLUMN degraded INTEGER NOT NULL DEFAULT 0;
ALTER TABLE ledger ADD COLUMN ungrounded INTEGER NOT NULL DEFAULT 0;
ALTER TABLE ledger ADD COLUMN failing_since INTEGER;
ALTER TABLE operation ADD COLUMN forgotten INTEGER NOT NULL DEFAULT 0;

ALTER TABLE dead_letter RENAME TO former_dead_letter;

CREATE TABLE dead_letter (
    agent_id INTEGER NOT NULL REFERENCES agent,
    id TEXT NOT NULL,
    stage TEXT NOT NULL,
    grain INTEGER NOT NULL,
    error TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (agent_id, id, stage)
) STRICT, WITHOUT ROWID;

INSERT INTO dead_letter (agent_id, id, stage, grain, error, at)
SELECT agent_id, id, 'table', grain, error, at FROM former_dead_letter;

DROP TABLE former_dead_letter;

CREATE TABLE statement (
    seq INTEGER PRIMARY KEY,
    agent_id INTEGER NOT NULL REFERENCES agent,
    id TEXT NOT NULL,
    text TEXT NOT NULL,
    topic TEXT NOT NULL,
    importance REAL NOT NULL,
    who TEXT NOT NULL,
    tells_of INTEGER,
    day TEXT NOT NULL,
    cover_start INTEGER NOT NULL,
    cover_end INTEGER NOT NULL,
    pinned INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE UNIQUE INDEX statement_by_id ON statement (agent_id, id);
CREATE INDEX statement_by_change ON statement (agent_id);
CREATE INDEX statement_by_day ON statement (agent_id, day);
CREATE INDEX statement_by_time ON statement (agent_id, cover_start, cover_end);

CREATE TABLE statement_source (
    agent_id INTEGER NOT NULL REFERENCES agent,
    statement TEXT NOT NULL,
    position INTEGER NOT NULL,
    id TEXT NOT NULL,
    PRIMARY KEY (agent_id, statement, position)
) STRICT, WITHOUT ROWID;

CREATE INDEX statement_by_source ON statement_source (agent_id, id);

CREATE TABLE fact_operation (
    agent_id INTEGER NOT NULL REFERENCES agent,
    id TEXT NOT NULL,
    verb TEXT NOT NULL,
    subject TEXT NOT NULL,
    predicate TEXT NOT NULL,
    object TEXT NOT NULL,
    replaces TEXT,
    properties TEXT NOT NULL,
    confidence REAL NOT NULL,
    at INTEGER NOT NULL,
    said_at INTEGER NOT NULL,
    source TEXT NOT NULL,
    position INTEGER NOT NULL,
    recorded_at INTEGER NOT NULL,
    PRIMARY KEY (agent_id, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX fact_operation_by_source ON fact_operation (agent_id, source);

CREATE TABLE journal (
    agent_id INTEGER PRIMARY KEY REFERENCES agent,
    extracted INTEGER NOT NULL DEFAULT 0,
    attempts INTEGER NOT NULL DEFAULT 0,
    failing_since INTEGER,
    not_before INTEGER,
    last_error TEXT,
    log_version INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE version (
    version_id INTEGER PRIMARY KEY,
    agent_id INTEGER NOT NULL REFERENCES agent,
    id TEXT NOT NULL,
    text TEXT NOT NULL,
    replaced_at INTEGER NOT NULL
) STRICT;

CREATE INDEX version_by_memory ON version (agent_id, id);

CREATE TABLE base (
    agent_id INTEGER NOT NULL REFERENCES agent,
    grain INTEGER NOT NULL,
    period TEXT NOT NULL,
    text TEXT NOT NULL,
    sentences TEXT NOT NULL,
    sources TEXT NOT NULL,
    verbatim INTEGER NOT NULL,
    PRIMARY KEY (agent_id, grain, period)
) STRICT, WITHOUT ROWID;

CREATE TABLE reply (
    agent_id INTEGER NOT NULL REFERENCES agent,
    key BLOB NOT NULL,
    text TEXT NOT NULL,
    kept_at INTEGER NOT NULL,
    PRIMARY KEY (agent_id, key)
) STRICT;

CREATE TABLE usage (
    agent_id INTEGER NOT NULL REFERENCES agent,
    day TEXT NOT NULL,
    purpose TEXT NOT NULL,
    model TEXT NOT NULL,
    calls INTEGER NOT NULL,
    tokens_in INTEGER NOT NULL,
    tokens_out INTEGER NOT NULL,
    PRIMARY KEY (agent_id, day, purpose, model)
) STRICT, WITHOUT ROWID;

CREATE TABLE forgotten (
    hash BLOB PRIMARY KEY
) STRICT, WITHOUT ROWID;

CREATE TABLE secret (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    key BLOB NOT NULL CHECK (length(key) = 32)
) STRICT;

CREATE TABLE clock (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    seen INTEGER NOT NULL,
    steady_since INTEGER NOT NULL
) STRICT;
