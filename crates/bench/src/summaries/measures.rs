//! Measures what a summary keeps of the turns that it covers.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;
use std::time::Duration;

use annals_core::{Draft, Memory, MemoryId, Period, Sentence, words};
use regex::Regex;

use super::rouge::RougeMean;

/// Share of a turn's content words that must occur in a summary for the turn to count as represented.
const REPRESENTED: f64 = 0.5;

/// The turns of an agent, by period, and the turns that answer questions.
pub(super) struct Turns<'a> {
    days: BTreeMap<Period, &'a [Memory]>,
    /// Ids of answering messages; `None` if no question of this agent is known. If there are no questions at all, every turn
    /// counts as answering.
    evidence: Option<&'a BTreeSet<String>>,
    has_questions: bool,
}

impl<'a> Turns<'a> {
    pub(super) fn new(days: &'a [Vec<Memory>], evidence: Option<Option<&'a BTreeSet<String>>>) -> Turns<'a> {
        let of_day = |turns: &'a Vec<Memory>| Some((turns.first()?.period, turns.as_slice()));
        Turns {
            days: days.iter().filter_map(of_day).collect(),
            has_questions: evidence.is_some(),
            evidence: evidence.flatten(),
        }
    }

    fn of(&self, sources: &[Memory]) -> Vec<&'a Memory> {
        let days = |source: &Memory| -> Vec<&'a Memory> {
            let grain = source.period.grain();
            let within = self.days.iter().filter(|(day, _)| day.ancestor(grain) == source.period);
            within.flat_map(|(_, turns)| turns.iter()).collect()
        };
        let mut periods: Vec<&Memory> = sources.iter().collect();
        periods.dedup_by_key(|source| source.period);
        periods.into_iter().flat_map(days).collect()
    }

    fn answers(&self, turn: &Memory) -> bool {
        !self.has_questions || self.evidence.is_some_and(|ids| turn.message().is_some_and(|id| ids.contains(id)))
    }
}

/// How many of the counted items a summary keeps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Kept {
    pub(super) kept: usize,
    pub(super) all: usize,
}

impl Kept {
    fn of<T>(all: impl IntoIterator<Item = T>, keeps: impl Fn(&T) -> bool) -> Kept {
        let mut sum = Kept::default();
        for thing in all {
            sum.kept += usize::from(keeps(&thing));
            sum.all += 1;
        }
        sum
    }

    fn add(&mut self, other: Kept) {
        self.kept += other.kept;
        self.all += other.all;
    }

    /// Returns the share that is kept, in percent with one decimal. Returns `None` if nothing was counted.
    pub(super) fn percent(self) -> Option<f64> {
        (self.all > 0).then(|| (1_000.0 * self.kept as f64 / self.all as f64).round() / 10.0)
    }
}

/// Sums over the summaries of one grain and writer.
#[derive(Clone, Debug, Default)]
pub(super) struct Sums {
    pub(super) summaries: usize,
    pub(super) words: usize,
    /// Answering turns that a sentence cites.
    pub(super) cited: Kept,
    /// Answering turns of which at least half of the content words occur in the summary.
    pub(super) represented: Kept,
    /// Answering turns with a time expression that are cited by a sentence with a written date.
    pub(super) dates: Kept,
    /// Distinct names in all turns, and distinct numbers in all turns.
    pub(super) names: Kept,
    pub(super) numbers: Kept,
    /// Sentences that their sources do not support.
    pub(super) ungrounded: Kept,
    /// Similarity to references, where there are any.
    pub(super) rouge: RougeMean,
    pub(super) time: Duration,
    /// Tokens paid for the summaries in this run.
    pub(super) tokens: u64,
}

