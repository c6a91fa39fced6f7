-- Indexes the few periods that still have to be written. Created at every start if missing: it changes no stored data.
CREATE INDEX IF NOT EXISTS ledger_open ON ledger (grain, period, agent_id)
WHERE (dirty_seq > clean_seq OR degraded = 1)
