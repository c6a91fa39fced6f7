//! Restores an agent's records in pieces, under a staging agent that nothing lists, which replaces the real one at the
//! end. The memories get the next numbers of the real agent's sequence, so its tables receive them like any other
//! changes.

use annals_core::ports::{Access, Block, Origin, Record, Turn};
use annals_core::{Agent, Base, Digest, Error, LedgerRow, MemoryId, Message, Period, Timestamp, TurnKey};
use data_encoding::HEXLOWER;

use crate::columns::word;
use crate::db::{AgentTable, Db, Result, Sql, params};
use crate::forgotten::KeyedHashes;
use crate::pruned::Pruned;
use crate::turns::StoredFields;
use crate::{
    accesses, agents, bases, blocks, changes, documents, erasure, ingest, journal, ledger, names, pruned, seals,
    statements, summaries, turns, versions,
};

const DAYS_WITHOUT_ROW: &str = "SELECT DISTINCT day
    FROM turn
    WHERE agent_id = ?1
      AND NOT EXISTS (
          SELECT 1
          FROM ledger
          WHERE ledger.agent_id = turn.agent_id AND ledger.grain = 1 AND ledger.period = turn.day
      )";

/// The workspace of agents that are being restored. No workspace can have this name, so nothing lists them.
const STAGING: &str = "";
const STAGED: &str = "SELECT agent_id FROM agent WHERE workspace = ''";

/// Resolves the conflicts between the rows of agent ?1 and those of agent ?2, the staging agent that replaces it. Agent ?2 then
/// gets the sequence number, the shown name and the last erasure of agent ?1, and the settings if it has none.
const TAKE_OVER: [&str; 5] = [
    "DELETE FROM tombstone WHERE agent_id = ?1 AND (
        EXISTS (SELECT 1 FROM turn WHERE turn.agent_id = ?2 AND turn.id = tombstone.id)
        OR EXISTS (SELECT 1 FROM statement WHERE statement.agent_id = ?2 AND statement.id = tombstone.id)
        OR EXISTS (SELECT 1 FROM summary WHERE summary.agent_id = ?2 AND summary.id = tombstone.id)
        OR EXISTS (SELECT 1 FROM passage WHERE passage.agent_id = ?2 AND passage.id = tombstone.id)
    )",
    "DELETE FROM pruned WHERE agent_id = ?1
        AND EXISTS (SELECT 1 FROM turn WHERE turn.agent_id = ?2 AND turn.id = pruned.id)",
    // The row of agent ?1 stays: it may have values in more columns.
    "DELETE FROM pruned WHERE agent_id = ?2
        AND EXISTS (SELECT 1 FROM pruned AS known WHERE known.agent_id = ?1 AND known.id = pruned.id)",
    "UPDATE agent SET settings = (SELECT settings FROM agent WHERE agent_id = ?1)
        WHERE agent_id = ?2 AND settings IS NULL",
    "UPDATE agent SET (seq, shown_name, erased) = (
            SELECT former.seq, former.shown_name, CASE WHEN former.erased > agent.erased THEN former.erased ELSE agent.erased END
            FROM agent AS former
            WHERE former.agent_id = ?1
        )
        WHERE agent_id = ?2",
];

/// Begins to restore an agent. Fails with `Invalid` if it already holds memories, bases, fact operations, blocks or documents,
/// and with `Exists` if another agent has or had one of its names.
pub(crate) fn begin(db: &dyn Db, agent: &Agent) -> Result<()> {
    unless_full(db, agent, agents::known(db, agent)?)?;
    for name in [agent.key(), agent.name()] {
        names::check_free(db, agent, name)?;
    }
    drop_staged(db, agent)?;
    let sql = "INSERT INTO agent (workspace, name, erased) VALUES (?1, ?2, ?3)";
    let last = changes::last_seq(db, agents::known(db, agent)?)?;
    db.execute(sql, params![STAGING, &staged_name(agent), last])?;
    Ok(())
}

/// Stores records in the staging agent. The caller passes them in order of [`Record::rank`].
pub(crate) fn take(db: &dyn Db, agent: &Agent, records: &[Record]) -> Result<()> {
    let (sequence_agent, agent_id) = (agents::enrolled(db, agent)?, staged(db, agent)?);
    let restoring = Restoring { db, agent, sequence_agent, agent_id, forgotten: KeyedHashes::known(db, agent)? };
    records.iter().try_for_each(|record| restoring.take(record.clone()))
}

