-- The appender does not support lists, so sources are staged as rows of their own.
CREATE TABLE stage AS SELECT 0::BIGINT AS number, * EXCLUDE (sources) FROM facts LIMIT 0;
CREATE TABLE fact_source (number BIGINT, place BIGINT, source VARCHAR);
