-- $1 whether an entity is asked, by the names that were kept; $2 predicate, $3 as of, $4 history, $5 and $6 said within,
-- $7 limit; null where it is not asked. Names in a list take half the time that names in a table do.
SELECT
  id, subject, predicate, object, properties, confidence, valid_from, valid_to, recorded_at, said_from, said_to, sources,
  superseded_by
FROM facts
WHERE (
    NOT $1::BOOLEAN
    OR list_contains(getvariable('names'), subject_key)
    OR list_contains(getvariable('names'), object_key)
  )
  AND ($2::VARCHAR IS NULL OR predicate = $2::VARCHAR)
  AND CASE
    WHEN $4::BOOLEAN THEN true
    WHEN $3::TIMESTAMP IS NULL THEN valid_to IS NULL
    ELSE valid_from <= $3::TIMESTAMP AND (valid_to IS NULL OR $3::TIMESTAMP < valid_to)
  END
  AND ($5::TIMESTAMP IS NULL OR (
    said_from < $6::TIMESTAMP AND $5::TIMESTAMP < said_to AND said_from < said_to AND $5::TIMESTAMP < $6::TIMESTAMP
  ))
ORDER BY valid_from, id
LIMIT $7::BIGINT
