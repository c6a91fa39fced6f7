-- An agent with only pruned turns still has ledger rows, one with only facts entered by hand has the log, and another
-- may have nothing but blocks.
SELECT workspace, name
FROM agent
-- The staging agent of a restore has no workspace.
WHERE workspace <> '' AND (workspace, name) > (?1, ?2) AND (
    settings IS NOT NULL
    OR EXISTS (SELECT 1 FROM turn WHERE turn.agent_id = agent.agent_id)
    OR EXISTS (SELECT 1 FROM ledger WHERE ledger.agent_id = agent.agent_id)
    OR EXISTS (SELECT 1 FROM fact_operation WHERE fact_operation.agent_id = agent.agent_id)
    OR EXISTS (SELECT 1 FROM block WHERE block.agent_id = agent.agent_id)
)
