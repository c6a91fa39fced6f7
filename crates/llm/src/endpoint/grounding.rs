//! Checks what a model wrote against what it read: names, numbers and dates that the cited lines do not contain, and clauses
//! that say the opposite.
//!
//! A sentence is compared with the lines that it cites and with their neighbours, because pronouns and questions refer to
//! those. Dates, months, weekdays and small number words are recognised in eight languages. Names are capitalised words; in
//! German, where every noun is capitalised, they are common given names. A sentence with a name, number or date that the background
//! contains, but not these lines, is removed. In every language, so is a sentence with other telling words that the background
//! contains, but none of the lines (`content`). Otherwise it would survive the forgetting of the text that it comes from.

mod dates;
mod han;
mod negation;
mod numbers;
mod openers;
#[cfg(test)]
mod planted;
mod relative;

use std::collections::{BTreeSet, HashSet};
use std::sync::LazyLock;

use annals_core::{Date, MemoryId, entity_key};
use jiff::ToSpan;
use regex::Regex;
use unicode_segmentation::UnicodeSegmentation;

use dates::{Dates, Written, month, take_dates, weekday};
use numbers::{compound, foreign_word, foreign_words, hours, number_word, numbers};

use super::content::{Content, is_taken_from};
use super::lines::Line;
use super::sentences::CitedSentence;
use crate::rules::is_first_name;

/// Number of lines before and after a cited line that count as its context.
const NEIGHBOURS: usize = 1;

/// The texts and settings that a summary is checked against.
#[derive(Clone, Copy, Debug)]
pub(super) struct Evidence<'a> {
    /// Everything that the model was asked to summarise.
    pub(super) lines: &'a [Line],
    /// The texts of the background that the model was shown in addition.
    pub(super) background: &'a [String],
    /// Pairs of names of one entity. A summary may use either.
    pub(super) aliases: &'a [[String; 2]],
    /// Whether capitalised words are names.
    pub(super) has_names: bool,
}

/// Marks the sentences that their sources do not support, and removes those with content of the background alone. Returns the
/// number of distinct faults in the kept sentences: names, numbers, dates and contradicting sentences.
pub(super) fn mark(drafted: &mut Vec<CitedSentence>, evidence: Evidence<'_>) -> u32 {
    let mut known = Sources::default();
    evidence.background.iter().for_each(|text| known.add(text));
    let background = Content::telling(evidence.background.iter().map(String::as_str));
    let sources = Content::of(evidence.lines.iter().flat_map(|line| [line.head.as_str(), line.text.as_str()]));
    let mut found: HashSet<String> = HashSet::new();
    drafted.retain_mut(|sentence| {
        let faults = faults(sentence, evidence);
        let is_leak = |fault: &Fault| fault.claim.as_ref().is_some_and(|claim| known.support(claim));
        if faults.iter().any(is_leak) || is_taken_from(&background, &sources, &sentence.text) {
            return false;
        }
        sentence.ungrounded = !faults.is_empty();
        found.extend(faults.into_iter().map(|fault| fault.name));
        true
    });
    u32::try_from(found.len()).unwrap_or(u32::MAX)
}

/// Everything that a model was shown when it extracted statements.
pub(super) struct Shown {
    sources: Sources,
    has_names: bool,
}

impl Shown {
    /// Returns what the lines and the background contain.
    pub(super) fn new(evidence: Evidence<'_>) -> Shown {
        let mut sources = Sources::of(&evidence.lines.iter().collect::<Vec<_>>());
        evidence.background.iter().for_each(|text| sources.add(text));
        Shown { sources, has_names: evidence.has_names }
    }

    /// Returns whether a statement has a name, number or date that is not in what was shown and cannot follow from it. Words
    /// with a number at their end ("b12") are neither names nor numbers.
    pub(super) fn lacks(&self, statement: &str) -> bool {
        let text = WITH_NUMBER.replace_all(statement, " ");
        let claims = claims(&text, &self.sources, self.has_names);
        claims.iter().any(|claim| !self.sources.support(claim) && !self.sources.may_imply(claim))
    }
}

static WITH_NUMBER: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\b\p{Ll}+\d+\b").expect("the pattern is a constant, and a test uses it"));

/// Something in a sentence that its sources do not support.
struct Fault {
    name: String,
    /// `None` for a contradiction.
    claim: Option<Claim>,
}

/// A date, number or name in a sentence, which can be looked up in its sources.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Claim {
    Date(Written),
    /// A month without a day.
    Month(i8),
    Number(String),
    Name(String),
}

