-- Returns the instant after the run of consecutive taken instants that begins at the taken instant ?3.
SELECT last.at + 1
FROM turn AS last INDEXED BY turn_by_conversation
WHERE last.agent_id = ?1 AND last.conversation = ?2 AND last.at >= ?3
  AND NOT EXISTS (SELECT 1 FROM turn AS next INDEXED BY turn_by_conversation
      WHERE next.agent_id = ?1 AND next.conversation = ?2 AND next.at = last.at + 1)
ORDER BY last.at
LIMIT 1
