-- Without statistics the planner chooses the index over time, and would read all conversations for one.
INDEXED BY turn_by_conversation
WHERE agent_id = ?1 AND conversation = ?5 AND at >= ?2 AND at < ?3
ORDER BY at ASC, message ASC
LIMIT ?4
