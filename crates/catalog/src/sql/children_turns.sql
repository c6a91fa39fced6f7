SELECT
    day AS period,
    0 AS is_summary,
    count(*) AS rows,
    sum(octet_length(content)) AS bytes,
    max(pinned) AS pinned,
    max(seq) AS last_turn
FROM turn INDEXED BY turn_by_day
WHERE agent_id = ?1 AND day BETWEEN ?2 AND ?3
GROUP BY day
