//! Forgetting: removes what a target selects and everything derived from it, and keeps keyed hashes of the messages, of the
//! keys of other items, and of the requests that were accepted before.
//!
//! Queries alone make the plan, and the erasure carries it out in the same transaction. For a subject, all turns are read
//! before, in pieces. A dry run makes the same plan and reports it, but writes nothing: its report differs from that of a later
//! erasure only if the agent's data changes in between. The remaining turns, statements, documents and former texts are
//! searched for the erased sentences afterwards, in pieces with other work between.

mod carry_out;
mod erased_sentences;
mod leftovers;
mod plan;
mod scan;
mod selection;
mod subject;
mod summaries;

use std::collections::BTreeSet;

use annals_core::ports::{Erasure, ErasureReport, ItemKey, Target};
use annals_core::{Agent, Digest, Timestamp, TurnKey};
use async_trait::async_trait;

use crate::columns::{number, signed};
use crate::db::{Db, Result, params};
use crate::{Backend, SqlCatalog};
use crate::{agents, forgotten};

pub(crate) use carry_out::wipe as wipe_agent;
pub(crate) use erased_sentences::{DOCUMENT_TEXTS, Remaining, STATEMENT_TEXTS, TURN_TEXTS, VERSION_TEXTS};
pub(crate) use leftovers::{phrases, tables};
pub(crate) use plan::{ErasurePlan, plan};
#[cfg(test)]
pub(crate) use scan::FROM as SCANNED_TURNS;
pub(crate) use scan::Scanned;
#[cfg(test)]
pub(crate) use selection::{OF_CONVERSATION, WITHIN};

const PLANNING: &str = "selecting what to forget";

impl<B: Backend> SqlCatalog<B> {
    /// Returns the report of a plan. Removes from it the sentences that remaining turns, statements, documents or former texts
    /// contain. Reads in pieces, so that other work continues.
    async fn without_what_remains(&self, plan: ErasurePlan) -> annals_core::Result<ErasureReport> {
        let (search, mut report) = (Remaining::new(&plan), plan.report);
        let Some(search) = search else { return Ok(report) };
        for texts in [VERSION_TEXTS, TURN_TEXTS, STATEMENT_TEXTS, DOCUMENT_TEXTS] {
            let held = self.held(&search, texts).await?;
            report.words.retain(|sentence| !held.contains(sentence));
            report.sealed_sentences.retain(|sentence| !held.contains(sentence));
        }
        Ok(report)
    }

    /// Returns the searched sentences that occur in the rows of a query. Reads the rows in pieces.
    async fn held(&self, search: &Remaining, sql: &'static str) -> annals_core::Result<BTreeSet<String>> {
        let (mut held, mut from) = (BTreeSet::new(), Some(0));
        while let Some(after) = from {
            let search = search.clone();
            let (found, next) = self.thread.read(PLANNING, move |c| search.piece(c, sql, after)).await?;
            held.extend(found);
            from = next;
        }
        Ok(held)
    }
}

#[async_trait]
impl<B: Backend> Erasure for SqlCatalog<B> {
    async fn preview(&self, agent: &Agent, target: &Target) -> annals_core::Result<ErasureReport> {
        let (agent, target) = (agent.clone(), target.clone());
        let scanned = self.scanned(&agent, &target).await?;
        let plan = self.thread.read(PLANNING, move |c| plan(c, &agent, &target, scanned.as_ref())).await?;
        self.without_what_remains(plan).await
    }

    async fn erase(&self, agent: &Agent, target: &Target, now: Timestamp) -> annals_core::Result<ErasureReport> {
        let (agent, target) = (agent.clone(), target.clone());
        let scanned = self.scanned(&agent, &target).await?;
        let erase = move |c: &dyn Db| erase(c, &agent, &target, scanned.as_ref(), now);
        let plan = self.thread.write("forgetting", erase).await?;
        self.without_what_remains(plan).await
    }

    async fn forgotten(&self, agent: &Agent, messages: &[(TurnKey, Digest)]) -> annals_core::Result<Vec<bool>> {
        let (agent, messages) = (agent.clone(), messages.to_vec());
        self.thread.read("reading what was forgotten", move |c| forgotten::forgotten(c, &agent, &messages)).await
    }

