-- The invariants between the tables; returns one line for each violation.
WITH change (agent_id, seq) AS (
    SELECT agent_id, seq FROM turn
    UNION ALL SELECT agent_id, seq FROM statement
    UNION ALL SELECT agent_id, seq FROM summary
    UNION ALL SELECT agent_id, seq FROM passage
    UNION ALL SELECT agent_id, seq FROM tombstone
    UNION ALL SELECT agent_id, log_version FROM journal WHERE log_version > 0
)
SELECT 'turn ' || turn.id || ' is newer than the ledger row of its day, or has no such row'
FROM turn
LEFT JOIN ledger ON ledger.agent_id = turn.agent_id AND ledger.grain = 1 AND ledger.period = turn.day
WHERE (ledger.dirty_seq IS NULL OR ledger.dirty_seq < turn.seq)
    -- A restore stores the days last.
    AND turn.agent_id NOT IN (SELECT agent_id FROM agent WHERE workspace = '')
UNION ALL
SELECT 'summary ' || summary.id || ' has no ledger row'
FROM summary
LEFT JOIN ledger USING (agent_id, grain, period)
WHERE ledger.dirty_seq IS NULL
UNION ALL
SELECT 'summary ' || summary.id || ' has no sources'
FROM summary
WHERE NOT EXISTS (SELECT 1 FROM source WHERE source.summary_id = summary.summary_id)
  -- The base of a sealed period counts as a source.
  AND NOT EXISTS (SELECT 1 FROM base WHERE (base.agent_id, base.grain, base.period)
      = (summary.agent_id, summary.grain, summary.period))
UNION ALL
SELECT 'statement ' || statement.id || ' has no sources'
FROM statement
WHERE NOT EXISTS (SELECT 1 FROM statement_source AS source
    WHERE source.agent_id = statement.agent_id AND source.statement = statement.id)
UNION ALL
SELECT 'statement ' || source.statement || ' has sources but does not exist'
FROM statement_source AS source
WHERE NOT EXISTS (SELECT 1 FROM statement WHERE statement.agent_id = source.agent_id AND statement.id = source.statement)
UNION ALL
SELECT 'period ' || ledger.period || ' is sealed without a base, or has a base but is not sealed'
FROM ledger
WHERE (ledger.sealed = 1) <> EXISTS (SELECT 1 FROM base WHERE (base.agent_id, base.grain, base.period)
    = (ledger.agent_id, ledger.grain, ledger.period))
UNION ALL
SELECT 'base of ' || base.period || ' has no ledger row'
FROM base
LEFT JOIN ledger USING (agent_id, grain, period)
WHERE ledger.dirty_seq IS NULL
UNION ALL
SELECT 'memory ' || tombstone.id || ' is both live and removed'
FROM tombstone
WHERE EXISTS (SELECT 1 FROM summary WHERE summary.agent_id = tombstone.agent_id AND summary.id = tombstone.id)
   OR EXISTS (SELECT 1 FROM turn WHERE turn.agent_id = tombstone.agent_id AND turn.id = tombstone.id)
   OR EXISTS (SELECT 1 FROM statement WHERE statement.agent_id = tombstone.agent_id AND statement.id = tombstone.id)
   OR EXISTS (SELECT 1 FROM passage WHERE passage.agent_id = tombstone.agent_id AND passage.id = tombstone.id)
UNION ALL
SELECT 'turn ' || pruned.id || ' is both live and pruned'
FROM pruned
WHERE EXISTS (SELECT 1 FROM turn WHERE turn.agent_id = pruned.agent_id AND turn.id = pruned.id)
UNION ALL
SELECT 'access count of memory ' || access.id || ', which does not exist'
FROM access
WHERE NOT EXISTS (SELECT 1 FROM summary WHERE summary.agent_id = access.agent_id AND summary.id = access.id)
  AND NOT EXISTS (SELECT 1 FROM turn WHERE turn.agent_id = access.agent_id AND turn.id = access.id)
  AND NOT EXISTS (SELECT 1 FROM statement WHERE statement.agent_id = access.agent_id AND statement.id = access.id)
  AND NOT EXISTS (SELECT 1 FROM passage WHERE passage.agent_id = access.agent_id AND passage.id = access.id)
UNION ALL
SELECT 'passage ' || passage.id || ' belongs to no document'
FROM passage
WHERE NOT EXISTS (SELECT 1 FROM document
    WHERE document.document_id = passage.document_id AND document.agent_id = passage.agent_id)
UNION ALL
SELECT 'request of operation ' || request.operation || ', which does not exist'
FROM request
WHERE NOT EXISTS (SELECT 1 FROM operation
    WHERE operation.agent_id = request.agent_id AND operation.id = request.operation)
UNION ALL
SELECT 'change ' || change.seq || ' of agent ' || agent.name || ' is beyond the end of its sequence'
FROM change
JOIN agent USING (agent_id)
WHERE change.seq > agent.seq
    -- A restore takes the numbers from the agent that is restored.
    AND agent.workspace <> ''
UNION ALL
SELECT 'change ' || change.seq || ' of agent ' || agent.name || ' is more than one change'
FROM change
JOIN agent USING (agent_id)
GROUP BY change.agent_id, change.seq, agent.name
HAVING count(*) > 1
