INSERT INTO operation (agent_id, id, accepted, duplicate, revised, forgotten, masked, seq)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
ON CONFLICT (agent_id, id) DO UPDATE
SET accepted = excluded.accepted,
    duplicate = excluded.duplicate,
    revised = excluded.revised,
    forgotten = excluded.forgotten,
    masked = excluded.masked,
    seq = excluded.seq