/// Makes the staged records the agent's memory. Fails with `Invalid` if the restore was not begun, or if the agent has got data
/// since then that [`begin`] would refuse. Fails with `Exists` if another agent has got the agent's shown name.
pub(crate) fn finish(db: &dyn Db, agent: &Agent, now: Timestamp) -> Result<()> {
    let (former, agent_id) = (agents::enrolled(db, agent)?, staged(db, agent)?);
    unless_full(db, agent, former)?;
    Restoring { db, agent, sequence_agent: former, agent_id, forgotten: None }.mark_days_without_row_dirty(now)?;
    take_over(db, former, agent_id)?;
    // An archive does not say when its messages arrived. The last change of a day is the best approximation.
    let sql = "UPDATE agent SET workspace = ?2, name = ?3,
        ingested_at = (SELECT max(dirty_at) FROM ledger WHERE ledger.agent_id = ?1 AND ledger.grain = 1)
        WHERE agent_id = ?1";
    db.execute(sql, params![agent_id, agent.workspace(), agent.key()])?;
    if let Some(name) = agent.shown_name() {
        names::check_free(db, agent, name)?;
        names::save(db, agent_id, agent)?;
    }
    Ok(())
}

/// Drops the staged records of an agent, if it has any.
pub(crate) fn drop_staged(db: &dyn Db, agent: &Agent) -> Result<()> {
    match agents::row_id(db, STAGING, &staged_name(agent))? {
        Some(agent_id) => erasure::wipe_agent(db, agent_id),
        None => Ok(()),
    }
}

/// Drops the staged records of all interrupted restores.
pub(crate) fn drop_all_staged(db: &dyn Db) -> Result<()> {
    let staged: Vec<i64> = db.query(Sql::Once(STAGED), &[], |row| row.get(0))?;
    staged.into_iter().try_for_each(|agent_id| erasure::wipe_agent(db, agent_id))
}

fn staged_name(agent: &Agent) -> String {
    format!("{}/{}", agent.workspace(), agent.key())
}

fn staged(db: &dyn Db, agent: &Agent) -> Result<i64> {
    let found = agents::row_id(db, STAGING, &staged_name(agent))?;
    Ok(found.ok_or_else(|| Error::invalid("restore", "was not started"))?)
}

fn unless_full(db: &dyn Db, agent: &Agent, agent_id: i64) -> Result<()> {
    for sql in [
        "SELECT 1 FROM turn WHERE agent_id = ?1",
        "SELECT 1 FROM statement WHERE agent_id = ?1",
        "SELECT 1 FROM summary WHERE agent_id = ?1",
        // A sealed period may lack a summary for a while; its base still holds its text.
        "SELECT 1 FROM base WHERE agent_id = ?1",
        "SELECT 1 FROM fact_operation WHERE agent_id = ?1",
        "SELECT 1 FROM block WHERE agent_id = ?1",
        "SELECT 1 FROM document WHERE agent_id = ?1",
    ] {
        if db.exists(sql, params![agent_id])? {
            let reason = format!(
                "{} already has memories; an export of Annals is restored only into an agent without any",
                agent.name()
            );
            return Err(Error::invalid("agent", reason).into());
        }
    }
    Ok(())
}

/// Moves the remaining rows of an agent without memories, such as costs, watermarks and tombstones, to the agent that
/// replaces it.
fn take_over(db: &dyn Db, former: i64, agent_id: i64) -> Result<()> {
    let sql = "SELECT 1 FROM journal WHERE agent_id = ?1 AND log_version > 0";
    if db.exists(sql, params![former])? {
        // A facts table of the former log may exist. With a new version it counts as outdated.
        journal::set_version(db, agent_id, changes::next_seq(db, former)?)?;
    }
    for sql in TAKE_OVER {
        db.execute(Sql::Once(sql), params![former, agent_id])?;
    }
    for table in db.tables_of_agents()?.iter().filter(|table| table.name != "agent") {
        db.execute(Sql::Once(&moving(table)), params![former, agent_id])?;
    }
    erasure::wipe_agent(db, former)
}

/// Builds the statement that moves the rows of a table from agent ?1 to agent ?2. Leaves out rows with keys that rows of agent
/// ?2 already have.
fn moving(table: &AgentTable) -> String {
    let name = &table.name;
    let keys = table.keys.iter().filter(|key| *key != "agent_id");
    let is_same: String = keys.map(|key| format!(" AND own.\"{key}\" = \"{name}\".\"{key}\"")).collect();
    format!(
        "UPDATE \"{name}\" SET agent_id = ?2
        WHERE agent_id = ?1 AND NOT EXISTS (SELECT 1 FROM \"{name}\" AS own WHERE own.agent_id = ?2{is_same})"
    )
}

struct Restoring<'c> {
    db: &'c dyn Db,
    agent: &'c Agent,
    /// Row number of the real agent. The restored records get the next numbers of its sequence.
    sequence_agent: i64,
    /// Row number of the staging agent, which owns the restored rows until the end.
    agent_id: i64,
    forgotten: Option<KeyedHashes<'c>>,
}

