-- From schema version 3 to 4, in one transaction with the version's number. What the column and the table are for is said in
-- schema.sql; a test holds that both ways lead to the same.
ALTER TABLE statement ADD COLUMN confidence REAL;

CREATE TABLE access (
    agent_id INTEGER NOT NULL REFERENCES agent,
    id TEXT NOT NULL,
    times INTEGER NOT NULL,
    last INTEGER NOT NULL,
    PRIMARY KEY (agent_id, id)
) STRICT, WITHOUT ROWID;
