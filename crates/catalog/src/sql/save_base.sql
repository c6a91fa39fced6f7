INSERT OR REPLACE INTO base (agent_id, grain, period, text, sentences, sources, verbatim, seq)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
