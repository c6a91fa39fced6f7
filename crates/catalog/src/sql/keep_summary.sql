-- Words that stay may still be known to be verbatim only now.
UPDATE summary
SET verbatim = ?7
WHERE agent_id = ?1 AND id = ?2 AND text = ?3 AND sentences = ?4 AND cover_start = ?5 AND cover_end = ?6
