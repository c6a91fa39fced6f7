//! Reads what helps an engine to understand the input of a period: the agent's own block, facts about the people who are named, and
//! the end of the summary before. Only engines behind a network get it; the built-in engine quotes and needs none.

use std::collections::HashSet;

use annals_core::ports::Background;
use annals_core::{
    ALIAS, Error, Fact, FactQuery, Facts, Grain, LedgerRow, Memory, MemoryId, Period, Result, Timestamp, words,
};

use crate::input::Input;
use crate::pass::Pass;

/// Names of blocks that describe the agent.
const PERSONA: [&str; 3] = ["persona", "agent", "identity"];
/// Maximum names that are looked up, facts of each, and facts in all.
const KNOWN: (usize, usize, usize) = (12, 6, 24);
/// Sentences of the summary before.
const BEFORE: usize = 2;

impl Pass<'_> {
    /// Returns the background of a period; `None` if the engine needs none.
    pub(crate) async fn background(&self, row: &LedgerRow, input: &Input) -> Result<Option<Background>> {
        let grain = row.period.grain();
        if self.summarizer.engine.writes_locally(&self.settings, grain) {
            return Ok(None);
        }
        let known = self.known(&input.children, self.zones.cover(row.period).end).await?;
        let before = if grain > Grain::Daily { self.before(row.period).await? } else { Vec::new() };
        Ok(Some(Background { persona: self.persona().await?, known, before }))
    }

    async fn persona(&self) -> Result<Option<String>> {
        let blocks = self.summarizer.store.blocks(self.agent).await?;
        let named = |name: &str| blocks.iter().find(|block| block.name.eq_ignore_ascii_case(name));
        Ok(PERSONA.iter().find_map(|name| named(name)).map(|block| block.text.clone()))
    }

    /// Returns the last sentences of the summary of the period before. It is written already: longer periods are written one
    /// after another.
    async fn before(&self, period: Period) -> Result<Vec<String>> {
        let Some(before) = period.previous() else { return Ok(Vec::new()) };
        let id = MemoryId::summary(self.agent, before);
        let summary = self.summarizer.store.get(self.agent, &[id]).await?.pop();
        let sentences = summary.iter().flat_map(Memory::sentences).filter(|sentence| !sentence.ungrounded);
        let texts: Vec<String> = sentences.map(|sentence| format!("{} {}", sentence.day, sentence.text)).collect();
        Ok(texts[texts.len().saturating_sub(BEFORE)..].to_vec())
    }

    /// Returns facts about the names in the input that hold at `end`: aliases first, then the newest.
    async fn known(&self, children: &[Memory], end: Timestamp) -> Result<Vec<Fact>> {
        let Some(facts) = &self.summarizer.facts else { return Ok(Vec::new()) };
        match self.find_current(&**facts, &names(children), end).await {
            // The service rebuilds a damaged table. A summary does not depend on it.
            Err(Error::Damaged { .. }) => Ok(Vec::new()),
            found => found,
        }
    }

    /// Finds nothing while the table is behind the log: it may still hold what was forgotten.
    async fn find_current(&self, facts: &dyn Facts, names: &[String], end: Timestamp) -> Result<Vec<Fact>> {
        if facts.version(self.agent).await? != self.summarizer.store.log_version(self.agent).await? {
            return Ok(Vec::new());
        }
        find(facts, self.agent, names, end).await
    }
}

async fn find(facts: &dyn Facts, agent: &annals_core::Agent, names: &[String], end: Timestamp) -> Result<Vec<Fact>> {
    let mut found: Vec<Fact> = Vec::new();
    for name in facts.known(agent, names).await?.into_iter().take(KNOWN.0) {
        let query = FactQuery { about: Some(name), as_of: Some(end), ..FactQuery::default() };
        let mut about = facts.find(agent, &query).await?;
        about.sort_by_key(|fact| (fact.predicate != ALIAS, std::cmp::Reverse(fact.valid_from)));
        let is_new = |fact: &Fact| found.iter().all(|other| other.id != fact.id);
        let new: Vec<Fact> = about.into_iter().filter(is_new).take(KNOWN.1).collect();
        found.extend(new);
    }
    found.sort_by_key(|fact| (fact.predicate != ALIAS, std::cmp::Reverse(fact.valid_from)));
    found.truncate(KNOWN.2);
    Ok(found)
}

/// Returns the speakers, then the capitalised words of the texts, each once.
fn names(children: &[Memory]) -> Vec<String> {
    let speakers = children.iter().filter_map(Memory::speaker);
    let written = children.iter().flat_map(|memory| words(&memory.text));
    let capital = written.filter(|word| word.chars().count() > 2 && word.starts_with(char::is_uppercase));
    let mut seen = HashSet::new();
    speakers.chain(capital).filter(|name| seen.insert(*name)).take(KNOWN.0 * KNOWN.0).map(str::to_owned).collect()
}
