-- Adds the mark of a memory that nothing may use, in PostgreSQL. schema.sql explains the columns.
CREATE TABLE closed (
    "only" BIGINT PRIMARY KEY CHECK ("only" = 1),
    adoption TEXT COLLATE "C" NOT NULL,
    copied_from TEXT COLLATE "C",
    moved_to TEXT COLLATE "C",
    service TEXT COLLATE "C",
    CHECK ((copied_from IS NULL) <> (moved_to IS NULL))
);
