//! Storing turns and roll-ups.

use std::collections::HashMap;

use annals_core::ports::Turn;
use annals_core::{Agent, Error, LedgerRow, MemoryId, Message, Operation, Summary, Timestamp};

use super::memories::recount;
use super::{Shelf, remember};

impl Shelf {
    /// The first turn whose key is taken by other content, in the store or earlier in the same request.
    pub(in crate::catalog) fn conflict(&self, turns: &[Turn]) -> Option<Error> {
        let mut seen = HashMap::new();
        turns.iter().find_map(|turn| {
            let digest = turn.message.digest();
            let stored = self.messages.get(&turn.id).map_or(digest, Message::digest);
            let known = *seen.entry(&turn.id).or_insert(stored);
            let (conversation, id) = (turn.key.conversation.clone(), turn.key.id.clone());
            (known != digest).then_some(Error::Conflict { conversation, id })
        })
    }

    /// What is not there and left a tombstone was pruned, for what was forgotten does not come here: it is known already.
    /// Revised, it is late input.
    pub(in crate::catalog) fn store(
        &mut self,
        turn: Turn,
        revise: bool,
        seq: &mut u64,
        now: Timestamp,
        operation: &mut Operation,
    ) {
        match self.messages.get(&turn.id) {
            Some(known) if known.digest() == turn.message.digest() => {
                operation.duplicate += 1;
                operation.seq = operation.seq.max(self.memories[&turn.id].seq);
                return;
            }
            Some(_) => operation.revised += 1,
            None if self.gone.contains_key(&turn.id) && !revise => {
                operation.duplicate += 1;
                return;
            }
            None => operation.accepted += 1,
        }
        *seq += 1;
        operation.seq = *seq;
        self.soil(turn.day, *seq, now);
        self.messages.insert(turn.id.clone(), turn.message.clone());
        let (id, text) = (turn.id.clone(), turn.message.content.clone());
        if let Some(former) = self.put(remember(turn, *seq)) {
            self.soil(former.period, *seq, now);
            if former.text != text {
                self.keep_version(&id, former.text, now);
            }
        }
    }

    pub(in crate::catalog) fn save(&mut self, agent: &Agent, summary: Summary, seq: &mut u64, now: Timestamp) {
        self.clean(&summary, now);
        let period = summary.period;
        if self.replace(MemoryId::summary(agent, period), summary, seq)
            && let Some(parent) = period.parent()
        {
            self.soil(parent, *seq, now);
        }
    }

    /// Puts the summary in the place of the stored one. Whether that is a change.
    fn replace(&mut self, id: MemoryId, summary: Summary, seq: &mut u64) -> bool {
        let sealed = self.bases.contains_key(&summary.period);
        let Some(draft) = summary.draft.clone().filter(|_| sealed || !summary.sources.is_empty()) else {
            return summary.sources.is_empty() && self.delete(&id, seq).is_some();
        };
        if draft.verbatim {
            self.verbatim.insert(summary.period);
        } else {
            self.verbatim.remove(&summary.period);
        }
        match self.memories.get_mut(&id) {
            Some(stored) if stored.text == draft.text && stored.sentences == draft.sentences => {
                // The same words from the same turns: the lineage may be new, the memory is not.
                stored.sources = summary.sources;
                false
            }
            _ => {
                *seq += 1;
                self.put(recount(id, summary, *seq));
                true
            }
        }
    }

    fn clean(&mut self, summary: &Summary, now: Timestamp) {
        let row = self.ledger.entry(summary.period).or_insert_with(|| LedgerRow::new(summary.period, 0, now));
        row.clean_seq = row.clean_seq.max(summary.read_seq);
        row.input_digest = Some(summary.input_digest);
        row.attempts = 0;
        row.failing_since = None;
        row.not_before = None;
        row.last_error = None;
        // Without a draft the stored text stays, and with it the recipe it was made by.
        if let Some(draft) = &summary.draft {
            row.recipe = Some(summary.recipe);
            row.tokens += draft.tokens;
            row.ungrounded = draft.ungrounded;
            row.degraded = summary.degraded;
        }
    }
}
