INSERT INTO usage (agent_id, day, purpose, model, calls, tokens_in, tokens_out)
VALUES (?1, ?2, ?3, ?4, 1, ?5, ?6)
ON CONFLICT (agent_id, day, purpose, model) DO UPDATE
SET calls = calls + 1, tokens_in = tokens_in + excluded.tokens_in, tokens_out = tokens_out + excluded.tokens_out
