//! Decides whether memory holds anything about a prompt. Scores only rank; something always ranks first. The plain similarity
//! of prompt and memory shows whether anything fits at all. Pure.
//!
//! A prompt that names a speaker of the memory, or is about the asker or what was said, needs less similarity than a question
//! about general knowledge, since every long chat contains a little of that. Among many memories the best one is more similar
//! by chance than among few, so the threshold rises with their number.

use annals_core::{Answer, Found, tokens};

use crate::question::Question;

/// Weight of the share of common words, added to the similarity.
const WORDS: f64 = 0.5;
/// The thresholds below apply to tables of this many rows or more. Of the questions of `LoCoMo` and `lme`, one in five hundred and
/// one in fifty stay below theirs.
const USUAL: f64 = 512.0;
const PERSONAL: f64 = 0.36;
/// The threshold for other prompts.
const IMPERSONAL: f64 = 0.55;
/// Reduction of the threshold for each halving of the rows. Of the questions to 3, 10, 20, 40 and 80 messages around their
/// answers, five in a hundred stay below 0.21, 0.25, 0.31, 0.35 and 0.37; of those to whole conversations, below 0.48.
const HALVING: f64 = 0.033;

/// If all results together cost at most this many tokens, the threshold does not apply: the first things a person says help
/// with more prompts than they resemble.
const LITTLE: u64 = 60;

/// Returns whether memory holds something about the prompt, judged by the results of its search.
pub(super) fn knows(prompt: &str, language: &str, answer: &Answer) -> bool {
    if answer.results.iter().map(|found| tokens(&found.memory.text)).sum::<u64>() <= LITTLE {
        return !answer.results.is_empty();
    }
    let question = Question::new(prompt, language);
    let names = |found: &Found| found.memory.speaker().is_some_and(|speaker| question.names(speaker));
    let is_personal = question.is_personal || answer.results.iter().any(names);
    let floor = floor(if is_personal { PERSONAL } else { IMPERSONAL }, answer.compared);
    answer.results.iter().any(|found| found.fit.similarity + WORDS * found.fit.words >= floor)
}

/// Returns the threshold among this many rows.
fn floor(usual: f64, rows: usize) -> f64 {
    let halvings = (USUAL / rows.max(1) as f64).log2();
    usual - HALVING * halvings.max(0.0)
}

#[cfg(test)]
mod tests {
    use annals_core::{DateRange, Fit, Reranked, Role};

    use super::*;
    use crate::fixture::{memory, turn_body};

    fn answer(similarity: f64, words: f64, compared: usize) -> Answer {
        let mut memory = memory("t", "2026-03-04".parse().unwrap(), turn_body("Ann Lee", Role::User));
        memory.text = "boat ".repeat(100);
        let fit = Fit { similarity, words };
        Answer {
            range: DateRange::default(),
            summary_range: None,
            results: vec![Found { memory, score: 9.0, fit, days_outside: 0, parts: Vec::new() }],
            compared,
            range_is_empty: false,
            grains: Vec::new(),
            times: Vec::new(),
            period: None,
            conversations: Vec::new(),
            reranked: Reranked::NotRequested,
            words_alone: None,
        }
    }

    #[test]
    fn personal_prompts_and_small_memories_need_less_similarity() {
        fn check(prompt: &str, similarity: f64, words: f64, rows: usize, expect: bool) {
            let known = knows(prompt, "en", &answer(similarity, words, rows));
            assert_eq!(known, expect, "{prompt:?} {similarity} {words} of {rows}");
        }
        check("Which boat did I sell?", 0.3, 0.3, 600, true);
        check("Which boat did I sell?", 0.3, 0.3, 600_000, true);
        check("Which boat did Ann sell?", 0.3, 0.3, 600, true);
        check("Which boat did Bob sell?", 0.3, 0.3, 600, false);
        check("Which boat did Bob sell?", 0.3, 0.3, 16, true);
        check("Which boat is red?", 0.4, 0.3, 600, true);
        check("Which boat did I sell?", 0.15, 0.1, 600, false);
        check("Which boat did I sell?", 0.15, 0.1, 3, true);
        check("What is the capital of Mongolia?", 0.15, 0.1, 3, false);
    }

    #[test]
    fn no_hits_mean_no_known_memory() {
        let nothing = Answer { results: Vec::new(), ..answer(0.0, 0.0, 0) };
        assert!(!knows("Which boat did I sell?", "en", &nothing));
        let mut little = answer(0.0, 0.0, 1);
        little.results[0].memory.text = "I moved to Bern.".into();
        assert!(knows("What is the weather like at home?", "en", &little));
    }
}
