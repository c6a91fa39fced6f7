//! Decides how well memory fits a prompt. Scores cannot decide this, because some memory always ranks first. The unnormalised
//! similarity of prompt and memory shows whether anything fits at all. Pure.
//!
//! A prompt that names a speaker of the memory, or is about the asker or an earlier conversation, needs less similarity than a
//! question about general knowledge, since every long chat contains a little general knowledge.
//!
//! Such a prompt needs no similarity if it names a past time and something was said then: "What did Priya write in April?"
//! resembles nothing that she wrote.

use annals_core::{Answer, Compared, Date, DateRange, Found, entity_key, is_wide, tokens};

use super::small_talk;
use crate::question::Question;

/// How well memory fits a prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Relevance {
    /// Memory holds nothing about the prompt.
    None,
    /// Memory may hold something about the prompt: a context gets the best search results up to this number of tokens. The best
    /// one is included even if it is longer, unless it is a summary, which is cut.
    Limited(u64),
    /// Memory holds something about the prompt: a context fills its budget.
    Strong,
}

impl Relevance {
    /// Memory probably holds nothing about the prompt, but something similar, or another person with the first name of a person
    /// in the prompt.
    pub(super) const DOUBTFUL: Relevance = Relevance::Limited(150);
    /// The model gives all texts of this language similar vectors, and memory has few of the prompt's words.
    const UNCLEAR: Relevance = Relevance::Limited(400);
    /// Memory fits the prompt, but not clearly. Measured on thirty paraphrased questions to `lme` (one person's chats with an
    /// assistant): with a budget of 1,500 tokens, memory answers four of them. A limit of 200 loses three of the four, 500
    /// loses one, and 1,100 none.
    pub(super) const WEAK: Relevance = Relevance::Limited(1_000);
}

/// A prompt, and what memory has under the names in it.
pub(super) struct Prompt<'a> {
    pub(super) text: &'a str,
    /// Two-letter code of the agent's language.
    pub(super) language: &'a str,
    /// The agent's local day.
    pub(super) today: Date,
    /// The names in the prompt that memory has facts about.
    pub(super) subjects: &'a [String],
    /// First names in the prompt that belong to another person in memory, as lookup keys: "peder" for "Peder Pan" if memory has
    /// a Peder Holm.
    pub(super) namesakes: &'a [String],
}

/// Weight of the share of the prompt's words that a memory contains. The weighted share is added to the similarity.
const WORDS: f64 = 0.5;

/// The least fit that reaches a relevance. Among many memories the best one is more similar by chance than among few.
struct Threshold {
    /// For at least [`LARGE`] rows. Measured share of questions below their threshold: one in five hundred for `LoCoMo`, one in
    /// fifty for `lme`.
    large: f64,
    /// For [`SMALL`] rows.
    small: f64,
}

const LARGE: f64 = 512.0;
const SMALL: f64 = 128.0;
/// Reduction for each halving of the rows below [`SMALL`]. Measured: if memory holds only the 3, 10, 20, 40 or 80 messages
/// around the answer, five in a hundred questions stay below 0.21, 0.25, 0.31, 0.35 and 0.37; if it holds whole conversations,
/// below 0.48.
const HALVING: f64 = 0.033;

/// Thresholds for prompts about the asker, an earlier conversation or a speaker of the memory.
const PERSONAL_WEAK: Threshold = Threshold { large: 0.36, small: 0.294 };
const PERSONAL_STRONG: Threshold = Threshold { large: 0.46, small: 0.394 };
/// Thresholds for other prompts. Measured on memories of 110 to 172 messages. Of 67 such prompts about which memory holds
/// nothing, three in a hundred fit weakly and a fifth doubtfully. Of 56 questions that memory answers, three quarters fit at
/// least weakly and nine tenths at least doubtfully.
const DOUBTFUL: Threshold = Threshold { large: 0.52, small: 0.34 };
const WEAK: Threshold = Threshold { large: 0.55, small: 0.42 };
const STRONG: Threshold = Threshold { large: 0.65, small: 0.52 };

impl Threshold {
    fn at(&self, rows: usize) -> f64 {
        let halvings_to = |rows: f64, from: f64| (from / rows).log2().max(0.0);
        let (rows, steps) = (rows.max(1) as f64, (LARGE / SMALL).log2());
        let share = halvings_to(rows.max(SMALL), LARGE) / steps;
        self.large - share * (self.large - self.small) - HALVING * halvings_to(rows, SMALL)
    }
}

