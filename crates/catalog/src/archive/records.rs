//! Everything out, in an order that depends on nothing but content.

use annals_core::ports::{Block, Record};
use annals_core::{Agent, Digest, FactOperation, LedgerRow, MemoryId};
use rusqlite::Connection;

use crate::columns::instant;
use crate::failure::Result;
use crate::{accesses, agents, bases, blocks, extraction, get, ledger, log, memories, statements, tombstones, turns};

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
    records.extend(tombstones::turns(connection, agent_id)?.into_iter().map(|id| Record::Gone { id }));
    for statements::Stored { statement, pinned, .. } in statements::find(connection, STATEMENTS, [agent_id])? {
        records.push(Record::Statement { statement, pinned });
    }
    let mut operations = log::all(connection, agent_id)?;
    operations.sort_by(in_order_of_fold);
    records.extend(operations.into_iter().map(Record::Operation));
    for row in ledger::ledger(connection, agent)? {
        records.push(period_record(connection, agent, agent_id, row)?);
    }
    records.append(&mut versions(connection, agent_id)?);
    records.append(&mut accesses::records(connection, agent_id)?);
    Ok(records)
}

fn block_record(Block { name, text, updated_at }: Block) -> Record {
    Record::Block { name, text, updated_at }
}

fn turn_record(turns::Stored { turn, pinned, seq }: turns::Stored, extracted: u64) -> Record {
    let message = turn.message;
    Record::Turn {
        conversation: turn.key.conversation,
        id: turn.key.id,
        day: turn.day,
        at: message.at,
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

fn versions(connection: &Connection, agent_id: i64) -> Result<Vec<Record>> {
    let mut statement = connection.prepare_cached(VERSIONS)?;
    let rows = statement.query_map([agent_id], |row| {
        let (id, replaced_at) = (memories::read_id(row)?, instant(row, "replaced_at")?);
        Ok(Record::Version { id, text: row.get("text")?, replaced_at })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}
