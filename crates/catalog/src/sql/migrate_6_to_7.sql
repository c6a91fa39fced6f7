-- Migrates schema version 6 to 7, in one transaction with the version number. schema.sql explains the columns and
-- tables; a test checks that migrated and new schemas are equal. Foreign keys are off meanwhile.
--
-- All numbers stay: they were unique in the whole file, so they are unique for each agent. Every agent goes on above
-- the last number of the file, and so does an agent that was erased before and comes back.
ALTER TABLE sequence RENAME TO sequence_floor;
ALTER TABLE sequence_floor RENAME COLUMN last TO seq;
ALTER TABLE agent ADD COLUMN seq INTEGER NOT NULL DEFAULT 0;
ALTER TABLE agent ADD COLUMN ingested_at INTEGER;
-- Forgetting marked days as dirty too, so this may be too late until the next message.
UPDATE agent SET seq = (SELECT floor.seq FROM sequence_floor AS floor),
    ingested_at = (SELECT max(dirty_at) FROM ledger WHERE ledger.agent_id = agent.agent_id AND ledger.grain = 1);

-- The row number was the sequence number.
DROP INDEX turn_by_change;
ALTER TABLE turn RENAME COLUMN seq TO turn_id;
ALTER TABLE turn ADD COLUMN seq INTEGER NOT NULL DEFAULT 0;
UPDATE turn SET seq = turn_id;
CREATE UNIQUE INDEX turn_by_change ON turn (agent_id, seq);

DROP INDEX statement_by_change;
ALTER TABLE statement RENAME COLUMN seq TO statement_id;
ALTER TABLE statement ADD COLUMN seq INTEGER NOT NULL DEFAULT 0;
UPDATE statement SET seq = statement_id;
CREATE UNIQUE INDEX statement_by_change ON statement (agent_id, seq);

-- A UNIQUE of a column can only be removed with its table.
CREATE TABLE new_summary (
    summary_id INTEGER PRIMARY KEY,
    agent_id INTEGER NOT NULL REFERENCES agent,
    grain INTEGER NOT NULL,
    period TEXT NOT NULL,
    id TEXT NOT NULL,
    seq INTEGER NOT NULL,
    cover_start INTEGER NOT NULL,
    cover_end INTEGER NOT NULL,
    text TEXT NOT NULL,
    sentences TEXT NOT NULL,
    verbatim INTEGER NOT NULL DEFAULT 1,
    pinned INTEGER NOT NULL DEFAULT 0
) STRICT;

INSERT INTO new_summary
    (summary_id, agent_id, grain, period, id, seq, cover_start, cover_end, text, sentences, verbatim, pinned)
SELECT summary_id, agent_id, grain, period, id, seq, cover_start, cover_end, text, sentences, verbatim, pinned
FROM summary;

DROP TABLE summary;
ALTER TABLE new_summary RENAME TO summary;
CREATE UNIQUE INDEX summary_by_period ON summary (agent_id, grain, period);
CREATE UNIQUE INDEX summary_by_id ON summary (agent_id, id);
CREATE UNIQUE INDEX summary_by_change ON summary (agent_id, grain, seq);
CREATE INDEX summary_by_time ON summary (agent_id, grain, cover_start, cover_end);

CREATE TABLE new_tombstone (
    agent_id INTEGER NOT NULL REFERENCES agent,
    id TEXT NOT NULL,
    grain INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    PRIMARY KEY (agent_id, id)
) STRICT, WITHOUT ROWID;

INSERT INTO new_tombstone (agent_id, id, grain, seq) SELECT agent_id, id, grain, seq FROM tombstone;

DROP TABLE tombstone;
ALTER TABLE new_tombstone RENAME TO tombstone;
CREATE UNIQUE INDEX tombstone_by_change ON tombstone (agent_id, grain, seq);

ALTER TABLE lane RENAME TO watermark;

CREATE INDEX usage_by_day ON usage (day);

CREATE TABLE reservation (
    reservation_id INTEGER PRIMARY KEY AUTOINCREMENT,
    agent_id INTEGER NOT NULL REFERENCES agent,
    day TEXT NOT NULL,
    is_rerank INTEGER NOT NULL,
    tokens INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT;