/// Mean similarity of all memories above which similarity says little, because the model gives all texts of this language
/// similar vectors. Measured with the built-in model: at most 0.21 for 95 in 100 English questions, at least 0.26 for as many
/// German, Spanish or Chinese ones.
const ALIKE: f64 = 0.22;
/// Share of the prompt's words, without stop words, that must occur in memory for a prompt in such a language to fit strongly.
const KNOWN_WORDS: f64 = 0.35;

/// If no result has at least this share of the prompt's words, a prompt in a wide script is doubtful at most. This holds only
/// if memory is alike (see [`ALIKE`]) and the prompt names no speaker of the memory. Languages with spaces have no such limit:
/// there, questions that memory answers and other questions have equally many known words.
const FEW_WORDS: f64 = 0.05;

/// If all results together cost at most this many tokens, they fit every prompt strongly: the first few things that a person
/// says help even with prompts that do not resemble them.
const LITTLE: u64 = 60;

/// If one result has at least this share of the words of a prompt, weighted by rarity, the prompt fits strongly whatever the
/// similarity. A prompt of usual words never reaches it; a prompt with two rare words reaches it if one memory contains both.
/// It does not count for a prompt about today or later: an old memory with the words "rain" and "tomorrow" says nothing about
/// tomorrow's weather.
const ALL_RARE: f64 = 0.55;

/// Returns how well memory fits a prompt, judged by its names and by the results of searching for it.
pub(super) fn relevance(prompt: &Prompt<'_>, answer: &Answer) -> Relevance {
    if small_talk::is_small_talk(prompt.text, prompt.subjects) {
        return Relevance::None;
    }
    if prompt.subjects.iter().any(|subject| !prompt.namesakes.contains(subject)) {
        return Relevance::Strong;
    }
    // The prompt may add a surname that memory does not have.
    let least = if prompt.namesakes.is_empty() { Relevance::None } else { Relevance::DOUBTFUL };
    of_results(prompt, answer).max(least)
}

/// Returns whether the prompt is small talk or about the asker, so that facts about the asker may help with it.
pub(super) fn is_about_the_asker(prompt: &Prompt<'_>) -> bool {
    small_talk::is_small_talk(prompt.text, prompt.subjects) || Question::new(prompt.text, prompt.language).is_personal
}

fn of_results(prompt: &Prompt<'_>, answer: &Answer) -> Relevance {
    if answer.results.iter().map(|found| tokens(&found.memory.text)).sum::<u64>() <= LITTLE {
        return if answer.results.is_empty() { Relevance::None } else { Relevance::Strong };
    }
    let question = Question::new(prompt.text, prompt.language);
    let is_named = answer.results.iter().any(|found| names_speaker(&question, prompt, found));
    let is_personal = question.is_personal || is_named;
    let is_of_time = |found: &Found| is_personal && is_of_named_time(answer, found, prompt.today);
    let has_all_rare = |found: &Found| !question.is_ahead && found.fit.words >= ALL_RARE;
    if answer.results.iter().any(|found| is_of_time(found) || has_all_rare(found)) {
        return Relevance::Strong;
    }
    let fits = answer.results.iter().map(|found| found.fit.similarity + WORDS * found.fit.words);
    let best = fits.fold(f64::MIN, f64::max);
    let words = answer.results.iter().map(|found| found.fit.words).fold(0.0, f64::max);
    let is_wide = prompt.text.contains(is_wide);
    let most = if is_wide && !is_named { by_words(words, answer.compared) } else { Relevance::Strong };
    by_fit(best, is_personal, answer.compared).min(most)
}

/// Returns the highest relevance that a prompt in a wide script without a known name can have. The relevance is limited only if
/// similarity says little (see [`ALIKE`]). `words` is the largest share of the prompt's words in one result.
fn by_words(words: f64, compared: Compared) -> Relevance {
    match compared.mean_similarity > ALIKE {
        true if compared.known_words == 0.0 => Relevance::None,
        true if words < FEW_WORDS => Relevance::DOUBTFUL,
        _ => Relevance::Strong,
    }
}

