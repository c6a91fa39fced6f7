//! Everything out, in an order that depends on nothing but content.

use annals_core::ports::{Block, Record};
use annals_core::{Agent, Digest, FactOperation, LedgerRow, MemoryId, Message};
use rusqlite::Connection;

use crate::columns::instant;
use crate::failure::Result;
use crate::forgotten::KeyedHashes;
use crate::turns::Stored;
use crate::{accesses, agents, bases, blocks, extraction, get, ledger, log, memories, pruned, statements, turns};

const TURNS: &str =
    concat!(include_str!("../sql/turn.sql"), "WHERE agent_id = ?1 ORDER BY at, day, conversation, message");
const STATEMENTS: &str =
    concat!(include_str!("../sql/statement.sql"), "WHERE agent_id = ?1 ORDER BY cover_start, day, id");
const VERSIONS: &str = "SELECT * FROM version WHERE agent_id = ?1 ORDER BY id, version_id";

/// All records of an agent.
pub(crate) fn records(connection: &Connection, agent: &Agent) -> Result<Vec<Record>> {
    let agent_id = agents::known(connection, agent)?;
    let mut records = vec![Record::Settings(agents::settings(connection, agent)?)];
    records.extend(blocks::of(connection, agent_id)?.into_iter().map(block_record));
    let extracted = extraction::lane(connection, agent)?.extracted;
    let turns = turns::find(connection, TURNS, [agent_id])?;
    records.extend(turns.into_iter().map(|stored| turn_record(stored, extracted)));
    let pruned = pruned::all(connection, agent_id)?.into_iter();
    records.extend(pruned.map(|turn| Record::Gone { id: turn.id, day: turn.day, at: turn.at }));
    for statements::Stored { statement, pinned, .. } in statements::find(connection, STATEMENTS, [agent_id])? {
        records.push(Record::Statement { statement, pinned });
    }
    let mut operations = log::all(connection, agent_id)?;
    operations.sort_by(in_order_of_fold);
    records.extend(operations.into_iter().map(Record::Operation));
    for row in ledger::ledger(connection, agent)? {
        records.push(period_record(connection, agent, agent_id, row)?);
    }
    records.append(&mut versions(connection, agent, agent_id)?);
    records.append(&mut accesses::records(connection, agent_id)?);
    Ok(records)
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
    }
}

fn in_order_of_fold(a: &FactOperation, b: &FactOperation) -> std::cmp::Ordering {
    (a.at, a.said_at, &a.source, a.position, &a.id).cmp(&(b.at, b.said_at, &b.source, b.position, &b.id))
}

fn period_record(connection: &Connection, agent: &Agent, agent_id: i64, row: LedgerRow) -> Result<Record> {
    let id = MemoryId::summary(agent, row.period);
    let summary = memories::summaries(connection, get::SUMMARY, rusqlite::params![agent_id, id.as_str()])?.pop();
    let verbatim = bases::present(connection, agent_id, &id)?.is_some_and(|present| present.verbatim);
    let (dirty, pinned) = (row.is_dirty(), summary.as_ref().is_some_and(|summary| summary.pinned));
    let cover = summary.as_ref().map(|summary| summary.cover);
    let (text, sentences, sources) = match summary {
        Some(summary) => (Some(summary.text), summary.sentences, summary.sources),
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
        verbatim,
        degraded: row.degraded,
        ungrounded: row.ungrounded,
        tokens: row.tokens,
        base: bases::of(connection, agent_id, row.period)?,
        pinned,
    })
}

fn versions(connection: &Connection, agent: &Agent, agent_id: i64) -> Result<Vec<Record>> {
    let hashes = KeyedHashes::known(connection, agent)?;
    let mut statement = connection.prepare_cached(VERSIONS)?;
    let mut rows = statement.query([agent_id])?;
    let mut versions = Vec::new();
    while let Some(row) = rows.next()? {
        let (id, text, replaced_at): (_, String, _) =
            (memories::read_id(row)?, row.get("text")?, instant(row, "replaced_at")?);
        let sent = is_sent(connection, agent_id, hashes.as_ref(), &id, &text)?;
        versions.push(Record::Version { id, text, replaced_at, sent });
    }
    Ok(versions)
}

/// Whether a former text is what the client sent last, of a turn that a person corrected since.
fn is_sent(
    connection: &Connection,
    agent_id: i64,
    hashes: Option<&KeyedHashes>,
    id: &MemoryId,
    text: &str,
) -> Result<bool> {
    let Some(hashes) = hashes.filter(|_| id.as_str().starts_with("t-")) else { return Ok(false) };
    let stored = turns::find(connection, get::TURN, rusqlite::params![agent_id, id.as_str()])?.pop();
    Ok(stored.is_some_and(|stored| {
        let sent = Message { content: text.to_owned(), ..stored.as_sent() };
        stored.sent == Some(hashes.content_of(&sent))
    }))
}
