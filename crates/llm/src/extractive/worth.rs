//! Rates a sentence: amount of content, kind of event, and length.
//!
//! The comments on the weights give two percentages for another value of the weight: how many of LoCoMo's answering turns the
//! daily summaries represent, and how many they quote (`examples/coverage.rs`). With all weights as set, these are 45.5 and
//! 76.8 %. The other values were measured earlier, one at a time, when they were 46.0 and 75.7 %.

use annals_core::Grain;

use super::budget::length;
use super::events::Event;
use super::language::Language;
use super::names::Names;
use super::record::{self, Form};
use super::word_kinds::{self, Kind};
use super::{events, news, replies, salience, story, vague};

/// Weight of names, times and amounts, which later questions ask about. At 1.5: 45.9 and 75.7 %.
const PARTICULAR: f64 = 2.0;

/// Factor for sentences that are vague or about the other person. At 0.7: 45.2 and 74.3 %.
const VAGUE: f64 = 0.5;

/// Factor for English, Chinese and Japanese sentences without name, number or time that report no notable event. At 0.8: 44 and
/// 71 %.
const PLAIN: f64 = 0.6;

/// Factor for questions, which say less than their answers; they are quoted only if nothing else was said.
const QUESTION: f64 = 0.3;

/// Factor for sentences that had to be cut, so that whole ones come first. Matters for verbose diaries; conversations have
/// hardly any.
const CUT: f64 = 0.5;

/// Minimum content words of more than three letters; a line of a record with fewer says too little, unless it is about its
/// writer. A line without a name or notable event needs one or two more.
const MIN_CONTENT_WORDS: usize = 3;

/// Cost of a sentence in addition to its words: its share of the head of a line and of the attention of the reader. At 3: 45.3
/// and 75.7 %.
const SENTENCE: f64 = 8.0;

/// Share of the minimum content of a line that is enough in a summary that would otherwise be very short.
const FILLING: f64 = 0.6;

/// Returns the minimum content of a line: worth of its words times the factor of its kind of event. A day is filled in order
/// of worth; a coarser summary stays short rather than include what does not last. Set by reading samples of LoCoMo and IRC.
fn least(grain: Grain, form: Form) -> f64 {
    match (grain, form) {
        (Grain::Working | Grain::Daily, Form::Chat) => 0.0,
        // Leaves out "Took notes" and "Cleaned up the code".
        (Grain::Working | Grain::Daily, Form::Record) => 2.3,
        (Grain::Weekly, _) => 2.8,
        (Grain::Monthly, Form::Chat) => 3.4,
        (Grain::Quarterly, Form::Chat) => 4.2,
        (Grain::Yearly, Form::Chat) => 5.0,
        // Sentences of reports are longer than those of chats.
        (Grain::Monthly, Form::Record) => 4.4,
        (Grain::Quarterly, Form::Record) => 5.4,
        (Grain::Yearly, Form::Record) => 6.0,
    }
}

/// The properties of the input that affect the rating of a sentence.
#[derive(Clone, Copy, Debug)]
pub(super) struct KindOfText {
    pub(super) grain: Grain,
    pub(super) form: Form,
    /// Whether the record is news of what others do.
    pub(super) is_news: bool,
}

/// The rating of a sentence.
#[derive(Clone, Debug, Default)]
pub(super) struct Worth {
    /// Distinct words with content, each with its worth, in alphabetical order. Then the words of the label, which have no
    /// worth.
    pub(super) words: Vec<(String, f64)>,
    /// Kind of event that the sentence reports.
    pub(super) event: Event,
    /// Factor on the sum of the words, from the kind of event and the form of the sentence.
    importance: f64,
    /// Factor on the worth, from how long such content usually matters. It orders lines, and does not count as content.
    salience: f64,
    /// Cost of the sentence: its words, and its share of the head of a line and of the attention of the reader.
    cost: f64,
    /// Minimum content for a line of the grain; infinite if no content is enough.
    least: f64,
    /// Minimum content for a line of a summary that would otherwise be very short.
    least_to_fill: f64,
}

