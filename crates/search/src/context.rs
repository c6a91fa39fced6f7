//! The few lines that help to answer a prompt: blocks of the caller, facts about whom it names and who speaks, what was said
//! last, what memory finds, and parts of the caller's documents; without repeats, best first, within a budget of tokens.
//!
//! Everything in it is data: it stands between marks, and no word in it can close them. Never changes anything.

mod documents;
mod entities;
mod items;
mod known;
mod render;

use annals_core::{
    Agent, Context, ContextItem, ContextKind, ContextRequest, Date, DateRange, Error, Query, Result, Timestamp,
};

use crate::Search;
use render::render;

/// Results of the search that compete for the budget.
const MEMORIES: usize = 40;

impl Search {
    /// What memory adds to a prompt at `now`.
    pub async fn context(&self, agent: &Agent, request: &ContextRequest, now: Timestamp) -> Result<Context> {
        check(request)?;
        let answer = self.answer(agent, &query(request), now).await?;
        let blocks = request.blocks.iter().enumerate();
        let mut items: Vec<ContextItem> = blocks.map(|(place, block)| items::of_block(block, place)).collect();
        items.extend(self.known(agent, request, answer.range).await?);
        items.extend(self.last_said(agent, request).await?);
        items.extend(answer.results.iter().map(items::of_found));
        items.extend(self.of_documents(request).await?);
        Ok(within(without_repeats(items), request.budget, answer.range))
    }
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

/// Each text once, where it scores best. Documents may come in several parts.
fn without_repeats(mut items: Vec<ContextItem>) -> Vec<ContextItem> {
    items.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.id.cmp(&b.id)));
    let mut ids = std::collections::HashSet::new();
    let mut texts = std::collections::HashSet::new();
    items.retain(|item| {
        let is_new = item.kind == ContextKind::Document || ids.insert((item.kind, item.id.clone()));
        is_new && texts.insert(annals_core::folded(&item.text))
    });
    items
}

/// The best that fit, in the order in which they are read: an item that is too long leaves its place to shorter ones below.
fn within(ranked: Vec<ContextItem>, budget: u64, range: DateRange) -> Context {
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
    taken.sort_by_key(|item| (render::section(item), order(item)));
    let text = render(&taken);
    Context { tokens: annals_core::tokens(&text), text, items: taken, omitted, range }
}

/// Memories in the order of time, everything else as it was ranked.
fn order(item: &ContextItem) -> Option<(Date, Date)> {
    matches!(item.kind, ContextKind::Turn | ContextKind::Statement | ContextKind::Summary)
        .then_some(item.days)
        .flatten()
}

#[cfg(test)]
mod tests;
