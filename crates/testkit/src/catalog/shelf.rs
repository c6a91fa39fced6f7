//! All that the catalog in memory knows of one agent, and how it changes.

mod memories;
mod save;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use annals_core::ports::{Access, Block, Change, Lane, Version};
use annals_core::{
    Agent, Base, Date, DeadLetter, Digest, ExtractionLane, FactOperation, Grain, Kind, LedgerRow, Memory, MemoryId,
    Message, Operation, Period, Purpose, Settings, Stage, Statement, Timestamp, Usage, latest_day,
};

pub(crate) use memories::remember;
pub(super) use memories::{request_id, state, summarized};

/// All that is known of one agent.
#[derive(Clone, Debug, Default)]
pub(super) struct Shelf {
    pub(super) settings: Option<Settings>,
    /// Live memories of all grains.
    pub(super) memories: BTreeMap<MemoryId, Memory>,
    /// The messages of live turns.
    pub(super) messages: BTreeMap<MemoryId, Message>,
    /// The moments that clients sent, of live turns that stand behind another of that moment.
    pub(super) sent_at: BTreeMap<MemoryId, Timestamp>,
    /// What clients sent last, of live turns that a person corrected since.
    pub(super) sent: BTreeMap<MemoryId, String>,
    /// The sequence with which live turns first came.
    pub(super) arrived: BTreeMap<MemoryId, u64>,
    /// What is kept of turns that were pruned.
    pub(super) pruned: BTreeMap<MemoryId, Pruned>,
    /// Of live statements, what a memory does not tell.
    pub(super) statements: BTreeMap<MemoryId, Statement>,
    /// Former texts of live memories, oldest first.
    pub(super) versions: BTreeMap<MemoryId, Vec<Version>>,
    /// How often live memories were given out.
    pub(super) accesses: BTreeMap<MemoryId, Access>,
    /// Memories that were deleted and not written again.
    pub(super) gone: BTreeMap<MemoryId, (Grain, u64)>,
    pub(super) ledger: BTreeMap<Period, LedgerRow>,
    /// Periods whose summary is verbatim.
    pub(super) verbatim: BTreeSet<Period>,
    /// Of sealed periods, and of no other.
    pub(super) bases: BTreeMap<Period, Base>,
    /// The sequence beyond which no turn is in a base.
    pub(super) base_seqs: BTreeMap<Period, u64>,
    pub(super) lanes: HashMap<Grain, Lane>,
    pub(super) requests: HashMap<String, Operation>,
    /// By their clients' keys: the body, the operation, and when that was kept.
    pub(super) keyed: BTreeMap<Digest, (Digest, String, Timestamp)>,
    pub(super) blocks: BTreeMap<String, Block>,
    pub(super) letters: BTreeMap<(MemoryId, Stage), DeadLetter>,
    /// The log of fact operations, by id.
    pub(super) log: BTreeMap<String, FactOperation>,
    pub(super) log_version: u64,
    pub(super) extraction: ExtractionLane,
    /// The last sequence taken when something was last erased.
    pub(super) erased: u64,
    /// Kept answers and when they were kept.
    pub(super) replies: BTreeMap<Digest, (String, Timestamp)>,
    pub(super) usage: BTreeMap<(Date, Purpose, String), Usage>,
    /// The places of forgotten messages, and their contents with their conversations.
    pub(super) forgotten: HashSet<Digest>,
}

/// A turn that was pruned. The real store keeps hashes of the words.
#[derive(Clone, Debug, Default)]
pub(super) struct Pruned {
    pub(super) arrived: Option<u64>,
    pub(super) day: Option<Period>,
    pub(super) at: Option<Timestamp>,
    pub(super) conversation: Option<String>,
    pub(super) speaker: Option<String>,
    /// Of what the client sent.
    pub(super) content: Option<Digest>,
}

impl Shelf {
    /// Whether the agent is known. Its messages may all be pruned: their days stay in the ledger.
    pub(super) fn is_known(&self) -> bool {
        self.settings.is_some() || !self.ledger.is_empty() || !self.log.is_empty() || !self.blocks.is_empty()
    }

    /// Whether a roll-up may have something to do.
    pub(super) fn has_work(&self, now: Timestamp) -> bool {
        let is_behind = |grain: Grain| {
            let lane = self.lanes.get(&grain);
            let applied = lane.map_or(0, |lane| lane.applied);
            lane.is_some_and(|lane| lane.building.is_some()) || !self.changes(grain, applied).is_empty()
        };
        let is_unread = || !self.changes(Grain::Working, self.extraction.extracted).is_empty();
        let day = latest_day(now);
        let is_due =
            |row: &LedgerRow| (row.is_dirty() || row.degraded) && row.period < Period::of(row.period.grain(), day);
        self.is_known() && (Grain::ALL.into_iter().any(is_behind) || is_unread() || self.ledger.values().any(is_due))
    }

    /// Summary of a period, if there is one.
    pub(super) fn summary(&self, agent: &Agent, period: Period) -> Option<&Memory> {
        self.memories.get(&MemoryId::summary(agent, period))
    }

    /// Whether this turn is live.
    pub(super) fn has_turn(&self, id: &MemoryId) -> bool {
        self.messages.contains_key(id)
    }

    /// Lets a memory go, with its former texts and its count. Projections learn of it.
    pub(super) fn delete(&mut self, id: &MemoryId, seq: &mut u64) -> Option<Memory> {
        let memory = self.memories.remove(id)?;
        self.messages.remove(id);
        self.sent_at.remove(id);
        self.sent.remove(id);
        self.arrived.remove(id);
        self.statements.remove(id);
        self.versions.remove(id);
        self.accesses.remove(id);
        if memory.kind == Kind::Summary {
            self.verbatim.remove(&memory.period);
        }
        *seq += 1;
        self.gone.insert(id.clone(), (memory.grain, *seq));
        Some(memory)
    }

    /// Puts a memory in the place of the one of its id; its pin stays.
    pub(super) fn put(&mut self, memory: Memory) -> Option<Memory> {
        let id = memory.id.clone();
        self.gone.remove(&id);
        self.pruned.remove(&id);
        let pinned = memory.pinned || self.memories.get(&id).is_some_and(|former| former.pinned);
        self.memories.insert(id, Memory { pinned, ..memory })
    }

    /// Keeps the former text of a memory.
    pub(super) fn keep_version(&mut self, id: &MemoryId, text: String, replaced_at: Timestamp) {
        self.versions.entry(id.clone()).or_default().push(Version { text, replaced_at });
    }

    /// Notes a dead letter in place of an earlier one of the same memory and stage.
    pub(super) fn bury(&mut self, letter: DeadLetter) {
        self.letters.insert((letter.memory.clone(), letter.stage), letter);
    }

    /// Makes a period dirty.
    pub(super) fn soil(&mut self, period: Period, seq: u64, now: Timestamp) {
        let row = self.ledger.entry(period).or_insert_with(|| LedgerRow::new(period, seq, now));
        row.dirty_seq = seq;
        row.dirty_at = now;
    }

    /// Live memories in order of time, then of conversation and id. Statements, which have neither, come first of an instant.
    pub(super) fn select(&self, admits: impl Fn(&Memory) -> bool) -> Vec<Memory> {
        let mut memories: Vec<_> = self.memories.values().filter(|memory| admits(memory)).cloned().collect();
        memories.sort_by(|a, b| {
            let place = |memory: &'_ Memory| (memory.at(), memory.period);
            let names = (&a.conversation, &a.message, &a.id).cmp(&(&b.conversation, &b.message, &b.id));
            place(a).cmp(&place(b)).then(names)
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
