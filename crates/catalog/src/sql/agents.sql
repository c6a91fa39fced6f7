SELECT workspace, name
FROM agent
WHERE settings IS NOT NULL OR EXISTS (SELECT 1 FROM turn WHERE turn.agent_id = agent.agent_id)
ORDER BY name, workspace
