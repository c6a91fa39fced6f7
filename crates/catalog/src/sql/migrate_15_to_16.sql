-- Adds the mark of a memory that nothing may use. schema.sql explains the columns.
CREATE TABLE closed (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    adoption TEXT NOT NULL,
    copied_from TEXT,
    moved_to TEXT,
    service TEXT,
    CHECK ((copied_from IS NULL) <> (moved_to IS NULL))
) STRICT;
