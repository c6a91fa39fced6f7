//! Chooses the candidates that fit the budget. Blocks come first. Then the last turns, the requested period and the facts each
//! have a share, in rank order. The newest summaries have a small share of their own and no more. Search results get the rest.
//! What they leave goes to the last turns, the requested period and the facts again. If memory hardly fits the prompt, facts
//! and search results have fixed limits in place of shares. Pure.
//!
//! Turns that repeat the words of newer turns get only what all other search results leave: they cost as much as other results,
//! but add less.
//!
//! A fact, a statement or a sentence of a summary is dropped if a turn that it was made from is shown. Sentences of the
//! requested period are never dropped; search results made from the same turns are.

use std::collections::{HashMap, HashSet};

use annals_core::{ContextKind, Date, MemoryId, Period, folded};

use super::excerpt;
use super::floor::Relevance;
use super::items::{Candidate, Line, Pool};
use super::render::{self, Section};

/// The shares that these pools get before the search results, in percent of the budget left after the blocks, in the order in
/// which the pools are filled. They get more if the search results leave any.
const SHARES: [(Pool, u64); 3] = [(Pool::LastTurn, 50), (Pool::Period, 60), (Pool::Facts, 15)];
/// Maximum share of the newest summaries together, in percent of the budget left after the blocks. A sentence or two of each is
/// enough to show the background of the other lines.
const NEWEST: u64 = 10;
/// Number of turns with the same words that compete with the other search results. The newest turns are chosen; older ones come
/// last.
const SAME_WORDS: usize = 2;
/// Maximum number of times that the budget is filled again. Dropping repeats makes room for more candidates, which may again
/// repeat something.
const ROUNDS: usize = 4;

/// Maximum tokens of facts, marks included, if memory does not fit the prompt well: two facts of usual length.
const FEW_FACTS: u64 = 90;
/// Minimum share of facts in tokens, up to half of the budget: a fact of usual length, with its heading. A turn that a fact has
/// superseded is found as well as ever, and must not be all that a small context says.
const ONE_FACT: u64 = 60;

/// Minimum tokens that are left, and maximum tokens, for an excerpt of a turn that is too long for what is left. The other
/// results get the rest.
const EXCERPT: (u64, u64) = (100, 400);

/// The inputs of the choice besides the candidates.
pub(super) struct Limits<'a> {
    pub(super) budget: u64,
    pub(super) relevance: Relevance,
    /// The words of the prompt by which sentences of a summary are chosen.
    pub(super) query_words: &'a [String],
}

/// The chosen candidates, in the order in which they were chosen, and the number of candidates that the budget left out. The
/// newest summaries are not counted. If memory hardly fits the prompt, facts and search results are not counted either, because
/// they have fixed limits.
#[derive(Default)]
pub(super) struct Chosen {
    pub(super) candidates: Vec<Candidate>,
    pub(super) omitted: usize,
}

/// Chooses among the candidates, which are sorted best first.
pub(super) fn choose(ranked: &[Candidate], limits: &Limits<'_>) -> Chosen {
    let mut shown = HashSet::new();
    let mut chosen = fill(ranked, limits, &shown);
    for _ in 0..ROUNDS {
        let turns = turns(&chosen.candidates);
        if turns == shown {
            break;
        }
        shown = turns;
        chosen = fill(ranked, limits, &shown);
    }
    let shown = turns(&chosen.candidates);
    chosen.candidates = chosen.candidates.into_iter().filter_map(|candidate| without(candidate, &shown)).collect();
    chosen
}

