//! The state of one agent in the in-memory catalog, and its changes.

mod memories;
mod save;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use annals_core::ports::{
    Access, Block, Change, Document, DocumentKey, Origin, RetentionLimits, Turn, Version, Watermark,
};
use annals_core::{
    Agent, Base, Date, DeadLetter, Digest, ExtractionWatermark, FactOperation, Grain, IngestReceipt, Kind, LedgerRow,
    Memory, MemoryId, Message, Period, Purpose, Settings, Stage, Statement, Timestamp, Usage, latest_day,
};

pub(crate) use memories::remember;
pub(super) use memories::{request_id, state, summarized};

/// The complete state of one agent.
#[derive(Clone, Debug, Default)]
pub(super) struct AgentData {
    pub(super) settings: Option<Settings>,
    /// The names that the agent got by renaming: the current one and former ones.
    pub(super) names: BTreeSet<String>,
    /// Live memories of all grains.
    pub(super) memories: BTreeMap<MemoryId, Memory>,
    /// Messages of the live turns.
    pub(super) messages: BTreeMap<MemoryId, Message>,
    /// Attachments of live turns.
    pub(super) attachments: BTreeMap<MemoryId, String>,
    /// Times that clients sent, for live turns that were moved after another turn of the same time.
    pub(super) sent_at: BTreeMap<MemoryId, Timestamp>,
    /// Contents that clients last sent, for live turns that a person has corrected since.
    pub(super) sent: BTreeMap<MemoryId, String>,
    /// Sequence numbers at which live turns first arrived.
    pub(super) arrived: BTreeMap<MemoryId, u64>,
    /// The data that is kept of pruned turns.
    pub(super) pruned: BTreeMap<MemoryId, Pruned>,
    /// Statements of the working grain, for the fields that [`Memory`] lacks.
    pub(super) statements: BTreeMap<MemoryId, Statement>,
    /// Former texts of live memories, oldest first.
    pub(super) versions: BTreeMap<MemoryId, Vec<Version>>,
    /// Access counts of live memories.
    pub(super) accesses: BTreeMap<MemoryId, Access>,
    /// Tombstones: memories that were deleted and not stored again, each with its grain and the sequence number of the
    /// deletion.
    pub(super) gone: BTreeMap<MemoryId, (Grain, u64)>,
    pub(super) ledger: BTreeMap<Period, LedgerRow>,
    /// Periods with a verbatim summary.
    pub(super) verbatim: BTreeSet<Period>,
    /// Bases of sealed periods. No other period has one.
    pub(super) bases: BTreeMap<Period, Base>,
    /// Highest sequence number that a turn in a base can have.
    pub(super) base_seqs: BTreeMap<Period, u64>,
    pub(super) watermarks: HashMap<Grain, Watermark>,
    pub(super) requests: HashMap<String, IngestReceipt>,
    /// Requests by their client's key: digest of the body, operation id, and time of storing.
    pub(super) keyed: BTreeMap<Digest, (Digest, String, Timestamp)>,
    pub(super) blocks: BTreeMap<String, Block>,
    pub(super) documents: BTreeMap<DocumentKey, Document>,
    pub(super) letters: BTreeMap<(MemoryId, Stage), DeadLetter>,
    /// The log of fact operations, by id.
    pub(super) log: BTreeMap<String, FactOperation>,
    pub(super) log_version: u64,
    pub(super) extraction: ExtractionWatermark,
    pub(super) last_ingest: Option<Timestamp>,
    /// The last sequence number of the agent; 0 before the first.
    pub(super) seq: u64,
    /// The last sequence number at the time of the last erasure.
    pub(super) erased: u64,
    /// Saved answers, each with the time of saving.
    pub(super) replies: BTreeMap<Digest, (String, Timestamp)>,
    pub(super) usage: BTreeMap<(Date, Purpose, String, bool), Usage>,
    pub(super) reservations: BTreeMap<u64, Reservation>,
    /// Hashes of the ids of forgotten messages, of their contents with their conversations, and of forgotten items.
    pub(super) forgotten: HashSet<Digest>,
}

/// A reservation of tokens for a call in progress.
#[derive(Clone, Debug)]
pub(super) struct Reservation {
    pub(super) day: Date,
    pub(super) is_rerank: bool,
    pub(super) tokens: u64,
    pub(super) expires_at: Timestamp,
    pub(super) access_key: Option<String>,
}

/// The data that is kept of a pruned turn. Of conversation, speaker and content, the real store keeps only hashes.
#[derive(Clone, Debug, Default)]
pub(super) struct Pruned {
    pub(super) arrived: Option<u64>,
    pub(super) day: Option<Period>,
    pub(super) at: Option<Timestamp>,
    pub(super) conversation: Option<String>,
    pub(super) speaker: Option<String>,
    /// Digest of the message that the client sent.
    pub(super) content: Option<Digest>,
}

impl Pruned {
    /// Returns whether the turn has the content that was pruned. A turn without a record of its content counts as the same.
    fn is_same(&self, turn: &Turn) -> bool {
        let at = if turn.origin == Origin::Untimed { self.at } else { Some(turn.message.at) };
        let sent = at.map(|at| Message { at, ..turn.message.clone() });
        self.content.zip(sent).is_none_or(|(content, sent)| sent.digest() == content)
    }
}

impl AgentData {
    /// Returns the agent's last sequence number, or `floor` before the first.
    pub(super) fn last_seq(&self, floor: u64) -> u64 {
        if self.seq == 0 { floor } else { self.seq }
    }

