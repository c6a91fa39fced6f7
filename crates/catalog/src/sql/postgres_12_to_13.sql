-- Adds new names of agents in PostgreSQL. schema.sql explains the column and the table.
ALTER TABLE agent ADD COLUMN shown_name TEXT COLLATE "C";

CREATE TABLE agent_name (
    workspace TEXT COLLATE "C" NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    agent_id BIGINT NOT NULL REFERENCES agent,
    PRIMARY KEY (workspace, name)
);
