-- Updates a row only if something differs: the number of changed rows tells whether the log changed.
INSERT INTO fact_operation (
    agent_id, id, verb, subject, predicate, object, replaces, properties, confidence, at, said_at, source, position,
    recorded_at
)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)
ON CONFLICT (agent_id, id) DO UPDATE
SET (verb, subject, predicate, object, replaces, properties, confidence, at, said_at, source, position, recorded_at)
    = (?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)
WHERE (verb, subject, predicate, object, replaces, properties, confidence, at, said_at, source, position, recorded_at)
    IS NOT (?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)