impl Sums {
    pub(super) fn of(draft: &Draft, turns: &Turns<'_>, sources: &[Memory], time: Duration) -> Sums {
        let all = turns.of(sources);
        let answering: Vec<&Memory> = all.iter().copied().filter(|turn| turns.answers(turn)).collect();
        let cited: BTreeSet<&MemoryId> = draft.sentences.iter().flat_map(|sentence| &sentence.from).collect();
        let dated = draft.sentences.iter().filter(has_date);
        let dated: BTreeSet<&MemoryId> = dated.flat_map(|sentence| &sentence.from).collect();
        let text = draft.text.to_lowercase();
        let in_text: BTreeSet<String> = words(&text).map(str::to_owned).collect();
        let is_half = |turn: &&Memory| {
            let content = content(&turn.text);
            let found = content.iter().filter(|word| in_text.contains(*word)).count();
            !content.is_empty() && found as f64 >= REPRESENTED * content.len() as f64
        };
        let has_time = answering.iter().copied().filter(|turn| TIMES.is_match(&turn.text));
        Sums {
            summaries: 1,
            words: words(&draft.text).count(),
            cited: Kept::of(answering.iter().copied(), |turn| cited.contains(&turn.id)),
            represented: Kept::of(answering.iter().copied(), is_half),
            dates: Kept::of(has_time, |turn| dated.contains(&turn.id)),
            names: Kept::of(names(&all), |name| in_text.contains(&name.to_lowercase())),
            numbers: Kept::of(numbers(&all), |number| in_text.contains(number)),
            ungrounded: Kept::of(&draft.sentences, |sentence| sentence.ungrounded),
            rouge: RougeMean::default(),
            time,
            tokens: draft.tokens,
        }
    }

    pub(super) fn add(&mut self, other: &Sums) {
        self.summaries += other.summaries;
        self.words += other.words;
        self.cited.add(other.cited);
        self.represented.add(other.represented);
        self.dates.add(other.dates);
        self.names.add(other.names);
        self.numbers.add(other.numbers);
        self.ungrounded.add(other.ungrounded);
        self.rouge.add(other.rouge);
        self.time += other.time;
        self.tokens += other.tokens;
    }
}

/// English expressions in a turn that fix a date or a period.
static TIMES: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(yesterday|tomorrow|today|tonight|(last|next|this) (night|week|weekend|month|year|summer|winter|spring|fall|mon|tue|wed|thu|fri|sat|sun)\w*|\w+ (days?|weeks?|months?|years?) ago|(jan|febr)uary|march|april|june|july|august|(septem|octo|novem|decem)ber|\d{4}-\d{2}-\d{2})\b",
    )
});

/// A date as a summary writes it: a day with its month, or a year.
static DATE: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"\b(1[6-9]|20)\d{2}\b|\b\d{1,2} (?:[A-Z][a-z]{2,8})\b|\b[A-Z][a-z]{2,8} \d{1,2}\b"));

static NUMBER: LazyLock<Regex> = LazyLock::new(|| pattern(r"\b\d+\b"));

fn pattern(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the pattern is a constant")
}

fn has_date(sentence: &&Sentence) -> bool {
    DATE.is_match(&sentence.text)
}

fn content(text: &str) -> BTreeSet<String> {
    words(text).filter(|word| word.chars().count() > 3).map(str::to_lowercase).collect()
}

fn numbers(turns: &[&Memory]) -> BTreeSet<String> {
    turns.iter().flat_map(|turn| NUMBER.find_iter(&turn.text)).map(|number| number.as_str().to_owned()).collect()
}

/// Returns the words of three letters or more that are capitalised inside a sentence and never written in lower case. Leaves
/// out words with an apostrophe.
fn names(turns: &[&Memory]) -> BTreeSet<String> {
    let all: BTreeSet<&str> = turns.iter().flat_map(|turn| words(&turn.text)).collect();
    let inside = turns
        .iter()
        .flat_map(|turn| turn.text.split(['.', '!', '?', ':', '\n', '"']))
        .flat_map(|part| words(part).skip(1));
    let capital = inside.filter(|word| word.chars().count() > 2 && word.starts_with(char::is_uppercase));
    capital
        .filter(|word| !word.contains(['\'', '’']) && !all.contains(word.to_lowercase().as_str()))
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_expressions_and_dates_are_recognised() {
        fn check(text: &str, expect: (bool, bool)) {
            assert_eq!((TIMES.is_match(text), DATE.is_match(text)), expect, "{text}");
        }
        check("I went there yesterday", (true, false));
        check("two weeks ago we met", (true, false));
        check("Last Fri I swam", (true, false));
        check("On 2026-03-04 Ann moved.", (true, true));
        check("In March 2026 Ann moved.", (true, true));
        check("Ann moved.", (false, false));
    }

    #[test]
    fn nothing_has_no_percentage() {
        assert_eq!(Kept::default().percent(), None);
        assert_eq!(Kept { kept: 1, all: 3 }.percent(), Some(33.3));
    }
}