/// Returns the relevance for the best fit among the results.
fn by_fit(best: f64, is_personal: bool, compared: Compared) -> Relevance {
    let reaches = |threshold: &Threshold| best >= threshold.at(compared.rows);
    let is_unclear = compared.mean_similarity > ALIKE && compared.known_words < KNOWN_WORDS;
    match is_personal {
        true if reaches(&PERSONAL_STRONG) && !is_unclear => Relevance::Strong,
        true if reaches(&PERSONAL_WEAK) => Relevance::WEAK,
        true => Relevance::None,
        false if is_unclear => Relevance::UNCLEAR,
        false if compared.mean_similarity > ALIKE => Relevance::Strong,
        false if reaches(&STRONG) => Relevance::Strong,
        false if reaches(&WEAK) => Relevance::WEAK,
        false if reaches(&DOUBTFUL) => Relevance::DOUBTFUL,
        false => Relevance::None,
    }
}

/// Returns whether the prompt names the speaker of the memory, and not somebody else with the same first name.
fn names_speaker(question: &Question, prompt: &Prompt<'_>, found: &Found) -> bool {
    let is_namesake = |speaker: &str| {
        speaker.split_whitespace().next().is_some_and(|first| prompt.namesakes.contains(&entity_key(first)))
    };
    found.memory.speaker().is_some_and(|speaker| question.names(speaker) && !is_namesake(speaker))
}

