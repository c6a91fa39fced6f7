SELECT seq, id, conversation, message, day, at, role, name, content, pinned
FROM turn
