UPDATE ledger
SET attempts = attempts + 1, last_error = ?4, not_before = ?5, failing_since = min(coalesce(failing_since, ?6), ?6)
WHERE agent_id = ?1 AND grain = ?2 AND period = ?3
