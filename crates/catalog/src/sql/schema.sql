-- The catalog's schema, version 1 (PRAGMA user_version). Everything that Annals cannot make again is in these tables; the
-- vector and text tables beside them are projections and can be rebuilt from here.
--
-- Conventions
--   agent_id  a number that is ours alone, given at first sight; never 0, which stands for an agent that is not known.
--   seq       the number of a change, from one sequence for the whole file. A projection that has applied N needs only what
--             lies above N. A number belongs to one change for ever; numbers of changes that were overtaken are not reused.
--   instants  INTEGER, microseconds since 1970-01-01T00:00:00Z, negative before.
--   grain     INTEGER, 0 working to 5 yearly, so that it sorts from fine to coarse.
--   period    TEXT, the label (2026-03-04, 2026-W10, 2026-03, 2026-Q1, 2026); within a grain labels sort as time does.
--   digests   BLOB, the 32 bytes of a SHA-256.
--   text      is compared byte by byte, as UTF-8 sorts.

-- The last number taken. A row of its own, because the highest number in use can go when its memory does.
CREATE TABLE sequence (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    last INTEGER NOT NULL
) STRICT;

INSERT INTO sequence (only, last) VALUES (1, 0);

CREATE TABLE agent (
    agent_id INTEGER PRIMARY KEY CHECK (agent_id > 0),
    workspace TEXT NOT NULL,
    name TEXT NOT NULL,
    settings TEXT, -- JSON of core's Settings; NULL until somebody sets them: the defaults hold, whatever they become.
    UNIQUE (workspace, name)
) STRICT;

-- Messages, verbatim. The id is a hash of (workspace, agent, conversation, message), which ingest checks; so its being
-- unique makes the place unique, and no second index over the place is needed.
-- The row number is the sequence: turns lie on disk in the order of arrival, and an index over the agent alone already
-- lists its changes in order. A revised turn moves to the number of its revision.
-- Whether a message that comes again is the same is decided by its stored words, not by a stored hash of them, so that
-- a change of the hash can never make old messages look different.
CREATE TABLE turn (
    seq INTEGER PRIMARY KEY,
    agent_id INTEGER NOT NULL REFERENCES agent,
    id TEXT NOT NULL,
    conversation TEXT NOT NULL,
    message TEXT NOT NULL, -- The client's id within the conversation, or the one made up for it.
    day TEXT NOT NULL, -- The local day it was given when it came; a later change of zone does not move it.
    at INTEGER NOT NULL,
    role TEXT NOT NULL, -- user, assistant, system or tool.
    name TEXT, -- The speaker's, if given.
    content TEXT NOT NULL
) STRICT;

CREATE UNIQUE INDEX turn_by_id ON turn (agent_id, id);
CREATE INDEX turn_by_change ON turn (agent_id);
CREATE INDEX turn_by_day ON turn (agent_id, day);
CREATE INDEX turn_by_time ON turn (agent_id, at);
CREATE INDEX turn_by_conversation ON turn (agent_id, conversation, at);

-- Live summaries. This row is also the engine's output as it came, text and sentences: it is saved in the transaction that
-- makes it the summary, so there is no moment in which a draft is paid for but not applied, and nothing to apply again.
-- What it was made from (input digest) and how (recipe) is in the ledger row of the same period.
CREATE TABLE summary (
    summary_id INTEGER PRIMARY KEY,
    agent_id INTEGER NOT NULL REFERENCES agent,
    grain INTEGER NOT NULL,
    period TEXT NOT NULL,
    id TEXT NOT NULL,
    seq INTEGER NOT NULL UNIQUE,
    cover_start INTEGER NOT NULL, -- The instants it was built over, the end not included. Kept when zones change later.
    cover_end INTEGER NOT NULL,
    text TEXT NOT NULL,
    sentences TEXT NOT NULL -- JSON of core's Sentence, in order: day, speaker, text, ids of the turns it comes from.
) STRICT;

