-- Without statistics the planner chooses the index over time, and would read all turns for those of a day.
INDEXED BY turn_by_day
WHERE agent_id = ?1 AND day = ?2
ORDER BY at, conversation, message
