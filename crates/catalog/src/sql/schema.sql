-- The catalog's schema, version 16 (PRAGMA user_version). The migrate_*.sql files bring older files to the same schema.
-- These tables hold everything that Annals cannot recompute. The vector and text tables and the table of facts are
-- projections and can be rebuilt from here.
--
-- Conventions
--   agent_id  an internal number, assigned when the agent is first stored. Never 0, which stands for an unknown agent.
--   seq       the sequence number of a change; each agent has its own sequence (agent.seq). A projection that has
--             applied N needs only the changes above N. A number belongs to one change of the agent for ever; it is not
--             reused when the change is superseded or erased.
--   instants  INTEGER, microseconds since 1970-01-01T00:00:00Z, negative before.
--   grain     INTEGER, from 0 (working) to 5 (yearly), so that it sorts from fine to coarse.
--   period    TEXT, the label (2026-03-04, 2026-W10, 2026-03, 2026-Q1, 2026). Within a grain, labels sort by time.
--   digests   BLOB, the 32 bytes of a SHA-256.
--   text      is compared byte by byte, in UTF-8 order.

-- The highest number of the agents that were erased as a whole. Their rows are gone, but late writers may still hold
-- their numbers. An agent of the same name may come back: the first number of every new agent is above this one.
CREATE TABLE sequence_floor (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    seq INTEGER NOT NULL
) STRICT;

INSERT INTO sequence_floor (only, seq) VALUES (1, 0);

CREATE TABLE agent (
    agent_id INTEGER PRIMARY KEY CHECK (agent_id > 0),
    workspace TEXT NOT NULL,
    name TEXT NOT NULL, -- Its key: the name at the creation. Never changes, because ids and folders derive from it.
    settings TEXT, -- JSON of core's Settings; NULL until settings are saved: the defaults of the running version hold.
    erased INTEGER NOT NULL DEFAULT 0, -- The last seq assigned before the agent's creation or its last erasure.
    -- The last number assigned; 0 before the first. Stored, because the highest number in use disappears with its memory.
    seq INTEGER NOT NULL DEFAULT 0,
    ingested_at INTEGER, -- When a turn was last stored or revised.
    shown_name TEXT, -- The name that users see; NULL if it is the key. One of the names in agent_name.
    UNIQUE (workspace, name)
) STRICT;

-- The names that agents got by renaming, current and former ones. Each leads to its agent, as the key does; no other agent of
-- the workspace can get it.
CREATE TABLE agent_name (
    workspace TEXT NOT NULL,
    name TEXT NOT NULL,
    agent_id INTEGER NOT NULL REFERENCES agent,
    PRIMARY KEY (workspace, name)
) STRICT, WITHOUT ROWID;

-- Messages, verbatim. The id is a hash of (workspace, agent, conversation, message), which ingest checks. A unique id
-- therefore makes the position unique, and no second index over the position is needed.
-- Turns lie on disk in the order of arrival. A revised turn gets the sequence number of its revision.
-- A repeated message is recognised by its stored text, not by a stored hash of it, so that a change of the hash
-- function can never make old messages look different.
CREATE TABLE turn (
    turn_id INTEGER PRIMARY KEY,
    agent_id INTEGER NOT NULL REFERENCES agent,
    id TEXT NOT NULL,
    conversation TEXT NOT NULL,
    message TEXT NOT NULL, -- The client's id within the conversation, or a generated one.
    day TEXT NOT NULL, -- The local day assigned at arrival; a later change of time zone does not move it.
    at INTEGER NOT NULL,
    role TEXT NOT NULL, -- user, assistant, system or tool.
    name TEXT, -- The speaker's name, if given.
    content TEXT NOT NULL,
    pinned INTEGER NOT NULL DEFAULT 0, -- 1 if retention keeps the row; the same in all tables of memories.
    sent_at INTEGER, -- The instant as the client sent it, if another turn had taken it; at is then the next free one.
    sent BLOB, -- Keyed hash of what the client sent last, for a turn that a person corrected since; as in forgotten.
    arrived INTEGER, -- The seq of its first arrival, if that differs from seq.
    seq INTEGER NOT NULL DEFAULT 0, -- Always set; the default is for ALTER TABLE.
    attachment TEXT -- JSON that belongs to it, such as the item of another program's interface; goes with the row.
) STRICT;

