//! Exports the agent's records page by page, in an order that depends only on their content.

use annals_core::ports::{Block, DocumentKey, Record};
use annals_core::{Agent, Digest, LedgerRow, MemoryId, Message};

use crate::columns::{instant, micros, signed};
use crate::db::{Db, Result, params};
use crate::forgotten::KeyedHashes;
use crate::turns::Stored;
use crate::{
    accesses, agents, bases, blocks, documents, journal, ledger, memories, pruned, statements, summaries, turns,
};

const TURNS: &str =
    "SELECT * FROM turn WHERE agent_id = ?1 AND at >= ?2 AND (at, day, conversation, message) > (?2, ?3, ?4, ?5)
    ORDER BY at, day, conversation, message LIMIT ?6";
const PRUNED: &str = "SELECT * FROM pruned WHERE agent_id = ?1 AND id > ?2 ORDER BY id LIMIT ?3";
const STATEMENTS: &str =
    "SELECT * FROM statement WHERE agent_id = ?1 AND cover_start >= ?2 AND (cover_start, day, id) > (?2, ?3, ?4)
    ORDER BY cover_start, day, id LIMIT ?5";
/// Selects the next ?3 + 1 former texts, and the further ones of the last memory among them, so that a page never ends between
/// two texts of the same memory.
const VERSIONS: &str = "SELECT * FROM version
    WHERE agent_id = ?1 AND id > ?2
      AND id <= coalesce((SELECT id FROM version WHERE agent_id = ?1 AND id > ?2 ORDER BY id LIMIT 1 OFFSET ?3), '~')
    ORDER BY id, version_id";

/// The kinds of records that are exported page by page, in the order of the export.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Section {
    Turns,
    Pruned,
    Statements,
    Operations,
    Periods,
    Versions,
    Documents,
    Accesses,
}

impl Section {
    const ALL: [Section; 8] = [
        Section::Turns,
        Section::Pruned,
        Section::Statements,
        Section::Operations,
        Section::Periods,
        Section::Versions,
        Section::Documents,
        Section::Accesses,
    ];

    /// Returns the section of a record; `None` for the records before all sections (settings, blocks).
    fn of(record: &Record) -> Option<Section> {
        match record {
            Record::Settings(_) | Record::Block { .. } => None,
            Record::Turn { .. } => Some(Section::Turns),
            Record::Gone { .. } => Some(Section::Pruned),
            Record::Statement { .. } => Some(Section::Statements),
            Record::Operation(_) => Some(Section::Operations),
            Record::Period { .. } => Some(Section::Periods),
            Record::Version { .. } => Some(Section::Versions),
            Record::Document(_) => Some(Section::Documents),
            Record::Access { .. } => Some(Section::Accesses),
        }
    }
}

/// Returns at most `limit` records after `after`; from the first record on if it is `None`. There are two exceptions to the
/// limit: the first page holds the settings and all blocks, and a page holds all former texts of its last memory. A page ends
/// early when its documents are large.
pub(crate) fn records(db: &dyn Db, agent: &Agent, after: Option<&Record>, limit: usize) -> Result<Vec<Record>> {
    let agent_id = agents::known(db, agent)?;
    let mut records = Vec::new();
    if after.is_none() {
        records.push(Record::Settings(agents::settings(db, agent)?));
        records.extend(blocks::of(db, agent_id)?.into_iter().map(block_record));
    }
    let reader = Reader { db, agent, agent_id };
    let first = after.and_then(Section::of);
    for section in Section::ALL.into_iter().filter(|section| first.is_none_or(|first| *section >= first)) {
        let left = limit.saturating_sub(records.len());
        if left == 0 {
            break;
        }
        let after = after.filter(|record| Section::of(record) == Some(section));
        if section == Section::Documents {
            let (mut found, is_cut) = reader.documents(after, left)?;
            records.append(&mut found);
            if is_cut {
                break;
            }
            continue;
        }
        records.append(&mut reader.section(section, after, left)?);
    }
    Ok(records)
}

struct Reader<'a> {
    db: &'a dyn Db,
    agent: &'a Agent,
    agent_id: i64,
}

