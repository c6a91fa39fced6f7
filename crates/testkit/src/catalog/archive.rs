//! All that the catalog in memory knows of one agent, and how it changes.

use std::collections::{BTreeMap, HashMap};

use annals_core::ports::{Change, Lane, Turn};
use annals_core::{
    Agent, DeadLetter, Digest, Error, Grain, Interval, Kind, LedgerRow, Memory, MemoryId, Message, Operation, Period,
    Settings, Summary, Timestamp,
};

/// All that is known of one agent.
#[derive(Debug, Default)]
pub(super) struct Archive {
    pub(super) settings: Option<Settings>,
    /// Live memories of all grains.
    pub(super) memories: BTreeMap<MemoryId, Memory>,
    /// Of each turn, what decides whether a message is the same.
    contents: HashMap<MemoryId, Digest>,
    /// Memories that were deleted and not written again.
    gone: BTreeMap<MemoryId, (Grain, u64)>,
    pub(super) ledger: BTreeMap<Period, LedgerRow>,
    pub(super) lanes: HashMap<Grain, Lane>,
    pub(super) operations: HashMap<String, Operation>,
    pub(super) letters: BTreeMap<MemoryId, DeadLetter>,
}

impl Archive {
    pub(super) fn has_messages(&self) -> bool {
        !self.contents.is_empty()
    }

    /// The first turn whose key is taken by other content, in the store or earlier in the same request.
    pub(super) fn conflict(&self, turns: &[Turn]) -> Option<Error> {
        let mut seen = HashMap::new();
        turns.iter().find_map(|turn| {
            let digest = turn.message.digest();
            let known = *seen.entry(&turn.id).or_insert(self.contents.get(&turn.id).copied().unwrap_or(digest));
            let (conversation, id) = (turn.key.conversation.clone(), turn.key.id.clone());
            (known != digest).then_some(Error::Conflict { conversation, id })
        })
    }

    pub(super) fn store(&mut self, turn: Turn, seq: &mut u64, now: Timestamp, operation: &mut Operation) {
        let digest = turn.message.digest();
        match self.contents.insert(turn.id.clone(), digest) {
            Some(known) if known == digest => {
                operation.duplicate += 1;
                operation.seq = operation.seq.max(self.memories[&turn.id].seq);
                return;
            }
            Some(_) => operation.revised += 1,
            None => operation.accepted += 1,
        }
        *seq += 1;
        operation.seq = *seq;
        self.soil(turn.day, *seq, now);
        if let Some(former) = self.memories.insert(turn.id.clone(), remember(turn, *seq)) {
            self.soil(former.period, *seq, now);
        }
    }

    pub(super) fn save(&mut self, agent: &Agent, summary: Summary, seq: &mut u64, now: Timestamp) {
        self.clean(&summary, now);
        let period = summary.period;
        if self.replace(MemoryId::summary(agent, period), summary, *seq + 1) {
            *seq += 1;
            if let Some(parent) = period.parent() {
                self.soil(parent, *seq, now);
            }
        }
    }

    /// Puts the summary in the place of the stored one. Whether that is a change.
    fn replace(&mut self, id: MemoryId, summary: Summary, seq: u64) -> bool {
        let stored = self.memories.get_mut(&id);
        match (summary.draft.clone(), stored) {
            _ if summary.sources.is_empty() => {
                let existed = self.memories.remove(&id).is_some();
                if existed {
                    self.gone.insert(id, (summary.period.grain(), seq));
                }
                existed
            }
            (None, _) => false,
            (Some(draft), Some(stored)) if stored.text == draft.text && stored.sentences == draft.sentences => {
                // The same words from the same turns: the lineage may be new, the memory is not.
                stored.sources = summary.sources;
                false
            }
            (Some(_), _) => {
                self.gone.remove(&id);
                self.memories.insert(id.clone(), recount(id, summary, seq));
                true
            }
        }
    }

    fn soil(&mut self, period: Period, seq: u64, now: Timestamp) {
        let row = self.ledger.entry(period).or_insert_with(|| LedgerRow::new(period, seq, now));
        row.dirty_seq = seq;
        row.dirty_at = now;
    }

    fn clean(&mut self, summary: &Summary, now: Timestamp) {
        let row = self.ledger.entry(summary.period).or_insert_with(|| LedgerRow::new(summary.period, 0, now));
        row.clean_seq = row.clean_seq.max(summary.read_seq);
        row.input_digest = Some(summary.input_digest);
        row.attempts = 0;
        row.not_before = None;
        row.last_error = None;
        // Without a draft the stored text stays, and with it the recipe it was made by.
        if let Some(draft) = &summary.draft {
            row.recipe = Some(summary.recipe);
            row.tokens += draft.tokens;
        }
    }

    /// Live memories in order of time, then of conversation and id.
    pub(super) fn select(&self, admits: impl Fn(&Memory) -> bool) -> Vec<Memory> {
        let mut memories: Vec<_> = self.memories.values().filter(|memory| admits(memory)).cloned().collect();
        memories.sort_by(|a, b| {
            (a.at(), a.period, &a.conversation, &a.message).cmp(&(b.at(), b.period, &b.conversation, &b.message))
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

/// A turn as a memory.
pub(crate) fn remember(turn: Turn, seq: u64) -> Memory {
    let Message { at, role, .. } = turn.message;
    let day = turn.day.first_day();
    let end = Timestamp::from_microsecond(at.as_microsecond() + 1).expect("messages lie far from the end of time");
    Memory {
        id: turn.id,
        grain: Grain::Working,
        kind: Kind::Turn,
        period: turn.day,
        cover: Interval { start: at, end },
        days: (day, day),
        speaker: Some(turn.message.speaker().to_owned()),
        role: Some(role),
        text: turn.message.content,
        conversation: Some(turn.key.conversation),
        message: Some(turn.key.id),
        sentences: Vec::new(),
        sources: Vec::new(),
        seq,
    }
}

/// A roll-up as a memory.
fn recount(id: MemoryId, summary: Summary, seq: u64) -> Memory {
    let draft = summary.draft.expect("only a summary with a draft is stored");
    Memory {
        id,
        grain: summary.period.grain(),
        kind: Kind::Summary,
        period: summary.period,
        cover: summary.cover,
        days: summary.period.cover_days(),
        text: draft.text,
        speaker: None,
        role: None,
        conversation: None,
        message: None,
        sentences: draft.sentences,
        sources: summary.sources,
        seq,
    }
}

/// The same request has the same id.
pub(super) fn request_id(turns: &[Turn], revise: bool) -> String {
    let contents = turns.iter().flat_map(|turn| [turn.id.to_string(), turn.message.digest().to_string()]);
    Digest::of(contents.chain([revise.to_string()])).to_string()
}
