INSERT INTO journal (agent_id, extracted)
VALUES (?1, ?2)
ON CONFLICT (agent_id) DO UPDATE
SET extracted = excluded.extracted, attempts = 0, failing_since = NULL, not_before = NULL, last_error = NULL
