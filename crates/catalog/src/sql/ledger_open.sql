-- The few periods that are still to be written. Made at every start if it is not there: it changes nothing that is stored.
CREATE INDEX IF NOT EXISTS ledger_open ON ledger (grain, period, agent_id)
WHERE (dirty_seq > clean_seq OR degraded = 1)
