//! Reads memories by id and by time, lists conversations, and removes memories. Turns, statements and summaries have
//! their own files.

use std::cmp::Ordering;

use annals_core::ports::{Memories, Outline, Select, StoredConversation};
use annals_core::{Agent, Grain, Kind, Memory, MemoryId, Period};
use async_trait::async_trait;

use crate::columns::{bounds, grain_number, instant, number, signed, word};
use crate::db::{Db, Result, Row, params};
use crate::{Backend, SqlCatalog};
use crate::{agents, changes, passages, statements, summaries, turns};

#[async_trait]
impl<B: Backend> Memories for SqlCatalog<B> {
    async fn list(&self, agent: &Agent, select: &Select) -> annals_core::Result<Vec<Memory>> {
        let (agent, select) = (agent.clone(), select.clone());
        self.thread.read("listing memories", move |c| list(c, &agent, &select)).await
    }

    async fn get(&self, agent: &Agent, ids: &[MemoryId]) -> annals_core::Result<Vec<Memory>> {
        let (agent, ids) = (agent.clone(), ids.to_vec());
        self.thread.read("reading memories", move |c| get(c, &agent, &ids)).await
    }

    async fn agent_of(&self, id: &MemoryId) -> annals_core::Result<Option<Agent>> {
        let id = id.clone();
        self.thread.read("finding the agent of a memory", move |c| agent_of(c, &id)).await
    }

    async fn find_by_prefix(&self, agent: &Agent, prefix: &str, limit: usize) -> annals_core::Result<Vec<Memory>> {
        let (agent, prefix) = (agent.clone(), prefix.to_owned());
        self.thread.read("finding memories", move |c| find_by_prefix(c, &agent, &prefix, limit)).await
    }

    async fn conversations(
        &self,
        agent: &Agent,
        after: Option<&str>,
        limit: usize,
    ) -> annals_core::Result<Vec<StoredConversation>> {
        let (agent, after) = (agent.clone(), after.map(str::to_owned));
        let list = move |c: &dyn Db| conversations(c, &agent, after.as_deref(), limit);
        self.thread.read("listing conversations", list).await
    }

    async fn outline(&self, agent: &Agent) -> annals_core::Result<Outline> {
        let agent = agent.clone();
        self.thread.read("outlining memories", move |c| outline(c, &agent)).await
    }
}

const TURNS_WITHIN: &str = "SELECT * FROM turn
    WHERE agent_id = ?1 AND at >= ?2 AND at < ?3
    ORDER BY at ASC, conversation ASC, message ASC
    LIMIT ?4";
/// Selects turns of a conversation. Names the index: without statistics the planner would choose the index over time, and read
/// all conversations to find one.
const TURNS_OF_CONVERSATION: &str = "SELECT * FROM turn INDEXED BY turn_by_conversation
    WHERE agent_id = ?1 AND conversation = ?5 AND at >= ?2 AND at < ?3
    ORDER BY at ASC, message ASC
    LIMIT ?4";
const STATEMENTS_WITHIN: &str = "SELECT * FROM statement
    WHERE agent_id = ?1 AND cover_start < ?3 AND cover_end > ?2 AND cover_start < cover_end
    ORDER BY cover_start ASC, id ASC
    LIMIT ?4";
/// Selects summaries with a cover that overlaps the interval. An empty cover, of a day that its zone skipped, overlaps nothing.
const SUMMARIES_WITHIN: &str = "SELECT * FROM summary
    WHERE agent_id = ?1 AND grain = ?5 AND cover_start < ?3 AND cover_end > ?2 AND cover_start < cover_end
    ORDER BY cover_start ASC
    LIMIT ?4";

/// Returns the live memories of a selection, in order of time, then of conversation and id; in the reverse order if
/// `newest_first` is set. Returns none if a conversation is selected together with a grain of summaries.
pub(crate) fn list(db: &dyn Db, agent: &Agent, select: &Select) -> Result<Vec<Memory>> {
    if select.within.is_empty() {
        return Ok(Vec::new());
    }
    let agent_id = agents::known(db, agent)?;
    let ((start, end), most) = (bounds(&select.within), signed(select.limit as u64));
    let sql = selecting(select);
    match (select.grain, &select.conversation) {
        (Grain::Working, None) => {
            let values = params![agent_id, start, end, most];
            let turns = if_selected(select, Kind::Turn, || turns::memories(db, &sql, values))?;
            let statements_sql = selecting_statements(select);
            let statements =
                if_selected(select, Kind::Statement, || statements::memories(db, &statements_sql, values))?;
            let passages =
                if_selected(select, Kind::Passage, || passages::memories(db, &selecting_passages(select), values))?;
            Ok(merge([turns, statements, passages], select))
        }
        (Grain::Working, Some(conversation)) => if_selected(select, Kind::Turn, || {
            turns::memories(db, &sql, params![agent_id, start, end, most, conversation])
        }),
        // Summaries belong to no conversation.
        (_, Some(_)) => Ok(Vec::new()),
        (grain, None) => if_selected(select, Kind::Summary, || {
            summaries::find(db, &sql, params![agent_id, start, end, most, grain_number(grain)])
        }),
    }
}