impl Restoring<'_> {
    fn next_seq(&self) -> Result<i64> {
        changes::next_seq(self.db, self.sequence_agent)
    }

    fn take(&self, record: Record) -> Result<()> {
        match record {
            Record::Settings(settings) => agents::save_settings_of(self.db, self.agent_id, &settings),
            Record::Turn { conversation, id, day, at, sent_at, role, name, content, extracted, pinned, attachment } => {
                let message = Message { conversation: conversation.clone(), client_id: None, role, name, content, at };
                let key = TurnKey { conversation, id };
                let (id, origin) = (MemoryId::turn(self.agent, &key), Origin::Client);
                let turn = Turn { id, key, day, message, masked: 0, origin, attachment };
                self.take_turn(&turn, sent_at, extracted, pinned)
            }
            Record::Statement { statement, pinned } => {
                statements::save(self.db, self.agent_id, &statement, self.next_seq()?)?;
                seals::set_pin(self.db, self.agent_id, &statement.id, pinned).map(|_| ())
            }
            Record::Operation(operation) => {
                journal::save(self.db, self.agent_id, &operation)?;
                journal::set_version(self.db, self.agent_id, self.next_seq()?)
            }
            period @ Record::Period { .. } => self.take_period(period),
            Record::Version { id, text, replaced_at, sent } => {
                versions::keep(self.db, self.agent_id, &id, &text, replaced_at)?;
                if sent { self.take_sent(&id, text) } else { Ok(()) }
            }
            Record::Gone { id, day, at } => self.take_gone(id, day, at),
            Record::Access { id, times, last } => {
                accesses::add_of(self.db, self.agent_id, &[(id, Access { times, last })])
            }
            Record::Document(document) => {
                documents::refuse_second(self.db, self.agent_id, &document.document_key())?;
                documents::save(self.db, self.agent, [self.agent_id, self.sequence_agent], &document)
            }
            Record::Block { name, text, updated_at } => {
                blocks::save_of(self.db, self.agent_id, &Block { name, text, updated_at })
            }
        }
    }

    fn take_turn(&self, turn: &Turn, sent_at: Option<Timestamp>, extracted: bool, pinned: bool) -> Result<()> {
        ingest::check(self.agent, turn)?;
        self.refuse_known(turn, sent_at)?;
        let seq = self.next_seq()?;
        let fields = StoredFields { at: turn.message.at, sent_at, sent: None };
        turns::insert(self.db, self.agent_id, turn, &fields, seq)?;
        seals::set_pin(self.db, self.agent_id, &turn.id, pinned)?;
        if extracted {
            journal::move_watermark(self.db, self.agent_id, seq.unsigned_abs())?;
        }
        Ok(())
    }

    /// Stores the hash of `text`, the content that the client sent last, for a turn that a person corrected since.
    fn take_sent(&self, id: &MemoryId, text: String) -> Result<()> {
        for stored in turns::find(self.db, turns::BY_ID, params![self.agent_id, id.as_str()])? {
            let sent = Message { content: text.clone(), ..stored.as_sent() };
            let hash = KeyedHashes::ready(self.db, self.agent)?.content_of(&sent);
            turns::set_sent(self.db, self.agent_id, id, hash)?;
        }
        Ok(())
    }

    /// Records a pruned turn. Fails if the turn itself is stored too. If the turn is already recorded as pruned, the existing
    /// row stays, because it may have values in more columns.
    fn take_gone(&self, id: MemoryId, day: Option<Period>, at: Option<Timestamp>) -> Result<()> {
        if !turns::find(self.db, turns::BY_ID, params![self.agent_id, id.as_str()])?.is_empty() {
            return Err(Error::invalid("records", format!("contain turn {id} and also mark it as removed")).into());
        }
        if pruned::get(self.db, self.agent_id, &id)?.is_some() {
            return Ok(());
        }
        let unknown = Pruned { id, arrived: None, day, at, conversation: None, speaker: None, content: None };
        unknown.save(self.db, self.agent_id)
    }

    fn refuse_known(&self, turn: &Turn, sent_at: Option<Timestamp>) -> Result<()> {
        let sent = Message { at: sent_at.unwrap_or(turn.message.at), ..turn.message.clone() };
        if let Some(forgotten) = &self.forgotten
            && forgotten.is_forgotten(&turn.key, &sent.digest())?
        {
            return Err(Error::invalid("records", "contain a message that was forgotten").into());
        }
        let values = params![self.agent_id, turn.id.as_str()];
        if !turns::find(self.db, turns::BY_ID, values)?.is_empty() {
            return Err(Error::invalid("records", format!("contain turn {} twice", turn.id)).into());
        }
        Ok(())
    }

    fn take_period(&self, record: Record) -> Result<()> {
        let Record::Period { period, input, recipe, author, dirty, dirty_at, degraded, ungrounded, tokens, .. } =
            &record
        else {
            unreachable!("only periods are given here");
        };
        let seq = self.next_seq()?;
        let row = LedgerRow {
            clean_seq: if *dirty { 0 } else { seq.unsigned_abs() },
            input_digest: input.as_deref().map(digest).transpose()?,
            recipe: recipe.as_deref().map(digest).transpose()?,
            author: author.clone(),
            degraded: *degraded,
            ungrounded: *ungrounded,
            tokens: *tokens,
            ..LedgerRow::new(*period, seq.unsigned_abs(), *dirty_at)
        };
        ledger::restore(self.db, self.agent_id, &row)?;
        self.take_texts(record, seq)
    }

    /// Restores the summary and the base of a period.
    fn take_texts(&self, record: Record, seq: i64) -> Result<()> {
        let Record::Period { period, text, sentences, cover, sources, verbatim, base, pinned, .. } = record else {
            unreachable!("only periods are given here");
        };
        if let Some(base) = base {
            // The turns of the records were restored before: the base may contain any of them.
            bases::set(self.db, self.agent_id, period, &base, Some(seq))?;
        }
        let Some(text) = text else { return Ok(()) };
        let cover = cover.ok_or_else(|| Error::invalid("cover", "is missing"))?;
        let id = MemoryId::summary(self.agent, period);
        let row = summaries::SummaryRow { db: self.db, agent_id: self.agent_id, id };
        row.put(period, cover, &Base { text, sentences, sources, verbatim }, seq)?;
        seals::set_pin(self.db, self.agent_id, &row.id, pinned).map(|_| ())
    }

    /// Marks the days dirty that have turns but no ledger row: they were never rolled up.
    fn mark_days_without_row_dirty(&self, now: Timestamp) -> Result<()> {
        let days = self.db.query(DAYS_WITHOUT_ROW, params![self.agent_id], |row| word(row, "day"))?;
        for day in days {
            ledger::mark_dirty(self.db, self.agent_id, day, changes::last_seq(self.db, self.sequence_agent)?, now)?;
        }
        Ok(())
    }
}

