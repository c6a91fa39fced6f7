-- From schema version 4 to 5, in one transaction with the version's number. What the columns and the table are for is said in
-- schema.sql; a test holds that both ways lead to the same. Until now a pruned turn left its tombstone alone, and so did a
-- forgotten one: which of them is which cannot be told any more.
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

-- A summary that quotes a model's summary is no piece of turns. From weeks to years, each after what it quotes.
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
