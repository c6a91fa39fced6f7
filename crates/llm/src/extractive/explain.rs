//! Reports for each sentence of a period whether it was chosen, or at which step it was left out. Used in development of the
//! engine; only the example `extracts` calls it.

use annals_core::{Grain, Memory, Sentence};

use super::candidates::{Candidate, Input};
use super::choose;
use super::dependence::Dependence;

/// What became of a sentence: the step at which it was left out, or [`Step::Chosen`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    /// A question, a greeting, a reaction, a label.
    Aside,
    /// The sentence depends on a preceding one that could not be quoted with it.
    Leaning,
    /// The sentence has no content words, or a single one and is not about its speaker.
    Empty,
    /// The sentence says too little for a line of its own, and was not chosen for lack of better ones.
    Faint,
    /// The sentence says enough, but others say more or the same, or it did not fit into the budget.
    Outranked,
    /// The sentence is in the summary.
    Chosen,
}

/// Returns the sentences of a period without a base, in order of time, each with the step at which it was left out or with
/// [`Step::Chosen`]. A passage of several sentences is listed in addition to its first sentence. Whole messages that are quoted
/// from a short day, and the line for small talk, are not listed.
pub fn explain(grain: Grain, sources: &[Memory], earlier: &[Memory]) -> Vec<(Sentence, Step)> {
    let input = Input::of(grain, None, sources, earlier);
    let pool = input.pool();
    let chosen: Vec<&Sentence> =
        choose::within(grain, input.budget, &pool).into_iter().map(|index| &pool[index].sentence).collect();
    let step = |one: &Candidate| match one.dependence {
        _ if chosen.contains(&&one.sentence) => Step::Chosen,
        Dependence::Aside => Step::Aside,
        Dependence::Leaning => Step::Leaning,
        _ if one.worth.full() == 0.0 => Step::Empty,
        Dependence::Faint => Step::Faint,
        Dependence::Independent => Step::Outranked,
    };
    input.candidates().into_iter().map(|one| (one.sentence.clone(), step(&one))).collect()
}