CREATE UNIQUE INDEX summary_by_period ON summary (agent_id, grain, period);
CREATE UNIQUE INDEX summary_by_id ON summary (agent_id, id);
CREATE INDEX summary_by_change ON summary (agent_id, grain, seq);
CREATE INDEX summary_by_time ON summary (agent_id, grain, cover_start, cover_end);

-- Lineage: what a summary was made from, in the order it was read; ids of turns for a day, of summaries above. Not a
-- reference, because sources may be pruned while the lineage stays.
CREATE TABLE source (
    summary_id INTEGER NOT NULL REFERENCES summary ON DELETE CASCADE,
    position INTEGER NOT NULL,
    id TEXT NOT NULL,
    PRIMARY KEY (summary_id, position)
) STRICT, WITHOUT ROWID;

-- Memories that are gone, so that projections learn of it. Goes when a memory of the same id comes back.
CREATE TABLE tombstone (
    agent_id INTEGER NOT NULL REFERENCES agent,
    id TEXT NOT NULL,
    grain INTEGER NOT NULL,
    seq INTEGER NOT NULL UNIQUE,
    PRIMARY KEY (agent_id, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX tombstone_by_change ON tombstone (agent_id, grain, seq);

-- One row for each period that ever had input. Dirty while dirty_seq > clean_seq.
CREATE TABLE ledger (
    agent_id INTEGER NOT NULL REFERENCES agent,
    grain INTEGER NOT NULL,
    period TEXT NOT NULL,
    dirty_seq INTEGER NOT NULL, -- The change that was its last input.
    clean_seq INTEGER NOT NULL DEFAULT 0, -- The dirty_seq that the last roll-up read before its input; never goes back.
    dirty_at INTEGER NOT NULL, -- When that last input came.
    input_digest BLOB, -- Of the ids and contents that the last roll-up read.
    recipe BLOB, -- Of the prompt, model and engine of the last roll-up that wrote a text.
    sealed INTEGER NOT NULL DEFAULT 0, -- 1 when its children were pruned, so that it can only be amended.
    attempts INTEGER NOT NULL DEFAULT 0, -- Failures since it was last clean.
    not_before INTEGER, -- Not to be tried again before this instant.
    last_error TEXT,
    tokens INTEGER NOT NULL DEFAULT 0, -- Paid for all its roll-ups so far.
    PRIMARY KEY (agent_id, grain, period)
) STRICT, WITHOUT ROWID;

-- How far the projection of each grain has come. No row: generation 0, nothing applied.
CREATE TABLE lane (
    agent_id INTEGER NOT NULL REFERENCES agent,
    grain INTEGER NOT NULL,
    generation INTEGER NOT NULL, -- The one that searches read.
    applied INTEGER NOT NULL, -- The seq up to which it has applied all changes.
    building INTEGER, -- A generation being built beside it, if any,
    building_applied INTEGER, -- and how far that one has come.
    PRIMARY KEY (agent_id, grain),
    CHECK ((building IS NULL) = (building_applied IS NULL))
) STRICT, WITHOUT ROWID;

-- Accepted requests. The id is a hash of the request's turns, so the same request finds its row again; the counts are
-- those of the last time it came.
CREATE TABLE operation (
    agent_id INTEGER NOT NULL REFERENCES agent,
    id TEXT NOT NULL,
    accepted INTEGER NOT NULL,
    duplicate INTEGER NOT NULL,
    revised INTEGER NOT NULL,
    seq INTEGER NOT NULL, -- The highest of its turns': all of them are searchable once the lane has applied this.
    PRIMARY KEY (agent_id, id)
) STRICT, WITHOUT ROWID;

-- Memories that could not be brought into their table for a fault of their own. Their text is above, untouched.
CREATE TABLE dead_letter (
    agent_id INTEGER NOT NULL REFERENCES agent,
    id TEXT NOT NULL,
    grain INTEGER NOT NULL,
    error TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (agent_id, id)
) STRICT, WITHOUT ROWID;