impl Reader<'_> {
    fn section(&self, section: Section, after: Option<&Record>, limit: usize) -> Result<Vec<Record>> {
        let most = signed(limit as u64);
        match section {
            Section::Turns => self.turns(after, most),
            Section::Pruned => {
                let id = if let Some(Record::Gone { id, .. }) = after { id.as_str() } else { "" };
                let pruned = pruned::find(self.db, PRUNED, params![self.agent_id, id, most])?.into_iter();
                Ok(pruned.map(|turn| Record::Gone { id: turn.id, day: turn.day, at: turn.at }).collect())
            }
            Section::Statements => self.statements(after, most),
            Section::Operations => {
                let id = if let Some(Record::Operation(operation)) = after { operation.id.as_str() } else { "" };
                let operations = journal::page(self.db, self.agent_id, id, most)?;
                Ok(operations.into_iter().map(Record::Operation).collect())
            }
            Section::Periods => {
                let last = if let Some(Record::Period { period, .. }) = after { Some(*period) } else { None };
                let rows = ledger::page(self.db, self.agent_id, last, most)?.into_iter();
                rows.map(|row| period_record(self.db, self.agent, self.agent_id, row)).collect()
            }
            Section::Versions => {
                let id = if let Some(Record::Version { id, .. }) = after { id.as_str() } else { "" };
                versions(self.db, self.agent, self.agent_id, id, most)
            }
            Section::Documents => unreachable!("read by `documents`"),
            Section::Accesses => {
                let id = if let Some(Record::Access { id, .. }) = after { id.as_str() } else { "" };
                accesses::records(self.db, self.agent_id, id, most)
            }
        }
    }

    fn turns(&self, after: Option<&Record>, most: i64) -> Result<Vec<Record>> {
        let (at, day, conversation, message) = match after {
            Some(Record::Turn { at, day, conversation, id, .. }) => {
                (micros(*at), day.to_string(), conversation.as_str(), id.as_str())
            }
            _ => (i64::MIN, String::new(), "", ""),
        };
        let extracted = journal::watermark(self.db, self.agent)?.extracted;
        let values = params![self.agent_id, at, day, conversation, message, most];
        let turns = turns::find(self.db, TURNS, values)?;
        Ok(turns.into_iter().map(|stored| turn_record(stored, extracted)).collect())
    }

    /// Returns the next documents, and whether the page ended early because of its size.
    fn documents(&self, after: Option<&Record>, limit: usize) -> Result<(Vec<Record>, bool)> {
        let last =
            if let Some(Record::Document(document)) = after { document.document_key() } else { DocumentKey::default() };
        let (found, is_cut) = documents::page(self.db, self.agent_id, &last, signed(limit as u64))?;
        Ok((found.into_iter().map(|document| Record::Document(Box::new(document))).collect(), is_cut))
    }

    fn statements(&self, after: Option<&Record>, most: i64) -> Result<Vec<Record>> {
        let (start, day, id) = match after {
            Some(Record::Statement { statement, .. }) => {
                (micros(statement.cover.start), statement.day.to_string(), statement.id.as_str())
            }
            _ => (i64::MIN, String::new(), ""),
        };
        let found = statements::find(self.db, STATEMENTS, params![self.agent_id, start, day, id, most])?;
        let record = |statements::Stored { statement, pinned, .. }| Record::Statement { statement, pinned };
        Ok(found.into_iter().map(record).collect())
    }
}

fn block_record(Block { name, text, updated_at }: Block) -> Record {
    Record::Block { name, text, updated_at }
}

fn turn_record(Stored { turn, pinned, seq, sent_at, .. }: Stored, extracted: u64) -> Record {
    let message = turn.message;
    Record::Turn {
        conversation: turn.key.conversation,
        id: turn.key.id,
        day: turn.day,
        at: message.at,
        sent_at,
        role: message.role,
        name: message.name,
        content: message.content,
        extracted: seq <= extracted,
        pinned,
        attachment: turn.attachment,
    }
}

fn period_record(db: &dyn Db, agent: &Agent, agent_id: i64, row: LedgerRow) -> Result<Record> {
    let id = MemoryId::summary(agent, row.period);
    let summary = summaries::find(db, summaries::BY_ID, params![agent_id, id.as_str()])?.pop();
    let verbatim = bases::present(db, agent_id, &id)?.is_some_and(|present| present.verbatim);
    let (dirty, pinned) = (row.is_dirty(), summary.as_ref().is_some_and(|summary| summary.pinned));
    let cover = summary.as_ref().map(|summary| summary.cover);
    let (text, sentences, sources) = match summary {
        Some(summary) => (Some(summary.text.clone()), summary.sentences().to_vec(), summary.sources().to_vec()),
        None => (None, Vec::new(), Vec::new()),
    };
    Ok(Record::Period {
        period: row.period,
        text,
        sentences,
        cover,
        sources,
        dirty,
        dirty_at: row.dirty_at,
        input: row.input_digest.as_ref().map(Digest::to_string),
        recipe: row.recipe.as_ref().map(Digest::to_string),
        author: row.author.clone(),
        verbatim,
        degraded: row.degraded,
        ungrounded: row.ungrounded,
        tokens: row.tokens,
        base: bases::of(db, agent_id, row.period)?,
        pinned,
    })
}

/// Returns former texts of the memories with an id above `after`. The texts of one memory stay together, even beyond
/// `most`.
fn versions(db: &dyn Db, agent: &Agent, agent_id: i64, after: &str, most: i64) -> Result<Vec<Record>> {
    let hashes = KeyedHashes::known(db, agent)?;
    db.query(VERSIONS, params![agent_id, after, most - 1], |row| {
        let (id, text, replaced_at): (_, String, _) =
            (memories::read_id(row)?, row.get("text")?, instant(row, "replaced_at")?);
        let sent = is_sent(db, agent_id, hashes.as_ref(), &id, &text)?;
        Ok(Record::Version { id, text, replaced_at, sent })
    })
}

/// Returns whether a former text of a turn is the content that the client sent last. This can be so only if a person corrected
/// the turn since.
fn is_sent(db: &dyn Db, agent_id: i64, hashes: Option<&KeyedHashes>, id: &MemoryId, text: &str) -> Result<bool> {
    let Some(hashes) = hashes.filter(|_| id.as_str().starts_with("t-")) else { return Ok(false) };
    let stored = turns::find(db, turns::BY_ID, params![agent_id, id.as_str()])?.pop();
    Ok(stored.is_some_and(|stored| {
        let sent = Message { content: text.to_owned(), ..stored.as_sent() };
        stored.sent == Some(hashes.content_of(&sent))
    }))
}
