-- Sums saturate at the highest integer. A memory that was forgotten since it was returned gets no row.
INSERT INTO access (agent_id, id, times, last)
SELECT ?1, ?2, ?3, ?4
WHERE EXISTS (SELECT 1 FROM turn WHERE agent_id = ?1 AND id = ?2)
   OR EXISTS (SELECT 1 FROM statement WHERE agent_id = ?1 AND id = ?2)
   OR EXISTS (SELECT 1 FROM summary WHERE agent_id = ?1 AND id = ?2)
ON CONFLICT (agent_id, id) DO UPDATE
SET times = min(times, 9223372036854775807 - excluded.times) + excluded.times,
    last = max(last, excluded.last)