/// Parses a digest of 64 hexadecimal digits.
fn digest(hex: &str) -> annals_core::Result<Digest> {
    let bytes = HEXLOWER.decode(hex.as_bytes()).ok().and_then(|bytes| bytes.try_into().ok());
    bytes.map(Digest).ok_or_else(|| Error::invalid("digest", "is not valid"))
}

#[cfg(test)]
mod tests {
    use annals_core::ports::{Archive, OnConflict};
    use annals_core::prelude::*;
    use annals_testkit::{MemoryCatalog, agent, all_records, at};

    use crate::db::Db;
    use crate::fixture::{Folder, user_turn};

    #[tokio::test]
    async fn opening_the_catalog_drops_an_interrupted_restore() {
        let (folder, source, me) = (Folder::new(), MemoryCatalog::new(), agent("me"));
        let turns = vec![user_turn(&me, "1", "tea"), user_turn(&me, "2", "cake")];
        source.ingest(&me, turns, OnConflict::Refuse, at("2026-06-01T00:00:00Z")).await.unwrap();
        let records = all_records(&source, &me).await;
        let catalog = folder.open();
        catalog.begin_restore(&me).await.unwrap();
        catalog.restore_some(&me, records).await.unwrap();
        let count = "SELECT (SELECT count(*) FROM turn) + (SELECT count(*) FROM agent WHERE workspace = '')";
        let rows = move |db: &dyn Db| db.query_one(count, &[], |row| row.get::<i64>(0));
        assert_eq!(catalog.thread.read("testing", rows).await.unwrap(), 3);
        assert_eq!(catalog.check().await.unwrap(), Vec::<String>::new());
        drop(catalog);
        let catalog = folder.open();
        assert_eq!(catalog.thread.read("testing", rows).await.unwrap(), 0);
    }
}
