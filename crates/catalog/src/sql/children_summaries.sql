SELECT period, 1 AS is_summary, 1 AS rows, octet_length(text) AS bytes, pinned, 0 AS last_turn
FROM summary
WHERE agent_id = ?1 AND grain = ?4 AND period BETWEEN ?2 AND ?3
