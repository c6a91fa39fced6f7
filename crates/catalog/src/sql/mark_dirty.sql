INSERT INTO ledger (agent_id, grain, period, dirty_seq, dirty_at)
VALUES (?1, ?2, ?3, ?4, ?5)
ON CONFLICT (agent_id, grain, period) DO UPDATE
SET dirty_seq = excluded.dirty_seq, dirty_at = excluded.dirty_at
