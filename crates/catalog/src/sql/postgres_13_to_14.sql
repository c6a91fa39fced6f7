-- Adds the tokens of prompt caches, their prices, and refused parameters in PostgreSQL. schema.sql explains the columns.
ALTER TABLE usage ADD COLUMN cache_read BIGINT NOT NULL DEFAULT 0;
ALTER TABLE usage ADD COLUMN cache_written BIGINT NOT NULL DEFAULT 0;
ALTER TABLE price ADD COLUMN cached_input BIGINT;
ALTER TABLE price ADD COLUMN cache_write BIGINT;

CREATE TABLE refusal (
    key BYTEA PRIMARY KEY,
    parameters TEXT COLLATE "C" NOT NULL,
    at BIGINT NOT NULL
);