/// Runs `read` if the kind is selected; otherwise returns no memories. Each kind has its own table.
fn if_selected(select: &Select, kind: Kind, read: impl FnOnce() -> Result<Vec<Memory>>) -> Result<Vec<Memory>> {
    if select.asks_for(kind) { read() } else { Ok(Vec::new()) }
}

/// Returns the SQL for the turns or summaries of a selection. Each form of selection has its own statement, so that each can
/// use an index.
pub(crate) fn selecting(select: &Select) -> String {
    let sql = match (select.grain, &select.conversation) {
        (Grain::Working, None) => TURNS_WITHIN,
        (Grain::Working, Some(_)) => TURNS_OF_CONVERSATION,
        _ => SUMMARIES_WITHIN,
    };
    directed(sql, select)
}

/// Returns the SQL for memories of kind statement, which are listed with the turns.
pub(crate) fn selecting_statements(select: &Select) -> String {
    directed(STATEMENTS_WITHIN, select)
}

/// Returns the SQL for memories of kind passage, which are listed with the turns.
pub(crate) fn selecting_passages(select: &Select) -> String {
    directed(passages::WITHIN, select)
}

fn directed(sql: &str, select: &Select) -> String {
    if select.newest_first { sql.replace(" ASC", " DESC") } else { sql.to_owned() }
}

fn merge(kinds: [Vec<Memory>; 3], select: &Select) -> Vec<Memory> {
    let mut all: Vec<Memory> = kinds.into_iter().flatten().collect();
    let directed = |order: Ordering| if select.newest_first { order.reverse() } else { order };
    all.sort_by(|a, b| directed(in_order(a, b)));
    all.truncate(select.limit);
    all
}

/// SQL query for the known agents that have a row of `table` with the id `?1`. No index begins with the id, so the query needs
/// one look-up per agent.
macro_rules! agent_with {
    ($table:literal) => {
        concat!(
            "SELECT workspace, name, shown_name FROM agent WHERE EXISTS (SELECT 1 FROM ",
            $table,
            " AS memory WHERE memory.agent_id = agent.agent_id AND memory.id = ?1) AND ",
            agents::is_known!()
        )
    };
}

pub(crate) const AGENT_OF: [(u8, &str); 4] = [
    (b't', agent_with!("turn")),
    (b's', agent_with!("summary")),
    (b'f', agent_with!("statement")),
    (b'p', agent_with!("passage")),
];

/// Returns the known agent of the live memory with this id.
pub(crate) fn agent_of(db: &dyn Db, id: &MemoryId) -> Result<Option<Agent>> {
    let kind = id.as_str().as_bytes().first();
    let Some((_, sql)) = AGENT_OF.iter().find(|(letter, _)| Some(letter) == kind) else { return Ok(None) };
    db.query_optional(*sql, params![id.as_str()], agents::read)
}

/// Returns live memories by id, in the order of `ids`; leaves out those that do not exist.
pub(crate) fn get(db: &dyn Db, agent: &Agent, ids: &[MemoryId]) -> Result<Vec<Memory>> {
    let agent_id = agents::known(db, agent)?;
    let mut found = Vec::new();
    for id in ids {
        // The first letter is the kind. Querying all four tables for each id would delay the commits behind a search.
        let read = match id.as_str().as_bytes().first() {
            Some(b't') => turn,
            Some(b's') => summary,
            Some(b'f') => statement,
            Some(b'p') => passage,
            _ => continue,
        };
        found.extend(read(db, agent_id, id)?);
    }
    Ok(found)
}

const TURNS_BY_PREFIX: &str = "SELECT * FROM turn WHERE agent_id = ?1 AND id >= ?2 AND id < ?3 ORDER BY id LIMIT ?4";
const STATEMENTS_BY_PREFIX: &str =
    "SELECT * FROM statement WHERE agent_id = ?1 AND id >= ?2 AND id < ?3 ORDER BY id LIMIT ?4";

/// Returns live turns and statements with an id that begins with `prefix`, by id; at most `limit`.
pub(crate) fn find_by_prefix(db: &dyn Db, agent: &Agent, prefix: &str, limit: usize) -> Result<Vec<Memory>> {
    // The end of the range of ids: ids are ASCII, so none with this prefix sorts after it.
    let (agent_id, end) = (agents::known(db, agent)?, format!("{prefix}\u{7f}"));
    let values = params![agent_id, prefix, end, signed(limit as u64)];
    let mut found = statements::memories(db, STATEMENTS_BY_PREFIX, values)?;
    found.extend(turns::memories(db, TURNS_BY_PREFIX, values)?);
    found.truncate(limit);
    Ok(found)
}

fn turn(db: &dyn Db, agent_id: i64, id: &MemoryId) -> Result<Option<Memory>> {
    Ok(turns::memories(db, turns::BY_ID, params![agent_id, id.as_str()])?.pop())
}

fn summary(db: &dyn Db, agent_id: i64, id: &MemoryId) -> Result<Option<Memory>> {
    Ok(summaries::find(db, summaries::BY_ID, params![agent_id, id.as_str()])?.pop())
}

