INSERT OR REPLACE INTO ledger
    (agent_id, grain, period, dirty_seq, clean_seq, dirty_at, input_digest, recipe, tokens, degraded, ungrounded)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