/// Returns whether the memory lies within a time that the prompt names and that ended before today.
fn is_of_named_time(answer: &Answer, found: &Found, today: Date) -> bool {
    let (first, last) = found.memory.days;
    let is_in = |days: DateRange| {
        days.from.is_none_or(|from| from <= first) && days.to.is_some_and(|to| last <= to && to < today)
    };
    answer.times.iter().any(|time| is_in(time.days))
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
            compared: Compared { rows: compared, mean_similarity: 0.05, known_words: 0.0 },
            range_is_empty: false,
            grains: Vec::new(),
            times: Vec::new(),
            period: None,
            conversations: Vec::new(),
            reranked: Reranked::NotRequested,
            words_alone: None,
        }
    }

    /// Returns the relevance of an answer for a prompt without names that memory has facts about.
    fn of(text: &str, answer: &Answer) -> Relevance {
        relevance(&Prompt { text, language: "en", today: today(), subjects: &[], namesakes: &[] }, answer)
    }

    #[test]
    fn personal_prompts_and_small_memories_need_less_similarity() {
        fn check(prompt: &str, similarity: f64, words: f64, rows: usize, expect: bool) {
            let relevance = of(prompt, &answer(similarity, words, rows));
            assert_eq!(relevance != Relevance::None, expect, "{prompt:?} {similarity} {words} of {rows}");
        }
        check("Which boat did I sell?", 0.3, 0.3, 600, true);
        check("Which boat did I sell?", 0.3, 0.3, 600_000, true);
        check("Which boat did Ann sell?", 0.3, 0.3, 600, true);
        check("Which boat did Bob sell?", 0.3, 0.3, 600, false);
        check("Which boat did Bob sell?", 0.3, 0.3, 16, true);
        check("Which boat is red?", 0.4, 0.3, 600, true);
        check("Which boat did I sell?", 0.15, 0.1, 600, false);
        check("Which boat did I sell?", 0.15, 0.1, 3, true);
        check("What is the capital of Mongolia?", 0.05, 0.1, 3, false);
    }

    #[test]
    fn no_hits_mean_no_known_memory() {
        let nothing = Answer { results: Vec::new(), ..answer(0.0, 0.0, 0) };
        assert_eq!(of("Which boat did I sell?", &nothing), Relevance::None);
        let mut little = answer(0.0, 0.0, 1);
        little.results[0].memory.text = "I moved to Bern.".into();
        assert_eq!(of("What is the weather like at home?", &little), Relevance::Strong);
    }

    #[test]
    fn personal_prompt_about_a_past_time_needs_no_similarity() {
        fn check(prompt: &str, expect: bool) {
            let times = crate::times::find_times(prompt, "en", "Europe/Berlin", today());
            let relevance = of(prompt, &Answer { times, ..answer(0.1, 0.1, 600) });
            assert_eq!(relevance == Relevance::Strong, expect, "{prompt:?}");
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
        fn check(prompt: &str, words: f64, expect: Relevance) {
            assert_eq!(of(prompt, &answer(0.1, words, 600)), expect, "{prompt:?} {words}");
        }
        check("Why was prod down?", 0.57, Relevance::Strong);
        check("Why was prod down?", 0.4, Relevance::None);
        check("Is it going to rain tomorrow?", 0.57, Relevance::None);
        check("Did it rain today?", 0.57, Relevance::Strong);
    }

    #[test]
    fn better_fit_gives_higher_relevance() {
        fn check(prompt: &str, similarity: f64, rows: usize, expect: Relevance) {
            assert_eq!(of(prompt, &answer(similarity, 0.2, rows)), expect, "{prompt:?} {similarity} of {rows}");
        }
        use Relevance::{None, Strong};
        const DOUBTFUL: Relevance = Relevance::DOUBTFUL;
        const WEAK: Relevance = Relevance::WEAK;
        // A fifth of the words matches, which adds 0.1 to the similarity.
        for (similarity, expect) in [(0.41, None), (0.43, DOUBTFUL), (0.46, WEAK), (0.54, WEAK), (0.56, Strong)] {
            check("Why is the sky blue?", similarity, 600, expect);
        }
        for (similarity, expect) in [(0.23, None), (0.25, DOUBTFUL), (0.31, DOUBTFUL), (0.33, WEAK), (0.43, Strong)] {
            check("Why is the sky blue?", similarity, 128, expect);
        }
        for prompt in ["Why is my boat blue?", "Why is the boat of Ann blue?"] {
            for (similarity, expect) in [(0.25, None), (0.27, WEAK), (0.37, Strong)] {
                check(prompt, similarity, 600, expect);
            }
        }
    }

    #[test]
    fn words_decide_if_the_model_finds_all_texts_alike() {
        fn check(prompt: &str, known_words: f64, expect: Relevance) {
            let mut answer = answer(0.5, 0.2, 600);
            answer.compared = Compared { mean_similarity: 0.3, known_words, ..answer.compared };
            assert_eq!(of(prompt, &answer), expect, "{prompt:?} {known_words}");
        }
        check("Warum ist der Himmel blau?", 0.4, Relevance::Strong);
        check("Warum ist der Himmel blau?", 0.3, Relevance::UNCLEAR);
        check("Warum ist mein Boot blau?", 0.4, Relevance::Strong);
        check("Warum ist mein Boot blau?", 0.3, Relevance::WEAK);
    }

    #[test]
    fn wide_prompt_with_few_known_words_is_doubtful_where_the_model_finds_all_texts_alike() {
        fn check(prompt: &str, words: f64, known_words: f64, expect: Relevance) {
            let mut answer = answer(0.5, words, 600);
            answer.compared = Compared { mean_similarity: 0.3, known_words, ..answer.compared };
            assert_eq!(of(prompt, &answer), expect, "{prompt:?} {words} {known_words}");
        }
        for prompt in ["我的牙医叫什么名字？", "埃菲尔铁塔有多高？"] {
            check(prompt, 0.0, 0.0, Relevance::None);
            check(prompt, 0.04, 0.5, Relevance::DOUBTFUL);
            check(prompt, 0.1, 0.5, Relevance::Strong);
        }
        check("Wie heißt mein Arzt?", 0.04, 0.5, Relevance::Strong);
        // The speaker of the memory is Ann Lee.
        check("Ann的牙医叫什么？", 0.04, 0.5, Relevance::DOUBTFUL);
        check("Ann 的牙医叫什么？", 0.04, 0.5, Relevance::Strong);
    }

    #[test]
    fn known_names_make_a_prompt_relevant_unless_they_are_of_namesakes() {
        fn check(text: &str, subjects: &[&str], namesakes: &[&str], expect: Relevance) {
            let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
            let (subjects, namesakes) = (owned(subjects), owned(namesakes));
            let prompt = Prompt { text, language: "en", today: today(), subjects: &subjects, namesakes: &namesakes };
            assert_eq!(relevance(&prompt, &answer(0.35, 0.3, 600)), expect, "{text:?}");
        }
        check("Who is Peder?", &["peder"], &[], Relevance::Strong);
        check("Who is Peder Pan?", &["peder"], &["peder"], Relevance::DOUBTFUL);
        check("Who is Peder Pan to Eve?", &["peder", "eve"], &["peder"], Relevance::Strong);
        // The speaker of the memory is Ann Lee.
        check("Who is Ann?", &[], &[], Relevance::Strong);
        check("Who is Ann Pan?", &[], &["ann"], Relevance::DOUBTFUL);
        check("Hello Eve", &["eve"], &[], Relevance::None);
    }
}