    async fn unforget(&self, agent: &Agent, messages: &[(TurnKey, Digest)]) -> annals_core::Result<()> {
        let (agent, messages) = (agent.clone(), messages.to_vec());
        self.thread.write("allowing forgotten messages again", move |c| forgotten::unforget(c, &agent, &messages)).await
    }

    async fn forgotten_items(&self, agent: &Agent, items: &[ItemKey]) -> annals_core::Result<Vec<bool>> {
        let (agent, items) = (agent.clone(), items.to_vec());
        self.thread.read("reading what was forgotten", move |c| forgotten::forgotten_items(c, &agent, &items)).await
    }

    async fn unforget_items(&self, agent: &Agent, items: &[ItemKey]) -> annals_core::Result<()> {
        let (agent, items) = (agent.clone(), items.to_vec());
        let allow = move |db: &dyn Db| forgotten::unforget_items(db, &agent, &items);
        self.thread.write("allowing forgotten items again", allow).await
    }

    async fn pending_cleanings(&self) -> annals_core::Result<Vec<(Agent, u64)>> {
        self.thread.read("listing agents to clean", pending_cleanings).await
    }

    async fn cleaned(&self, agent: &Agent, erasure: u64) -> annals_core::Result<()> {
        let agent = agent.clone();
        self.thread.write("saving that an agent was cleaned", move |c| cleaned(c, &agent, erasure)).await
    }

    async fn scrub(&self) -> annals_core::Result<()> {
        self.backend.scrub(&self.thread).await
    }

    async fn find_leftovers(&self, agent: &Agent, words: &[String]) -> annals_core::Result<Vec<String>> {
        const DOING: &str = "searching the catalog for words";
        let phrases = phrases(words);
        let known = agent.clone();
        let (agent_id, tables) = self.thread.read(DOING, move |c| Ok((agents::known(c, &known)?, tables(c)?))).await?;
        let mut found_columns = BTreeSet::new();
        for table in tables {
            let mut after = None;
            loop {
                let (table, phrases) = (table.clone(), phrases.clone());
                let piece =
                    self.thread.read(DOING, move |c| table.search(c, agent_id, &phrases, after.as_ref())).await?;
                found_columns.extend(piece.columns);
                after = piece.next;
                if after.is_none() {
                    break;
                }
            }
        }
        Ok(found_columns.into_iter().collect())
    }

    async fn unused_space_contains(&self, words: &[String]) -> annals_core::Result<bool> {
        self.backend.unused_space_contains(&self.thread, words).await
    }
}

/// Erases a target and returns the plan that was carried out.
pub(crate) fn erase(
    db: &dyn Db,
    agent: &Agent,
    target: &Target,
    scanned: Option<&Scanned>,
    now: Timestamp,
) -> Result<ErasurePlan> {
    let plan = plan(db, agent, target, scanned)?;
    owe(db, agent)?;
    agents::note_erasure(db, agent)?;
    plan.carry_out(db, agent, now)?;
    Ok(plan)
}

/// Records that the files of an agent contain erased data, so that the agent has to be cleaned.
pub(crate) fn owe(db: &dyn Db, agent: &Agent) -> Result<()> {
    let names = params![agent.workspace(), agent.key()];
    // Insert a new row instead of updating the old one: only a new row gets a new number.
    db.execute("DELETE FROM cleaning WHERE workspace = ?1 AND name = ?2", names)?;
    db.execute("INSERT INTO cleaning (workspace, name) VALUES (?1, ?2)", names)?;
    Ok(())
}

/// Returns the agents to clean, each with the number of its last erasure, by that number.
pub(crate) fn pending_cleanings(db: &dyn Db) -> Result<Vec<(Agent, u64)>> {
    let sql = "SELECT erasure, workspace, name, shown_name FROM cleaning LEFT JOIN agent USING (workspace, name) ORDER BY erasure";
    db.query(sql, &[], |row| Ok((agents::read(row)?, number(row, "erasure")?)))
}

/// Records that the files of an agent were cleaned of everything up to the given erasure. After a later erasure the agent still
/// has to be cleaned.
pub(crate) fn cleaned(db: &dyn Db, agent: &Agent, erasure: u64) -> Result<()> {
    let sql = "DELETE FROM cleaning WHERE workspace = ?1 AND name = ?2 AND erasure <= ?3";
    let values = params![agent.workspace(), agent.key(), signed(erasure)];
    db.execute(sql, values)?;
    Ok(())
}
