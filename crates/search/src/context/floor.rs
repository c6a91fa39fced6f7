//! Whether a memory knows anything about a prompt. Scores only say what fits best, and something always does; how alike the two are
//! by themselves says whether anything fits at all. Pure.
//!
//! A prompt about persons, as those who talk to a memory have names or say "I" and "you", has to be less like a memory than a question
//! for the knowledge of the world, of which every long chat holds a little.

use annals_core::Found;

use crate::question::Question;

/// What the share of common words weighs beside the similarity.
const WORDS: f64 = 0.5;
/// The best of a memory that knows something reaches this for a prompt about persons. Of the questions of LoCoMo, and of lme, one
/// in a hundred stays below 0.40; the margin is for memories of other kinds.
const PERSONAL: f64 = 0.35;
/// The same for other prompts.
const IMPERSONAL: f64 = 0.42;
/// With fewer memories the best of any is much less alike, and a context of all of them is small: nothing is held back.
const FEW: usize = 40;

/// Whether memory knows something about the prompt, in a language, by what was found for it: the best [`FEW`] memories, or all.
pub(super) fn knows(prompt: &str, language: &str, found: &[Found]) -> bool {
    if found.len() < FEW {
        return !found.is_empty();
    }
    let question = Question::new(prompt, language);
    let names = |found: &Found| found.memory.speaker.as_deref().is_some_and(|speaker| question.names(speaker));
    let floor = if question.whose.is_some() || found.iter().any(names) { PERSONAL } else { IMPERSONAL };
    found.iter().any(|found| found.fit.similarity + WORDS * found.fit.words >= floor)
}

#[cfg(test)]
mod tests {
    use annals_core::{Fit, Kind};

    use super::*;
    use crate::fixture::memory;

    #[test]
    fn prompt_about_persons_needs_less_likeness() {
        fn check(prompt: &str, similarity: f64, words: f64, expect: bool) {
            let mut memory = memory("t", Kind::Turn, "2026-03-04".parse().unwrap());
            memory.speaker = Some("Ann Lee".into());
            let fit = Fit { similarity, words };
            let found = Found { memory, score: 9.0, fit, days_outside: 0, parts: Vec::new() };
            assert_eq!(knows(prompt, "en", &vec![found.clone(); FEW]), expect, "{prompt:?} {similarity} {words}");
            assert!(knows(prompt, "en", &[found]), "one memory says little of what the best of many is like");
        }
        check("Which boat did I sell?", 0.25, 0.3, true);
        check("Which boat did Ann sell?", 0.25, 0.3, true);
        check("Which boat did Bob sell?", 0.25, 0.3, false);
        check("Which boat is red?", 0.4, 0.3, true);
        check("Which boat did I sell?", 0.15, 0.3, false);
        assert!(!knows("Which boat did I sell?", "en", &[]));
    }
}