impl Worth {
    /// Returns the worth of the whole sentence before any other is chosen; zero for greetings and fillers.
    pub(super) fn full(&self) -> f64 {
        self.of_words(self.words.iter().map(|(_, worth)| worth).sum())
    }

    /// Returns the worth that words add to a summary. `words` is the sum of their worth.
    pub(super) fn of_words(&self, words: f64) -> f64 {
        if words > 0.0 { self.importance * self.salience * words / self.cost } else { 0.0 }
    }

    pub(super) fn lower(&mut self, factor: f64) {
        self.importance *= factor;
    }

    /// Lowers the worth of an explanation by an assistant. It then never says enough for a line of its grain.
    pub(super) fn explain(&mut self, factor: f64) {
        self.lower(factor);
        (self.least, self.least_to_fill) = (f64::INFINITY, f64::INFINITY);
    }

    /// Returns whether the sentence says enough for a line of its grain.
    pub(super) fn is_definite(&self) -> bool {
        self.content() >= self.least
    }

    /// Returns whether the sentence says enough for a line of a summary that would otherwise be very short.
    pub(super) fn fills(&self) -> bool {
        self.content() >= self.least_to_fill
    }

    fn content(&self) -> f64 {
        self.importance * self.words.iter().map(|(_, worth)| worth).sum::<f64>()
    }
}

/// Rates a sentence in a grain of a chat or record.
///
/// A sentence with a single content word is still a filler ("Gotcha!", "Thanks for the recipe!", "Bye, Joe!"), unless speakers
/// talk about themselves ("I graduated!") or answer a question.
pub(super) fn of(sentence: &str, language: Language, kind: KindOfText, names: &Names) -> Worth {
    let KindOfText { grain, form, is_news } = kind;
    let (label, sentence) = story::parts(sentence);
    let (question, rest) = replies::parts(sentence);
    let mut found = word_kinds::of(rest, language, names);
    let sequence: Vec<String> = found.iter().map(|(word, _)| word.clone()).collect();
    let is_own = question.is_some() || vague::is_own(&sequence);
    let event = events::of(&sequence, is_own, language);
    let event = if is_news && language == Language::English { news::event(&sequence, event) } else { event };
    found.extend(question.into_iter().flat_map(|question| word_kinds::of(question, language, names)));
    let is_clock = |word: &str| form == Form::Record && is_clock(word);
    found.retain(|(word, kind)| *kind != Kind::Light && !is_clock(word));
    found.sort_by(|one, other| one.0.cmp(&other.0));
    found.dedup_by(|later, first| later.0 == first.0);
    if found.is_empty() || (found.len() < 2 && !is_own) {
        return Worth::default();
    }
    let is_particular = sentence.contains(" [") || found.iter().any(|(_, kind)| *kind == Kind::Particular);
    let is_vague = language == Language::English && vague::is(rest, &sequence, event, is_particular);
    let salience = if language == Language::English { salience::of(rest, grain) } else { salience::UNKNOWN };
    let importance = events::factor(event, grain) * if is_vague { VAGUE } else { 1.0 } * mood(rest) * substance(&found);
    // Readings in a log do not matter for its weeks and longer periods.
    let is_reading =
        |word: &str| form == Form::Record && grain > Grain::Daily && word.starts_with(|c: char| c.is_ascii_digit());
    let weight = |word: &str, kind| if is_reading(word) { 1.0 } else { weight(kind) };
    let mut words: Vec<(String, f64)> = found.iter().map(|(word, kind)| (word.clone(), weight(word, *kind))).collect();
    let is_read = matches!(language, Language::English | Language::Unspaced);
    // "Sunday works for me" has a time, but does not say what for.
    let has_content = found.iter().any(|(_, kind)| *kind == Kind::Content);
    let is_plain = event >= Event::Happening && is_read && (!is_particular || (grain > Grain::Daily && !has_content));
    let is_kept = is_kept(grain, is_vague, is_plain && (event > Event::Happening || grain > Grain::Weekly));
    let importance = if is_plain { importance * PLAIN } else { importance };
    let importance = importance * if form == Form::Record { passing(label, rest, grain) } else { 1.0 };
    let is_scant = form == Form::Record
        && !is_own
        && language != Language::Unspaced
        && is_scant(rest, label.is_some(), language, &found, event);
    let by_rules = if is_kept { least(grain, form) } else { f64::INFINITY };
    let (least, least_to_fill) = match salience.is_enough {
        Some(true) => (0.0, 0.0),
        Some(false) => (f64::INFINITY, f64::INFINITY),
        None if is_scant => (f64::INFINITY, FILLING * by_rules),
        None => (by_rules, FILLING * by_rules),
    };
    // Words of the label have no worth, but count as covered when the line is chosen: its headline alone then adds nothing.
    let of_label =
        label.into_iter().flat_map(|label| word_kinds::of(label, language, names)).map(|(word, _)| (word, 0.0));
    words.extend(of_label.filter(|(word, _)| found.iter().all(|(one, _)| one != word)).collect::<Vec<_>>());
    let cost = length(sentence) as f64 + SENTENCE;
    Worth { words, event, importance, salience: salience.factor, cost, least, least_to_fill }
}

