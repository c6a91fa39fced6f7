//! The built-in engine: a summary is a choice of the input's own sentences, in order of time, within a budget of words.
//!
//! Purely lexical, so that it is the same on every processor, costs nothing and needs no model. Sentences are found
//! (`split`), weighed by what they tell (`worth`, `words`), chosen so that every child has its say and nothing is told
//! twice (`choose`), and set as lines (`lines`). It never rewords: each sentence is a verbatim piece of one turn,
//! whitespace apart, or ends in "…" where it was cut.

mod budget;
mod candidates;
mod choose;
mod lines;
mod names;
mod small_talk;
mod split;
#[cfg(test)]
mod tests;
mod words;
mod worth;

use annals_core::{Digest, Draft, Engine, Grain, Memory, Period, Result, Sentence};
use async_trait::async_trait;

use budget::Budget;

/// Changes with every change to this folder that can change a summary, so that older ones are known to be outdated.
const VERSION: &str = "extractive 1";

/// The built-in engine.
#[derive(Clone, Copy, Debug, Default)]
pub struct Extractive;

#[async_trait]
impl Engine for Extractive {
    fn recipe(&self, grain: Grain) -> Digest {
        Digest::of([VERSION, grain.as_str(), &budget::limit(grain).to_string()])
    }

    /// Never fails, and never waits.
    async fn summarize(&self, period: Period, sources: &[Memory]) -> Result<Draft> {
        let sentences = sentences(period.grain(), sources);
        Ok(Draft { text: lines::set(period.grain(), &sentences), sentences, tokens: 0 })
    }
}

fn sentences(grain: Grain, sources: &[Memory]) -> Vec<Sentence> {
    let sources = in_order(sources);
    let budget = Budget::of(grain, &sources);
    let pool = candidates::pool(grain, &sources, budget);
    let chosen = choose::within(grain, budget, &pool);
    if chosen.is_empty() {
        let head = lines::head(grain, sources[0].days.0, None);
        return vec![small_talk::sentence(&sources, budget.room(&head))];
    }
    chosen.into_iter().map(|index| pool[index].sentence.clone()).collect()
}

/// As the catalog orders them, so that a caller's order cannot change what is written.
fn in_order(sources: &[Memory]) -> Vec<&Memory> {
    let mut sources: Vec<&Memory> = sources.iter().collect();
    sources.sort_by_key(|memory| (memory.at(), &memory.conversation, &memory.message, &memory.id));
    sources
}
