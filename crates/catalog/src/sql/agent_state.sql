-- The conditions are those of agents.sql.
SELECT settings,
    settings IS NOT NULL
        OR EXISTS (SELECT 1 FROM turn WHERE turn.agent_id = agent.agent_id)
        OR EXISTS (SELECT 1 FROM ledger WHERE ledger.agent_id = agent.agent_id)
        OR EXISTS (SELECT 1 FROM fact_operation WHERE fact_operation.agent_id = agent.agent_id)
        OR EXISTS (SELECT 1 FROM block WHERE block.agent_id = agent.agent_id) AS known
FROM agent
WHERE agent_id = ?1
