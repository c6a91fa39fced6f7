//! Which candidates go into the budget. Blocks first; then the end of the conversation, the period that is asked for and facts each
//! have a share, in their own order; what the search found has the rest, and what one kind does not use goes to the others. The newest
//! summaries have a small share of their own and no more. Pure.
//!
//! Nothing is said twice: a fact or a sentence of a summary yields to the turn that it was made from, and that turn yields to a
//! sentence of the period that is asked for.

use std::collections::HashSet;

use annals_core::{ContextKind, Date, MemoryId, Period};

use super::excerpt;
use super::items::{Candidate, Line, Pool};
use super::render::{self, Section};

/// Percent of what blocks leave, in the order in which they are served.
const SHARES: [(Pool, u64); 3] = [(Pool::JustSaid, 50), (Pool::Period, 60), (Pool::Facts, 15)];
/// Percent for the newest summaries together: a sentence or two of each tells what the rest is about.
const NEWEST: u64 = 10;
/// Leaving out what is said twice makes room for more, which may say something twice again.
const ROUNDS: usize = 4;

/// What facts of the speaker may cost, marks included, in a context for a prompt that memory knows nothing about.
const UNRELATED: u64 = 60;

/// What decides besides the candidates.
pub(super) struct Limits<'a> {
    pub(super) budget: u64,
    /// Whether memory knows anything about the prompt.
    pub(super) is_known: bool,
    /// The words that decide between sentences of a summary.
    pub(super) asked: &'a [String],
}

/// What goes in, in no order, and how many more would have fitted the prompt.
#[derive(Default)]
pub(super) struct Chosen {
    pub(super) taken: Vec<Candidate>,
    pub(super) omitted: usize,
}

/// Chooses among candidates, best first.
pub(super) fn choose(ranked: &[Candidate], limits: &Limits<'_>) -> Chosen {
    let mut shown = HashSet::new();
    let mut chosen = fill(ranked, limits, &shown);
    for _ in 0..ROUNDS {
        let turns = turns(&chosen.taken);
        if turns == shown {
            break;
        }
        shown = turns;
        chosen = fill(ranked, limits, &shown);
    }
    let shown = turns(&chosen.taken);
    chosen.taken = chosen.taken.into_iter().filter_map(|candidate| without(candidate, &shown)).collect();
    chosen
}

fn fill(ranked: &[Candidate], limits: &Limits<'_>, shown: &HashSet<MemoryId>) -> Chosen {
    let Limits { budget, is_known, asked } = *limits;
    let mut page = Page { left: budget.saturating_sub(render::FRAME), ..Page::default() };
    let wanted: Vec<(usize, Candidate)> =
        (0..).zip(ranked).filter_map(|(place, candidate)| Some((place, without(candidate.clone(), shown)?))).collect();
    page.add(&wanted, Pool::Blocks, u64::MAX, asked);
    let left = page.left;
    for (pool, percent) in SHARES {
        let is_limited = pool == Pool::Facts && !is_known;
        page.add(&wanted, pool, if is_limited { UNRELATED - render::FRAME } else { left * percent / 100 }, asked);
    }
    page.add_newest(&wanted, left * NEWEST / 100, asked);
    page.add(&wanted, Pool::Found, u64::MAX, asked);
    for (pool, _) in SHARES.iter().filter(|(pool, _)| is_known || *pool != Pool::Facts) {
        page.add(&wanted, *pool, u64::MAX, asked);
    }
    // What comes with every prompt is no loss.
    let counts = |candidate: &Candidate| match candidate.pool {
        Pool::Newest => false,
        Pool::Facts => is_known,
        _ => true,
    };
    let is_counted = |(place, candidate): &&(usize, Candidate)| !page.done.contains(place) && counts(candidate);
    let omitted = wanted.iter().filter(is_counted).count();
    Chosen { taken: page.taken, omitted }
}

/// The turns that are shown word for word.
fn turns(taken: &[Candidate]) -> HashSet<MemoryId> {
    let turns = taken.iter().filter(|candidate| candidate.item.kind == ContextKind::Turn);
    turns.flat_map(|turn| turn.sources.iter().cloned()).collect()
}

