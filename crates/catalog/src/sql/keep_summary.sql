-- The text stays, but only now it may be known whether it is verbatim.
UPDATE summary
SET verbatim = ?7
WHERE agent_id = ?1 AND id = ?2 AND text = ?3 AND sentences = ?4 AND cover_start = ?5 AND cover_end = ?6
