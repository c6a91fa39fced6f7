SELECT seq, agent_id, id, text, topic, importance, who, tells_of, day, cover_start, cover_end, pinned, confidence
FROM statement
