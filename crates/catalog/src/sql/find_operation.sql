-- Older operations may share an id across agents; then the first agent's is returned.
SELECT agent.name AS agent, operation.*
FROM operation INDEXED BY operation_by_id
JOIN agent USING (agent_id)
WHERE operation.id = ?2 AND agent.workspace = ?1
ORDER BY operation.agent_id
LIMIT 1