/// Factor for what soon gives way to something else: briefings and opinions, and in coarser grains what was expected or blocked.
const PASSING: f64 = 0.5;

/// Returns the factor for a sentence of a record that is of little use later.
fn passing(label: Option<&str>, sentence: &str, grain: Grain) -> f64 {
    const BRIEFINGS: [&str; 6] =
        ["opinion", "morning briefing", "evening briefing", "briefing", "what you need to know", "in brief"];
    const EXPECTED: [&str; 5] =
        ["is expected to", "are expected to", "was expected to", "blocked on", "proposed window"];
    const BEGINNINGS: [&str; 3] = ["todo:", "waiting for", "waiting on"];
    // "Opinion: why size will not save shipping"
    let title = label.unwrap_or_default().split(':').next().unwrap_or_default().to_lowercase();
    let is_expected = || {
        let lower = sentence.to_lowercase();
        EXPECTED.iter().any(|words| lower.contains(words)) || BEGINNINGS.iter().any(|begins| lower.starts_with(begins))
    };
    match BRIEFINGS.contains(&title.as_str()) || grain > Grain::Daily && is_expected() {
        true if grain > Grain::Weekly => PASSING * PASSING,
        true => PASSING,
        false => 1.0,
    }
}

/// Returns whether the grain keeps the sentence: days keep vague and plain sentences, with low worth; coarser grains do
/// not.
fn is_kept(grain: Grain, is_vague: bool, is_plain: bool) -> bool {
    grain <= Grain::Daily || !(is_vague || is_plain)
}

/// Returns whether the word is a time of day: "07:40", or without a colon before ten o'clock: "0640". Logs begin their lines
/// with it.
fn is_clock(word: &str) -> bool {
    let digits = |text: &str, count| text.len() == count && text.bytes().all(|byte| byte.is_ascii_digit());
    let is_split = word
        .split_once(':')
        .is_some_and(|(hours, minutes)| digits(minutes, 2) && (digits(hours, 1) || digits(hours, 2)));
    is_split || digits(word, 4) && word.starts_with('0')
}

fn weight(kind: Kind) -> f64 {
    match kind {
        Kind::Light => 0.0,
        Kind::Content => 1.0,
        Kind::Particular => PARTICULAR,
    }
}

