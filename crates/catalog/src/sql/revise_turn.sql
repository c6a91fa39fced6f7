UPDATE turn
SET seq = ?1, day = ?4, at = ?5, role = ?6, name = ?7, content = ?8
WHERE agent_id = ?2 AND id = ?3
