INSERT INTO dead_letter (agent_id, id, stage, grain, error, at)
VALUES (?1, ?2, ?3, ?4, ?5, ?6)
ON CONFLICT (agent_id, id, stage) DO UPDATE
SET grain = excluded.grain, error = excluded.error, at = excluded.at
