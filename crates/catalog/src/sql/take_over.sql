-- Removes the rows of agent ?1 that conflict with rows of agent ?2, which replaces it.
DELETE FROM tombstone WHERE agent_id = ?1 AND (
    EXISTS (SELECT 1 FROM turn WHERE turn.agent_id = ?2 AND turn.id = tombstone.id)
    OR EXISTS (SELECT 1 FROM statement WHERE statement.agent_id = ?2 AND statement.id = tombstone.id)
    OR EXISTS (SELECT 1 FROM summary WHERE summary.agent_id = ?2 AND summary.id = tombstone.id)
);
DELETE FROM pruned WHERE agent_id = ?1 AND EXISTS (SELECT 1 FROM turn WHERE turn.agent_id = ?2 AND turn.id = pruned.id);
-- The row of agent ?1 may hold more.
DELETE FROM pruned WHERE agent_id = ?2 AND EXISTS (
    SELECT 1 FROM pruned AS known WHERE known.agent_id = ?1 AND known.id = pruned.id
);
UPDATE agent SET settings = (SELECT settings FROM agent WHERE agent_id = ?1) WHERE agent_id = ?2 AND settings IS NULL;
