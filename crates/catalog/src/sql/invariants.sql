-- What must hold between the tables; one line for each thing that does not.
SELECT 'turn ' || turn.id || ' is newer than the ledger row of its day'
FROM turn
LEFT JOIN ledger ON ledger.agent_id = turn.agent_id AND ledger.grain = 1 AND ledger.period = turn.day
WHERE ledger.dirty_seq IS NULL OR ledger.dirty_seq < turn.seq
UNION ALL
SELECT 'summary ' || summary.id || ' has no ledger row'
FROM summary
LEFT JOIN ledger USING (agent_id, grain, period)
WHERE ledger.dirty_seq IS NULL
UNION ALL
SELECT 'summary ' || summary.id || ' has no sources'
FROM summary
WHERE NOT EXISTS (SELECT 1 FROM source WHERE source.summary_id = summary.summary_id)
UNION ALL
SELECT 'memory ' || tombstone.id || ' is both live and gone'
FROM tombstone
WHERE EXISTS (SELECT 1 FROM summary WHERE summary.agent_id = tombstone.agent_id AND summary.id = tombstone.id)
   OR EXISTS (SELECT 1 FROM turn WHERE turn.agent_id = tombstone.agent_id AND turn.id = tombstone.id)
UNION ALL
SELECT 'change ' || change.seq || ' lies beyond the sequence'
FROM (SELECT seq FROM turn UNION ALL SELECT seq FROM summary UNION ALL SELECT seq FROM tombstone) AS change
WHERE change.seq > (SELECT last FROM sequence)
