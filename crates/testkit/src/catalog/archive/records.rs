//! Export: returns all records of an agent.

use annals_core::ports::{Block, Record};
use annals_core::{Agent, Digest, Kind, LedgerRow, Memory};

use crate::catalog::agent_data::AgentData;

impl AgentData {
    pub(super) fn records(&self, agent: &Agent) -> Vec<Record> {
        let mut records = vec![Record::Settings(self.settings.clone().unwrap_or_default())];
        records.extend(self.blocks.values().cloned().map(block_record));
        let turns = self.select(|memory| memory.kind() == Kind::Turn).into_iter();
        records.extend(turns.map(|turn| self.turn_record(turn)));
        let pruned = self.pruned.iter();
        records.extend(pruned.map(|(id, turn)| Record::Gone { id: id.clone(), day: turn.day, at: turn.at }));
        let statements = self.select(|memory| memory.kind() == Kind::Statement).into_iter();
        records.extend(
            statements.map(|memory| Record::Statement {
                statement: self.statements[&memory.id].clone(),
                pinned: memory.pinned,
            }),
        );
        records.extend(self.log.values().cloned().map(Record::Operation));
        records.extend(self.ledger.values().map(|row| self.period_record(agent, row)));
        let versions =
            self.versions.iter().flat_map(|(id, versions)| versions.iter().map(move |version| (id, version)));
        records.extend(versions.map(|(id, version)| Record::Version {
            id: id.clone(),
            text: version.text.clone(),
            replaced_at: version.replaced_at,
            sent: self.sent.get(id) == Some(&version.text),
        }));
        records.extend(self.documents.values().cloned().map(|document| Record::Document(Box::new(document))));
        let accesses = self.accesses.iter();
        records.extend(accesses.map(|(id, access)| Record::Access {
            id: id.clone(),
            times: access.times,
            last: access.last,
        }));
        records
    }

    fn turn_record(&self, turn: Memory) -> Record {
        let message = self.messages[&turn.id].clone();
        Record::Turn {
            conversation: message.conversation,
            id: turn.message().expect("the memory is a turn").to_owned(),
            day: turn.period,
            at: message.at,
            sent_at: self.sent_at.get(&turn.id).copied(),
            role: message.role,
            name: message.name,
            content: message.content,
            extracted: turn.seq <= self.extraction.extracted,
            pinned: turn.pinned,
            attachment: self.attachments.get(&turn.id).cloned(),
        }
    }

    fn period_record(&self, agent: &Agent, row: &LedgerRow) -> Record {
        let period = row.period;
        let summary = self.summary(agent, period);
        Record::Period {
            period,
            text: summary.map(|summary| summary.text.clone()),
            sentences: summary.map(|summary| summary.sentences().to_vec()).unwrap_or_default(),
            cover: summary.map(|summary| summary.cover),
            sources: summary.map(|summary| summary.sources().to_vec()).unwrap_or_default(),
            dirty: row.is_dirty(),
            dirty_at: row.dirty_at,
            input: row.input_digest.as_ref().map(Digest::to_string),
            recipe: row.recipe.as_ref().map(Digest::to_string),
            author: row.author.clone(),
            verbatim: self.verbatim.contains(&period),
            degraded: row.degraded,
            ungrounded: row.ungrounded,
            tokens: row.tokens,
            base: self.bases.get(&period).cloned(),
            pinned: summary.is_some_and(|summary| summary.pinned),
        }
    }
}

fn block_record(Block { name, text, updated_at }: Block) -> Record {
    Record::Block { name, text, updated_at }
}
