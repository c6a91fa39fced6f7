-- Of an agent whose turns were all pruned, the ledger stays; of one that only told facts by hand, the log; and blocks may be
-- all there is.
SELECT workspace, name
FROM agent
-- One that is being restored has no workspace.
WHERE workspace <> '' AND (
    settings IS NOT NULL
    OR EXISTS (SELECT 1 FROM turn WHERE turn.agent_id = agent.agent_id)
    OR EXISTS (SELECT 1 FROM ledger WHERE ledger.agent_id = agent.agent_id)
    OR EXISTS (SELECT 1 FROM fact_operation WHERE fact_operation.agent_id = agent.agent_id)
    OR EXISTS (SELECT 1 FROM block WHERE block.agent_id = agent.agent_id)
)
ORDER BY name, workspace