CREATE UNIQUE INDEX turn_by_id ON turn (agent_id, id);
CREATE UNIQUE INDEX turn_by_change ON turn (agent_id, seq);
CREATE INDEX turn_by_day ON turn (agent_id, day);
CREATE INDEX turn_by_time ON turn (agent_id, at);
CREATE INDEX turn_by_conversation ON turn (agent_id, conversation, at);

-- Statements: self-contained sentences that a model extracted from turns, or that an import brought. Like turns they lie in the order of arrival.
-- A statement that is extracted again with a change, or corrected, gets the sequence number of that change.
CREATE TABLE statement (
    statement_id INTEGER PRIMARY KEY,
    agent_id INTEGER NOT NULL REFERENCES agent,
    id TEXT NOT NULL,
    text TEXT NOT NULL,
    topic TEXT NOT NULL, -- Its topic, in one word.
    importance REAL NOT NULL, -- From 0 to 1.
    who TEXT NOT NULL, -- JSON: the names of the people it is about.
    tells_of INTEGER, -- When the event it describes happens, if that was stated.
    day TEXT NOT NULL, -- Of its first source, like the two instants.
    cover_start INTEGER NOT NULL,
    cover_end INTEGER NOT NULL,
    pinned INTEGER NOT NULL DEFAULT 0,
    confidence REAL, -- From 0 to 1: how certain it is; NULL if the model gave no value.
    seq INTEGER NOT NULL DEFAULT 0 -- Always set; the default is for ALTER TABLE.
) STRICT;

CREATE UNIQUE INDEX statement_by_id ON statement (agent_id, id);
CREATE UNIQUE INDEX statement_by_change ON statement (agent_id, seq);
CREATE INDEX statement_by_day ON statement (agent_id, day);
CREATE INDEX statement_by_time ON statement (agent_id, cover_start, cover_end);

-- The turns that a statement comes from, the first at position 0; or the entry u-… of an import. Not foreign keys: a turn may be pruned or forgotten
-- first.
CREATE TABLE statement_source (
    agent_id INTEGER NOT NULL REFERENCES agent,
    statement TEXT NOT NULL,
    position INTEGER NOT NULL,
    id TEXT NOT NULL,
    PRIMARY KEY (agent_id, statement, position)
) STRICT, WITHOUT ROWID;

CREATE INDEX statement_by_source ON statement_source (agent_id, id);

