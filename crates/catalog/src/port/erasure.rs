//! Implements port `Erasure`.

use std::collections::BTreeSet;

use annals_core::ports::{Erasure, ErasureReport, Target};
use annals_core::{Agent, Digest, Result, Timestamp, TurnKey};
use async_trait::async_trait;

use crate::erasure::{Plan, Remaining, STATEMENT_TEXTS, TURN_TEXTS, VERSION_TEXTS};
use crate::sqlite::Sqlite;
use crate::{SqliteCatalog, agents, cleaning, erasure, forgotten, pages};

const PLANNING: &str = "selecting what to forget";

impl SqliteCatalog {
    /// Returns the report of a plan, with its `words` reduced to those that no remaining turn or statement contains.
    /// Reads in pieces, so that other work continues.
    async fn without_what_remains(&self, plan: Plan) -> Result<ErasureReport> {
        let (search, mut report) = (Remaining::new(&plan), plan.report);
        let Some(search) = search else { return Ok(report) };
        let former = self.held(&search, VERSION_TEXTS).await?;
        report.sealed_sentences.retain(|sentence| !former.contains(sentence));
        let (turns, statements) = (self.held(&search, TURN_TEXTS).await?, self.held(&search, STATEMENT_TEXTS).await?);
        report.words.retain(|word| [&former, &turns, &statements].iter().all(|held| !held.contains(word)));
        Ok(report)
    }

    /// The sentences that the rows of a query hold.
    async fn held(&self, search: &Remaining, sql: &'static str) -> Result<BTreeSet<String>> {
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
impl Erasure for SqliteCatalog {
    async fn preview(&self, agent: &Agent, target: &Target) -> Result<ErasureReport> {
        let (agent, target) = (agent.clone(), target.clone());
        let plan = self.thread.read(PLANNING, move |c| erasure::plan(c, &agent, &target)).await?;
        self.without_what_remains(plan).await
    }

    async fn erase(&self, agent: &Agent, target: &Target, now: Timestamp) -> Result<ErasureReport> {
        let (agent, target) = (agent.clone(), target.clone());
        let plan = self.thread.write("forgetting", move |c| erasure::erase(c, &agent, &target, now)).await?;
        self.without_what_remains(plan).await
    }

    async fn forgotten(&self, agent: &Agent, messages: &[(TurnKey, Digest)]) -> Result<Vec<bool>> {
        let (agent, messages) = (agent.clone(), messages.to_vec());
        self.thread.read("reading what was forgotten", move |c| forgotten::forgotten(c, &agent, &messages)).await
    }

    async fn unforget(&self, agent: &Agent, messages: &[(TurnKey, Digest)]) -> Result<()> {
        let (agent, messages) = (agent.clone(), messages.to_vec());
        self.thread.write("allowing forgotten messages again", move |c| forgotten::unforget(c, &agent, &messages)).await
    }

    async fn cleaning_owed(&self) -> Result<Vec<(Agent, u64)>> {
        self.thread.read("listing agents to clean", cleaning::owed).await
    }

    async fn cleaned(&self, agent: &Agent, erasure: u64) -> Result<()> {
        let agent = agent.clone();
        self.thread.write("saving that an agent was cleaned", move |c| cleaning::cleaned(c, &agent, erasure)).await
    }

    async fn scrub(&self) -> Result<()> {
        self.scrubs.scrub(&self.thread).await
    }

    async fn find_leftovers(&self, agent: &Agent, words: &[String]) -> Result<Vec<String>> {
        const DOING: &str = "searching the catalog for words";
        let phrases = erasure::phrases(words);
        let known = agent.clone();
        let (agent_id, tables) =
            self.thread.read(DOING, move |c| Ok((agents::known(c, &known)?, erasure::tables(c)?))).await?;
        let mut places = BTreeSet::new();
        for table in tables {
            let mut after = None;
            loop {
                let (table, phrases) = (table.clone(), phrases.clone());
                let piece = self.thread.read(DOING, move |c| table.search(c, agent_id, &phrases, after)).await?;
                places.extend(piece.places);
                after = piece.next;
                if after.is_none() {
                    break;
                }
            }
        }
        Ok(places.into_iter().collect())
    }

    async fn unused_space_holds(&self, words: &[String]) -> Result<bool> {
        const DOING: &str = "searching the catalog's free space for words";
        if words.is_empty() || !self.thread.alone(DOING, |db| pages::can_be_cleaned(&db.0)).await? {
            return Ok(false);
        }
        let phrases = erasure::phrases(words);
        let mut from = Some(1);
        while let Some(page) = from {
            let phrases = phrases.clone();
            let search = move |db: &Sqlite| pages::unused_space_holds(&db.0, &phrases, page);
            let (is_found, progress) = self.thread.alone(DOING, search).await?;
            if is_found {
                return Ok(true);
            }
            from = progress.next;
        }
        Ok(false)
    }
}
