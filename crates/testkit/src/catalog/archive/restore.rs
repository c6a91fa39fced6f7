//! Restore: collects records in a staging area, which replaces the agent's data once it is complete.

use annals_core::ports::{Access, Block, Origin, Record, Turn};
use annals_core::{Agent, Body, Digest, Error, Kind, LedgerRow, Memory, MemoryId, Message, Result, Timestamp, TurnKey};

use crate::catalog::agent_data::{AgentData, Pruned, remember, state, summarized};

impl AgentData {
    /// Returns [`Error::Invalid`] if the agent holds memories, fact operations, blocks or documents.
    pub(super) fn unless_full(&self, agent: &Agent) -> Result<()> {
        let is_empty = self.memories.is_empty() && self.blocks.is_empty() && self.documents.is_empty();
        if !is_empty || !self.log.is_empty() {
            let reason = format!(
                "{} already has memories; an export of Annals is restored only into an agent without any",
                agent.name()
            );
            return Err(Error::invalid("agent", reason));
        }
        Ok(())
    }

    pub(super) fn take(&mut self, agent: &Agent, record: Record, seq: &mut u64) -> Result<()> {
        if let Record::Document(document) = record {
            if self.documents.contains_key(&document.document_key()) {
                return Err(Error::invalid(
                    "records",
                    format!("contain the document {} twice", document.document_key()),
                ));
            }
            self.save_document(agent, *document, seq);
            return Ok(());
        }
        let seq = *seq;
        match record {
            Record::Settings(settings) => self.settings = Some(settings),
            Record::Turn { conversation, id, day, at, sent_at, role, name, content, extracted, pinned, attachment } => {
                let message = Message { conversation: conversation.clone(), client_id: None, role, name, content, at };
                let key = TurnKey { conversation, id };
                let (id, origin) = (MemoryId::turn(agent, &key), Origin::Client);
                let turn = Turn { id, key, day, message, masked: 0, origin, attachment };
                self.take_turn(agent, turn, sent_at, pinned, seq)?;
                if extracted {
                    self.extraction.extracted = seq;
                }
            }
            Record::Statement { statement, pinned } => {
                self.put(Memory { pinned, ..state(&statement, seq) });
                self.statements.insert(statement.id.clone(), statement);
            }
            Record::Operation(operation) => {
                self.log.insert(operation.id.clone(), operation);
                self.log_version = seq;
            }
            Record::Period { .. } => self.take_period(agent, record, seq)?,
            Record::Gone { id, day, at } => self.take_gone(id, Pruned { day, at, ..Pruned::default() })?,
            Record::Access { id, times, last } => self.access(&id, Access { times, last }),
            Record::Block { name, text, updated_at } => {
                self.blocks.insert(name.clone(), Block { name, text, updated_at });
            }
            Record::Document(_) => unreachable!("stored above"),
            Record::Version { id, text, replaced_at, sent } => {
                if sent && self.has_turn(&id) {
                    self.sent.insert(id.clone(), text.clone());
                }
                self.keep_version(&id, text, replaced_at);
            }
        }
        Ok(())
    }

    fn take_turn(
        &mut self,
        agent: &Agent,
        turn: Turn,
        sent_at: Option<Timestamp>,
        pinned: bool,
        seq: u64,
    ) -> Result<()> {
        let sent = Message { at: sent_at.unwrap_or(turn.message.at), ..turn.message.clone() };
        if self.was_forgotten(agent, &turn.key, &sent.digest()) {
            return Err(Error::invalid("records", "contain a message that was forgotten"));
        }
        self.sent_at.extend(sent_at.map(|at| (turn.id.clone(), at)));
        self.arrived.insert(turn.id.clone(), seq);
        self.messages.insert(turn.id.clone(), turn.message.clone());
        self.attachments.extend(turn.attachment.clone().map(|attachment| (turn.id.clone(), attachment)));
        self.put(Memory { pinned, ..remember(turn, seq) });
        Ok(())
    }

    /// Stores the data that is kept of a pruned turn, unless it is stored already. Fails if the turn is live.
    fn take_gone(&mut self, id: MemoryId, pruned: Pruned) -> Result<()> {
        if self.has_turn(&id) {
            return Err(Error::invalid("records", format!("contain turn {id} and also mark it as removed")));
        }
        self.pruned.entry(id).or_insert(pruned);
        Ok(())
    }

    fn take_period(&mut self, agent: &Agent, record: Record, seq: u64) -> Result<()> {
        let Record::Period {
            period,
            text,
            sentences,
            cover,
            sources,
            dirty,
            dirty_at,
            input,
            recipe,
            author,
            verbatim,
            degraded,
            ungrounded,
            tokens,
            base,
            pinned,
        } = record
        else {
            unreachable!("only periods are given here");
        };
        let row = LedgerRow {
            clean_seq: if dirty { 0 } else { seq },
            input_digest: input.as_deref().map(digest).transpose()?,
            recipe: recipe.as_deref().map(digest).transpose()?,
            author,
            degraded,
            ungrounded,
            tokens,
            ..LedgerRow::new(period, seq, dirty_at)
        };
        self.ledger.insert(period, row);
        if let Some(base) = base {
            self.seal(period, Some(base));
            self.base_seqs.insert(period, seq);
        }
        if verbatim {
            self.verbatim.insert(period);
        }
        if let Some(text) = text {
            let cover = cover.ok_or_else(|| Error::invalid("cover", "is missing"))?;
            let id = MemoryId::summary(agent, period);
            let body = Body::Summary { sentences, sources };
            self.put(Memory { id, text, pinned, body, ..summarized(period, cover, seq) });
        }
        Ok(())
    }

    /// Marks the days without a record as dirty: they have not been rolled up.
    pub(super) fn mark_unknown_days_dirty(&mut self, seq: u64, now: Timestamp) {
        let turns = self.memories.values().filter(|memory| memory.kind() == Kind::Turn);
        let days: Vec<_> = turns.map(|turn| turn.period).filter(|day| !self.ledger.contains_key(day)).collect();
        for day in days {
            self.mark_dirty(day, seq, now);
        }
    }
}

/// Parses a digest of 64 hexadecimal digits.
fn digest(hex: &str) -> Result<Digest> {
    let byte = |index: usize| u8::from_str_radix(hex.get(2 * index..2 * index + 2)?, 16).ok();
    let bytes: Option<Vec<u8>> = (0..32).map(byte).collect();
    let digest = bytes.and_then(|bytes| bytes.try_into().ok()).map(Digest);
    digest.filter(|digest| digest.to_string() == hex).ok_or_else(|| Error::invalid("digest", "is not valid"))
}
