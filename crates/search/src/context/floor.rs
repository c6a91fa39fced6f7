//! Decides whether memory holds anything about a prompt. Scores cannot decide this, because some memory always ranks first. The
//! unnormalised similarity of prompt and memory shows whether anything fits at all. Pure.
//!
//! A prompt that names a speaker of the memory, or is about the asker or an earlier conversation, needs less similarity than a
//! question about general knowledge, since every long chat contains a little general knowledge. Among many memories the best
//! one is more similar by chance than among few, so the threshold rises with the number of memories.
//!
//! A prompt about people of the memory that names a past time needs no similarity if something was said then: "What did Priya
//! write in April?" resembles nothing that she wrote.

use annals_core::{Answer, Date, DateRange, Found, tokens};

use crate::question::Question;

/// Weight of the share of the prompt's words that the memory contains; the weighted share is added to the similarity.
const WORDS: f64 = 0.5;
/// Number of rows from which on the thresholds below apply without reduction. Measured share of questions below their
/// threshold: one in five hundred for `LoCoMo`, one in fifty for `lme`.
const REFERENCE_ROWS: f64 = 512.0;
/// The threshold for prompts about the asker, an earlier conversation or a speaker of the memory.
const PERSONAL: f64 = 0.36;
/// The threshold for other prompts.
const IMPERSONAL: f64 = 0.55;
/// Reduction of the threshold for each halving of the rows. Measured: if memory holds only the 3, 10, 20, 40 or 80 messages
/// around the answer, five in a hundred questions stay below 0.21, 0.25, 0.31, 0.35 and 0.37; if it holds whole conversations,
/// below 0.48.
const HALVING: f64 = 0.033;

/// If all results together cost at most this many tokens, the threshold does not apply: the first few things that a person says
/// help even with prompts that do not resemble them.
const LITTLE: u64 = 60;

/// Share of matched words, weighted by rarity, from which on the threshold does not apply. A prompt of usual words never
/// reaches it; a prompt with two rare words reaches it if one memory contains both. It does not count for a prompt about today or
/// later: a memory that says "rain" and "tomorrow" tells nothing of tomorrow's rain.
const ALL_RARE: f64 = 0.55;

/// Returns whether memory holds something about the prompt, judged by the results of searching for it. `today` is the agent's
/// local day.
pub(super) fn knows(prompt: &str, language: &str, answer: &Answer, today: Date) -> bool {
    if answer.results.iter().map(|found| tokens(&found.memory.text)).sum::<u64>() <= LITTLE {
        return !answer.results.is_empty();
    }
    let question = Question::new(prompt, language);
    let names = |found: &Found| found.memory.speaker().is_some_and(|speaker| question.names(speaker));
    let is_personal = question.is_personal || answer.results.iter().any(names);
    if is_personal && answer.results.iter().any(|found| is_of_named_time(answer, found, today)) {
        return true;
    }
    let floor = floor(if is_personal { PERSONAL } else { IMPERSONAL }, answer.compared);
    let has_all_rare = |found: &Found| !question.is_ahead && found.fit.words >= ALL_RARE;
    let fits = |found: &Found| has_all_rare(found) || found.fit.similarity + WORDS * found.fit.words >= floor;
    answer.results.iter().any(fits)
}

/// Returns whether the memory lies within a time that the prompt names and that ended before today.
fn is_of_named_time(answer: &Answer, found: &Found, today: Date) -> bool {
    let (first, last) = found.memory.days;
    let is_in = |days: DateRange| {
        days.from.is_none_or(|from| from <= first) && days.to.is_some_and(|to| last <= to && to < today)
    };
    answer.times.iter().any(|time| is_in(time.days))
}

/// Returns the threshold for a search over this many rows; `usual` is the threshold for [`REFERENCE_ROWS`] or more.
fn floor(usual: f64, rows: usize) -> f64 {
    let halvings = (REFERENCE_ROWS / rows.max(1) as f64).log2();
    usual - HALVING * halvings.max(0.0)
}

#[cfg(test)]
mod tests {
    use annals_core::{Fit, Reranked, Role};

    use super::*;
    use crate::fixture::{memory, turn_body};

    fn today() -> Date {
        "2026-04-10".parse().unwrap()
    }

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
            let known = knows(prompt, "en", &answer(similarity, words, rows), today());
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
        assert!(!knows("Which boat did I sell?", "en", &nothing, today()));
        let mut little = answer(0.0, 0.0, 1);
        little.results[0].memory.text = "I moved to Bern.".into();
        assert!(knows("What is the weather like at home?", "en", &little, today()));
    }

    #[test]
    fn personal_prompt_about_a_past_time_needs_no_similarity() {
        fn check(prompt: &str, expect: bool) {
            let times = crate::times::find_times(prompt, "en", "Europe/Berlin", today());
            let known = knows(prompt, "en", &Answer { times, ..answer(0.1, 0.1, 600) }, today());
            assert_eq!(known, expect, "{prompt:?}");
        }
        // The memory is of 4 March.
        check("What did Ann write in March?", true);
        check("What did we change in March?", true);
        check("What did Ann write in February?", false);
        check("Who won the cup in March?", false);
        check("What did Ann write?", false);
        check("What should I wear this year?", false);
    }

    #[test]
    fn memory_with_all_rare_words_of_a_prompt_needs_no_similarity() {
        assert!(knows("Why was prod down?", "en", &answer(0.1, 0.57, 600), today()));
        assert!(!knows("Why was prod down?", "en", &answer(0.1, 0.4, 600), today()));
        assert!(!knows("Is it going to rain tomorrow?", "en", &answer(0.1, 0.57, 600), today()));
        assert!(knows("Did it rain today?", "en", &answer(0.1, 0.57, 600), today()));
    }
}
