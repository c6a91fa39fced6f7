INSERT INTO operation (agent_id, id, accepted, duplicate, revised, seq)
VALUES (?1, ?2, ?3, ?4, ?5, ?6)
ON CONFLICT (agent_id, id) DO UPDATE
SET accepted = excluded.accepted, duplicate = excluded.duplicate, revised = excluded.revised, seq = excluded.seq
