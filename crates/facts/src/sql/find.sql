-- $1 predicate, $2 as of, $3 history, $4 and $5 said within, $6 limit; NULL if not set.
SELECT
  id, subject, predicate, object, properties, confidence, valid_from, valid_to, recorded_at, said_from, said_to, sources,
  superseded_by
FROM facts
WHERE ($1::VARCHAR IS NULL OR predicate = $1::VARCHAR)
  AND CASE
    WHEN $3::BOOLEAN THEN true
    WHEN $2::TIMESTAMP IS NULL THEN valid_to IS NULL
    ELSE valid_from <= $2::TIMESTAMP AND (valid_to IS NULL OR $2::TIMESTAMP < valid_to)
  END
  AND ($4::TIMESTAMP IS NULL OR (
    said_from < $5::TIMESTAMP AND $4::TIMESTAMP < said_to AND said_from < said_to AND $4::TIMESTAMP < $5::TIMESTAMP
  ))
ORDER BY valid_from, id
LIMIT $6::BIGINT
