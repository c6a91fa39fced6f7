SELECT seq, id, conversation, message, day, at, role, name, content, pinned, sent_at, sent, arrived
FROM turn
