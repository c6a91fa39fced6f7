SELECT
    day AS period,
    0 AS is_summary,
    count(*) AS rows,
    sum(octet_length(text)) AS bytes,
    max(pinned) AS pinned,
    0 AS last_turn
FROM statement INDEXED BY statement_by_day
WHERE agent_id = ?1 AND day BETWEEN ?2 AND ?3
GROUP BY day
