INSERT INTO watermark (
    agent_id, grain, generation, applied, model, dimension,
    building, building_applied, building_model, building_dimension, building_urgent
)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
ON CONFLICT (agent_id, grain) DO UPDATE
SET generation = excluded.generation,
    applied = excluded.applied,
    model = excluded.model,
    dimension = excluded.dimension,
    building = excluded.building,
    building_applied = excluded.building_applied,
    building_model = excluded.building_model,
    building_dimension = excluded.building_dimension,
    building_urgent = excluded.building_urgent
