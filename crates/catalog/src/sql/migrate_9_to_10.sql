-- Migrates schema version 9 to 10, in one transaction with the version number. schema.sql explains column and table. Who wrote
-- the former summaries was not recorded.
ALTER TABLE ledger ADD COLUMN author TEXT;

CREATE TABLE price (
    model TEXT PRIMARY KEY,
    currency TEXT NOT NULL,
    input INTEGER NOT NULL,
    output INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
