//! The built-in engine: a summary is a choice of the input's own sentences, in order of time, within a budget of words.
//!
//! Purely lexical, so that it is the same on every processor, costs nothing and needs no model. Messages are read sentence by sentence
//! (`reading`: `clean`, `split`, `openers`, `pronouns`, `dates`), and each sentence is judged: whether it stands alone (`standing`),
//! and what it tells (`worth`: `words`, `events`, `vague`). The best are chosen so that nothing is told twice (`choose`) and set as lines
//! (`lines`). Of a sealed period the sentences of its base compete with what came late, as one more child.
//!
//! It never rewords: each line is a sentence of one turn, or one with the sentences that lean on it (`reading`), whitespace apart, but
//! for the names that stand for its first pronoun, the dates in brackets behind its times, the question in front of an answer that
//! cannot be read without it (`answers`, the only lines that come from two turns), and "…" where it was cut. `explain` shows where
//! sentences are left out.

mod answers;
mod budget;
mod candidates;
mod choose;
mod clean;
mod dates;
mod events;
mod explain;
mod language;
mod lines;
mod names;
mod openers;
mod pronouns;
mod reading;
mod small_talk;
pub(crate) mod split;
mod standing;
#[cfg(test)]
mod tests;
mod tokens;
mod unnamed;
mod vague;
mod verbs;
mod words;
mod worth;

use annals_core::ports::SummaryTask;
use annals_core::{Base, Digest, Draft, Engine, Grain, Memory, Result, Sentence, Settings};
use async_trait::async_trait;

use budget::Budget;
pub use explain::{Step, explain};

/// Changes with every change to this folder that can change a summary, so that older ones are known to be outdated.
const VERSION: &str = "extractive 3";

/// The built-in engine.
#[derive(Clone, Copy, Debug, Default)]
pub struct Extractive;

#[async_trait]
impl Engine for Extractive {
    fn recipe(&self, _settings: &Settings, grain: Grain) -> Digest {
        Digest::of([VERSION, grain.as_str(), &budget::limit(grain).to_string()])
    }

    /// Never fails, and never waits.
    async fn summarize(&self, task: SummaryTask<'_>) -> Result<Draft> {
        let grain = task.period.grain();
        Ok(match task.base {
            Some(base) if task.sources.is_empty() => kept(base),
            Some(base) => amended(grain, base, task.sources),
            None => draft(grain, sentences(grain, None, task.sources), true),
        })
    }
}

/// The base as it is.
fn kept(base: &Base) -> Draft {
    let Base { text, sentences, verbatim, .. } = base.clone();
    Draft { text, sentences, tokens: 0, ungrounded: 0, verbatim }
}

/// A base whose sentences tell nothing, beside late talk that tells nothing, stays as it is.
fn amended(grain: Grain, base: &Base, late: &[Memory]) -> Draft {
    let sentences = sentences(grain, Some(base), late);
    if sentences.is_empty() { kept(base) } else { draft(grain, sentences, base.verbatim) }
}

fn draft(grain: Grain, sentences: Vec<Sentence>, verbatim: bool) -> Draft {
    Draft { text: lines::set(grain, &sentences), sentences, tokens: 0, ungrounded: 0, verbatim }
}

/// Nothing only if there is a base, and nothing is told.
fn sentences(grain: Grain, base: Option<&Base>, sources: &[Memory]) -> Vec<Sentence> {
    let sources = in_order(sources);
    let budget = Budget::of(grain, base, &sources);
    let pool = candidates::pool(grain, base, &sources, budget);
    let chosen = choose::within(grain, budget, &pool);
    if chosen.is_empty() && base.is_none() {
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
