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

-- Adds batches, and usage by price. schema.sql explains the tables. What was used
-- before came from single calls.
CREATE TABLE batch (
    batch_id TEXT PRIMARY KEY,
    base_url TEXT NOT NULL,
    model TEXT NOT NULL,
    remote TEXT,
    state TEXT NOT NULL,
    at INTEGER NOT NULL,
    requests INTEGER NOT NULL,
    done INTEGER NOT NULL,
    reads INTEGER NOT NULL
) STRICT;

CREATE TABLE batch_request (
    batch_id TEXT NOT NULL REFERENCES batch,
    number INTEGER NOT NULL,
    agent_id INTEGER NOT NULL REFERENCES agent,
    period TEXT NOT NULL,
    key BLOB NOT NULL,
    purpose TEXT NOT NULL,
    read_seq INTEGER NOT NULL,
    tokens INTEGER NOT NULL,
    state TEXT NOT NULL,
    PRIMARY KEY (batch_id, number)
) STRICT, WITHOUT ROWID;

CREATE INDEX batch_request_by_period ON batch_request (agent_id, period);

CREATE INDEX batch_request_outstanding ON batch_request (agent_id) WHERE state IN ('open', 'void');

ALTER TABLE usage RENAME TO former_usage;

CREATE TABLE usage (
    agent_id INTEGER NOT NULL REFERENCES agent,
    day TEXT NOT NULL,
    purpose TEXT NOT NULL,
    model TEXT NOT NULL,
    batch INTEGER NOT NULL,
    calls INTEGER NOT NULL,
    tokens_in INTEGER NOT NULL,
    tokens_out INTEGER NOT NULL,
    PRIMARY KEY (agent_id, day, purpose, model, batch)
) STRICT, WITHOUT ROWID;

INSERT INTO usage (agent_id, day, purpose, model, batch, calls, tokens_in, tokens_out)
SELECT agent_id, day, purpose, model, 0, calls, tokens_in, tokens_out FROM former_usage;

DROP TABLE former_usage;

CREATE INDEX usage_by_day ON usage (day);
