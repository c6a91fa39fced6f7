UPDATE turn
SET arrived = coalesce(arrived, seq), seq = ?1, day = ?4, at = ?5, role = ?6, name = ?7, content = ?8, sent_at = ?9, sent = ?10
WHERE agent_id = ?2 AND id = ?3
