-- A cover may be empty, for a day that its zone skipped; then it overlaps nothing.
WHERE agent_id = ?1 AND grain = ?5 AND cover_start < ?3 AND cover_end > ?2 AND cover_start < cover_end
ORDER BY cover_start ASC
LIMIT ?4
