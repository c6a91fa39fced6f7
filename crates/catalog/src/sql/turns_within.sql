WHERE agent_id = ?1 AND at >= ?2 AND at < ?3
ORDER BY at ASC, conversation ASC, message ASC
LIMIT ?4
