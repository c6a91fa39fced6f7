INSERT INTO facts BY NAME
SELECT
  id, subject, predicate, object, properties, confidence, valid_from, valid_to, recorded_at, said_from, said_to, sources,
  superseded_by, subject_key, object_key
FROM read_parquet($1)
