-- A statement that is written again keeps its pin.
INSERT INTO statement (seq, agent_id, id, text, topic, importance, who, tells_of, day, cover_start, cover_end, confidence)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
ON CONFLICT (agent_id, id) DO UPDATE
SET seq = excluded.seq,
    text = excluded.text,
    topic = excluded.topic,
    importance = excluded.importance,
    who = excluded.who,
    tells_of = excluded.tells_of,
    day = excluded.day,
    cover_start = excluded.cover_start,
    cover_end = excluded.cover_end,
    confidence = excluded.confidence