fn fill(ranked: &[Candidate], limits: &Limits<'_>, shown: &HashSet<MemoryId>) -> Chosen {
    let Limits { budget, relevance, query_words } = *limits;
    let is_limited = |pool: Pool| pool == Pool::Facts && relevance != Relevance::Strong;
    let mut page = Page { left: budget.saturating_sub(render::FRAME), ..Page::default() };
    let wanted: Vec<(usize, Candidate)> =
        (0..).zip(ranked).filter_map(|(index, candidate)| Some((index, without(candidate.clone(), shown)?))).collect();
    page.add(&wanted, Pool::Blocks, u64::MAX, query_words);
    let left = page.left;
    for (pool, percent) in SHARES {
        let most = match pool {
            pool if is_limited(pool) => FEW_FACTS - render::FRAME,
            Pool::Facts => (left * percent / 100).max(ONE_FACT.min(left / 2)),
            _ => left * percent / 100,
        };
        page.add(&wanted, pool, most, query_words);
    }
    page.add_newest(&wanted, left * NEWEST / 100, query_words);
    if let Relevance::Limited(tokens) = relevance {
        page.add_few(&wanted, tokens, query_words);
    }
    let (repeats, others): (Vec<_>, Vec<_>) = {
        let repeats = repeats(&wanted);
        wanted.iter().cloned().partition(|(index, _)| repeats.contains(index))
    };
    page.add(&others, Pool::Found, u64::MAX, query_words);
    page.add(&repeats, Pool::Found, u64::MAX, query_words);
    for (pool, _) in SHARES.iter().filter(|(pool, _)| !is_limited(*pool)) {
        page.add(&wanted, *pool, u64::MAX, query_words);
    }
    // The newest summaries, and pools with a fixed limit, are not counted as omitted, unless the context is empty.
    let counts = |candidate: &Candidate| match candidate.pool {
        Pool::Newest => false,
        Pool::Few => page.chosen.is_empty(),
        pool => !is_limited(pool),
    };
    let is_counted = |(index, candidate): &&(usize, Candidate)| !page.done.contains(index) && counts(candidate);
    let omitted = wanted.iter().filter(is_counted).count();
    Chosen { candidates: page.chosen, omitted }
}

/// Returns the indexes of turns that have the same words as at least [`SAME_WORDS`] newer turns. Among turns of one day, those
/// that rank lower count as newer. Ignores case and accents.
fn repeats(wanted: &[(usize, Candidate)]) -> HashSet<usize> {
    let mut by_words: HashMap<String, Vec<(Option<Date>, usize)>> = HashMap::new();
    for (index, candidate) in wanted.iter().filter(|(_, candidate)| candidate.item.kind == ContextKind::Turn) {
        by_words.entry(folded(&candidate.item.text)).or_default().push((render::day(&candidate.item), *index));
    }
    let older = by_words.into_values().flat_map(|mut same| {
        same.sort_unstable_by(|a, b| b.cmp(a));
        same.into_iter().skip(SAME_WORDS).map(|(_, index)| index)
    });
    older.collect()
}

/// Returns the ids of the turns among the candidates, which are shown word for word.
fn turns(candidates: &[Candidate]) -> HashSet<MemoryId> {
    let turns = candidates.iter().filter(|candidate| candidate.item.kind == ContextKind::Turn);
    turns.flat_map(|turn| turn.sources.iter().cloned()).collect()
}

/// Removes from the candidate whatever was made from the shown turns: facts, statements, and sentences of summaries except
/// those of the requested period. Returns `None` if nothing is left.
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

/// The state of the context while candidates are added.
#[derive(Default)]
struct Page {
    left: u64,
    sections: HashSet<Section>,
    days: HashSet<Date>,
    /// Indexes of candidates that were taken or are covered already.
    done: HashSet<usize>,
    /// The turns covered by sentences of the requested period.
    covered: HashSet<MemoryId>,
    /// The turns covered by sentences of the newest summaries.
    covered_by_newest: HashSet<MemoryId>,
    chosen: Vec<Candidate>,
}

impl Page {
    /// Adds the best candidates of a pool that fit into `most` tokens and into the rest of the budget. A shorter candidate
    /// further down may take the place of a candidate that is too long. Search results made from turns that the requested
    /// period covers are skipped.
    fn add(&mut self, wanted: &[(usize, Candidate)], pool: Pool, most: u64, query_words: &[String]) {
        let mut most = most.min(self.left);
        for (index, candidate) in wanted.iter().filter(|(_, candidate)| candidate.pool == pool) {
            if self.done.contains(index) {
                continue;
            }
            if pool == Pool::Found && candidate.sources.iter().any(|turn| self.covered.contains(turn)) {
                self.done.insert(*index);
                continue;
            }
            let whole = self.priced(candidate, most, query_words);
            let fitting = whole.or_else(|| self.priced_excerpt(candidate, most, query_words));
            let Some((cut, cost)) = fitting else { continue };
            most -= cost;
            self.left -= cost;
            self.done.insert(*index);
            self.take(cut);
        }
    }