    /// Returns whether the agent is known. All of its messages may be pruned: their days stay in the ledger.
    pub(super) fn is_known(&self) -> bool {
        self.settings.is_some()
            || !self.ledger.is_empty()
            || !self.log.is_empty()
            || !self.blocks.is_empty()
            || !self.statements.is_empty()
            || !self.documents.is_empty()
    }

    /// Returns whether a roll-up may have work to do.
    pub(super) fn has_work(&self, now: Timestamp) -> bool {
        let is_behind = |grain: Grain| {
            let watermark = self.watermarks.get(&grain);
            let applied = watermark.map_or(0, |watermark| watermark.applied);
            watermark.is_some_and(Watermark::is_urgent) || !self.changes(grain, applied).is_empty()
        };
        let is_unread = || !self.changes(Grain::Working, self.extraction.extracted).is_empty();
        let day = latest_day(now);
        let is_due =
            |row: &LedgerRow| (row.is_dirty() || row.degraded) && row.period < Period::of(row.period.grain(), day);
        self.is_known() && (Grain::ALL.into_iter().any(is_behind) || is_unread() || self.ledger.values().any(is_due))
    }

    /// Returns whether anything of the agent is old enough for retention to act on it.
    pub(super) fn reaches(&self, limits: &RetentionLimits) -> bool {
        let earliest = Grain::ALL.map(|grain| {
            // Retention does not see passages.
            let of_grain =
                self.memories.values().filter(|memory| memory.grain == grain && memory.kind() != Kind::Passage);
            of_grain.map(|memory| memory.period.cover_days().1).min()
        });
        let settings = self.settings.clone().unwrap_or_default();
        let is_old = |before: Timestamp| self.replies.values().any(|(_, kept_at)| *kept_at < before);
        limits.are_reached(&settings.plan, &earliest) || limits.replies_before.is_some_and(is_old)
    }

    pub(super) fn summary(&self, agent: &Agent, period: Period) -> Option<&Memory> {
        self.memories.get(&MemoryId::summary(agent, period))
    }

    pub(super) fn has_turn(&self, id: &MemoryId) -> bool {
        self.messages.contains_key(id)
    }

    /// Deletes a memory with its former texts and its access count, and adds a tombstone for the projections. Returns the
    /// memory, or `None` if it is not stored.
    pub(super) fn delete(&mut self, id: &MemoryId, seq: &mut u64) -> Option<Memory> {
        let memory = self.memories.remove(id)?;
        self.messages.remove(id);
        self.attachments.remove(id);
        self.sent_at.remove(id);
        self.sent.remove(id);
        self.arrived.remove(id);
        self.statements.remove(id);
        self.versions.remove(id);
        self.accesses.remove(id);
        if memory.kind() == Kind::Summary {
            self.verbatim.remove(&memory.period);
        }
        *seq += 1;
        self.gone.insert(id.clone(), (memory.grain, *seq));
        Some(memory)
    }

    /// Stores a memory, and returns the former one with the same id; `None` if there was none. A pin of the former one stays.
    pub(super) fn put(&mut self, memory: Memory) -> Option<Memory> {
        let id = memory.id.clone();
        self.gone.remove(&id);
        self.pruned.remove(&id);
        let pinned = memory.pinned || self.memories.get(&id).is_some_and(|former| former.pinned);
        self.memories.insert(id, Memory { pinned, ..memory })
    }

    /// Adds a former text of a memory.
    pub(super) fn keep_version(&mut self, id: &MemoryId, text: String, replaced_at: Timestamp) {
        self.versions.entry(id.clone()).or_default().push(Version { text, replaced_at });
    }

    /// Stores a dead letter in place of an earlier one of the same memory and stage.
    pub(super) fn add_dead_letter(&mut self, letter: DeadLetter) {
        self.letters.insert((letter.memory.clone(), letter.stage), letter);
    }

    pub(super) fn mark_dirty(&mut self, period: Period, seq: u64, now: Timestamp) {
        let row = self.ledger.entry(period).or_insert_with(|| LedgerRow::new(period, seq, now));
        row.dirty_seq = seq;
        row.dirty_at = now;
    }

    /// Returns live memories in order of time, period, conversation, message and id. Statements have no conversation, so they
    /// come first at an instant.
    pub(super) fn select(&self, admits: impl Fn(&Memory) -> bool) -> Vec<Memory> {
        let mut memories: Vec<_> = self.memories.values().filter(|memory| admits(memory)).cloned().collect();
        memories.sort_by(|a, b| {
            let sort_key = |memory: &'_ Memory| (memory.at(), memory.period);
            let names = (a.conversation(), a.message(), &a.id).cmp(&(b.conversation(), b.message(), &b.id));
            sort_key(a).cmp(&sort_key(b)).then(names)
        });
        memories
    }

    pub(super) fn changes(&self, grain: Grain, after: u64) -> Vec<Change> {
        let live = self.memories.values().filter(|memory| memory.grain == grain).cloned().map(Change::Upsert);
        let gone = self.gone.iter().filter(|(_, (of, _))| *of == grain);
        let gone = gone.map(|(id, (_, seq))| Change::Delete { id: id.clone(), seq: *seq });
        let mut changes: Vec<_> = live.chain(gone).filter(|change| change.seq() > after).collect();
        changes.sort_by_key(Change::seq);
        changes
    }
}
