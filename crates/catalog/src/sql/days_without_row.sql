SELECT DISTINCT day
FROM turn
WHERE agent_id = ?1
  AND NOT EXISTS (
      SELECT 1
      FROM ledger
      WHERE ledger.agent_id = turn.agent_id AND ledger.grain = 1 AND ledger.period = turn.day
  )
