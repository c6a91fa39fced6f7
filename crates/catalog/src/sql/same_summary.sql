SELECT 1
FROM summary
WHERE agent_id = ?1 AND id = ?2 AND text = ?3 AND sentences = ?4 AND cover_start = ?5 AND cover_end = ?6
