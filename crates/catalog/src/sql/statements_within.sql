WHERE agent_id = ?1 AND cover_start < ?3 AND cover_end > ?2 AND cover_start < cover_end
ORDER BY cover_start ASC, id ASC
LIMIT ?4