fn statement(db: &dyn Db, agent_id: i64, id: &MemoryId) -> Result<Option<Memory>> {
    Ok(statements::memories(db, statements::BY_ID, params![agent_id, id.as_str()])?.pop())
}

fn passage(db: &dyn Db, agent_id: i64, id: &MemoryId) -> Result<Option<Memory>> {
    Ok(passages::memories(db, passages::BY_ID, params![agent_id, id.as_str()])?.pop())
}

/// Compares by time, then by conversation and id. Statements and passages have no conversation, so they come before the turns
/// of the same instant.
pub(crate) fn in_order(a: &Memory, b: &Memory) -> Ordering {
    let time = (a.at(), a.period).cmp(&(b.at(), b.period));
    time.then_with(|| (a.conversation(), a.message(), &a.id).cmp(&(b.conversation(), b.message(), &b.id)))
}

/// Reads the id in column `id`.
pub(crate) fn read_id(row: &Row) -> Result<MemoryId> {
    Ok(MemoryId::from_text(row.get::<String>("id")?))
}

/// Selects conversations by name. Groups in the order of the index, without sorting.
pub(crate) const CONVERSATIONS: &str = "SELECT conversation, count(*) AS turns, min(at) AS first, max(at) AS last
    FROM turn
    WHERE agent_id = ?1 AND conversation > ?2
    GROUP BY conversation
    ORDER BY conversation
    LIMIT ?3";

/// Returns the conversations with live turns and a name above `after`, by name.
pub(crate) fn conversations(
    db: &dyn Db,
    agent: &Agent,
    after: Option<&str>,
    limit: usize,
) -> Result<Vec<StoredConversation>> {
    let agent_id = agents::known(db, agent)?;
    db.query(CONVERSATIONS, params![agent_id, after.unwrap_or_default(), signed(limit as u64)], |row| {
        Ok(StoredConversation {
            name: row.get("conversation")?,
            turns: number(row, "turns")?,
            first: instant(row, "first")?,
            last: instant(row, "last")?,
        })
    })
}

/// This query and the next read only an index.
pub(crate) const TURNS_PER_DAY: &str = "SELECT day, count(*) AS turns FROM turn WHERE agent_id = ?1 GROUP BY day";
pub(crate) const SUMMARIZED: &str = "SELECT period FROM summary WHERE agent_id = ?1";

/// Returns the days with live turns and the periods with live summaries.
fn outline(db: &dyn Db, agent: &Agent) -> Result<Outline> {
    let agent_id = agents::known(db, agent)?;
    let day = |row: &Row| Ok((word::<Period>(row, "day")?.first_day(), number(row, "turns")?));
    let turns = db.query(TURNS_PER_DAY, params![agent_id], day)?.into_iter().collect();
    let summaries = db.query(SUMMARIZED, params![agent_id], |row| word(row, "period"))?.into_iter().collect();
    Ok(Outline { turns, summaries })
}

/// Removes a turn; returns the sequence number of the change, if the turn existed.
pub(crate) fn remove_turn(db: &dyn Db, agent_id: i64, id: &MemoryId) -> Result<Option<i64>> {
    remove(db, "DELETE FROM turn WHERE agent_id = ?1 AND id = ?2", agent_id, id, Grain::Working)
}

/// Removes a statement; returns the sequence number of the change, if the statement existed.
pub(crate) fn remove_statement(db: &dyn Db, agent_id: i64, id: &MemoryId) -> Result<Option<i64>> {
    let sql = "DELETE FROM statement_source WHERE agent_id = ?1 AND statement = ?2";
    db.execute(sql, params![agent_id, id.as_str()])?;
    remove(db, "DELETE FROM statement WHERE agent_id = ?1 AND id = ?2", agent_id, id, Grain::Working)
}

/// Removes a passage; returns the sequence number of the change, if the passage existed.
pub(crate) fn remove_passage(db: &dyn Db, agent_id: i64, id: &MemoryId) -> Result<Option<i64>> {
    remove(db, "DELETE FROM passage WHERE agent_id = ?1 AND id = ?2", agent_id, id, Grain::Working)
}

/// Removes a summary with its lineage; returns the sequence number of the change, if the summary existed.
pub(crate) fn remove_summary(db: &dyn Db, agent_id: i64, id: &MemoryId, grain: Grain) -> Result<Option<i64>> {
    remove(db, "DELETE FROM summary WHERE agent_id = ?1 AND id = ?2", agent_id, id, grain)
}

fn remove(db: &dyn Db, sql: &str, agent_id: i64, id: &MemoryId, grain: Grain) -> Result<Option<i64>> {
    if db.execute(sql, params![agent_id, id.as_str()])? == 0 {
        return Ok(None);
    }
    for sql in
        ["DELETE FROM version WHERE agent_id = ?1 AND id = ?2", "DELETE FROM access WHERE agent_id = ?1 AND id = ?2"]
    {
        db.execute(sql, params![agent_id, id.as_str()])?;
    }
    changes::leave_tombstone(db, agent_id, id, grain).map(Some)
}
