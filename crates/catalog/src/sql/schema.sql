-- The catalog's schema, version 6 (PRAGMA user_version); migrate_….sql bring older files to the same. Everything that
-- Annals cannot make again is in these tables; the vector and text tables beside them, and the table of facts, are
-- projections and can be rebuilt from here.
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
    erased INTEGER NOT NULL DEFAULT 0, -- The last seq taken when something of the agent was last erased, or the agent came.
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
    content TEXT NOT NULL,
    pinned INTEGER NOT NULL DEFAULT 0, -- 1 when retention leaves it alone; so in all tables of memories.
    sent_at INTEGER, -- The moment as the client sent it, where another turn of the conversation has it: at is right behind.
    sent BLOB, -- Keyed hash of what the client sent last, of a turn that a person corrected since; as in forgotten.
    arrived INTEGER -- The seq with which it first came, where that is another.
) STRICT;

CREATE UNIQUE INDEX turn_by_id ON turn (agent_id, id);
CREATE INDEX turn_by_change ON turn (agent_id);
CREATE INDEX turn_by_day ON turn (agent_id, day);
CREATE INDEX turn_by_time ON turn (agent_id, at);
CREATE INDEX turn_by_conversation ON turn (agent_id, conversation, at);

-- Statements: sentences that stand on their own, drawn out of turns by a model. They lie in the order of arrival as turns do,
-- and one that is drawn out anew or corrected moves to the number of that change.
CREATE TABLE statement (
    seq INTEGER PRIMARY KEY,
    agent_id INTEGER NOT NULL REFERENCES agent,
    id TEXT NOT NULL,
    text TEXT NOT NULL,
    topic TEXT NOT NULL, -- What it is, in a word.
    importance REAL NOT NULL, -- From 0 to 1.
    who TEXT NOT NULL, -- JSON: the names of whom it is about.
    tells_of INTEGER, -- When what it tells of happens, if that was said.
    day TEXT NOT NULL, -- Of its first source, as are the two instants.
    cover_start INTEGER NOT NULL,
    cover_end INTEGER NOT NULL,
    pinned INTEGER NOT NULL DEFAULT 0,
    confidence REAL -- From 0 to 1: how surely it was said; NULL if that was not told.
) STRICT;

CREATE UNIQUE INDEX statement_by_id ON statement (agent_id, id);
CREATE INDEX statement_by_change ON statement (agent_id);
CREATE INDEX statement_by_day ON statement (agent_id, day);
CREATE INDEX statement_by_time ON statement (agent_id, cover_start, cover_end);

-- The turns that a statement comes from, the first at position 0. Not references: a turn may be pruned or forgotten first.
CREATE TABLE statement_source (
    agent_id INTEGER NOT NULL REFERENCES agent,
    statement TEXT NOT NULL,
    position INTEGER NOT NULL,
    id TEXT NOT NULL,
    PRIMARY KEY (agent_id, statement, position)
) STRICT, WITHOUT ROWID;

CREATE INDEX statement_by_source ON statement_source (agent_id, id);

