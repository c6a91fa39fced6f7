//! Reads what helps an engine to understand the input of a period: the agent's own block, facts about the names in it,
//! and the end of the previous period's summary. Only engines behind a network get these. The built-in engine gets
//! earlier turns of people who write alone, because these turns name what they write about.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use annals_core::ports::{Background, Select};
use annals_core::{
    ALIAS, Error, Fact, FactQuery, Facts, Grain, Interval, Kind, LedgerRow, Memory, MemoryId, Period, Result,
    Timestamp, words,
};

use crate::input::{Input, without_recalled};
use crate::pass::Pass;

/// Names of blocks that describe the agent. An engine gets the first of them that exists.
const PERSONA: [&str; 3] = ["persona", "agent", "identity"];
/// Maximum number of names for which an engine gets facts.
const MAX_NAMES: usize = 12;
/// Maximum number of facts that an engine gets, per name and in all.
const MAX_FACTS_PER_NAME: usize = 6;
const MAX_FACTS: usize = 24;
/// Maximum number of sentences at the end of the previous period's summary that an engine gets.
const BEFORE: usize = 2;
/// Maximum number of earlier turns that are read: half a year of a daily log.
const EARLIER: usize = 200;

impl Pass<'_> {
    /// Returns the background of a period for the engine of the agent.
    pub(crate) async fn background(&self, row: &LedgerRow, input: &Input) -> Result<Background> {
        let grain = row.period.grain();
        if self.summarizer.engine.writes_locally(&self.settings, grain) {
            return self.local_background(row, input).await;
        }
        let known = self.known(&input.children, self.zones.cover(row.period).end).await?;
        let before = if grain > Grain::Daily { self.before(row.period).await? } else { Vec::new() };
        Ok(Background { persona: self.persona().await?, known, before, earlier: Vec::new() })
    }

    /// Returns the background of a period for the built-in engine. Empty unless the period is a day on which one person writes
    /// alone in a conversation.
    pub(crate) async fn local_background(&self, row: &LedgerRow, input: &Input) -> Result<Background> {
        let alone = if row.period.grain() == Grain::Daily { written_by_one(&input.children) } else { BTreeMap::new() };
        if alone.is_empty() {
            return Ok(Background::default());
        }
        let before = Interval { end: self.zones.cover(row.period).start, ..Interval::ALWAYS };
        let newest = Select {
            within: before,
            kinds: vec![Kind::Turn],
            newest_first: true,
            limit: EARLIER,
            ..Select::all(Grain::Working)
        };
        let mut earlier = self.summarizer.store.list(self.agent, &newest).await?;
        let is_of_author =
            |turn: &Memory| turn.speaker().is_some_and(|speaker| alone.values().any(|one| *one == speaker));
        earlier.retain(|turn| is_of_author(turn) || turn.conversation().is_some_and(|one| alone.contains_key(one)));
        earlier.reverse();
        Ok(Background { earlier: earlier.into_iter().map(without_recalled).collect(), ..Background::default() })
    }

    async fn persona(&self) -> Result<Option<String>> {
        let blocks = self.summarizer.store.blocks(self.agent).await?;
        let named = |name: &str| blocks.iter().find(|block| block.name.eq_ignore_ascii_case(name));
        Ok(PERSONA.iter().find_map(|name| named(name)).map(|block| block.text.clone()))
    }

    /// Returns the last sentences of the summary of the period before, without ungrounded ones. Periods longer than a day are
    /// rolled up one after another, so that summary is saved first if it is due too.
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

    /// Returns the facts about these names that hold at `end`. Returns none while the table is behind the log, because it may
    /// still hold forgotten facts.
    async fn find_current(&self, facts: &dyn Facts, names: &[String], end: Timestamp) -> Result<Vec<Fact>> {
        if facts.version(self.agent).await? != self.summarizer.store.log_version(self.agent).await? {
            return Ok(Vec::new());
        }
        find(facts, self.agent, names, end).await
    }
}

async fn find(facts: &dyn Facts, agent: &annals_core::Agent, names: &[String], end: Timestamp) -> Result<Vec<Fact>> {
    let mut found: Vec<Fact> = Vec::new();
    for name in facts.known(agent, names).await?.into_iter().take(MAX_NAMES) {
        let query = FactQuery { about: Some(name), as_of: Some(end), ..FactQuery::default() };
        let mut about = facts.find(agent, &query).await?;
        about.sort_by_key(|fact| (fact.predicate != ALIAS, std::cmp::Reverse(fact.valid_from)));
        let is_new = |fact: &Fact| found.iter().all(|other| other.id != fact.id);
        let new: Vec<Fact> = about.into_iter().filter(is_new).take(MAX_FACTS_PER_NAME).collect();
        found.extend(new);
    }
    found.sort_by_key(|fact| (fact.predicate != ALIAS, std::cmp::Reverse(fact.valid_from)));
    found.truncate(MAX_FACTS);
    Ok(found)
}

/// Returns the conversations in which one person speaks on this day, with that person. On other days, other people may speak
/// in them.
fn written_by_one(turns: &[Memory]) -> BTreeMap<&str, &str> {
    let mut speakers: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for turn in turns {
        let (conversation, speaker) = (turn.conversation().unwrap_or_default(), turn.speaker().unwrap_or_default());
        speakers.entry(conversation).or_default().insert(speaker);
    }
    let alone = |(conversation, speakers): (_, BTreeSet<_>)| match Vec::from_iter(speakers).as_slice() {
        [speaker] => Some((conversation, *speaker)),
        _ => None,
    };
    speakers.into_iter().filter_map(alone).collect()
}

/// Returns the names to look up, each once and at most 144: the speakers, then the capitalised words of three letters and more.
fn names(children: &[Memory]) -> Vec<String> {
    let speakers = children.iter().filter_map(Memory::speaker);
    let written = children.iter().flat_map(|memory| words(&memory.text));
    let capital = written.filter(|word| word.chars().count() > 2 && word.starts_with(char::is_uppercase));
    let mut seen = HashSet::new();
    speakers.chain(capital).filter(|name| seen.insert(*name)).take(MAX_NAMES * MAX_NAMES).map(str::to_owned).collect()
}