fn faults(sentence: &CitedSentence, evidence: Evidence<'_>) -> Vec<Fault> {
    let lines = cited(sentence, evidence.lines);
    let mut sources = Sources::of(&lines);
    sources.add_aliases(evidence.aliases);
    let claims = claims(&sentence.text, &sources, evidence.has_names);
    let unsupported = claims.into_iter().filter(|claim| !sources.support(claim));
    let fault = |claim: Claim| Fault { name: format!("{claim:?}"), claim: Some(claim) };
    let mut faults: Vec<Fault> = unsupported.map(fault).collect();
    if negation::contradictions(&sentence.text, lines.iter().map(|line| line.text.as_str())) > 0 {
        faults.push(Fault { name: format!("contradiction {}", sentence.text), claim: None });
    }
    faults
}

/// Returns the lines that a sentence comes from, and their neighbours in the same group.
fn cited<'l>(sentence: &CitedSentence, lines: &'l [Line]) -> Vec<&'l Line> {
    let from: HashSet<&MemoryId> = sentence.from.iter().collect();
    let is_cited: Vec<bool> =
        lines.iter().map(|line| line.from.iter().any(|id| from.contains(id)) || from.is_empty()).collect();
    let is_near = |at: usize| {
        let near = at.saturating_sub(NEIGHBOURS)..lines.len().min(at + NEIGHBOURS + 1);
        near.into_iter().any(|other| is_cited[other] && lines[other].group == lines[at].group)
    };
    (0..lines.len()).filter(|at| is_near(*at)).map(|at| &lines[at]).collect()
}

fn claims(text: &str, sources: &Sources, has_names: bool) -> Vec<Claim> {
    let Dates { rest, days, months } = take_dates(text);
    let mut claims: Vec<Claim> = days.into_iter().map(Claim::Date).collect();
    claims.extend(months.into_iter().map(Claim::Month));
    claims.extend(numbers(&rest).into_iter().map(Claim::Number));
    claims.extend(spelled(&rest).map(Claim::Number));
    claims.extend(foreign_words(&rest).into_iter().map(|number| Claim::Number(number.to_string())));
    let names = if has_names { names(&rest, sources) } else { given_names(&rest) };
    claims.extend(names.into_iter().map(Claim::Name));
    claims
}

/// Returns the numbers above two that are written as words.
fn spelled(text: &str) -> impl Iterator<Item = String> + '_ {
    let numbers = text.unicode_words().filter_map(|word| numbers::cardinal(&plain(word)));
    numbers.filter(|number| *number > 2).map(|number| number.to_string())
}

/// Everything that the sources contain.
#[derive(Debug, Default)]
struct Sources {
    /// Words as written, to tell names from words that begin a sentence.
    written_words: HashSet<String>,
    words: HashSet<String>,
    numbers: HashSet<String>,
    /// Days of the lines. Dates written in the text are in `written`.
    days: BTreeSet<Date>,
    written: BTreeSet<Written>,
    months: BTreeSet<i8>,
    /// Whether the sources use relative dates, from which other days follow.
    is_relative: bool,
    /// Whether the sources mention weeks, months or years, from which a distant date may follow.
    is_distant: bool,
}

impl Sources {
    fn of(lines: &[&Line]) -> Sources {
        let mut sources = Sources::default();
        for line in lines {
            sources.add(&format!("{}{}", line.head, line.text));
            for day in [line.days.0, line.days.1] {
                sources.days.insert(day);
                sources.numbers.extend([day.year().to_string(), day.day().to_string()]);
            }
        }
        sources
    }

    /// Adds the other name of each name that the sources contain.
    fn add_aliases(&mut self, aliases: &[[String; 2]]) {
        for [one, other] in aliases {
            for (held, added) in [(one, other), (other, one)] {
                if held.unicode_words().all(|word| self.words.contains(&plain(word))) {
                    self.words.extend(added.unicode_words().map(plain));
                }
            }
        }
    }

    fn add(&mut self, text: &str) {
        let Dates { days, months, .. } = take_dates(text);
        self.written.extend(days);
        self.months.extend(months);
        self.is_relative |= relative::is_relative(text);
        self.is_distant |= relative::is_distant(text);
        self.numbers.extend(han::numbers(text).map(|number| number.to_string()));
        self.numbers.extend(numbers(text));
        self.numbers.extend(hours(text));
        for word in text.unicode_words() {
            self.numbers.extend(foreign_word(word).map(|number| number.to_string()));
            let word = plain(word);
            self.numbers.extend(number_word(&word).map(|number| number.to_string()));
            self.months.extend(month(&word));
            self.words.insert(word);
        }
        for word in text.unicode_words() {
            self.written_words.insert(word.to_owned());
        }
        self.numbers.extend(text.split_whitespace().filter_map(compound).map(|number| number.to_string()));
    }

