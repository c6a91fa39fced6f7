CREATE TABLE facts (
  id VARCHAR NOT NULL,
  subject VARCHAR NOT NULL,
  predicate VARCHAR NOT NULL,
  object VARCHAR NOT NULL,
  properties VARCHAR NOT NULL,
  confidence DOUBLE NOT NULL,
  valid_from TIMESTAMP NOT NULL,
  valid_to TIMESTAMP,
  recorded_at TIMESTAMP NOT NULL,
  said_from TIMESTAMP NOT NULL,
  said_to TIMESTAMP NOT NULL,
  sources VARCHAR[] NOT NULL,
  superseded_by VARCHAR,
  subject_key VARCHAR NOT NULL,
  object_key VARCHAR NOT NULL
);
