//! The few lines that help to answer a prompt: blocks of the caller, facts about whom it names and who speaks, what was said
//! last, the summary of the period it asks for, what memory finds, and parts of the caller's documents; without repeats, within a
//! budget of tokens. A prompt that memory knows nothing about gets facts of the speaker at most.
//!
//! Everything but the blocks is data, and said to be: it stands between marks, and no word in it can close them. Blocks are
//! instructions of whoever may administer the memory, and stand before the data. Never changes anything.

mod choose;
mod documents;
mod entities;
mod excerpt;
mod floor;
mod items;
mod known;
mod render;
mod small_talk;
mod words;

use std::collections::HashSet;

use annals_core::{
    Agent, Answer, Context, ContextKind, ContextRequest, DateRange, Error, Found, Kind, Query, Result, Settings,
    Timestamp,
};

use crate::Search;
use crate::rerank::Case;
pub(crate) use items::told;
use items::{Candidate, Pool};
use known::Known;

/// A line of a context has so many tokens at least, so more results than the budget holds need not be ranked.
const SHORTEST_LINE: u64 = 20;
/// The fewest and the most results of the search that compete for the budget.
const FEWEST: u64 = 40;
const MOST: u64 = 200;

impl Search {
    /// What memory adds to a prompt at `now`.
    pub async fn context(&self, agent: &Agent, request: &ContextRequest, now: Timestamp) -> Result<Context> {
        Ok(self.conclude_context(self.gather_context(agent, request, now).await?).await)
    }

    /// The first half of a context: all that takes the machine's own time.
    pub async fn gather_context<'a>(
        &self,
        agent: &'a Agent,
        request: &'a ContextRequest,
        now: Timestamp,
    ) -> Result<GatheredContext<'a>> {
        check(request)?;
        // A model judges all candidates together, once, in the second half.
        let unjudged = Search { judge: None, ..self.clone() };
        let answer = unjudged.answer(agent, &query(request), now).await?;
        let settings = self.catalog.settings(agent).await?;
        let zones = settings.zones()?;
        let blocks = request.blocks.iter().enumerate();
        let mut candidates: Vec<Candidate> = blocks.map(|(place, block)| items::of_block(block, place)).collect();
        candidates.extend(self.last_said(agent, request, answer.range, &zones, now).await?);
        let Known { named, speaker, subjects } = self.known(agent, request, answer.range, &zones, now).await?;
        let is_known = answer.results.iter().any(|found| is_asked_for(&answer, found))
            || (!small_talk::is_small_talk(&request.prompt, &subjects)
                && (!subjects.is_empty() || floor::knows(&request.prompt, &settings.language, &answer)));
        candidates.extend(speaker);
        candidates.extend(self.of_documents(request).await?);
        if is_known {
            candidates.extend(named);
            candidates.extend(found(&answer));
            if answer.period.is_none() {
                candidates.extend(self.newest_summaries(agent, answer.range, &zones, now).await?);
            }
        }
        let candidates = without_repeats(candidates);
        Ok(GatheredContext { agent, request, settings, range: answer.range, candidates, is_known, now })
    }

    /// The second half: waits for the model that orders the candidates, if there is one, then cuts to the budget.
    pub async fn conclude_context(&self, gathered: GatheredContext<'_>) -> Context {
        let GatheredContext { agent, request, settings, range, mut candidates, is_known, now } = gathered;
        // Blocks come first whatever is asked, and the last turns because they are the last.
        let is_judged = |candidate: &Candidate| !matches!(candidate.pool, Pool::Blocks | Pool::JustSaid);
        let judged = candidates.iter().filter(|candidate| is_judged(candidate));
        let shown = self.shown(&settings, judged.map(|judged| (judged.item.text.clone(), judged.item.score)));
        let (reranked, changes) = self.rerank(Case { agent, question: &request.prompt, now }, shown).await;
        for (candidate, change) in candidates.iter_mut().filter(|candidate| is_judged(candidate)).zip(changes) {
            candidate.item.score += change;
        }
        best_first(&mut candidates);
        let limits = choose::Limits { budget: request.budget, is_known, asked: &words::words(&request.prompt) };
        let chosen = choose::choose(&candidates, &limits);
        let items = render::arrange(chosen.taken);
        let text = render::render(&items);
        Context { tokens: annals_core::tokens(&text), text, items, omitted: chosen.omitted, is_known, range, reranked }
    }
}

/// What may go into a context, before a model has had its say and the budget is looked at.
pub struct GatheredContext<'a> {
    agent: &'a Agent,
    request: &'a ContextRequest,
    settings: Settings,
    range: DateRange,
    /// Without repeats, best first.
    candidates: Vec<Candidate>,
    /// Whether memory knows anything about the prompt.
    is_known: bool,
    now: Timestamp,
}

fn check(request: &ContextRequest) -> Result<()> {
    if request.prompt.trim().is_empty() {
        return Err(Error::invalid("prompt", "is empty"));
    }
    if request.budget == 0 {
        return Err(Error::invalid("budget", "is 0; nothing fits into it"));
    }
    Ok(())
}

fn query(request: &ContextRequest) -> Query {
    Query {
        text: Some(request.prompt.clone()),
        from: request.from,
        to: request.to,
        min_days_ago: request.min_days_ago,
        max_days_ago: request.max_days_ago,
        period: request.period,
        strict: request.strict,
        limit: usize::try_from((request.budget / SHORTEST_LINE).clamp(FEWEST, MOST)).unwrap_or(usize::MAX),
        ..Query::default()
    }
}

/// The results of the search. Those that rank low are few tokens in sum, and of the evidence some is like the prompt by what stands
/// around it alone: a floor for each left out answers and saved nothing.
fn found(answer: &Answer) -> impl Iterator<Item = Candidate> + '_ {
    let pool = |found: &Found| match found.memory.kind {
        Kind::Summary if is_asked_for(answer, found) => Pool::Period,
        _ => Pool::Found,
    };
    answer.results.iter().map(move |found| items::of_memory(&found.memory, pool(found), found.score))
}

/// Whether it tells of the period that the prompt asks for.
fn is_asked_for(answer: &Answer, found: &Found) -> bool {
    let (first, last) = found.memory.days;
    let overlaps =
        |period: DateRange| period.from.is_none_or(|from| from <= last) && period.to.is_none_or(|to| first <= to);
    answer.period.is_some_and(overlaps)
}

fn best_first(candidates: &mut [Candidate]) {
    candidates.sort_by(|a, b| b.item.score.total_cmp(&a.item.score).then_with(|| a.item.id.cmp(&b.item.id)));
}

/// Each text once, where it scores best. Documents may come in several parts.
fn without_repeats(mut candidates: Vec<Candidate>) -> Vec<Candidate> {
    best_first(&mut candidates);
    // What was just said is there for being the last, however well it fits.
    candidates.sort_by_key(|candidate| candidate.pool != Pool::JustSaid);
    let mut ids = HashSet::new();
    let mut texts = HashSet::new();
    candidates.retain(|Candidate { item, .. }| {
        let is_new = item.kind == ContextKind::Document || ids.insert((item.kind, item.id.clone()));
        // The same words on another day are another thing that was said.
        is_new && texts.insert((item.days, annals_core::folded(&item.text)))
    });
    best_first(&mut candidates);
    candidates
}

#[cfg(test)]
mod tests;
