SELECT conversation, count(*) AS turns, min(at) AS first, max(at) AS last
FROM turn
WHERE agent_id = ?1 AND conversation > ?2
GROUP BY conversation
ORDER BY conversation
LIMIT ?3