/// The candidate without what these turns say; none if nothing is left.
fn without(mut candidate: Candidate, shown: &HashSet<MemoryId>) -> Option<Candidate> {
    let is_shown = |from: &[MemoryId]| !from.is_empty() && from.iter().any(|turn| shown.contains(turn));
    match (candidate.item.kind, &mut candidate.summary) {
        (ContextKind::Fact | ContextKind::Statement, _) if is_shown(&candidate.sources) => None,
        (ContextKind::Summary, Some((_, lines))) => {
            if candidate.pool != Pool::Period {
                lines.retain(|line| !is_shown(&line.from));
            }
            (!lines.is_empty()).then_some(candidate)
        }
        _ => Some(candidate),
    }
}

/// The text as it grows.
#[derive(Default)]
struct Page {
    left: u64,
    sections: HashSet<Section>,
    days: HashSet<Date>,
    /// Places of what was taken or need not be.
    done: HashSet<usize>,
    /// The turns that sentences of the period tell of.
    told: HashSet<MemoryId>,
    /// The turns that sentences of the newest summaries tell of.
    told_by_newest: HashSet<MemoryId>,
    taken: Vec<Candidate>,
}

impl Page {
    /// Adds the best of a pool that fit: what is too long leaves its place to what is shorter below.
    fn add(&mut self, wanted: &[(usize, Candidate)], pool: Pool, most: u64, asked: &[String]) {
        let mut most = most.min(self.left);
        for (place, candidate) in wanted.iter().filter(|(_, candidate)| candidate.pool == pool) {
            if self.done.contains(place) {
                continue;
            }
            if pool == Pool::Found && candidate.sources.iter().any(|turn| self.told.contains(turn)) {
                self.done.insert(*place);
                continue;
            }
            let Some((taken, cost)) = self.priced(candidate, most, asked) else { continue };
            most -= cost;
            self.left -= cost;
            self.done.insert(*place);
            self.take(taken);
        }
    }

    /// Adds sentences of the newest summaries, each as many as fit into an equal part of what is left for them.
    fn add_newest(&mut self, wanted: &[(usize, Candidate)], most: u64, asked: &[String]) {
        let newest: Vec<&(usize, Candidate)> = wanted.iter().filter(|(_, one)| one.pool == Pool::Newest).collect();
        let mut most = most.min(self.left);
        for (others, (place, candidate)) in (1..=newest.len() as u64).rev().zip(newest) {
            let mut candidate = candidate.clone();
            if let Some((_, lines)) = &mut candidate.summary {
                lines.retain(|line| !line.from.iter().any(|turn| self.told_by_newest.contains(turn)));
            }
            let Some((taken, cost)) = self.priced(&candidate, most / others, asked) else { continue };
            most -= cost;
            self.left -= cost;
            self.done.insert(*place);
            self.take(taken);
        }
    }

    /// The candidate as far as it fits, and what it costs.
    fn priced(&self, candidate: &Candidate, most: u64, asked: &[String]) -> Option<(Candidate, u64)> {
        let section = render::section(candidate.item.kind);
        let heading = if self.sections.contains(&section) { 0 } else { render::price_of_heading(section) };
        let day = render::day(&candidate.item).filter(|day| !self.days.contains(day)).map_or(0, |_| render::DAY);
        let mut taken = candidate.clone();
        let own = match &mut taken.summary {
            None => render::price(&candidate.item.text),
            Some((period, lines)) => sentences(*period, lines, most.checked_sub(heading)?, asked)?,
        };
        taken.item.tokens = own;
        let cost = own + heading + day;
        (cost <= most).then_some((taken, cost))
    }

    fn take(&mut self, taken: Candidate) {
        self.sections.insert(render::section(taken.item.kind));
        self.days.extend(render::day(&taken.item));
        let told = taken.summary.iter().flat_map(|(_, lines)| lines).flat_map(|line| line.from.iter().cloned());
        match taken.pool {
            Pool::Period => self.told.extend(told),
            Pool::Newest => self.told_by_newest.extend(told),
            _ => {}
        }
        self.taken.push(taken);
    }
}

/// Leaves the sentences of a summary that fit, and says what they cost; none if not one does.
fn sentences(period: Period, lines: &mut Vec<Line>, most: u64, asked: &[String]) -> Option<u64> {
    let head = render::price_of_head(period);
    let (kept, cost) = excerpt::within(lines, most.checked_sub(head)?, asked);
    *lines = kept;
    (!lines.is_empty()).then_some(head + cost)
}

#[cfg(test)]
mod tests;
