WITH RECURSIVE walk (entity, depth) AS (
  SELECT id, 0 FROM entity WHERE key = ?1
  UNION
  SELECT object_id, depth + 1 FROM walk JOIN fact ON subject_id = entity AND valid_to IS NULL WHERE depth < ?2 - 1
  UNION
  SELECT subject_id, depth + 1 FROM walk JOIN fact ON object_id = entity AND valid_to IS NULL WHERE depth < ?2 - 1
),
near AS (SELECT entity, min(depth) + 1 AS depth FROM walk GROUP BY entity),
step AS (
  SELECT row, depth FROM near JOIN fact ON subject_id = entity AND valid_to IS NULL
  UNION ALL
  SELECT row, depth FROM near JOIN fact ON object_id = entity AND valid_to IS NULL
),
nearest AS (SELECT row, min(depth) AS depth FROM step GROUP BY row)
SELECT depth, fact.* FROM nearest JOIN fact USING (row) ORDER BY depth, row
