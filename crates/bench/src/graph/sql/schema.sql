-- Entities as numbers, and an index for each direction that holds all that a step needs of the facts that hold: nothing
-- else is read until the facts themselves are fetched.
CREATE TABLE entity (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE);
CREATE TABLE fact (
  row INTEGER PRIMARY KEY, subject_id INTEGER NOT NULL, object_id INTEGER NOT NULL,
  id TEXT NOT NULL, subject TEXT NOT NULL, predicate TEXT NOT NULL, object TEXT NOT NULL, properties TEXT NOT NULL,
  confidence REAL NOT NULL, valid_from INTEGER NOT NULL, valid_to INTEGER, recorded_at INTEGER NOT NULL,
  said_from INTEGER NOT NULL, said_to INTEGER NOT NULL, sources TEXT NOT NULL, superseded_by TEXT
);
CREATE INDEX leads_to ON fact (subject_id, object_id) WHERE valid_to IS NULL;
CREATE INDEX comes_from ON fact (object_id, subject_id) WHERE valid_to IS NULL;
