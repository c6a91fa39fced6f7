WITH RECURSIVE walk (entity, depth) AS (
  SELECT id, 0 FROM entity WHERE key = ?1
  UNION
  SELECT object_id, depth + 1 FROM walk JOIN fact ON subject_id = entity AND valid_to IS NULL WHERE depth < ?2
)
SELECT key, min(depth) FROM walk JOIN entity ON id = entity GROUP BY entity
