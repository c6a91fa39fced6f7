//! Stores turns and summaries.

use std::collections::{BTreeMap, HashMap};

use annals_core::ports::{Comparison, OnConflict, Origin, Turn};
use annals_core::{
    Agent, Body, Digest, Error, IngestReceipt, Kind, LedgerRow, MemoryId, Message, Result, Summary, Timestamp,
};

use super::memories::{claimed, recount, request_id};
use super::{AgentData, remember};

impl AgentData {
    /// Returns the message of a live turn as the client last sent it; `None` if there is no such turn.
    pub(in crate::catalog) fn as_sent(&self, id: &MemoryId) -> Option<Message> {
        let message = self.messages.get(id)?.clone();
        let at = self.sent_at.get(id).copied().unwrap_or(message.at);
        let content = self.sent.get(id).cloned().unwrap_or(message.content);
        Some(Message { at, content, ..message })
    }

    /// Compares a message with the turn stored under that id.
    pub(in crate::catalog) fn compare(&self, id: &MemoryId, message: &Message) -> Comparison {
        let Some((stored, sent)) = self.messages.get(id).zip(self.as_sent(id)) else { return Comparison::New };
        let corrected_to = Message { content: stored.content.clone(), ..sent.clone() };
        if [sent.digest(), corrected_to.digest()].contains(&message.digest()) {
            Comparison::Same
        } else if self.sent.contains_key(id) {
            Comparison::DifferentFromCorrected
        } else {
            Comparison::Different
        }
    }

    fn is_same(&self, turn: &Turn) -> bool {
        let Some(sent) = self.as_sent(&turn.id) else { return false };
        match turn.origin {
            Origin::Client => self.compare(&turn.id, &turn.message) == Comparison::Same,
            Origin::Untimed => {
                let message = Message { at: sent.at, ..turn.message.clone() };
                self.compare(&turn.id, &message) == Comparison::Same
            }
            Origin::Correction => self.messages[&turn.id].content == turn.message.content,
        }
    }

    /// Stores turns, all or none. Leaves out turns that were forgotten, and counts them. Fails with [`Error::Conflict`] if,
    /// without `revise`, a turn has other content than the stored one.
    pub(in crate::catalog) fn ingest(
        &mut self,
        agent: &Agent,
        turns: Vec<Turn>,
        on_conflict: OnConflict,
        seq: &mut u64,
        now: Timestamp,
    ) -> Result<IngestReceipt> {
        let masked = turns.iter().map(|turn| turn.masked).sum();
        let mut operation = IngestReceipt { id: request_id(&turns), masked, ..IngestReceipt::default() };
        let (known, turns): (Vec<_>, Vec<_>) = turns.into_iter().partition(|turn| self.has_forgotten(agent, turn));
        operation.forgotten = known.len() as u64;
        // Work on a copy, so that all turns are stored or none.
        let (mut after, mut last) = (self.clone(), *seq);
        let mut digests = HashMap::new();
        for turn in turns {
            after.store(turn, on_conflict, &mut last, now, &mut operation, &mut digests)?;
        }
        after.requests.insert(operation.id.clone(), operation.clone());
        if operation.accepted + operation.revised > 0 {
            after.last_ingest = Some(now);
        }
        (*self, *seq) = (after, last);
        Ok(operation)
    }

    /// Stores one turn that was not forgotten. A pruned turn counts as a duplicate; a revision with other content is late
    /// input. `digests` holds the digests of pruned turns in this request: two different contents for one turn are a conflict.
    fn store(
        &mut self,
        turn: Turn,
        on_conflict: OnConflict,
        seq: &mut u64,
        now: Timestamp,
        operation: &mut IngestReceipt,
        digests: &mut HashMap<MemoryId, Digest>,
    ) -> Result<()> {
        let (conversation, id) = (turn.key.conversation.clone(), turn.key.id.clone());
        let conflict = Error::Conflict { conversation, id };
        let is_known = self.messages.contains_key(&turn.id);
        if self.is_same(&turn) {
            operation.duplicate += 1;
            operation.seq = operation.seq.max(self.memories[&turn.id].seq);
            return Ok(());
        }
        if let Some(pruned) = self.pruned.get(&turn.id).filter(|_| !is_known) {
            let digest = claimed(&turn).digest();
            if on_conflict == OnConflict::Refuse && *digests.entry(turn.id.clone()).or_insert(digest) != digest {
                return Err(conflict);
            }
            if on_conflict == OnConflict::Refuse || pruned.is_same(&turn) {
                operation.duplicate += 1;
                return Ok(());
            }
        }
        if is_known && on_conflict == OnConflict::Refuse {
            return Err(conflict);
        }
        *(if is_known { &mut operation.revised } else { &mut operation.accepted }) += 1;
        *seq += 1;
        operation.seq = *seq;
        self.write(turn, *seq, now);
        Ok(())
    }

