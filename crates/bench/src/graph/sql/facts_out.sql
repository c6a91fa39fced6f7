WITH RECURSIVE walk (entity, depth) AS (
  SELECT id, 0 FROM entity WHERE key = ?1
  UNION
  SELECT object_id, depth + 1 FROM walk JOIN fact ON subject_id = entity AND valid_to IS NULL WHERE depth < ?2 - 1
),
near AS (SELECT entity, min(depth) + 1 AS depth FROM walk GROUP BY entity)
SELECT depth, fact.* FROM near JOIN fact ON subject_id = entity AND valid_to IS NULL ORDER BY depth, row