/// Returns the share of the worth of its words that a sentence keeps: names, dates and numbers count only as much as there are
/// other content words. Otherwise a year of a diary would consist of "October 1st, 1666." and bare lists of names.
fn substance(words: &[(String, Kind)]) -> f64 {
    let content = words.iter().filter(|(_, kind)| *kind == Kind::Content).count() as f64;
    let full: f64 = words.iter().map(|(_, kind)| weight(*kind)).sum();
    (words.len() as f64 + content).min(full) / full
}

/// Returns whether the words are too few to report an event in a record: readings ("BP 138/82", "Chl-a 3.2 µg/L"), labels
/// ("Data entry") and chores ("Raked the yard. Church.").
fn is_scant(sentence: &str, is_labelled: bool, language: Language, words: &[(String, Kind)], event: Event) -> bool {
    let tells = |word: &str| word.chars().filter(|c| c.is_alphabetic()).count() > 3;
    let content_words = words.iter().filter(|(word, _)| tells(word)).count();
    let is_plain = event >= Event::Happening && !record::is_named(sentence, language);
    let more = if is_labelled { 1 } else { 2 };
    content_words < MIN_CONTENT_WORDS + if is_plain { more } else { 0 }
}

fn mood(sentence: &str) -> f64 {
    let is_question = sentence.trim_end_matches(['"', '”', ')', '」', '』']).ends_with(['?', '？']);
    if is_question {
        QUESTION
    } else if sentence.ends_with('…') {
        CUT
    } else {
        1.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn worth(sentence: &str) -> f64 {
        let names = Names::of(["Ann Lee", "Melanie", "Joanna"].into_iter());
        of(sentence, Language::English, KindOfText { grain: Grain::Daily, form: Form::Chat, is_news: false }, &names)
            .full()
    }

    #[test]
    fn greetings_and_fillers_have_no_worth() {
        let fillers = [
            "Hey Mel!",
            "Good to see you!",
            "How have you been?",
            "ok",
            "Ok.",
            "thanks",
            "Thanks, Melanie!",
            "lol",
            "That's awesome!",
            "Wow, cool!",
            "Talk to you later",
            "Talk to you soon, Ann!",
            "😀👍",
            ":-)",
            ":P",
            "xD",
            "...",
            "What's up with you?",
            "Anything new?",
            "You're welcome!",
            "Good night!",
            "Yes, absolutely!",
            "I know, right?",
            "Sounds good!",
            "See you tomorrow!",
            "Good luck!",
            "Take care!",
            "haha",
            "Good morning, Ann Lee!",
            "Sure thing.",
            "Gotcha!",
            "Hey Jo!",
            "Hey Joe!",
            "Yo Mel!",
            "Ttyl, bye!",
            "No prob.",
            "Thanks for sharing the recipe!",
            "Thanks a ton for the kind words and encouragement!",
            "You got this!",
            "I bet!",
            "I'm stoked, Ann!",
            "I'll keep you posted.",
            "Fingers crossed!",
            "Long time no see!",
            "Bon voyage!",
            "Glad to help!",
            "Check it out!",
            "Keep in touch.",
            "Wow, that's a great pic!",
        ];
        for filler in fillers {
            assert_eq!(worth(filler), 0.0, "{filler}");
        }
    }

    #[test]
    fn first_of_each_pair_is_worth_more() {
        fn check(more: &str, less: &str) {
            assert!(worth(more) > worth(less), "{more} / {less}");
        }
        check("I moved to Berlin.", "I moved to town.");
        check("I start the course on Friday.", "I start the course without worry.");
        check("The flat costs 900 a month.", "The flat costs plenty a month.");
        check("The shop sells bicycles.", "Does the shop sell bicycles?");
        check("My garden needs water.", "Your garden needs water.");
        check("The Dutch fleet lay at anchor off Dunkirk.", "October 1st, 1666.");
        check("The bakery closed.", "Well, you know, it is what it is, and the bakery closed.");
        check("The bakery closed", "The bakery closed…");
        check("I graduated!", "Congrats on graduating!");
    }
}
