INSERT INTO lane (agent_id, grain, generation, applied, building, building_applied)
VALUES (?1, ?2, ?3, ?4, ?5, ?6)
ON CONFLICT (agent_id, grain) DO UPDATE
SET generation = excluded.generation,
    applied = excluded.applied,
    building = excluded.building,
    building_applied = excluded.building_applied
