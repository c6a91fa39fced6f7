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