-- The log of fact operations. Facts follow from the whole of it in any order, so it has no order of its own.
CREATE TABLE fact_operation (
    agent_id INTEGER NOT NULL REFERENCES agent,
    id TEXT NOT NULL,
    verb TEXT NOT NULL, -- INSERT, UPDATE or DELETE.
    subject TEXT NOT NULL,
    predicate TEXT NOT NULL,
    object TEXT NOT NULL,
    replaces TEXT,
    properties TEXT NOT NULL, -- JSON.
    confidence REAL NOT NULL,
    at INTEGER NOT NULL, -- From when on it holds.
    said_at INTEGER NOT NULL,
    source TEXT NOT NULL, -- The turn; u-… of an entry by hand.
    position INTEGER NOT NULL, -- Among the operations of that source.
    recorded_at INTEGER NOT NULL,
    PRIMARY KEY (agent_id, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX fact_operation_by_source ON fact_operation (agent_id, source);

-- How far extraction has come, and the log it fills. No row: nothing read, and no operation ever.
CREATE TABLE journal (
    agent_id INTEGER PRIMARY KEY REFERENCES agent,
    extracted INTEGER NOT NULL DEFAULT 0, -- The seq up to which all turns have been read.
    attempts INTEGER NOT NULL DEFAULT 0, -- Failures since it last went on.
    failing_since INTEGER, -- When the first of them was.
    not_before INTEGER, -- Not to be tried again before this instant.
    last_error TEXT,
    log_version INTEGER NOT NULL DEFAULT 0 -- The seq of the last change of the log.
) STRICT;

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
    sentences TEXT NOT NULL, -- JSON of core's Sentence, in order: day, speaker, text, ids of the turns it comes from.
    verbatim INTEGER NOT NULL DEFAULT 1, -- 1 when each sentence is a verbatim piece of a turn, so that it can be cut.
    pinned INTEGER NOT NULL DEFAULT 0
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

-- Memories that are gone, so that projections learn of it. Goes when a memory of the same id comes back, and when every table
-- of the grain has applied it: the id of a turn without a client's id is a hash of its words.
CREATE TABLE tombstone (
    agent_id INTEGER NOT NULL REFERENCES agent,
    id TEXT NOT NULL,
    grain INTEGER NOT NULL,
    seq INTEGER NOT NULL UNIQUE,
    PRIMARY KEY (agent_id, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX tombstone_by_change ON tombstone (agent_id, grain, seq);

-- Turns that retention pruned, so that they are known when they come again, and can be forgotten with what was made of them.
-- Hashes are HMACs under the secret. All but the id is NULL where a version before this table pruned it, or another folder.
CREATE TABLE pruned (
    agent_id INTEGER NOT NULL REFERENCES agent,
    id TEXT NOT NULL,
    arrived INTEGER, -- The seq with which it first came.
    day TEXT,
    at INTEGER,
    conversation BLOB,
    speaker BLOB, -- Of the name's entity key.
    content BLOB, -- As in forgotten.
    PRIMARY KEY (agent_id, id)
) STRICT, WITHOUT ROWID;

-- How often a memory was given out, and when last. Apart from the memories, so that counting writes no words anew; counted in
-- batches, long after. Nothing is made from it, and it goes with its memory.
CREATE TABLE access (
    agent_id INTEGER NOT NULL REFERENCES agent,
    id TEXT NOT NULL,
    times INTEGER NOT NULL,
    last INTEGER NOT NULL,
    PRIMARY KEY (agent_id, id)
) STRICT, WITHOUT ROWID;

-- Former texts of corrected statements and summaries and of revised turns, in the order in which they were replaced.
CREATE TABLE version (
    version_id INTEGER PRIMARY KEY,
    agent_id INTEGER NOT NULL REFERENCES agent,
    id TEXT NOT NULL,
    text TEXT NOT NULL,
    replaced_at INTEGER NOT NULL
) STRICT;

CREATE INDEX version_by_memory ON version (agent_id, id);

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
    sealed INTEGER NOT NULL DEFAULT 0, -- 1 when its children were pruned, so that it can only be amended; then it has a base.
    attempts INTEGER NOT NULL DEFAULT 0, -- Failures since it was last clean.
    not_before INTEGER, -- Not to be tried again before this instant.
    last_error TEXT,
    tokens INTEGER NOT NULL DEFAULT 0, -- Paid for all its roll-ups so far.
    degraded INTEGER NOT NULL DEFAULT 0, -- 1 when the built-in engine wrote it in place of a model that could not.
    ungrounded INTEGER NOT NULL DEFAULT 0, -- Names, numbers and dates in its summary that no source contains.
    failing_since INTEGER, -- When the first of the failures was.
    PRIMARY KEY (agent_id, grain, period)
) STRICT, WITHOUT ROWID;

-- What a sealed summary was when what it is made of was pruned.
CREATE TABLE base (
    agent_id INTEGER NOT NULL REFERENCES agent,
    grain INTEGER NOT NULL,
    period TEXT NOT NULL,
    text TEXT NOT NULL,
    sentences TEXT NOT NULL, -- JSON, as in summary.
    sources TEXT NOT NULL, -- JSON: ids, in order.
    verbatim INTEGER NOT NULL,
    seq INTEGER, -- No turn that first came with a later number is in it; NULL if that is not known.
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
    forgotten INTEGER NOT NULL DEFAULT 0, -- Messages that were forgotten before, and stay so.
    masked INTEGER NOT NULL DEFAULT 0, -- Credentials that were masked in it before storage.
    PRIMARY KEY (agent_id, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX operation_by_id ON operation (id);

-- Requests that came with a key of their client's, so that they are answered as before when they come again. Only digests.
CREATE TABLE request (
    agent_id INTEGER NOT NULL REFERENCES agent,
    key BLOB NOT NULL,
    body BLOB NOT NULL,
    operation TEXT NOT NULL, -- Its id; goes with it.
    kept_at INTEGER NOT NULL,
    PRIMARY KEY (agent_id, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX request_by_time ON request (kept_at);

-- Small texts that are always in context, as people and agents wrote them. No projection holds them.
CREATE TABLE block (
    agent_id INTEGER NOT NULL REFERENCES agent,
    name TEXT NOT NULL,
    text TEXT NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (agent_id, name)
) STRICT;

-- Memories that could not be brought through a stage for a fault of their own. Their text is above, untouched.
CREATE TABLE dead_letter (
    agent_id INTEGER NOT NULL REFERENCES agent,
    id TEXT NOT NULL,
    stage TEXT NOT NULL, -- table or extraction.
    grain INTEGER NOT NULL,
    error TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (agent_id, id, stage)
) STRICT, WITHOUT ROWID;

-- Models' answers, kept so that a retry does not pay again.
CREATE TABLE reply (
    agent_id INTEGER NOT NULL REFERENCES agent,
    key BLOB NOT NULL, -- Digest of model, prompt and schema.
    text TEXT NOT NULL,
    kept_at INTEGER NOT NULL,
    PRIMARY KEY (agent_id, key)
) STRICT;

-- What models were paid, by UTC day. Outlives the replies.
CREATE TABLE usage (
    agent_id INTEGER NOT NULL REFERENCES agent,
    day TEXT NOT NULL,
    purpose TEXT NOT NULL, -- extraction, daily … yearly, rerank.
    model TEXT NOT NULL,
    calls INTEGER NOT NULL,
    tokens_in INTEGER NOT NULL,
    tokens_out INTEGER NOT NULL,
    PRIMARY KEY (agent_id, day, purpose, model)
) STRICT, WITHOUT ROWID;

-- HMACs, under the secret, of the places (or the ids, which are made of them) and of the contents of messages that were
-- forgotten, so that they are recognised when they come again. The agent is part of what is hashed: they stay when it goes.
CREATE TABLE forgotten (
    hash BLOB PRIMARY KEY
) STRICT, WITHOUT ROWID;

-- The key of all keyed hashes, made by randomblob when the first is needed. It leaves the file in no export.
CREATE TABLE secret (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    key BLOB NOT NULL CHECK (length(key) = 32)
) STRICT;

-- Keys of the service. Not the agents': no erasure of an agent touches them.
CREATE TABLE access_key (
    id TEXT PRIMARY KEY NOT NULL, -- The public part.
    name TEXT NOT NULL,
    workspace TEXT NOT NULL,
    scopes TEXT NOT NULL, -- JSON: words of core's Scope.
    agents TEXT NOT NULL, -- JSON: names; none means all of the workspace.
    hash BLOB NOT NULL CHECK (length(hash) = 32), -- Of the secret part, which is kept nowhere.
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    revoked_at INTEGER
) STRICT, WITHOUT ROWID;

-- Agents whose files are still to be cleaned of what was erased. By name, because the row of an agent that was erased whole
-- is gone. Numbers are never given twice, so that a cleaning ends only the erasures that it began after.
CREATE TABLE cleaning (
    erasure INTEGER PRIMARY KEY AUTOINCREMENT, -- The last one of the agent.
    workspace TEXT NOT NULL,
    name TEXT NOT NULL,
    UNIQUE (workspace, name)
) STRICT;

-- How the machine's clock has gone, across restarts.
CREATE TABLE clock (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    seen INTEGER NOT NULL, -- The latest moment that was seen.
    steady_since INTEGER NOT NULL -- Since when it has gone on without a jump.
) STRICT;
