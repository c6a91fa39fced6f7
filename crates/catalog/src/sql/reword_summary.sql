UPDATE summary
SET seq = ?3, text = ?4, sentences = ?5, verbatim = ?6
WHERE agent_id = ?1 AND id = ?2
