-- Adds new names of agents. schema.sql explains the column and the table.
ALTER TABLE agent ADD COLUMN shown_name TEXT;

CREATE TABLE agent_name (
    workspace TEXT NOT NULL,
    name TEXT NOT NULL,
    agent_id INTEGER NOT NULL REFERENCES agent,
    PRIMARY KEY (workspace, name)
) STRICT, WITHOUT ROWID;
