SELECT 1
FROM ledger
WHERE agent_id = ?1 AND grain = ?2 AND period = ?3 AND clean_seq = ?4 AND dirty_seq <= clean_seq