-- The log of fact operations. Facts follow from the whole log whatever its order, so the log has no order of its own.
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
    source TEXT NOT NULL, -- Id of the turn; u-… if a person entered it.
    position INTEGER NOT NULL, -- Index among the operations of that source.
    recorded_at INTEGER NOT NULL,
    PRIMARY KEY (agent_id, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX fact_operation_by_source ON fact_operation (agent_id, source);

-- The watermark of extraction, and the version of the log that it fills. No row: nothing extracted and no operation
-- ever.
CREATE TABLE journal (
    agent_id INTEGER PRIMARY KEY REFERENCES agent,
    extracted INTEGER NOT NULL DEFAULT 0, -- The seq up to which all turns have been extracted.
    attempts INTEGER NOT NULL DEFAULT 0, -- Failures since the last success.
    failing_since INTEGER, -- When the first of these failures was.
    not_before INTEGER, -- No retry before this instant.
    last_error TEXT,
    log_version INTEGER NOT NULL DEFAULT 0 -- The seq of the last change of the log.
) STRICT;

-- Live summaries. The row is also the engine's unchanged output (text and sentences): it is saved in the transaction
-- that makes it the summary. So no draft is ever paid for but not applied, and nothing has to be applied again. The
-- ledger row of the same period holds what the summary was made from (input digest) and how (recipe).
CREATE TABLE summary (
    summary_id INTEGER PRIMARY KEY,
    agent_id INTEGER NOT NULL REFERENCES agent,
    grain INTEGER NOT NULL,
    period TEXT NOT NULL,
    id TEXT NOT NULL,
    seq INTEGER NOT NULL,
    cover_start INTEGER NOT NULL, -- The instants it was built over, end excluded. Kept when time zones change later.
    cover_end INTEGER NOT NULL,
    text TEXT NOT NULL,
    sentences TEXT NOT NULL, -- JSON of core's Sentence, in order: day, speaker, text, ids of the source turns.
    verbatim INTEGER NOT NULL DEFAULT 1, -- 1 if each sentence is a verbatim piece of a turn, so that it can be cut.
    pinned INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE UNIQUE INDEX summary_by_period ON summary (agent_id, grain, period);
CREATE UNIQUE INDEX summary_by_id ON summary (agent_id, id);
CREATE UNIQUE INDEX summary_by_change ON summary (agent_id, grain, seq);
CREATE INDEX summary_by_time ON summary (agent_id, grain, cover_start, cover_end);

-- Lineage: what a summary was made from, in the order it was read: ids of turns for a day, of summaries above. Not a
-- foreign key, because sources may be pruned while the lineage stays.
CREATE TABLE source (
    summary_id INTEGER NOT NULL REFERENCES summary ON DELETE CASCADE,
    position INTEGER NOT NULL,
    id TEXT NOT NULL,
    PRIMARY KEY (summary_id, position)
) STRICT, WITHOUT ROWID;

-- Deleted memories, so that projections apply the deletion. A row is removed when a memory of the same id comes back,
-- or when every table of the grain has applied it: the id of a turn without a client's id is a hash of its text.
CREATE TABLE tombstone (
    agent_id INTEGER NOT NULL REFERENCES agent,
    id TEXT NOT NULL,
    grain INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    PRIMARY KEY (agent_id, id)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX tombstone_by_change ON tombstone (agent_id, grain, seq);

-- Turns that retention pruned, so that they are recognised when they are sent again and can be forgotten together with
-- what was made of them. Hashes are HMACs under the secret. For a turn pruned before schema version 5 only the id is
-- set; for one from an archive the id, and the day and instant if the archive has them.
CREATE TABLE pruned (
    agent_id INTEGER NOT NULL REFERENCES agent,
    id TEXT NOT NULL,
    arrived INTEGER, -- The seq of its first arrival.
    day TEXT,
    at INTEGER,
    conversation BLOB,
    speaker BLOB, -- Of the name's entity key.
    content BLOB, -- As in forgotten.
    PRIMARY KEY (agent_id, id)
) STRICT, WITHOUT ROWID;

-- How often a memory was returned in an answer, and when last. Separate from the memories, so that counting rewrites no
-- text. Counted in batches, with delay. Nothing is derived from it, and it is deleted with its memory.
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
    dirty_seq INTEGER NOT NULL, -- The seq of its last input.
    clean_seq INTEGER NOT NULL DEFAULT 0, -- The dirty_seq that the last roll-up read before its input; never decreases.
    dirty_at INTEGER NOT NULL, -- When the last input arrived.
    input_digest BLOB, -- Of the ids and contents that the last roll-up read.
    recipe BLOB, -- Of the prompt, model and engine of the last roll-up that wrote a text.
    sealed INTEGER NOT NULL DEFAULT 0, -- 1 if its children were pruned: it can only be amended, and has a base.
    attempts INTEGER NOT NULL DEFAULT 0, -- Failures since it was last clean.
    not_before INTEGER, -- No retry before this instant.
    last_error TEXT,
    tokens INTEGER NOT NULL DEFAULT 0, -- Tokens paid for all its roll-ups so far.
    degraded INTEGER NOT NULL DEFAULT 0, -- 1 if the built-in engine wrote it because the model could not.
    ungrounded INTEGER NOT NULL DEFAULT 0, -- Number of names, numbers and dates in its summary that no source contains.
    failing_since INTEGER, -- When the first of these failures was.
    author TEXT, -- JSON: the engine, model and prompt that wrote its summary; NULL if unknown.
    PRIMARY KEY (agent_id, grain, period)
) STRICT, WITHOUT ROWID;

-- The summary of a sealed period as it was when its children were pruned.
CREATE TABLE base (
    agent_id INTEGER NOT NULL REFERENCES agent,
    grain INTEGER NOT NULL,
    period TEXT NOT NULL,
    text TEXT NOT NULL,
    sentences TEXT NOT NULL, -- JSON, as in summary.
    sources TEXT NOT NULL, -- JSON: ids, in order.
    verbatim INTEGER NOT NULL,
    seq INTEGER, -- The base contains no turn that first arrived with a higher seq; NULL if unknown.
    PRIMARY KEY (agent_id, grain, period)
) STRICT, WITHOUT ROWID;

-- The watermark of the projection of each grain. No row: generation 0, nothing applied.
CREATE TABLE watermark (
    agent_id INTEGER NOT NULL REFERENCES agent,
    grain INTEGER NOT NULL,
    generation INTEGER NOT NULL, -- The generation that searches read.
    applied INTEGER NOT NULL, -- The seq up to which it has applied all changes.
    model TEXT, -- The model of its vectors; NULL if nothing is applied, empty if the vectors are placeholders,
    dimension INTEGER, -- and their length.
    building INTEGER, -- A generation that is being built beside it, if any,
    building_applied INTEGER, -- the seq up to which that one has applied all changes,
    building_model TEXT, -- the model of its vectors,
    building_dimension INTEGER, -- their length,
    building_urgent INTEGER, -- and 0 if the present generation serves well until then.
    PRIMARY KEY (agent_id, grain),
    CHECK ((model IS NULL) = (dimension IS NULL)),
    CHECK ((building IS NULL) = (building_applied IS NULL)),
    CHECK ((building IS NULL) = (building_model IS NULL)),
    CHECK ((building IS NULL) = (building_dimension IS NULL)),
    CHECK ((building IS NULL) = (building_urgent IS NULL))
) STRICT, WITHOUT ROWID;

-- Accepted requests. The id is a hash of the request's turns, so a repeated request finds its row. The counts are those
-- of the last time it was sent. Imports of uploads, too: so that one that a crash interrupted is not unknown.
CREATE TABLE operation (
    agent_id INTEGER NOT NULL REFERENCES agent,
    id TEXT NOT NULL,
    accepted INTEGER NOT NULL,
    duplicate INTEGER NOT NULL,
    revised INTEGER NOT NULL,
    -- The highest of its turns: all are searchable once the table has applied this seq. Of an import 0 until it has ended.
    seq INTEGER NOT NULL,
    forgotten INTEGER NOT NULL DEFAULT 0, -- Messages skipped because they were forgotten before.
    masked INTEGER NOT NULL DEFAULT 0, -- Credentials masked in it before storage.
    PRIMARY KEY (agent_id, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX operation_by_id ON operation (id);

-- Requests with a client's idempotency key, so that a repeated request gets the same answer. Digests only.
CREATE TABLE request (
    agent_id INTEGER NOT NULL REFERENCES agent,
    key BLOB NOT NULL,
    body BLOB NOT NULL,
    operation TEXT NOT NULL, -- Its id; deleted with it.
    kept_at INTEGER NOT NULL,
    PRIMARY KEY (agent_id, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX request_by_time ON request (kept_at);

-- Small texts that are always in context, written by people and agents. No projection holds them.
CREATE TABLE block (
    agent_id INTEGER NOT NULL REFERENCES agent,
    name TEXT NOT NULL,
    text TEXT NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (agent_id, name)
) STRICT;

-- Texts and JSON values under a collection and a key. Their passages are what is searched.
CREATE TABLE document (
    document_id INTEGER PRIMARY KEY,
    agent_id INTEGER NOT NULL REFERENCES agent,
    collection TEXT NOT NULL, -- The path of its collection: labels joined with dots.
    key TEXT NOT NULL,
    is_json INTEGER NOT NULL, -- 1 if the content is JSON, 0 if it is a text.
    content TEXT NOT NULL,
    indexed TEXT, -- JSON: the paths of a JSON value that are searched; NULL for all.
    day TEXT NOT NULL, -- The local day of updated_at, assigned when it was written.
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    version INTEGER NOT NULL, -- Number of its writes.
    lifetime INTEGER, -- Microseconds from a write or a refresh until it expires; NULL if it does not.
    expires_at INTEGER
) STRICT;

CREATE UNIQUE INDEX document_by_key ON document (agent_id, collection, key);
CREATE INDEX document_by_expiry ON document (expires_at) WHERE expires_at IS NOT NULL;

-- The passages of documents, which are memories of the working grain. document_id is no foreign key, so that the rows of an
-- agent can be deleted table by table.
CREATE TABLE passage (
    passage_id INTEGER PRIMARY KEY,
    agent_id INTEGER NOT NULL REFERENCES agent,
    id TEXT NOT NULL,
    seq INTEGER NOT NULL,
    document_id INTEGER NOT NULL,
    ordinal INTEGER NOT NULL, -- Its number within the document, from 0.
    first INTEGER NOT NULL, -- Its first character in the searched text, from 0,
    behind INTEGER NOT NULL, -- and the one behind its last.
    text TEXT NOT NULL -- With the title of the document.
) STRICT;

CREATE UNIQUE INDEX passage_by_id ON passage (agent_id, id);
CREATE UNIQUE INDEX passage_by_change ON passage (agent_id, seq);
CREATE INDEX passage_by_document ON passage (document_id);

-- Memories that failed in a stage because of their own content. Their text is in the tables above, unchanged.
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

-- Cost of models: calls and tokens by UTC day. Outlives the replies.
CREATE TABLE usage (
    agent_id INTEGER NOT NULL REFERENCES agent,
    day TEXT NOT NULL,
    purpose TEXT NOT NULL, -- extraction, daily … yearly, rerank.
    model TEXT NOT NULL,
    batch INTEGER NOT NULL, -- 1 for answers of batches, which cost half, 0 for single calls.
    calls INTEGER NOT NULL,
    tokens_in INTEGER NOT NULL,
    tokens_out INTEGER NOT NULL,
    cache_read INTEGER NOT NULL DEFAULT 0, -- Of tokens_in, those that the provider read from its prompt cache.
    cache_written INTEGER NOT NULL DEFAULT 0, -- Of tokens_in, those that it wrote to the cache, if it counts them.
    PRIMARY KEY (agent_id, day, purpose, model, batch)
) STRICT, WITHOUT ROWID;

CREATE INDEX usage_by_day ON usage (day);

-- Batches that were handed to a provider of models. A row is stored before the batch is created, so that after a crash it is
-- looked for and not paid twice.
CREATE TABLE batch (
    batch_id TEXT PRIMARY KEY, -- Our own id; the provider gets it with the batch.
    base_url TEXT NOT NULL,
    model TEXT NOT NULL,
    remote TEXT, -- The provider's id, once it is known.
    state TEXT NOT NULL, -- prepared, sending, sent, ended.
    at INTEGER NOT NULL, -- When it was recorded, or begun to be sent.
    requests INTEGER NOT NULL,
    done INTEGER NOT NULL, -- Requests that the provider has processed.
    reads INTEGER NOT NULL, -- How often its results were read and were not complete.
    failure TEXT -- Why the last step of it failed, or why it ended without results.
) STRICT;

-- Requests of batches, without their text. They are kept for a month after the end of the batch.
CREATE TABLE batch_request (
    batch_id TEXT NOT NULL REFERENCES batch,
    number INTEGER NOT NULL, -- Place in the batch, from 0.
    agent_id INTEGER NOT NULL REFERENCES agent,
    period TEXT NOT NULL,
    key BLOB NOT NULL, -- The key of the reply.
    purpose TEXT NOT NULL,
    read_seq INTEGER NOT NULL,
    tokens INTEGER NOT NULL, -- They count as used while the request is outstanding.
    state TEXT NOT NULL, -- open, void, answered, failed, lost, unsent.
    key_id TEXT REFERENCES access_key, -- The key of the request that caused it; NULL for scheduled work.
    PRIMARY KEY (batch_id, number)
) STRICT, WITHOUT ROWID;

CREATE INDEX batch_request_by_period ON batch_request (agent_id, period);

CREATE INDEX batch_request_outstanding ON batch_request (agent_id) WHERE state IN ('open', 'void');

-- What models cost, as people entered it: millionths of the currency per million tokens.
CREATE TABLE price (
    model TEXT PRIMARY KEY,
    currency TEXT NOT NULL,
    input INTEGER NOT NULL,
    output INTEGER NOT NULL,
    cached_input INTEGER, -- Of tokens read from the cache; NULL if they cost as much as others.
    cache_write INTEGER -- Of tokens written to the cache; NULL if they cost as much as others.
) STRICT, WITHOUT ROWID;

-- Parameters that servers of models refused, so that the next process does not send them again. Left out for a week.
CREATE TABLE refusal (
    key BLOB PRIMARY KEY, -- Digest of the server, the model and its settings.
    parameters TEXT NOT NULL, -- Their names, separated by spaces, in the order of the refusals.
    at INTEGER NOT NULL -- When the last one was refused.
) STRICT, WITHOUT ROWID;

-- Tokens that calls under way may use, so that calls at the same time cannot exceed a budget together. Deleted with the
-- booking of the cost; of a call that never ended, when it expires.
CREATE TABLE reservation (
    reservation_id INTEGER PRIMARY KEY AUTOINCREMENT,
    agent_id INTEGER NOT NULL REFERENCES agent,
    day TEXT NOT NULL, -- The UTC day whose budget it belongs to.
    is_rerank INTEGER NOT NULL, -- 1 for the budget of reranking, 0 for that of all other purposes.
    tokens INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    key_id TEXT REFERENCES access_key -- The key of the request that the call is made for; NULL without one.
) STRICT;

-- HMACs under the secret of forgotten messages: of their positions (or of the ids, which are derived from them) and of
-- their contents, so that the messages are recognised when they are sent again; and of the places of blocks, documents and
-- imported facts and statements. The agent is part of the hashed data:
-- rows stay when the agent is deleted.
CREATE TABLE forgotten (
    hash BLOB PRIMARY KEY
) STRICT, WITHOUT ROWID;

-- The key of all keyed hashes, made when it is first needed. No export contains it.
CREATE TABLE secret (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    key BLOB NOT NULL CHECK (length(key) = 32)
) STRICT;

-- Keys of the service. They do not belong to agents: no erasure of an agent touches them.
CREATE TABLE access_key (
    id TEXT PRIMARY KEY NOT NULL, -- The public part.
    name TEXT NOT NULL,
    workspace TEXT NOT NULL,
    scopes TEXT NOT NULL, -- JSON: names of core's Scope.
    agents TEXT NOT NULL, -- JSON: keys of agents; empty means all agents of the workspace.
    hash BLOB NOT NULL CHECK (length(hash) = 32), -- Of the secret part, which is stored nowhere.
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    revoked_at INTEGER,
    daily_tokens INTEGER -- Limit of key_usage by day, with what is reserved; NULL for none.
) STRICT, WITHOUT ROWID;

-- Tokens that models used for requests with a key, by UTC day. They are booked in usage too, to the agent. Names no agent, so it
-- outlives the agents.
CREATE TABLE key_usage (
    key_id TEXT NOT NULL REFERENCES access_key,
    day TEXT NOT NULL,
    tokens INTEGER NOT NULL,
    PRIMARY KEY (key_id, day)
) STRICT, WITHOUT ROWID;

-- Agents whose files still have to be cleaned of erased data. By key, because a fully erased agent has no row any
-- more. Numbers are never reused, so a cleaning completes only the erasures that came before it began.
CREATE TABLE cleaning (
    erasure INTEGER PRIMARY KEY AUTOINCREMENT, -- Number of the agent's last erasure.
    workspace TEXT NOT NULL,
    name TEXT NOT NULL,
    UNIQUE (workspace, name)
) STRICT;

-- Observations of the machine's clock, kept across restarts.
CREATE TABLE clock (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    seen INTEGER NOT NULL, -- The latest instant seen.
    steady_since INTEGER NOT NULL -- Since when the clock has run without a jump.
) STRICT;

-- One row if nothing may use this catalog, except `annals adopt`: a memory is being copied into it, or was moved elsewhere.
CREATE TABLE closed (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    adoption TEXT NOT NULL, -- The id that both catalogs of a move have.
    copied_from TEXT, -- The data folder from which a memory is being copied into this catalog, or
    moved_to TEXT, -- the one that the memory of this catalog was moved to.
    service TEXT, -- Where the memory is served until it is copied, as host:port; NULL if unknown.
    CHECK ((copied_from IS NULL) <> (moved_to IS NULL))
) STRICT;
