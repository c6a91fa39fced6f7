-- Part of the migration from schema version 10 to 11: batches, and usage by price. schema.sql explains the tables. What was used
-- before came from single calls.
CREATE TABLE batch (
    batch_id TEXT PRIMARY KEY,
    base_url TEXT NOT NULL,
    model TEXT NOT NULL,
    remote TEXT,
    state TEXT NOT NULL,
    at INTEGER NOT NULL,
    requests INTEGER NOT NULL,
    done INTEGER NOT NULL,
    reads INTEGER NOT NULL
) STRICT;

CREATE TABLE batch_request (
    batch_id TEXT NOT NULL REFERENCES batch,
    number INTEGER NOT NULL,
    agent_id INTEGER NOT NULL REFERENCES agent,
    period TEXT NOT NULL,
    key BLOB NOT NULL,
    purpose TEXT NOT NULL,
    read_seq INTEGER NOT NULL,
    tokens INTEGER NOT NULL,
    state TEXT NOT NULL,
    PRIMARY KEY (batch_id, number)
) STRICT, WITHOUT ROWID;

CREATE INDEX batch_request_by_period ON batch_request (agent_id, period);

CREATE INDEX batch_request_outstanding ON batch_request (agent_id) WHERE state IN ('open', 'void');

ALTER TABLE usage RENAME TO former_usage;

CREATE TABLE usage (
    agent_id INTEGER NOT NULL REFERENCES agent,
    day TEXT NOT NULL,
    purpose TEXT NOT NULL,
    model TEXT NOT NULL,
    batch INTEGER NOT NULL,
    calls INTEGER NOT NULL,
    tokens_in INTEGER NOT NULL,
    tokens_out INTEGER NOT NULL,
    PRIMARY KEY (agent_id, day, purpose, model, batch)
) STRICT, WITHOUT ROWID;

INSERT INTO usage (agent_id, day, purpose, model, batch, calls, tokens_in, tokens_out)
SELECT agent_id, day, purpose, model, 0, calls, tokens_in, tokens_out FROM former_usage;

DROP TABLE former_usage;

CREATE INDEX usage_by_day ON usage (day);