    fn support(&self, claim: &Claim) -> bool {
        match claim {
            Claim::Date(date) => self.holds_date(*date),
            Claim::Month(month) => self.holds_month(*month),
            Claim::Number(number) => self.holds_number(number),
            Claim::Name(name) => self.holds_name(name),
        }
    }

    /// Returns whether a claim may follow from the sources although it is not in them: a date or a year from "in two years", a
    /// time of the day from its hour.
    fn may_imply(&self, claim: &Claim) -> bool {
        match claim {
            Claim::Date(_) | Claim::Month(_) => self.is_distant,
            Claim::Number(number) => match number.split_once(':') {
                Some((hour, _)) => hour.parse::<u32>().is_ok_and(|hour| self.holds_number(&(hour % 12).to_string())),
                None => self.is_distant && number.len() == 4 && number.starts_with(['1', '2']),
            },
            Claim::Name(_) => false,
        }
    }

    /// Returns whether the sources contain a date, or it can follow from one of their days: within 14 days of it if they use
    /// words such as "tomorrow", "last week", "on Friday", otherwise within one day.
    fn holds_date(&self, date: Written) -> bool {
        let is_same_date = |other: &Written| {
            let same_year = date.year.is_none_or(|year| other.year.is_none_or(|other| other == year));
            date.month == other.month && date.day == other.day && same_year
        };
        let days = if self.is_relative { 14 } else { 1 };
        let near =
            |day: &Date| (-days..=days).any(|days: i64| day.checked_add(days.days()).is_ok_and(|other| date.is(other)));
        self.written.iter().any(is_same_date) || self.days.iter().any(near)
    }

    /// Returns whether the sources name a month or are from it.
    fn holds_month(&self, month: i8) -> bool {
        self.months.contains(&month)
            || self.days.iter().any(|day| day.month() == month)
            || self.written.iter().any(|date| date.month == month)
    }

    fn holds_number(&self, number: &str) -> bool {
        self.numbers.contains(number)
    }

    /// Returns whether the sources contain a name literally, or a part or derivation of it: "German" from "Germany".
    fn holds_name(&self, name: &str) -> bool {
        if let Some(month) = month(name) {
            return self.holds_month(month) || self.words.contains(name);
        }
        if weekday(name).is_some() {
            return self.is_relative || self.days.iter().any(|day| weekday(name) == Some(day.weekday()));
        }
        let is_akin = |word: &String| {
            word == name
                || (word.len().min(name.len()) >= 5 && (word.starts_with(name) || name.starts_with(word.as_str())))
        };
        // "Ole300欧元": a number may follow a name without a space.
        let bare = name.trim_end_matches(|c: char| c.is_ascii_digit());
        self.words.contains(name) || self.words.contains(bare) || self.words.iter().any(is_akin)
    }
}

/// Returns a word in comparable form: without case, accents and genitive.
fn plain(word: &str) -> String {
    let key = entity_key(&word.replace('’', "'"));
    key.strip_suffix("'s").map(str::to_owned).unwrap_or(key)
}

/// Returns capitalised words, in comparable form. The first word of a sentence counts only if it is used as a name.
fn names(text: &str, sources: &Sources) -> Vec<String> {
    let mut names = Vec::new();
    let mut begins = true;
    let pieces: Vec<&str> = text.split_word_bounds().collect();
    for (at, piece) in pieces.iter().enumerate() {
        if piece.starts_with(['.', '!', '?', ':', '“', '"', '…', '\n', '«']) {
            begins = true;
        } else if piece.starts_with(char::is_alphanumeric) {
            let is_name = piece.starts_with(char::is_uppercase) && piece.chars().count() > 1;
            let is_used = !begins || openers::is_name(piece, next(&pieces[at + 1..]), &sources.written_words);
            if is_name && is_used && !piece.starts_with("I'") && !piece.starts_with("I’") {
                names.push(plain(piece));
            }
            begins = false;
        }
    }
    names
}

/// Returns the common given names among the words, in comparable form.
fn given_names(text: &str) -> Vec<String> {
    /// Given names that are other German words too.
    const NOUNS: [&str; 20] = [
        "Anders", "Flora", "Art", "Mark", "Rose", "Rosa", "Heide", "Kai", "Linde", "Wolf", "Ernst", "Bart", "Will",
        "Stern", "Falk", "Iris", "Viola", "Gast", "August", "Mai",
    ];
    let is_name = |word: &&str| word.starts_with(char::is_uppercase) && is_first_name(word) && !NOUNS.contains(word);
    text.unicode_words().filter(is_name).map(plain).collect()
}