    fn write(&mut self, mut turn: Turn, seq: u64, now: Timestamp) {
        let id = turn.id.clone();
        let sent = self.as_sent(&id);
        let stays = sent.as_ref().filter(|sent| turn.origin != Origin::Client || turn.message.at == sent.at);
        let sent_at = match stays {
            Some(_) => {
                turn.message.at = self.messages[&id].at;
                self.sent_at.get(&id).copied()
            }
            None => self.free_instant(&mut turn),
        };
        if let Some(former) = self.memories.get(&id).filter(|_| turn.origin != Origin::Client) {
            turn.day = former.period;
        }
        self.sent.remove(&id);
        if let Some(sent) = sent.filter(|_| turn.origin == Origin::Correction) {
            self.sent.insert(id.clone(), sent.content);
        }
        match sent_at {
            Some(sent_at) => self.sent_at.insert(id.clone(), sent_at),
            None => self.sent_at.remove(&id),
        };
        self.arrived.entry(id.clone()).or_insert(seq);
        self.mark_dirty(turn.day, seq, now);
        self.messages.insert(id.clone(), turn.message.clone());
        self.attachments.extend(turn.attachment.clone().map(|attachment| (id.clone(), attachment)));
        let text = turn.message.content.clone();
        if let Some(former) = self.put(remember(turn, seq)) {
            self.mark_dirty(former.period, seq, now);
            if former.text != text {
                self.keep_version(&id, former.text, now);
            }
        }
    }

    /// Moves a turn to a free time.
    ///
    /// A turn at a time that another turn of the conversation has gets the next free microsecond. A turn without a time of its
    /// own comes after all turns of the millisecond that begins at its time. Returns the time that the client sent, if it sent
    /// one and the turn was moved.
    fn free_instant(&self, turn: &mut Turn) -> Option<Timestamp> {
        let sent_at = turn.message.at;
        let of_conversation = self.messages.iter().filter(|(_, message)| message.conversation == turn.key.conversation);
        let others: BTreeMap<i64, &MemoryId> =
            of_conversation.map(|(id, message)| (message.at.as_microsecond(), id)).collect();
        let mut at = sent_at.as_microsecond();
        if turn.origin == Origin::Untimed {
            while let Some((last, _)) = others.range(at..at + 1000).next_back() {
                at = last + 1;
            }
        } else if others.get(&at).is_some_and(|id| **id != turn.id) {
            while others.contains_key(&at) {
                at += 1;
            }
        }
        turn.message.at = Timestamp::from_microsecond(at).expect("messages lie far from the end of time");
        (turn.message.at != sent_at && turn.origin == Origin::Client).then_some(sent_at)
    }

    pub(in crate::catalog) fn save(&mut self, agent: &Agent, summary: Summary, seq: &mut u64, now: Timestamp) {
        self.clean(&summary, now);
        let period = summary.period;
        if self.replace(MemoryId::summary(agent, period), summary, seq)
            && let Some(parent) = period.parent()
        {
            self.mark_dirty(parent, *seq, now);
        }
    }

    /// Replaces the stored summary. Returns whether the memory changed.
    fn replace(&mut self, id: MemoryId, summary: Summary, seq: &mut u64) -> bool {
        let sealed = self.bases.contains_key(&summary.period);
        let Some(draft) = summary.draft.clone().filter(|_| sealed || !summary.sources.is_empty()) else {
            return summary.sources.is_empty() && self.delete(&id, seq).is_some();
        };
        let is_quoted_model = |id: &MemoryId| {
            let source = self.memories.get(id).filter(|memory| memory.kind() == Kind::Summary);
            let reworded = source.filter(|summary| !self.verbatim.contains(&summary.period));
            reworded.is_some_and(|summary| draft.may_quote(summary.sentences()))
        };
        if draft.verbatim && !summary.sources.iter().any(is_quoted_model) {
            self.verbatim.insert(summary.period);
        } else {
            self.verbatim.remove(&summary.period);
        }
        match self.memories.get_mut(&id) {
            Some(stored) if stored.text == draft.text && stored.sentences() == draft.sentences => {
                // The same text with the same sentences: the sources may be new, but the memory has not changed.
                stored.body = Body::Summary { sentences: draft.sentences, sources: summary.sources };
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
        // Without a draft, the fields that describe the stored text stay.
        if let Some(draft) = &summary.draft {
            row.recipe = Some(summary.recipe);
            row.author.clone_from(&summary.author);
            row.tokens += draft.tokens;
            row.ungrounded = draft.ungrounded;
            row.degraded = summary.degraded;
        }
    }
}
