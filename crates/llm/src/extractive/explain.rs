//! Reports at which step each sentence of a period was left out, for development of the engine. Only the example `extracts` calls
//! it.

use annals_core::{Grain, Memory, Sentence};

use super::candidates::{Candidate, Input};
use super::choose;
use super::dependence::Dependence;

/// The step at which a sentence was left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    /// A question, a greeting, a reaction, a label.
    Aside,
    /// It depends on a preceding sentence that could not be quoted with it.
    Leaning,
    /// It has no content words.
    Empty,
    /// It says too little, and better sentences used the room.
    Faint,
    /// It says enough, but others say more or the same.
    Outranked,
    /// It is in the summary.
    Chosen,
}

/// Returns the sentences of a period without a base, in order of time, each with the step at which it was left out.
pub fn explain(grain: Grain, sources: &[Memory]) -> Vec<(Sentence, Step)> {
    let input = Input::of(grain, None, sources, &[]);
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
    input.judged().into_iter().map(|one| (one.sentence.clone(), step(&one))).collect()
}