/// Returns the first word among the pieces; empty if there is none.
fn next<'t>(pieces: &[&'t str]) -> &'t str {
    pieces.iter().find(|piece| piece.starts_with(char::is_alphanumeric)).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts the faults of a summary of a message from 4 March 2026, a Wednesday.
    fn count(summary: &str, source: &str) -> u32 {
        let day = jiff::civil::date(2026, 3, 4);
        let line = |text: &str| Line {
            head: "09:30 Ann: ".into(),
            text: text.into(),
            days: (day, day),
            from: Vec::new(),
            group: String::new(),
        };
        let lines = [line(source)];
        mark(
            &mut vec![drafted(summary, day)],
            Evidence { lines: &lines, background: &[], aliases: &[], has_names: true },
        )
    }

    fn drafted(text: &str, day: Date) -> CitedSentence {
        CitedSentence { text: text.into(), day, is_of_one_day: true, from: Vec::new(), ungrounded: false }
    }

    #[test]
    fn content_of_the_sources_is_grounded() {
        fn check(summary: &str, source: &str) {
            assert_eq!(count(summary, source), 0, "{summary} / {source}");
        }
        check("Yesterday Ann met José in São Paulo.", "met jose in Sao Paulo");
        check("It was Ann's flat.", "my flat");
        check("Ann came 2nd.", "I came second!");
        check("She has 2 cats and 25 fish.", "two cats, twenty-five fish");
        check("It cost 1000 euros, then 2.5 more.", "€1,000 and 2,50 more");
        check("They met at 14:00.", "see you at 2 pm");
        check("They met at 9:30.", "now!");
        check("Ann moved on 4 March.", "I moved");
        check("Ann moved on March 4th, 2026.", "I moved today");
        check("On 2026-03-05 Ann moves.", "tomorrow I move");
        check("She will move on 2026-03-13.", "I move next Friday");
        check("The party was on 12 May 2019.", "it was on 2019-05-12");
        check("The party was on May 12.", "it was on the 12th of May");
        check("In March the Germans came.", "the german guests");
        check("On Wednesday it rained.", "rain");
        check("They saw German films on a Friday.", "we watch films from Germany, on friday");
        check("She said: The Moon is far. Nobody minds.", "moon is far");
        check("", "");
    }

    #[test]
    fn content_missing_from_the_sources_is_counted() {
        fn check(summary: &str, source: &str, expect: u32) {
            assert_eq!(count(summary, source), expect, "{summary} / {source}");
        }
        check("Then Ann met Bob.", "met somebody", 1);
        check("Then Bob met Bob.", "met somebody", 1);
        check("Ann flew to New York.", "flew away", 2);
        check("It cost 300 euros.", "it cost 30 euros", 1);
        check("On 2026-05-17 Ann moved.", "I moved", 1);
        check("Ann moved on 17 May 2026.", "I move on 17 May 2025", 1);
        check("Ann moved on 17 May 2026 with 3 cats and Tom.", "I moved", 3);
        check("It was in July.", "it was in june", 1);
        check("On Sunday it rained.", "rain", 1);
        check("She came 3rd.", "I came second", 1);
        // The first word of a sentence may or may not be a name.
        check("Bob came.", "somebody came", 1);
        check("Rain came.", "it was raining", 0);
    }

    #[test]
    fn german_nouns_are_not_counted_as_names() {
        let day = jiff::civil::date(2026, 3, 4);
        let mut all = vec![drafted("Sie kauft ein Haus für 300 Euro.", day)];
        assert_eq!(mark(&mut all, Evidence { lines: &[], background: &[], aliases: &[], has_names: false }), 1);
    }

    #[test]
    fn faults_mark_their_sentence_and_background_never_gets_in() {
        let day = jiff::civil::date(2026, 3, 4);
        let line = |id: &str, text: &str| Line {
            head: "09:30 Ann: ".into(),
            text: text.into(),
            days: (day, day),
            from: vec![MemoryId::from_text(id)],
            group: id.into(),
        };
        let lines = [line("a", "I met Bob"), line("b", "I paid 30 euros")];
        let of = |text: &str, id: &str| CitedSentence { from: vec![MemoryId::from_text(id)], ..drafted(text, day) };
        let mut all = vec![
            of("Ann met Bob.", "a"),
            of("Then Ann met Bob.", "b"),
            of("Ann paid 40 euros.", "b"),
            of("Ann still lives in Oslo.", "b"),
        ];
        let background = ["Ann, lives_in, Oslo".to_owned()];
        assert_eq!(
            mark(&mut all, Evidence { lines: &lines, background: &background, aliases: &[], has_names: true }),
            2
        );
        let marks: Vec<(&str, bool)> =
            all.iter().map(|sentence| (sentence.text.as_str(), sentence.ungrounded)).collect();
        assert_eq!(marks, [("Ann met Bob.", false), ("Then Ann met Bob.", true), ("Ann paid 40 euros.", true)]);
    }
}
