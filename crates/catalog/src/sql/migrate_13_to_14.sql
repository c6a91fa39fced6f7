-- Adds the tokens of prompt caches, their prices, and refused parameters. schema.sql explains the columns.
ALTER TABLE usage ADD COLUMN cache_read INTEGER NOT NULL DEFAULT 0;
ALTER TABLE usage ADD COLUMN cache_written INTEGER NOT NULL DEFAULT 0;
ALTER TABLE price ADD COLUMN cached_input INTEGER;
ALTER TABLE price ADD COLUMN cache_write INTEGER;

CREATE TABLE refusal (
    key BLOB PRIMARY KEY,
    parameters TEXT NOT NULL,
    at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
