-- Migrates schema version 4 to 5, in one transaction with the version number. schema.sql explains the columns and the
-- table; a test checks that migrated and new schemas are equal. Before version 5 a pruned turn left only its tombstone,
-- and so did a forgotten one; the two cannot be told apart any more.
ALTER TABLE turn ADD COLUMN sent_at INTEGER;
ALTER TABLE turn ADD COLUMN sent BLOB;
ALTER TABLE turn ADD COLUMN arrived INTEGER;
ALTER TABLE base ADD COLUMN seq INTEGER;

CREATE TABLE pruned (
    agent_id INTEGER NOT NULL REFERENCES agent,
    id TEXT NOT NULL,
    arrived INTEGER,
    day TEXT,
    at INTEGER,
    conversation BLOB,
    speaker BLOB,
    content BLOB,
    PRIMARY KEY (agent_id, id)
) STRICT, WITHOUT ROWID;

INSERT INTO pruned (agent_id, id)
SELECT agent_id, id FROM tombstone WHERE grain = 0 AND id GLOB 't-*';

-- A summary that quotes a model's summary is not verbatim. From weeks to years, each grain after the one it quotes.
UPDATE summary SET verbatim = 0 WHERE grain = 2 AND EXISTS (
    SELECT 1 FROM source JOIN summary AS quoted ON quoted.agent_id = summary.agent_id AND quoted.id = source.id
    WHERE source.summary_id = summary.summary_id AND quoted.verbatim = 0);
UPDATE summary SET verbatim = 0 WHERE grain = 3 AND EXISTS (
    SELECT 1 FROM source JOIN summary AS quoted ON quoted.agent_id = summary.agent_id AND quoted.id = source.id
    WHERE source.summary_id = summary.summary_id AND quoted.verbatim = 0);
UPDATE summary SET verbatim = 0 WHERE grain = 4 AND EXISTS (
    SELECT 1 FROM source JOIN summary AS quoted ON quoted.agent_id = summary.agent_id AND quoted.id = source.id
    WHERE source.summary_id = summary.summary_id AND quoted.verbatim = 0);
UPDATE summary SET verbatim = 0 WHERE grain = 5 AND EXISTS (
    SELECT 1 FROM source JOIN summary AS quoted ON quoted.agent_id = summary.agent_id AND quoted.id = source.id
    WHERE source.summary_id = summary.summary_id AND quoted.verbatim = 0);
