-- Adds the budgets of API keys in PostgreSQL. schema.sql explains the columns.
ALTER TABLE access_key ADD COLUMN daily_tokens BIGINT;
ALTER TABLE reservation ADD COLUMN key_id TEXT COLLATE "C" REFERENCES access_key;
ALTER TABLE batch_request ADD COLUMN key_id TEXT COLLATE "C" REFERENCES access_key;

CREATE TABLE key_usage (
    key_id TEXT COLLATE "C" NOT NULL REFERENCES access_key,
    day TEXT COLLATE "C" NOT NULL,
    tokens BIGINT NOT NULL,
    PRIMARY KEY (key_id, day)
);
