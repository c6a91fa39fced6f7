INSERT INTO turn (seq, agent_id, id, conversation, message, day, at, role, name, content, sent_at)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
