-- Adds the model of each table's vectors. schema.sql explains the columns. Until now every table was written with the model that
-- is compiled into the binary. A rebuild that was under way replaced a damaged or outdated table.
ALTER TABLE watermark RENAME TO former_watermark;

CREATE TABLE watermark (
    agent_id INTEGER NOT NULL REFERENCES agent,
    grain INTEGER NOT NULL,
    generation INTEGER NOT NULL,
    applied INTEGER NOT NULL,
    model TEXT,
    dimension INTEGER,
    building INTEGER,
    building_applied INTEGER,
    building_model TEXT,
    building_dimension INTEGER,
    building_urgent INTEGER,
    PRIMARY KEY (agent_id, grain),
    CHECK ((model IS NULL) = (dimension IS NULL)),
    CHECK ((building IS NULL) = (building_applied IS NULL)),
    CHECK ((building IS NULL) = (building_model IS NULL)),
    CHECK ((building IS NULL) = (building_dimension IS NULL)),
    CHECK ((building IS NULL) = (building_urgent IS NULL))
) STRICT, WITHOUT ROWID;

INSERT INTO watermark
SELECT
    agent_id,
    grain,
    generation,
    applied,
    iif(applied > 0, 'all-MiniLM-L6-v2@04f237888393', NULL),
    iif(applied > 0, 384, NULL),
    building,
    building_applied,
    iif(building IS NULL, NULL, 'all-MiniLM-L6-v2@04f237888393'),
    iif(building IS NULL, NULL, 384),
    iif(building IS NULL, NULL, 1)
FROM former_watermark;

DROP TABLE former_watermark;
