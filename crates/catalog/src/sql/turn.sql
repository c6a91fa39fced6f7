SELECT seq, id, conversation, message, day, at, role, name, content
FROM turn
