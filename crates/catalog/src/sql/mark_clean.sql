-- A period without a row never had input known to this catalog: it is clean.
INSERT INTO ledger
    (agent_id, grain, period, dirty_seq, clean_seq, dirty_at, input_digest, recipe, tokens, degraded, ungrounded)
VALUES (?1, ?2, ?3, 0, ?4, ?5, ?6, ?7, ?8, coalesce(?9, 0), coalesce(?10, 0))
ON CONFLICT (agent_id, grain, period) DO UPDATE
SET clean_seq = max(clean_seq, excluded.clean_seq),
    input_digest = excluded.input_digest,
    -- Without a draft the stored text stays, and so does the record of how it was made.
    recipe = coalesce(excluded.recipe, recipe),
    degraded = coalesce(?9, degraded),
    ungrounded = coalesce(?10, ungrounded),
    attempts = 0,
    failing_since = NULL,
    not_before = NULL,
    last_error = NULL,
    tokens = tokens + excluded.tokens
