-- Adds the budgets of API keys. schema.sql explains the columns.
ALTER TABLE access_key ADD COLUMN daily_tokens INTEGER;
ALTER TABLE reservation ADD COLUMN key_id TEXT REFERENCES access_key;
ALTER TABLE batch_request ADD COLUMN key_id TEXT REFERENCES access_key;

CREATE TABLE key_usage (
    key_id TEXT NOT NULL REFERENCES access_key,
    day TEXT NOT NULL,
    tokens INTEGER NOT NULL,
    PRIMARY KEY (key_id, day)
) STRICT, WITHOUT ROWID;
