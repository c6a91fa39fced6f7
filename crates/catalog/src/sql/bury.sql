INSERT INTO dead_letter (agent_id, id, grain, error, at)
VALUES (?1, ?2, ?3, ?4, ?5)
ON CONFLICT (agent_id, id) DO UPDATE
SET grain = excluded.grain, error = excluded.error, at = excluded.at