    /// Adds the few results of a prompt that memory hardly fits, as far as the limit allows. The best one may be longer than
    /// the limit, unless it is a summary, which is cut to the limit.
    fn add_few(&mut self, wanted: &[(usize, Candidate)], most: u64, query_words: &[String]) {
        let Some((_, best)) = wanted.iter().find(|(_, candidate)| candidate.pool == Pool::Few) else { return };
        let best_alone = match best.summary {
            Some(_) => None,
            None => {
                self.priced(best, self.left, query_words).or_else(|| self.priced_excerpt(best, self.left, query_words))
            }
        };
        let most = best_alone.map_or(most, |(_, cost)| cost.max(most));
        self.add(wanted, Pool::Few, most, query_words);
    }

    /// Adds sentences of the newest summaries. Each summary gets an equal part of the tokens that the summaries before it have
    /// left. Sentences from turns that a summary before it covers are left out.
    fn add_newest(&mut self, wanted: &[(usize, Candidate)], most: u64, query_words: &[String]) {
        let newest: Vec<&(usize, Candidate)> = wanted.iter().filter(|(_, one)| one.pool == Pool::Newest).collect();
        let mut most = most.min(self.left);
        for (others, (index, candidate)) in (1..=newest.len() as u64).rev().zip(newest) {
            let mut candidate = candidate.clone();
            if let Some((_, lines)) = &mut candidate.summary {
                lines.retain(|line| !line.from.iter().any(|turn| self.covered_by_newest.contains(turn)));
            }
            let Some((cut, cost)) = self.priced(&candidate, most / others, query_words) else { continue };
            most -= cost;
            self.left -= cost;
            self.done.insert(*index);
            self.take(cut);
        }
    }

    /// Returns the candidate, a summary cut to the sentences that fit, and its cost in tokens. Returns `None` if nothing fits.
    fn priced(&self, candidate: &Candidate, most: u64, query_words: &[String]) -> Option<(Candidate, u64)> {
        let section = render::section(candidate.item.kind);
        let heading = if self.sections.contains(&section) { 0 } else { render::price_of_heading(section) };
        let day = render::day(&candidate.item).filter(|day| !self.days.contains(day)).map_or(0, |_| render::DAY);
        let mut cut = candidate.clone();
        let room = most.checked_sub(heading + day)?;
        let own = match &mut cut.summary {
            None => render::price(&candidate.item.text),
            Some((period, lines)) => sentences(*period, lines, room, query_words)?,
        };
        cut.item.tokens = own;
        (own <= room).then_some((cut, own + heading + day))
    }

    /// Returns an excerpt of a turn that does not fit, and its cost in tokens. The facts and sentences that were made from the
    /// turn may be shown too, because the excerpt may lack them.
    fn priced_excerpt(&self, candidate: &Candidate, most: u64, query_words: &[String]) -> Option<(Candidate, u64)> {
        // A prompt that memory hardly fits gets no more than its few short results.
        let is_wanted = match candidate.pool {
            Pool::LastTurn => false,
            Pool::Few => self.chosen.is_empty(),
            _ => true,
        };
        let is_excerpted = candidate.item.kind == ContextKind::Turn && is_wanted;
        if !is_excerpted || most < EXCERPT.0 {
            return None;
        }
        let (head, text) = candidate.item.text.split_at_checked(candidate.head)?;
        let room = most.min(EXCERPT.1).checked_sub(render::price_of_heading(Section::Memories) + render::DAY)?;
        let excerpt = excerpt::of_text(text, room.checked_sub(annals_core::tokens(head))?, query_words)?;
        let mut cut = candidate.clone();
        cut.item.text = format!("{head}{excerpt}");
        cut.sources.clear();
        self.priced(&cut, most, query_words)
    }

    fn take(&mut self, cut: Candidate) {
        self.sections.insert(render::section(cut.item.kind));
        self.days.extend(render::day(&cut.item));
        let covered = cut.summary.iter().flat_map(|(_, lines)| lines).flat_map(|line| line.from.iter().cloned());
        match cut.pool {
            Pool::Period => self.covered.extend(covered),
            Pool::Newest => self.covered_by_newest.extend(covered),
            _ => {}
        }
        self.chosen.push(cut);
    }
}

/// Keeps the sentences of a summary that fit into `most` tokens. Returns their cost with the summary's heading, or `None` if no
/// sentence fits.
fn sentences(period: Period, lines: &mut Vec<Line>, most: u64, query_words: &[String]) -> Option<u64> {
    let head = render::price_of_head(period);
    let (kept, cost) = excerpt::within(lines, most.checked_sub(head)?, query_words);
    *lines = kept;
    (!lines.is_empty()).then_some(head + cost)
}

#[cfg(test)]
mod tests;
