INSERT INTO journal (agent_id, attempts, last_error, not_before, failing_since)
VALUES (?1, 1, ?2, ?3, ?4)
ON CONFLICT (agent_id) DO UPDATE
SET attempts = attempts + 1,
    last_error = excluded.last_error,
    not_before = excluded.not_before,
    -- A value in the future was recorded while the clock was ahead.
    failing_since = min(coalesce(failing_since, excluded.failing_since), excluded.failing_since)
