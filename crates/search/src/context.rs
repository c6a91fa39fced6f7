//! The few lines that help to answer a prompt: blocks of the caller, facts about whom it names and who speaks, what was said
//! last, what memory finds, and parts of the caller's documents; without repeats, best first, within a budget of tokens.
//!
//! Everything but the blocks is data, and said to be: it stands between marks, and no word in it can close them. Blocks are
//! instructions of whoever may administer the memory, and stand before the data. Never changes anything.

mod documents;
mod entities;
mod items;
mod known;
mod render;

use std::collections::{HashMap, HashSet};

use annals_core::{
    Agent, Context, ContextItem, ContextKind, ContextRequest, DateRange, Error, Query, Reranked, Result, Settings,
    Timestamp,
};

use crate::Search;
use crate::rerank::Case;
pub(crate) use items::told;
use render::render;

/// Results of the search that compete for the budget.
const MEMORIES: usize = 40;

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
        // A model judges all items together, once, in the second half.
        let unjudged = Search { judge: None, ..self.clone() };
        let answer = unjudged.answer(agent, &query(request), now).await?;
        let blocks = request.blocks.iter().enumerate();
        let mut items: Vec<ContextItem> = blocks.map(|(place, block)| items::of_block(block, place)).collect();
        items.extend(self.known(agent, request, answer.range, now).await?);
        let last_said = self.last_said(agent, request, answer.range, now).await?;
        items.extend(known::just_said(&last_said));
        items.extend(answer.results.iter().map(items::of_found));
        items.extend(self.of_documents(request).await?);
        let memories = last_said.iter().chain(answer.results.iter().map(|found| &found.memory));
        let moments = memories.map(|memory| (memory.id.to_string(), memory.cover.start)).collect();
        let just_said = last_said.iter().map(|turn| turn.id.to_string()).collect();
        let (items, settings) = (without_repeats(items), self.catalog.settings(agent).await?);
        Ok(GatheredContext { agent, request, settings, range: answer.range, items, just_said, moments, now })
    }

    /// The second half: waits for the model that orders the items, if there is one, then cuts to the budget.
    pub async fn conclude_context(&self, gathered: GatheredContext<'_>) -> Context {
        let GatheredContext { agent, request, settings, range, mut items, just_said, moments, now } = gathered;
        // Blocks come first whatever is asked, and the last turns because they are the last.
        let is_judged = |item: &ContextItem| item.kind != ContextKind::Block && !just_said.contains(&item.id);
        let judged = items.iter().filter(|item| is_judged(item)).map(|item| (item.text.clone(), item.score));
        let shown = self.shown(&settings, judged);
        let (reranked, changes) = self.rerank(Case { agent, question: &request.prompt, now }, shown).await;
        for (item, change) in items.iter_mut().filter(|item| is_judged(item)).zip(changes) {
            item.score += change;
        }
        best_first(&mut items);
        Context { reranked, ..within(items, request.budget, range, &moments) }
    }
}

type Moments = HashMap<String, Timestamp>;

/// What may go into a context, before a model has had its say and the budget is looked at.
pub struct GatheredContext<'a> {
    agent: &'a Agent,
    request: &'a ContextRequest,
    settings: Settings,
    range: DateRange,
    /// Without repeats, best first.
    items: Vec<ContextItem>,
    /// Ids of the last turns of the conversation that goes on.
    just_said: HashSet<String>,
    /// When the memories among the items begin, by id.
    moments: Moments,
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
        limit: MEMORIES,
        ..Query::default()
    }
}

fn best_first(items: &mut [ContextItem]) {
    items.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.id.cmp(&b.id)));
}

/// Each text once, where it scores best. Documents may come in several parts.
fn without_repeats(mut items: Vec<ContextItem>) -> Vec<ContextItem> {
    best_first(&mut items);
    let mut ids = HashSet::new();
    let mut texts = HashSet::new();
    items.retain(|item| {
        let is_new = item.kind == ContextKind::Document || ids.insert((item.kind, item.id.clone()));
        is_new && texts.insert(annals_core::folded(&item.text))
    });
    items
}

/// The best that fit, in the order in which they are read: an item that is too long leaves its place to shorter ones below.
fn within(ranked: Vec<ContextItem>, budget: u64, range: DateRange, moments: &Moments) -> Context {
    let mut taken: Vec<ContextItem> = Vec::new();
    let mut left = budget.saturating_sub(render::FRAME);
    let mut omitted = 0;
    for item in ranked {
        let heading = if taken.iter().any(|other| render::section(other) == render::section(&item)) {
            0
        } else {
            render::HEADING
        };
        if item.tokens + heading <= left {
            left -= item.tokens + heading;
            taken.push(item);
        } else {
            omitted += 1;
        }
    }
    // Memories in the order of time, everything else as it was ranked.
    taken.sort_by_key(|item| (render::section(item), moments.get(&item.id).copied()));
    let text = render(&taken);
    let reranked = Reranked::NotAsked;
    Context { tokens: annals_core::tokens(&text), text, items: taken, omitted, range, reranked }
}

#[cfg(test)]
mod tests;
